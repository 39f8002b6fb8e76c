/** Synonyms in queries: what is asked for, in which place of the query, and that it is found, scored and marked. */
import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { SynonymMap } from '../analysis/synonyms/synonym-map.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { highlight } from '../highlight/highlight.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { ENGLISH_FUNCTION_WORDS } from './english-function-words.js'
import { printSyntax } from './print-syntax.js'
import { QueryParser, type QueryParserOptions } from './query-parser.js'

const standard = new StandardAnalyzer()
const chinese = new ChineseAnalyzer()
const synonyms = SynonymMap.parse('nyc, new york, big apple\ncar, auto\nfoto => photo\nabc => a b c')
const parse = (text: string, options: QueryParserOptions = {}): string =>
  QueryParser.parse(text, 'f', standard, { synonyms, ...options }).toString('f')
const NYC = 'Synonym(nyc | "new york" | "big apple")'
const NEW_YORK = 'Synonym((new york) | nyc | "big apple")'

t.test('where synonyms are looked for', (t) => {
  const table: [string, string][] = [
    ['nyc', NYC],
    ['cheap NYC hotel', `cheap ${NYC} hotel`],
    ['cheap new york hotel', `cheap ${NEW_YORK} hotel`],
    ['car new york auto', `Synonym(car | auto) ${NEW_YORK} Synonym(auto | car)`],
    ['foto', 'photo'],
    ['abc', '"a b c"'],
    ['+car -auto', '+Synonym(car | auto) -auto'],
    ['-(car new york)', '-(car new york)'],
    ['a AND car', '+a +Synonym(car | auto)'],
    ['a AND new york', `+a +${NEW_YORK}`],
    ['(big apple)^2', `(Synonym((big apple) | nyc | "new york"))^2.0`],
    ['x:(new york)', 'Synonym((x:new x:york) | x:nyc | x:"big apple")'],
    // Not what is quoted or a pattern, nor what something stands between.
    ['"car" "new york"', 'car "new york"'],
    ['ca* car~', 'ca* car~2'],
    ['new AND york', '+new +york'],
    ['new +york', 'new +york'],
    ['new york^2', 'new (york)^2.0'],
    ['new OR york', 'new york'],
    ['york new', 'york new'],
  ]
  for (const [text, printed] of table) t.equal(parse(text), printed, text)
  t.equal(
    parse('new york car', { defaultOperator: 'and' }),
    `+${NEW_YORK.replace('(new york)', '(+new +york)')} +Synonym(car | auto)`,
  )
  t.equal(parse('car new', { synonyms: new SynonymMap([]) }), 'car new')
  const keywords = { analyzers: { forField: () => new KeywordAnalyzer() } }
  t.equal(parse('x:car', keywords), 'x:car', 'identifiers have no synonyms')
  const parser = new QueryParser({ field: 'f', analyzer: standard, synonyms })
  t.equal(printSyntax(parser.parseWithReport('cheap new york -car').syntax), 'cheap new york -car', 'as it was written')
  t.end()
})

t.test('Chinese', (t) => {
  const list = SynonymMap.parse('电脑, 计算机\nCPU 使用率, 处理器占用率\n世卫组织 => 世卫组织, 世界卫生组织, WHO')
  const parse = (text: string, options: QueryParserOptions = {}): string =>
    QueryParser.parse(text, 'f', chinese, { synonyms: list, ...options }).toString('f')
  const without = (text: string): string => QueryParser.parse(text, 'f', chinese).toString('f')
  const computer = `Synonym((${without('电脑')}) | (${without('计算机')}))`
  t.equal(parse('电脑'), computer)
  t.equal(parse('電腦'), parse('电脑'), 'both scripts')
  t.equal(
    parse('电脑价格', { scoring: {} }),
    `{(${computer}) (${without('价格')}) ("电脑 脑价 价格")^1.4}`,
    'a part of a run, and first what stands as typed',
  )
  t.match(parse('cpu使用率'), /^Synonym\(.*"处理 理器 器占 占用 用率"\)$/)
  t.equal(parse('cpu 使用率'), parse('cpu使用率').replace(/ "cpu.*?"\)\S*/, ''), 'with a space or none')
  t.match(parse('世卫组织'), /"世界 界卫 卫生 生组 组织" \| \(f#word:who\)\S+\)$/)
  t.end()
})

t.test('found, scored, explained and marked', async (t) => {
  const bodies = [
    'a car and a driver',
    'an auto and a driver',
    'the big apple and more',
    'apple of a big tree',
    'a driver',
    '便宜的计算机 价格',
    '价格',
    '买电脑看价格',
  ]
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: chinese })
  for (const body of bodies) await writer.addDocument(new Document().add(Field.text('f', body)))
  for (let i = 0; i < 20; i++) await writer.addDocument(new Document().add(Field.text('f', 'car and driver')))
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  const list = SynonymMap.parse('nyc, big apple\ncar, auto\n电脑, 计算机')
  const scoring = { functionWords: ENGLISH_FUNCTION_WORDS }
  const query = (text: string) => QueryParser.parse(text, 'f', chinese, { synonyms: list, scoring })
  const find = async (text: string): Promise<number[]> => {
    const hits = await searcher.search(query(text))
    for (let i = 0; i < hits.length; i++) {
      const { value } = await searcher.explain(query(text), hits.docId(i))
      t.equal(value, hits.score(i), 'an explanation of the very score')
    }
    return Array.from({ length: hits.length }, (_, i) => hits.docId(i)).filter((id) => id < bodies.length)
  }
  t.same(await find('nyc'), [2])
  t.same((await find('auto driver')).sort(), [0, 1, 4])
  t.same((await find('auto driver')).at(-1), 4, 'both words before one')
  const hits = await searcher.search(query('car'))
  const scores = new Map(Array.from({ length: hits.length }, (_, i) => [hits.docId(i), hits.score(i)]))
  t.equal(scores.get(0), scores.get(1), 'the rare one of the two counts no more')
  t.same(await find('电脑价格'), [7, 5, 6], 'as typed, with a synonym, a part')
  t.equal(
    highlight(query('nyc driver'), 'f', 'the Big Apple driver', chinese).html,
    'the <em>Big Apple</em> <em>driver</em>',
  )
  t.equal(highlight(query('电脑价格'), 'f', '計算機的價格', chinese).html, '<em>計算機</em>的<em>價格</em>')
})

t.test('bounded', (t) => {
  const words = Array.from({ length: 100 }, (_, i) => `w${i}`)
  const list = SynonymMap.parse(words.join())
  const text = Array.from({ length: 500 }, (_, i) => words[i % 100]).join(' ')
  const before = process.cpuUsage()
  const query = QueryParser.parse(text, 'f', standard, { synonyms: list, maxClauses: 500 }).toString('f')
  t.equal(query.match(/ \| /g)!.length, 256, 'synonyms of one query')
  t.ok(process.cpuUsage(before).user < 3e6)
  t.end()
})
