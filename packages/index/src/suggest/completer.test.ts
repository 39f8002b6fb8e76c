/** Completions by titles, headings and pinyin, and the query that they are found by. */
import t from 'tap'
import {
  type Analyzer,
  ChineseAnalyzer,
  Completer,
  Document,
  Field,
  IndexSearcher,
  IndexWriter,
  MemoryDirectory,
  StandardAnalyzer,
  searchAsYouType,
} from '../index.js'

async function searcherOf(
  titles: readonly string[],
  analyzer: Analyzer = new ChineseAnalyzer(),
  heading = '',
): Promise<IndexSearcher> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const title of titles) {
    const document = new Document().add(Field.text('title', title)).add(Field.text('body', `${title} ${heading}`))
    await writer.addDocument(document.add(Field.unIndexed('heading', heading)))
  }
  await writer.close()
  return IndexSearcher.open(directory)
}

function completerOf(searcher: IndexSearcher, analyzer: Analyzer = new ChineseAnalyzer()): Completer {
  return new Completer(searcher, {
    field: 'title',
    analyzer,
    headings: { field: 'body', of: (document) => [document.get('heading') ?? ''] },
  })
}

t.test('the last word is a beginning, unless something stands behind it', async (t) => {
  const analyzer = new ChineseAnalyzer()
  const searcher = await searcherOf(['silk road', 'silk roses', 'roads', '搜索引擎', '搜索 road'], analyzer)
  const count = (text: string): Promise<number> => searcher.count(searchAsYouType(text, ['title'], analyzer)!)
  for (const [text, hits] of [
    ['ro', 4],
    ['RO', 4],
    ['silk ro', 2],
    ['silk ro ', 0],
    ['ro silk', 0],
    ['road', 3],
    ['索引', 1],
    ['搜索 ro', 1],
    ['擎', 1],
    ['引搜', 0],
  ] as const) {
    t.equal(await count(text), hits, text)
  }
  t.equal(searchAsYouType(' ?! ', ['title'], analyzer), null)
  t.equal(await searcher.count(searchAsYouType('silk ro', ['body', 'title'], analyzer)!), 2)
  const exact = await searcher.search(searchAsYouType('road', ['title'], analyzer)!)
  t.ok(exact.score(0) > exact.score(2), 'the word itself comes before longer ones')
  t.ok(await searcher.count(searchAsYouType('silk '.repeat(1000), ['title'], analyzer)!), 'bounded')
  await searcher.close()
})

t.test('titles with what was typed, each once, those that begin with it first', async (t) => {
  const searcher = await searcherOf(['The Silk Road', 'Silk roads', 'silk  roads', 'Silk', '丝绸之路', '絲綢'])
  const completer = completerOf(searcher)
  t.strictSame((await completer.complete('silk r')).toSorted(), ['Silk roads', 'The Silk Road'])
  t.equal((await completer.complete('silk r'))[0], 'Silk roads')
  t.strictSame(await completer.complete('silk'), ['Silk roads', 'The Silk Road'], 'what was typed is no suggestion')
  t.equal((await completer.complete('silk', { limit: 1 })).length, 1)
  t.strictSame((await completer.complete('丝')).toSorted(), ['丝绸之路', '絲綢'].toSorted())
  t.strictSame(await completer.complete('绸之'), ['丝绸之路'])
  for (const text of ['', '   ', '?', '\ud800', 'x'.repeat(5000), 'porcelain']) {
    t.strictSame(await completer.complete(text), [], JSON.stringify(text).slice(0, 20))
  }
  await searcher.close()
})

t.test('headings where titles are few', async (t) => {
  const searcher = await searcherOf(['Tea'], new StandardAnalyzer(), 'Brewing green tea')
  const completer = completerOf(searcher, new StandardAnalyzer())
  t.strictSame(await completer.complete('green t'), ['Brewing green tea'])
  t.strictSame(await completer.complete('brew'), ['Brewing green tea'])
  await searcher.close()
})

t.test('pinyin where Latin letters find little: syllables, unfinished ones, first letters', async (t) => {
  const searcher = await searcherOf(['搜索引擎', '中文数据库', '女性', 'sous vide', '西安'])
  const completer = completerOf(searcher)
  for (const [typed, title] of [
    ['sousuo', '搜索引擎'],
    ['sousu', '搜索引擎'],
    ['ss', '搜索引擎'],
    ['shujuku', '中文数据库'],
    ['shu ju k', '中文数据库'],
    ['zhongwenshuju', '中文数据库'],
    ['nvx', '女性'],
    ['nüxing', '女性'],
    ["xi'an", '西安'],
  ] as const) {
    t.ok((await completer.complete(typed)).includes(title), typed)
  }
  t.strictSame(await completer.complete('sous'), ['sous vide', '搜索引擎'], 'words come before sounds')
  for (const typed of ['vvv', 'b', 'jingdian', 'sousuoxyz']) t.strictSame(await completer.complete(typed), [], typed)
  await searcher.close()
  const plain = new StandardAnalyzer()
  t.strictSame(await completerOf(await searcherOf(['搜索'], plain), plain).complete('sousuo'), [])
})
