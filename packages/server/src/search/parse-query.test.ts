/** What links add to the score of a page, and that pages without links keep theirs. */
import { PageField } from '@spindle/core'
import { pageCombinedFields } from '@spindle/crawler'
import {
  ChineseAnalyzer,
  Document,
  ENGLISH_FUNCTION_WORDS,
  Field,
  IndexSearcher,
  IndexWriter,
  MemoryDirectory,
  QueryParser,
} from '@spindle/index'
import t, { type Test } from 'tap'
import { parseQuery } from './parse-query.js'
import { DEFAULT_RANKING } from './ranking.js'

interface Page {
  readonly url: string
  readonly title: string
  readonly body: string
  readonly anchor?: string
  readonly pageRank?: number
}

async function searcherOver(t: Test, pages: readonly Page[], combined = true): Promise<IndexSearcher> {
  const directory = new MemoryDirectory()
  const combinedFields = combined ? pageCombinedFields() : []
  const writer = await IndexWriter.open(directory, { analyzer: new ChineseAnalyzer(), combinedFields })
  for (const { url, title, body, anchor, pageRank } of pages) {
    const document = new Document()
      .add(Field.keyword(PageField.url, url))
      .add(Field.text(PageField.title, title))
      .add(Field.text(PageField.body, body))
    if (anchor !== undefined) document.add(Field.text(PageField.anchor, anchor))
    if (pageRank !== undefined) document.add(Field.number(PageField.pageRank, pageRank, { stored: false }))
    await writer.addDocument(document)
  }
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  return searcher
}

async function search(searcher: IndexSearcher, text: string): Promise<[url: string, score: number][]> {
  const hits = await searcher.search(parseQuery(text, searcher.reader, { leniency: 'all' }).query, { limit: 100 })
  const found: [string, number][] = []
  for (let i = 0; i < hits.length; i++) found.push([(await hits.doc(i)).get(PageField.url)!, hits.score(i)])
  return found
}

const WORDS = ['silk', 'wheel', '丝绸', '历史', 'loom', 'thread', 'the', 'dye', '博物馆', 'weaving']

t.test('in an index without a combined field and links, title and text are scored as one field', async (t) => {
  const pages = Array.from({ length: 60 }, (_, i) => ({
    url: `http://a.example/${i}`,
    title: `${WORDS[i % 10]} ${WORDS[(i * 7) % 9]}`,
    body: Array.from({ length: 5 + (i % 13) }, (_, k) => WORDS[(i * k + k) % 10]).join(' '),
  }))
  const searcher = await searcherOver(t, pages, false)
  const { analyzers } = searcher.reader
  const before = new QueryParser({
    field: { fields: { [PageField.title]: 2, [PageField.body]: 1 } },
    analyzer: analyzers.forField(PageField.body),
    analyzers,
    scoring: {
      b: DEFAULT_RANKING.b,
      bonuses: { [PageField.title]: DEFAULT_RANKING.title },
      functionWords: ENGLISH_FUNCTION_WORDS,
    },
  })
  for (const text of [
    'silk',
    'silk wheel',
    '丝绸的历史',
    '"silk wheel"',
    '丝绸 -loom',
    'title:silk dye',
    '史',
    'the dye',
  ]) {
    const hits = await searcher.search(before.parse(text), { limit: 100 })
    const expected = Array.from({ length: hits.length }, (_, i) => hits.score(i))
    t.ok(expected.length > 0, text)
    t.same(
      (await search(searcher, text)).map(([, score]) => score),
      expected,
      text,
    )
  }
})

t.test('what links call a page finds it, and says so', async (t) => {
  const searcher = await searcherOver(t, [
    {
      url: 'a',
      title: 'Class String',
      body: 'methods of character sequences',
      anchor: 'String.format\nformat()',
      pageRank: 4,
    },
    { url: 'b', title: 'Formatter', body: 'a format for a String' },
    { url: 'c', title: 'Other', body: 'nothing' },
  ])
  t.equal((await search(searcher, 'String format'))[0]?.[0], 'a')
  t.same(
    (await search(searcher, 'anchor:format')).map(([url]) => url),
    ['a'],
  )
  const { query } = parseQuery('format', searcher.reader, { leniency: 'all' })
  const explanation = JSON.stringify(await searcher.explain(query, 0))
  t.match(explanation, /in all#word, each counting 1/)
  t.match(explanation, /pageRank of the document/)
  t.ok(parseQuery('', searcher.reader, { leniency: 'all' }).empty)
})

t.test('links decide between pages that are alike, and a little more', async (t) => {
  const alike = { title: 'Silk', body: 'silk from the worm' }
  const searcher = await searcherOver(t, [
    { url: 'low', ...alike, pageRank: 0.3 },
    { url: 'none', ...alike },
    { url: 'high', ...alike, pageRank: 500 },
    { url: 'about', title: 'Silk thread', body: 'thread of silk and more thread', pageRank: 0.2 },
  ])
  const found = await search(searcher, 'silk')
  t.same(
    found.slice(0, 3).map(([url]) => url),
    ['high', 'low', 'none'],
  )
  const score = new Map(found)
  t.ok(score.get('high')! / score.get('none')! < 1.3)
  t.equal((await search(searcher, 'silk thread'))[0]?.[0], 'about', 'no rank stands for a word that is missing')
})
