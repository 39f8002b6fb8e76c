/** Fields of numbers and dates, and words before a colon that are no fields. */
import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { periodOf } from '../document/date-period.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { NumberRangeQuery } from '../search/query/number-range-query.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { indexAnalyzers } from './index-analyzers.js'
import { QueryParser, type QueryParserOptions } from './query-parser.js'

const analyzer = new StandardAnalyzer()

async function library(
  t: Tap,
): Promise<{ searcher: IndexSearcher; ids: (text: string, options?: QueryParserOptions) => Promise<number[]> }> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const [body, year, date, free] of [
    ['silk road', 1999, '2024-01-31', true],
    ['silk and tea', 2005, '2024-02-01', false],
    ['porcelain', -3.5, '2024-02-29T23:59:59.999Z', true],
    ['tea', 2010, '2024-03-01', false],
  ] as const) {
    await writer.addDocument(
      new Document()
        .add(Field.text('body', body))
        .add(Field.number('year', year))
        .add(Field.date('date', new Date(date)))
        .add(Field.boolean('free', free)),
    )
  }
  await writer.addDocument(new Document().add(Field.text('body', 'nothing else')))
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  const analyzers = indexAnalyzers(searcher.reader)
  const ids = async (text: string, options: QueryParserOptions = {}): Promise<number[]> => {
    const hits = await searcher.search(QueryParser.parse(text, 'body', analyzer, { analyzers, ...options }))
    return [...Array(hits.length).keys()].map((i) => hits.docId(i)).sort()
  }
  return { searcher, ids }
}

type Tap = { teardown(handler: () => unknown): void }

t.test('ranges and values of numbers, dates and booleans', async (t) => {
  const { searcher, ids } = await library(t)
  const table: [string, number[]][] = [
    ['year:[1999 TO 2005]', [0, 1]],
    ['year:{1999 TO 2005]', [1]],
    ['year:[1999 TO 2005}', [0]],
    ['year:[* TO 1999}', [2]],
    ['year:{1999.5 TO *]', [1, 3]],
    ['year:[2005 TO 1999]', []],
    ['year:2005 year:"-3.5"', [1, 2]],
    ['year:[-1e+1 TO 0]', [2]],
    ['year:(1999 OR 2010)', [0, 3]],
    ['year:*', [0, 1, 2, 3]],
    ['_exists_:year AND tea', [1, 3]],
    ['*:* -_exists_:year', [4]],
    ['date:[2024-02 TO 2024-02]', [1, 2]],
    ['date:{2024-02 TO *]', [3]],
    ['date:[* TO 2024-02}', [0]],
    ['date:[2024-01-31 TO 2024-02-01}', [0]],
    ['date:[2024-02-29T12:00:00Z TO 2024]', [2, 3]],
    ['date:2024-02', [1, 2]],
    ['free:true AND silk', [0]],
    ['body:[porcelain TO silk}', [0, 2]],
    ['body:[S TO SILKWORM]', [0, 1]],
  ]
  for (const [text, expected] of table) t.same(await ids(text), expected, text)
  for (const text of [
    'year:[a TO 5]',
    'date:[2024-13 TO *]',
    'date:2024-02-30',
    'date:[* TO 2023-02-29T10:00]',
    'year:old',
    'free:[no TO yes]',
    'year:19*',
    'tea year:1~',
  ]) {
    await t.rejects(ids(text), { code: 'QUERY_SYNTAX' }, text)
    t.same(
      await ids(`porcelain ${text}`, { lenient: true }),
      text.startsWith('tea') ? [1, 2, 3] : [2],
      `${text}, passed over`,
    )
  }
  const printed = new QueryParser({ field: 'body', analyzer, analyzers: indexAnalyzers(searcher.reader) })
  for (const range of [{ gte: 1999, lt: 2005 }, { gt: -3.5 }, { lte: 1e21 }]) {
    const query = new NumberRangeQuery('year', range)
    t.same(printed.parse(printed.print(query)), query, printed.print(query))
  }
  const dates = new NumberRangeQuery('date', { gte: '2024-02-01', lt: '2024-03-01' })
  t.same(printed.parse(printed.print(dates)), dates)
})

t.test('field words: other names of fields, and questions of their own', async (t) => {
  const { ids } = await library(t)
  const options: QueryParserOptions = {
    knownFields: ['body', 'year', 'date'],
    fieldWords: {
      text: { field: 'body' },
      before: {
        toQuery(value) {
          const period = periodOf(value)
          return period === undefined ? null : new NumberRangeQuery('date', { lt: period.start })
        },
      },
    },
    filterFields: ['before'],
  }
  t.same(await ids('text:silk', options), [0, 1])
  t.same(await ids('text:(silk OR porc*)', options), [0, 1, 2], 'whatever a field is asked')
  t.same(await ids('_exists_:text', options), [0, 1, 2, 3, 4])
  t.same(await ids('tea silk before:2024-02', options), [0], 'narrows')
  t.same(await ids('silk -before:2024-02', options), [1])
  t.same(await ids('before:"2024-03"', options), [0, 1, 2])
  await t.rejects(ids('tea before:then', options), { code: 'QUERY_SYNTAX', start: 4, end: 15 })
  await t.rejects(ids('tea before:20*', options), { code: 'QUERY_SYNTAX' })
  t.same(await ids('tea before:then', { ...options, lenient: true }), [1, 3])
  t.same(await ids('constructor:x tea', options), [1, 3], 'no other word is one')
})

t.test('directives are handed back and ask for nothing', (t) => {
  const parser = (lenient: boolean) =>
    new QueryParser({ field: 'f', analyzer, lenient, directives: ['sort'], knownFields: [] })
  const { query, directives } = parser(false).parseWithReport('silk sort:date AND road')
  t.equal(query.toString('f'), '+silk +road')
  t.same([...directives], [['sort', 'date']])
  t.same([...parser(false).parseWithReport('+sort:"a b" x').directives], [['sort', 'a b']])
  for (const text of ['a -sort:date', '(a sort:date)', 'a sort:da*', 'a sort:(b)']) {
    t.throws(() => parser(false).parse(text), { code: 'QUERY_SYNTAX' }, text)
    const parsed = parser(true).parseWithReport(text)
    t.equal(parsed.query.toString('f'), 'a')
    t.equal(parsed.ignored.length, 1)
    t.equal(parsed.directives.size, 0)
  }
  t.end()
})

t.test('what is not cut into words is folded as words are', (t) => {
  const chinese = new ChineseAnalyzer()
  const parse = (text: string): string => QueryParser.parse(text, 'b', chinese).toString('b')
  t.equal(parse('Ｓｉｌｋ* W?RD'), 'silk* w?rd', 'width and case')
  t.equal(parse('[臺 TO 龍]'), '[台 TO 龙]', 'script')
  t.equal(parse('Silk~'), 'silk~2')
  t.equal(parse('天安门*'), '"天安 安门"', 'what begins like a run of Chinese is its phrase')
  t.equal(parse('海*'), 'b#char:海')
  t.equal(parse('上海~'), parse('上海'), 'and nothing is similar to it')
  t.equal(parse('wi-fi*'), '"wi fi"')
  t.equal(parse('?安*'), '?安*')
  t.end()
})
