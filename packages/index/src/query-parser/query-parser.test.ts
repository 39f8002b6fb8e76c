import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Analyzer, TokenSink } from '../analysis/analyzer.js'
import { BigramAnalyzer } from '../analysis/bigram/bigram-analyzer.js'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { ENGLISH_FUNCTION_WORDS } from './english-function-words.js'
import { indexAnalyzers } from './index-analyzers.js'
import { type QueryFields, QueryParser, type QueryParserOptions } from './query-parser.js'

/** Cases of Lucene's own query parser, beside the project; not part of it. */
const CASES = join(import.meta.dirname, '../../../../../shared/data/conformance/lucene/queryparser.json')

/** Runs of letters in lower case: the analyzer of Lucene's cases. */
class LetterAnalyzer implements Analyzer {
  readonly name = 'letter'
  readonly settings = {}
  readonly fingerprint = 'letter'
  readonly layers = [{ name: '', options: 'positions', norms: true }] as const

  analyze(text: string, sink: TokenSink): void {
    for (const match of text.matchAll(/\p{L}+/gu)) {
      sink.token(match[0].toLowerCase(), match.index, match.index + match[0].length, 1, 0)
    }
  }
}

const letters = new LetterAnalyzer()
const strict = (text: string, options: QueryParserOptions = {}): string =>
  QueryParser.parse(text, 'field', letters, options).toString('field')
const lenient = (text: string, options: QueryParserOptions = {}): [string, string[]] => {
  const parser = new QueryParser({ ...options, field: 'field', analyzer: letters, lenient: true })
  const { query, ignored } = parser.parseWithReport(text)
  return [query.toString('field'), ignored.map((part) => part.text)]
}

/** Why a case of Lucene's is not ours. */
function outOfScope(query: string): string | null {
  if (/[[{]/.test(query)) return 'ranges are not supported'
  if (query.includes('*')) return 'wildcards are not supported'
  if (/"~\d/.test(query)) return 'distances behind phrases are not supported'
  if (query.includes('~')) return 'fuzzy words are not supported'
  return null
}

t.test("the queries are those of Lucene's parser", { skip: !existsSync(CASES) && 'no ../shared/data' }, (t) => {
  const cases = JSON.parse(readFileSync(CASES, 'utf8')) as { query: string; parsed?: string; error?: boolean }[]
  let compared = 0
  for (const { query, parsed, error } of cases) {
    const reason = outOfScope(query)
    if (reason !== null && !error) {
      t.throws(() => strict(query), { code: 'QUERY_SYNTAX' }, `${query} is refused: ${reason}`)
      continue
    }
    compared++
    if (error) t.throws(() => strict(query), { code: 'QUERY_SYNTAX' }, `${query} is refused`)
    else t.equal(strict(query), parsed, query)
  }
  t.ok(compared >= 20, `${compared} cases compared`)
  t.end()
})

t.test('AND, OR, NOT, + and −', (t) => {
  const table: [string, string][] = [
    ['a b', 'a b'],
    ['a AND b OR c', '+a +b c'],
    ['a OR b AND c', 'a +b +c'],
    ['a && b || c', '+a +b c'],
    ['a AND NOT b', '+a -b'],
    ['a -b +c', 'a -b +c'],
    ['a NOT b AND c', 'a -b +c'],
    ['(a b) AND c', '+(a b) +c'],
    ['((a))', 'a'],
    ['+a', '+a'],
    ['a^2 "b c"^.5 (d e)^3', '(a)^2.0 ("b c")^0.5 (d e)^3.0'],
    ['a^5000', '(a)^1000.0'],
    ['x:a y:(b c) y:"d e"', 'x:a (y:b y:c) y:"d e"'],
    ['-x:(a OR y:b)', '-(x:a y:b)'],
    ['a&&b and or not AND\\ c', '(a b) and or not (and c)'],
    ['a-b', 'a b'],
    ['wi-fi AND x', '+(wi fi) +x'],
    ['wow! really', 'wow really'],
    ['either/or', 'either or'],
    ['\\(a\\) \\+b \\u0063d', 'a b cd'],
    ['http://example.org/a', 'http example org a'],
    ['*', '*:*'],
    ['+*:* -a', '+*:* -a'],
    ['', ''],
    ['  　', ''],
    ['1 2', ''],
  ]
  for (const [query, printed] of table) t.equal(strict(query), printed, query)
  t.ok(QueryParser.parse('1 2', 'field', letters) instanceof MatchNoneQuery)
  const and: [string, string][] = [
    ['a b', '+a +b'],
    ['a OR b', 'a b'],
    ['a b OR c', '+a b c'],
    ['a +b OR c', '+a +b c'],
    ['a -b', '+a -b'],
    ['wi-fi', '+wi +fi'],
  ]
  for (const [query, printed] of and) t.equal(strict(query, { defaultOperator: 'and' }), printed, query)
  t.end()
})

t.test('full-width punctuation and curly quotation marks', (t) => {
  t.equal(strict('＋（a b） －c'), '+(a b) -c')
  t.equal(strict('“a b” ＂c d＂'), '"a b" "c d"')
  t.equal(strict('x：a'), 'x:a')
  t.equal(strict('a　b'), 'a b')
  t.end()
})

t.test('strict: mistakes are thrown with their place', (t) => {
  const table: [string, number][] = [
    ['a (b', 3],
    ['a) b', 2],
    ['a "b', 3],
    ['a AND', 3],
    ['AND a', 1],
    ['a AND OR b', 3],
    ['NOT NOT a', 1],
    ['a - b', 3],
    ['x:', 1],
    [':a', 1],
    ['x:y:a', 3],
    ['()', 1],
    ['a^', 2],
    ['a^-1', 2],
    ['a^NaN', 2],
    ['a^1^2', 4],
    ['^2', 1],
    ['a*', 2],
    ['a~', 2],
    ['"a b"~3', 6],
    ['a \\', 3],
    ['\\u12', 1],
  ]
  for (const [query, place] of table) {
    t.throws(() => strict(query), { code: 'QUERY_SYNTAX', message: new RegExp(`at character ${place} of`) }, query)
  }
  t.end()
})

t.test('lenient: mistakes are passed over and told', (t) => {
  const table: [string, string, string[]][] = [
    ['a (b', 'a b', ['(']],
    ['a) b', 'a b', [')']],
    ['a "b', 'a b', ['"']],
    ['a AND', 'a', ['AND']],
    ['AND a', 'a', ['AND']],
    ['a AND OR b', 'a b', ['AND']],
    ['NOT NOT a', '-a', ['NOT']],
    ['a - b', 'a b', ['-']],
    ['+-!', '', ['!', '+', '-'].sort()],
    ['x:', '', ['x:']],
    [':a', 'a', [':']],
    ['x:y:a', 'x:y x:a', ['y:']],
    ['a^ b^-1 c^n', 'a b (c n)', ['^-1']],
    ['a* b? [c] d~', 'a b c d', []],
    ['"a b"~3', '"a b"', ['~3']],
    ['a \\', 'a', ['\\']],
  ]
  for (const [query, printed, ignored] of table) {
    const [text, parts] = lenient(query)
    t.equal(text, printed, query)
    t.same(query === '+-!' ? parts.sort() : parts, ignored, `ignored of ${query}`)
  }
  const known = { knownFields: ['title'] }
  t.same(lenient('note: title:b mailto:c', known), ['note title:b (mailto c)', []], 'unknown names are text')
  t.equal(strict('note: title:b', known), 'note title:b')
  t.end()
})

t.test('limits', (t) => {
  const deep = `${'('.repeat(10_000)}a${')'.repeat(10_000)}`
  t.throws(() => strict(deep, { maxLength: 1e6 }), { code: 'QUERY_TOO_COMPLEX' })
  t.same(lenient(deep, { maxLength: 1e6 }), ['a', ['(']])
  t.throws(() => strict('NOT '.repeat(2000)), { code: 'QUERY_SYNTAX' })
  const wide = `${'a OR '.repeat(5000)}a`
  t.throws(() => strict(wide, { maxLength: 1e6 }), { code: 'QUERY_TOO_COMPLEX' })
  t.equal(lenient(wide, { maxLength: 1e6 })[0].split(' ').length, 1024)
  t.throws(() => strict('a'.repeat(10_001)), { code: 'QUERY_TOO_LONG' })
  const cut = new QueryParser({ field: 'f', analyzer: letters, lenient: true, maxLength: 3 }).parseWithReport('ab😀')
  t.equal(cut.query.toString('f'), 'ab', 'no surrogate pair is cut')
  t.match(cut.ignored, [{ code: 'QUERY_TOO_LONG' }])
  const phrase = `"${'a '.repeat(65)}"`
  t.throws(() => strict(phrase), { code: 'QUERY_TOO_COMPLEX' })
  t.match(lenient(phrase)[1], ['"a a'])
  t.end()
})

t.test('a lenient parser never throws, a strict one only its own errors', (t) => {
  const pieces = fc.oneof(
    fc.constantFrom(
      'AND',
      'OR',
      'NOT',
      '&&',
      '(',
      ')',
      '"',
      ':',
      '^',
      '^2',
      '+',
      '-',
      '!',
      '\\',
      '*',
      '~',
      ' ',
      '（',
      '“',
    ),
    fc.constantFrom('a', 'title:', '上海', '什么', '\ud800', '\u0000', '__proto__:', 'constructor'),
    fc.string({ unit: 'binary', maxLength: 5 }),
  )
  const analyzer = new ChineseAnalyzer()
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      new QueryParser({ field: { fields: { title: 2, body: 1 } }, analyzer, lenient: true }).parse(text).toString()
      try {
        QueryParser.parse(text, 'body', analyzer)
      } catch (error) {
        t.match((error as { code: string }).code, /^QUERY_/)
      }
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test('parsing the printed form gives the same query', (t) => {
  const word = fc.constantFrom('a', 'bb', 'constructor', 'été', '上海', 'zebra')
  const field = fc.constantFrom('field', 'title', '__proto__')
  const boosts = fc.constantFrom(0.5, 2, 7, 0)
  const occurs = fc.constantFrom<Occur>('must', 'should', 'mustNot')
  const { query } = fc.letrec<{ query: Query; leaf: Query }>((tie) => ({
    leaf: fc.oneof(
      fc.tuple(field, word).map(([name, text]) => new TermQuery(new Term(name, text))),
      fc
        .tuple(field, fc.array(word, { minLength: 2, maxLength: 4 }))
        .map(([name, terms]) => new PhraseQuery(name, terms)),
    ),
    query: fc.oneof(
      { maxDepth: 4 },
      tie('leaf'),
      fc.tuple(tie('leaf'), boosts).map(([inner, boost]) => new BoostQuery(inner, boost)),
      fc
        .array(fc.record({ query: tie('query'), occur: occurs }), { minLength: 2, maxLength: 4 })
        .map((clauses) => new BooleanQuery(clauses)),
    ),
  }))
  fc.assert(
    fc.property(query, (original) => {
      const printed = original.toString('field')
      const parsed = QueryParser.parse(printed, 'field', letters)
      t.equal(JSON.stringify(parsed), JSON.stringify(original), printed)
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('Chinese clauses', (t) => {
  const analyzer = new ChineseAnalyzer()
  const parse = (text: string, field: QueryFields = 'b', options: QueryParserOptions = {}): string =>
    QueryParser.parse(text, field, analyzer, options).toString('b')
  t.equal(parse('海'), 'b#char:海', 'one character: the layer of all characters')
  t.equal(parse('"海"'), 'b#char:海')
  t.equal(parse('上海'), '+(上海)^0.7 b#word:上海', 'a short run must stand as typed')
  t.equal(parse('天安门'), '+("天安 安门")^0.7 b#word:天安门')
  t.equal(parse('天安門'), parse('天安门'), 'both scripts')
  t.equal(parse('"北京天安门广场"'), '"北京 京天 天安 安门 门广 广场"', 'quoted: exactly')
  t.match(parse('北京天安门广场'), /^b#word:\S+ .*\(北京\)\^0\.7 \(京天\)\^0\.7/, 'a long run: alternatives')
  t.notMatch(parse('北京天安门广场'), /\+/)
  t.equal(parse('Bridge'), '(bridge)^1.7')
  t.equal(parse('C语言'), '(+(语言)^0.7 b#word:语言) (c)^1.7', 'parts without a space between them are alternatives')
  t.notMatch(parse('什么是人工智能技术'), /什么/, 'question words are dropped')
  t.notMatch(parse('清华大学是什么时候成立的'), /\+/, 'what is left of a long question need not stand as it is')
  t.equal(parse('什么'), '+(什么)^0.7 b#word:什么', 'unless there is nothing else')
  t.equal(parse('+上海 -海'), '+(+(上海)^0.7 b#word:上海) -b#char:海')
  t.equal(
    parse('海', { fields: { t: 2, b: 1 } }),
    '((t#char:海)^2.0 | b#char:海)~0.3',
    'several fields: the best one counts',
  )
  t.equal(parse('t:海', { fields: { t: 2, b: 1 } }), 't#char:海')

  const bigrams = new BigramAnalyzer()
  t.equal(
    QueryParser.parse('天安门 东京都庁前', 'b', bigrams).toString('b'),
    '"天安 安门" (东京 京都 都庁 庁前 ("东京 京都 都庁 庁前")^2.0)',
  )
  t.equal(QueryParser.parse('你好吗', 'b', new StandardAnalyzer()).toString('b'), '你 好 吗', 'no plan: alternatives')

  // A thousand different characters in one run, and one run of a repeated word.
  const long = Array.from({ length: 1000 }, (_, i) => String.fromCodePoint(0x4e00 + 7 * i)).join('')
  const before = process.cpuUsage()
  const query = QueryParser.parse(long, { fields: { t: 2, b: 1 } }, analyzer)
  t.ok(query instanceof BooleanQuery && query.clauses.length <= 2000)
  const repeated = QueryParser.parse('中国人民'.repeat(250), 'b', analyzer)
  t.ok(repeated instanceof BooleanQuery && repeated.clauses.length < 20, 'each term is asked once')
  t.ok(process.cpuUsage(before).user < 3e6, 'bounded work')
  t.end()
})

t.test('a run of several words need not stand as typed, a word must', (t) => {
  const analyzer = new ChineseAnalyzer()
  const parse = (text: string): string => QueryParser.parse(text, 'b', analyzer).toString('b')
  t.equal(
    parse('卸载软件'),
    'b#word:卸载 b#word:软件 (卸载)^0.7 (载软)^0.7 (软件)^0.7 ("卸载 载软 软件")^1.4',
    'words, pairs, and all of it with a weight that puts exact hits first',
  )
  t.equal(parse('蒙版'), '(蒙版)^0.7', 'characters of an unknown word do not rank')
  t.match(parse('数据库表'), /^\+\("数据 据库 库表"\)/, 'a word and one character more stand as typed')
  t.end()
})

t.test('scoring of a site: fields as one, coverage, function words, compounds', (t) => {
  const analyzer = new ChineseAnalyzer()
  const scoring = { bonuses: { t: 0.2 }, functionWords: ENGLISH_FUNCTION_WORDS }
  const parse = (text: string): string =>
    QueryParser.parse(text, { fields: { t: 2, b: 1 } }, analyzer, { scoring, lenient: true }).toString('b')
  t.equal(parse('how to sort by value'), '{((t^2+b):sort)^1.7 ((t^2+b):value)^1.7}')
  t.equal(parse('how to'), '{((t^2+b):how)^1.7 ((t^2+b):to)^1.7}', 'unless nothing else is asked for')
  t.equal(parse('+to sort'), '((t^2+b):sort)^1.7 +((t^2+b):to)^1.7', 'nor where it is asked for with a +')
  t.equal(parse('"to be"'), '((t:"to be")^1.2 | "to be")~0.3', 'nor in a phrase')
  t.equal(parse('t:sort'), '(t:sort)^1.7', 'one field by itself')
  t.match(
    parse('f-string'),
    /^\{\(\(t\^2\+b\):f\)\S+ \(\(t\^2\+b\):string\)\S+ .*t:"f string"/,
    'what was typed as one word',
  )
  t.equal(
    parse('天安门'),
    '#((t:"天安 安门")^0.84 | ("天安 安门")^0.7)~0.3 (t#word^2+b#word):天安门 ((t^2+b):天安)^0.7 ((t^2+b):安门)^0.7',
  )
  t.equal(parse('silk silk'), `(((t^2+b):silk)^1.7)^${1 + Math.log(2)}`, 'typed twice')
  t.equal(parse('silk (road 卸载软件)').lastIndexOf('{'), 0, 'alternatives of alternatives are one list')
  t.end()
})

t.test('the order of the results', async (t) => {
  const analyzer = new ChineseAnalyzer()
  const pages: [string, string][] = [
    ['5. 贡献', '怎样为文档贡献。'.repeat(5)],
    ['B.5. 附录', '5 个附录。'.repeat(3)],
    ['高级管理', `RAID 5 需要三块硬盘。RAID 5 的重建。${'管理员的日常工作。'.repeat(20)}`],
    ['Value', 'by a script'],
    ['Dictionaries', `sort a dictionary by value. ${'some other text follows. '.repeat(20)}`],
    ['系统工具', `先卸载旧的，再装软件。${'其他内容。'.repeat(5)}`],
    ['软件', '各种软件。'],
    ['指南', `怎样卸载软件。${'其他内容。'.repeat(30)}`],
    ['网页版', '版面与版本'],
    ['快速蒙版', `用蒙版选择。${'其他内容。'.repeat(20)}`],
  ]
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  for (const [title, body] of pages) {
    await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.text('body', body)))
  }
  await writer.commit()
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  const scoring = { bonuses: { title: 0.2 }, functionWords: ENGLISH_FUNCTION_WORDS }
  const field = { fields: { title: 2, body: 1 } }
  const titles = async (text: string): Promise<string[]> => {
    const hits = await searcher.search(QueryParser.parse(text, field, analyzer, { scoring }))
    const found: string[] = []
    for await (const hit of hits) found.push(hit.document.get('title')!)
    return found
  }
  t.equal((await titles('RAID 5'))[0], '高级管理', 'a number in a short title does not win')
  t.equal((await titles('how to sort a dictionary by value'))[0], 'Dictionaries')
  t.same(await titles('卸载软件'), ['指南', '系统工具', '软件'], 'as typed, all words, some words')
  t.same(await titles('蒙版'), ['快速蒙版'])
  await searcher.close()
})

t.test('fields that narrow', (t) => {
  const parse = (text: string): string => strict(text, { filterFields: ['site', 'lang'] })
  const table: [string, string][] = [
    ['a site:x', '+a #site:x'],
    ['site:x a b', '+(a b) #site:x'],
    ['a site:x site:y lang:z', '+a #(site:x site:y) #lang:z'],
    ['a site:(x OR y)', '+a #(site:x site:y)'],
    ['site:x OR site:y a', '+a #(site:x site:y)'],
    ['a AND site:x', '+a #site:x'],
    ['+a b site:x', '+a b #site:x'],
    ['a -site:x', 'a -site:x'],
    ['a OR site:x', 'a site:x'],
    ['site:x', 'site:x'],
    ['site:x lang:z', '#site:x #lang:z'],
  ]
  for (const [query, printed] of table) {
    const parts = (text: string): string[] => text.split(/ (?![^(]*\))/).sort()
    t.same(parts(parse(query)), parts(printed), query)
  }
  t.equal(strict('a site:x'), 'a site:x', 'not unless told so')
  t.end()
})

t.test('what the parser tells beside mistakes', (t) => {
  const parse = (text: string) =>
    new QueryParser({ field: 'field', analyzer: letters, lenient: true, knownFields: ['title'] }).parseWithReport(text)
  t.equal(parse('-foo').onlyExclusions, true)
  t.equal(parse('NOT library').onlyExclusions, true)
  t.equal(parse('a -foo').onlyExclusions, false)
  t.equal(parse('').onlyExclusions, false)
  t.same(parse('zzz:library title:a').unknownFields, ['zzz'])
  t.same(parse('note: std::vector http://a 12:30 C:\\x \\a:b').unknownFields, [])
  t.end()
})

t.test('keyword fields are asked for exactly as typed', (t) => {
  const keyword = new KeywordAnalyzer()
  const body = new ChineseAnalyzer()
  const analyzers = { forField: (name: string) => (name === 'site' || name === 'lang' ? keyword : body) }
  const parser = new QueryParser({ field: 'body', analyzer: body, analyzers, knownFields: ['site', 'lang'] })
  t.equal(
    parser.parse('+site:www.Example.org:8080 -lang:zh-cn').toString('body'),
    '+site:www.Example.org:8080 -lang:zh-cn',
  )
  t.equal(parser.parse('site:"a b"').toString(), 'site:a b')
  t.end()
})

t.test('a combined field: words in one list, phrases in its sources', async (t) => {
  const directory = new MemoryDirectory()
  const chinese = new ChineseAnalyzer()
  const combinedFields = [{ name: 'all', fields: { title: 8, headings: 3, body: 1 } }]
  const writer = await IndexWriter.open(directory, {
    analyzer: chinese,
    analyzers: { headings: new StandardAnalyzer() },
    combinedFields,
  })
  const add = (title: string, headings: string, body: string) =>
    writer.addDocument(
      new Document()
        .add(Field.text('title', title))
        .add(Field.text('headings', headings))
        .add(Field.text('body', body)),
    )
  await add('上海', 'silk road', '丝绸之路')
  await add('海上', 'road silk', '上海天安门广场')
  await add('road', 'none', 'the silk road of old')
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  const analyzers = indexAnalyzers(searcher.reader)
  t.equal(analyzers.sourcesOf('title'), undefined)
  const parse = (text: string, options: QueryParserOptions = {}): Query =>
    QueryParser.parse(text, 'all', chinese, { analyzers, ...options })
  const ids = async (text: string, options: QueryParserOptions = {}): Promise<number[]> => {
    const hits = await searcher.search(parse(text, options))
    return [...Array(hits.length).keys()].map((i) => hits.docId(i)).sort()
  }
  t.equal(parse('silk').toString('all'), '((silk)^1.7 | silk)~0.3', 'a weight for each analyzer')
  t.equal(
    parse('丝绸 之路', { analyzers: { ...analyzers, forField: () => letters } }).toString('all'),
    '丝绸 之路',
    'once',
  )
  t.equal(parse('"silk road"').toString(), '((body:"silk road" | title:"silk road")~0.3 | headings:"silk road")~0.3')
  t.same(await ids('"silk road"'), [0, 2])
  t.same(await ids('title:"silk road"'), [])
  t.same(await ids('silk'), [0, 1, 2])
  t.same(await ids('上海'), [0, 1], 'in whatever source')
  t.same(await ids('天安门'), [1], 'a short run is a phrase in one of the sources')
  t.same(await ids('天安门', { scoring: {} }), [1])
  t.same(await ids('海'), [0, 1], 'the layer of characters')
  t.same(await ids('+silk -"road silk"', { scoring: {} }), [0, 2])
  t.same(await ids('天安门广场在哪里', { scoring: {} }), [1])
  t.equal(
    parse('天安门', { scoring: {} })
      .toString('all')
      .match(/body:"天安 安门" \| title:"天安 安门"/)?.length,
    1,
    'the phrase decides',
  )
})
