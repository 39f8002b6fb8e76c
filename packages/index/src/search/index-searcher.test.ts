import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { indexAnalyzers } from '../query-parser/index-analyzers.js'
import { QueryParser } from '../query-parser/query-parser.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { BoostQuery } from './query/boost-query.js'
import { DisjunctionMaxQuery } from './query/disjunction-max-query.js'
import { MatchAllQuery } from './query/match-all-query.js'
import { MatchNoneQuery } from './query/match-none-query.js'
import { PhraseQuery } from './query/phrase-query.js'
import { TermQuery } from './query/term-query.js'
import { BM25Similarity } from './similarity/bm25-similarity.js'
import { ClassicSimilarity } from './similarity/classic-similarity.js'
import { Term } from './term.js'

const standard = new StandardAnalyzer()
const chinese = new ChineseAnalyzer()
const body = (text: string): TermQuery => new TermQuery(new Term('body', text))

const article = (id: string, text: string): Document =>
  new Document()
    .add(Field.keyword('id', id))
    .add(Field.text('title', `title ${id}`))
    .add(Field.text('body', text))

t.test('hits: the best at once, the rest when they are asked for', async (t) => {
  const path = t.testdir()
  const writer = await IndexWriter.open(path, { analyzer: standard })
  for (let i = 0; i < 950; i++) {
    await writer.addDocument(article(String(i), `word ${'filler '.repeat(i % 7)}`))
    if (i % 300 === 0) await writer.commit()
  }
  await writer.close()
  const searcher = await IndexSearcher.open(path)
  const hits = await searcher.search(body('word'))
  t.same([hits.length, hits.relation, hits.loaded], [950, 'eq', 100])
  t.throws(() => hits.score(100), RangeError)
  t.throws(() => hits.docId(-1), RangeError)
  const all = await searcher.search(body('word'), { limit: 5000 })
  t.equal(all.loaded, 950)
  const seen: number[] = []
  for await (const hit of hits) {
    t.same([hit.index, hit.docId, hit.score], [seen.length, all.docId(seen.length), all.score(seen.length)])
    seen.push(hit.docId)
  }
  t.equal(new Set(seen).size, 950)
  t.equal((await hits.doc(949)).get('id'), (await all.doc(949)).get('id'))
  await t.rejects(hits.doc(950), RangeError)
  await t.rejects(hits.doc(0.5), RangeError)
  t.same((await hits.slice(940, 2000)).length, 10)
  t.same(await hits.slice(2000, 1), [])
  t.same(
    (await hits.slice(-5, 2)).map((hit) => hit.index),
    [0, 1],
  )
  const none = await searcher.search(body('word'), { limit: 0 })
  t.same([none.length, none.loaded], [950, 0])
  t.equal((await none.slice(0, 3)).length, 3, 'further hits are found even after a limit of 0')
  const nothing = await searcher.search(new MatchNoneQuery())
  t.same([nothing.length, nothing.relation, await nothing.slice(0, 10)], [0, 'eq', []])
  t.equal(await searcher.count(new MatchAllQuery()), 950)
  await t.rejects(searcher.search(body('word'), { limit: -1 }), RangeError)
  await t.rejects(searcher.search(body('word'), { totalHits: 1.5 }), RangeError)
  await searcher.close()
  await searcher.close()
  await t.rejects(searcher.search(body('word')), { code: 'INDEX_CLOSED' })
  await t.rejects(IndexSearcher.open(t.testdir()), { code: 'INDEX_NOT_FOUND' })
})

t.test('refresh: new searches see the newest commit, old results stay readable', async (t) => {
  const path = t.testdir()
  const writer = await IndexWriter.open(path, { analyzer: standard })
  await writer.addDocument(article('1', 'old word'))
  await writer.commit()
  const searcher = await IndexSearcher.open(path)
  const before = await searcher.search(body('word'))
  t.equal(await searcher.refresh(), false)
  await writer.updateDocument(new Term('id', '1'), article('1', 'new word'))
  await writer.addDocument(article('2', 'new word'))
  await writer.commit()
  await writer.optimize()
  await writer.commit()
  const concurrent = searcher.search(body('old'))
  t.same(await Promise.all([searcher.refresh(), searcher.refresh()]), [true, true])
  t.equal((await concurrent).length, 1)
  t.equal((await searcher.search(body('old'))).length, 0)
  t.equal((await searcher.search(body('word'))).length, 2)
  t.equal((await before.doc(0)).get('body'), 'old word', 'the files of the old commit are still open')
  await writer.close()
  const reader = await IndexReader.open(path)
  const onReader = new IndexSearcher(reader)
  t.equal(await onReader.count(body('word')), 2)
  await onReader.close()
  t.equal((await reader.document(0)).get('id') !== undefined, true, "a caller's reader stays the caller's")
  await reader.close()
  await searcher.close()
  await t.rejects(before.doc(0), 'after close nothing is readable')
})

t.test('a search can be stopped, and lets other work run', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: standard })
  for (let i = 0; i < 15_000; i++)
    await writer.addDocument(new Document().add(Field.unStored('body', 'a b c d e f g h')))
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  const phrase = new PhraseQuery('body', ['a', 'b', 'c', 'd'])
  const heavy = new BooleanQuery(
    Array.from({ length: 60 }, () => ({
      query: new DisjunctionMaxQuery([phrase, body('e')]),
      occur: 'should' as const,
    })),
  )
  await t.rejects(searcher.search(heavy, { timeLimit: 5 }), { code: 'QUERY_TIMEOUT' })
  await t.rejects(searcher.count(heavy, { timeLimit: 5 }), { code: 'QUERY_TIMEOUT' })
  await t.rejects(searcher.search(heavy, { signal: AbortSignal.abort(new Error('gone')) }), { message: 'gone' })
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('gone meanwhile')), 15)
  await t.rejects(searcher.search(heavy, { signal: controller.signal }), { message: 'gone meanwhile' })
  t.equal((await searcher.search(phrase, { timeLimit: 60_000 })).length, 15_000, 'the searcher works on')
  const ties = await searcher.search(body('a'), { limit: 3 })
  t.same([ties.docId(0), ties.docId(1), ties.docId(2)], [0, 1, 2], 'equal scores: earlier documents first')
  await searcher.close()
})

t.test('scores do not depend on how the index is cut; pruning skips', async (t) => {
  const write = async (commitEvery: number): Promise<IndexSearcher> => {
    const directory = new MemoryDirectory()
    const writer = await IndexWriter.open(directory, { analyzer: standard, mergeFactor: 100 })
    for (let i = 0; i < 9000; i++) {
      const rare = i % 97 === 0 ? 'rare '.repeat(1 + (i % 5)) : ''
      await writer.addDocument(
        article(String(i), `${rare}common ${'x '.repeat((i * 31) % 23)} ${i % 3 === 0 ? 'third' : ''}`),
      )
      if ((i + 1) % commitEvery === 0) await writer.commit()
    }
    await writer.close()
    return IndexSearcher.open(directory)
  }
  const one = await write(9000)
  const many = await write(700)
  t.ok(many.reader.segments.length > 5)
  const query = QueryParser.parse('rare common third title:5 "common x"', 'body', standard)
  const a = await one.search(query)
  const b = await many.search(query)
  t.equal(a.length, 9000)
  for (let i = 0; i < a.loaded; i++) t.same([a.docId(i), a.score(i)], [b.docId(i), b.score(i)])
  // Far more documents have one word than the other: it is counted, and of the others those are listed that it is not in.
  const either = Array.from({ length: 9000 }, (_, i) => i).filter((i) => i % 3 === 0 || i % 97 === 0).length
  for (const searcher of [one, many]) {
    for (const text of ['rare third', 'third rare rare', 'third rare absent']) {
      t.equal(await searcher.count(QueryParser.parse(text, 'body', standard)), either, text)
    }
    t.equal(await searcher.count(QueryParser.parse('third absent', 'body', standard)), 3000)
    const pruned = await searcher.search(QueryParser.parse('rare common', 'body', standard), {
      limit: 10,
      totalHits: 0,
    })
    t.ok(pruned.relation === 'gte' && pruned.length < 1000, `${pruned.length} of 9000 were looked at`)
  }
  await one.close()
  await many.close()
})

t.test('whole words, more occurrences first, explanations', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: standard })
  await writer.addDocument(article('netherlands', 'the netherlands and four more words'))
  await writer.addDocument(article('once', 'net and a few other words'))
  await writer.addDocument(article('five', 'net net net net net word'))
  await writer.close()
  for (const similarity of [new BM25Similarity(), new ClassicSimilarity()]) {
    const searcher = await IndexSearcher.open(directory, { similarity })
    const hits = await searcher.search(body('net'))
    t.same(
      (await hits.slice(0, 9)).map((hit) => hit.document.get('id')),
      ['five', 'once'],
    )
    const query = QueryParser.parse('+net^2 words -title:four', { fields: { body: 1, title: 3 } }, standard)
    for await (const hit of await searcher.search(query)) {
      const explanation = await searcher.explain(query, hit.docId)
      t.equal(explanation.value, hit.score)
      t.match(explanation.description, 'sum of')
      t.equal(
        explanation.details.reduce((sum, part) => sum + part.value, 0),
        hit.score,
      )
    }
    t.equal((await searcher.explain(body('net'), 0)).match, false)
    await t.rejects(searcher.explain(body('net'), 3), RangeError)
    await searcher.close()
  }
  // By hand: N 3, df 2, freq 5, length 6, average 19/3... of all three documents.
  const searcher = await IndexSearcher.open(directory)
  const idf = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
  const expected = (idf * 5) / (5 + 1.2 * (0.25 + (0.75 * 6) / 6))
  t.ok(Math.abs((await searcher.search(body('net'))).score(0) - expected) < 1e-12)
  await t.rejects(searcher.search(new PhraseQuery('id', ['once', 'five'])), { code: 'FIELD_WITHOUT_POSITIONS' })
  t.throws(() => new BoostQuery(body('a'), -1), RangeError)
  t.throws(() => new BoostQuery(body('a'), Number.NaN), RangeError)
  t.throws(() => new BooleanQuery([], -1), RangeError)
  t.throws(() => new DisjunctionMaxQuery([], 2), RangeError)
  t.throws(() => new PhraseQuery('a', ['a'], []), RangeError)
  t.throws(() => new PhraseQuery('a', ['a', 'b'], [1, 0]), RangeError)
  t.throws(() => new BM25Similarity({ k1: -1 }), RangeError)
  t.throws(() => new BM25Similarity({ b: 2 }), RangeError)
  await searcher.close()
})

t.test('Chinese from text to hits', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: chinese })
  const texts = [
    '海上升明月，天涯共此时。',
    '上海是中国的一座大城市。',
    '北京天安門廣場在城市的中心。',
    '这是一篇关于 C 语言和 Python 3 的文章。',
    '他在海边。',
    '人工智能技术正在改变世界，机器学习是人工智能的一个分支。',
  ]
  for (const [i, text] of texts.entries()) {
    await writer.addDocument(article(String(i), text).add(Field.keyword('lang', i === 3 ? 'zh-en' : 'zh-cn')))
  }
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  const parser = new QueryParser({
    field: { fields: { title: 2, body: 1 } },
    analyzer: chinese,
    analyzers: indexAnalyzers(searcher.reader),
    knownFields: ['title', 'lang', 'id'],
    lenient: true,
  })
  const find = async (text: string): Promise<string[]> => {
    const hits = await searcher.search(parser.parse(text))
    return (await hits.slice(0, 100)).map((hit) => hit.document.get('id')!)
  }
  t.same(await find('上海'), ['1'], '上海 is not 海上')
  t.same(await find('海上'), ['0'])
  t.same((await find('海')).sort(), ['0', '1', '4'], 'one character')
  t.same(await find('天安门'), ['2'], 'simplified finds traditional')
  t.same(await find('天安門廣場'), ['2'])
  t.same(await find('"安门广"'), ['2'], 'any part of a run')
  t.same(await find('"安门城"'), [])
  t.same(await find('python'), ['3'])
  t.same(await find('C语言'), ['3'])
  t.same((await find('什么是人工智能的分支'))[0], '5', 'a question')
  t.same(await find('lang:zh-en'), ['3'], 'a keyword')
  t.same(await find('lang:zh-EN'), [])
  t.same(await find('城市 -lang:zh-cn'), [])
  t.same(await find('id:1'), ['1'])
  // Every stretch of two to twelve characters finds its document when it is quoted.
  for (const [id, text] of texts.entries()) {
    for (const run of text.match(/\p{Script=Han}{2,}/gu) ?? []) {
      for (let from = 0; from + 2 <= run.length; from++) {
        const part = run.slice(from, from + 12)
        const found = await find(`"${part}"`)
        if (!found.includes(String(id))) t.fail(`${part} does not find ${text}`)
      }
    }
  }
  const long = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 37) % 5000))).join('')
  const before = process.cpuUsage()
  await find(long)
  await find(texts.join('').repeat(20).slice(0, 1000))
  const { user } = process.cpuUsage(before)
  t.ok(user < 3e6, `two queries of 1,000 characters: ${Math.round(user / 1000)} ms of CPU`)
  await searcher.close()
})
