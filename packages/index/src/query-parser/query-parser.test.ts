/** The language of the search box: what is read of which text, mistakes, limits. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import { LetterAnalyzer } from '../test-support/letter-analyzer.js'
import { QueryParser, type QueryParserOptions } from './query-parser.js'

/** Cases of Lucene's own query parser, beside the project; not part of it. */
const CASES = join(import.meta.dirname, '../../../../../shared/data/conformance/lucene/queryparser.json')

const letters = new LetterAnalyzer()
const strict = (text: string, options: QueryParserOptions = {}): string =>
  QueryParser.parse(text, 'field', letters, options).toString('field')
const lenient = (text: string, options: QueryParserOptions = {}): [string, string[]] => {
  const parser = new QueryParser({ ...options, field: 'field', analyzer: letters, lenient: true })
  const { query, ignored } = parser.parseWithReport(text)
  return [query.toString('field'), ignored.map((part) => part.text)]
}

t.test("the queries are those of Lucene's parser", { skip: !existsSync(CASES) && 'no ../shared/data' }, (t) => {
  const cases = JSON.parse(readFileSync(CASES, 'utf8')) as { query: string; parsed?: string; error?: boolean }[]
  t.ok(cases.length >= 42, `${cases.length} cases`)
  // Nothing differs by design: no printed form is changed before it is compared.
  for (const { query, parsed, error } of cases) {
    if (error) t.throws(() => strict(query), { code: 'QUERY_SYNTAX' }, `${query} is refused`)
    else t.equal(strict(query), parsed, query)
  }
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
    ['a +b OR c', '+a b c'],
    ['a OR +b', 'a b'],
    ['+a OR b c', 'a b +c'],
    ['-a OR b', '-a b'],
    ['a -b', '+a -b'],
    ['wi-fi', '+wi +fi'],
  ]
  for (const [query, printed] of and) t.equal(strict(query, { defaultOperator: 'and' }), printed, query)
  t.end()
})

t.test('wildcards, fuzzy words, regular expressions, ranges, distances', (t) => {
  const table: [string, string][] = [
    ['Ab* a*b ?a* a??', 'ab* a*b ?a* a??'],
    ['title:a* x:(a* /b/ c~)', 'title:a* (x:a* x:/b/ x:c~2)'],
    ['a\\*b a\\?* a\\**', '(a b) a?* a**'],
    ['* title:* *:* title:(* b)', '*:* title:* *:* (title:* title:b)'],
    ['_exists_:title -_exists_:x', 'title:* -x:*'],
    ['Abc~ abc~0 abc~1 abc~2 abc~5', 'abc~2 abc~0 abc~1 abc~2 abc~2'],
    ['abcdefghij~0.7 abcdef~0.5 abcde~0.8 ab~0.9', 'abcdefghij~2 abcdef~2 abcde~0 ab~0'],
    ['abc~1^3 abc^3~1', '(abc~1)^3.0 (abc~1)^3.0'],
    ['/a[b-d]+/ /x\\/y/^2', '/a[b-d]+/ (/x/y/)^2.0'],
    ['/usr/local/ a/b /a and / b', '(usr local) (a b) a and b'],
    ['[a TO b] {A TO B} [a TO b} x:{a TO *]', '[a TO b] {a TO b} [a TO b} x:{a TO *]'],
    ['["a b" TO "*"] [TO TO TO]', '[a b TO \\*] [to TO to]'],
    ['[a TO b]^2 -[a TO b]', '([a TO b])^2.0 -[a TO b]'],
    ['"a b"~2 "a b"~2^3 "a b"^3~2 "a b"~ "a b"~1.9', '"a b"~2 ("a b"~2)^3.0 ("a b"~2)^3.0 "a b" "a b"~1'],
    ['(a b c)@2 +(a b)@1^2 (a)@1', '((a b c)~2) +((a b)~1)^2.0 ((a)~1)'],
    ['a@2 @3', 'a'],
  ]
  for (const [query, printed] of table) t.equal(strict(query), printed, query)
  t.end()
})

t.test('full-width punctuation and curly quotation marks', (t) => {
  t.equal(strict('＋（a b） －c'), '+(a b) -c')
  t.equal(strict('“a b” ＂c d＂'), '"a b" "c d"')
  t.equal(strict('x：a'), 'x:a')
  t.equal(strict('a　b'), 'a b')
  t.equal(strict('「a b」 『c d』'), '"a b" "c d"')
  t.equal(strict('a＊ ［a TO b｝ a＾2'), 'a* [a TO b} (a)^2.0')
  t.equal(lenient('天安门？ 好吃～ 真的！')[0], '天安门 好吃 真的')
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
    ['~2', 1],
    ['(a b)~2', 6],
    ['a~1.1', 2],
    ['a~~', 3],
    ['a~1~2', 4],
    ['a [b', 3],
    ['[a TO', 1],
    ['[a b]', 1],
    ['{a TO b', 1],
    ['a] b', 2],
    ['a{2}', 2],
    ['a@2 ()@2', 5],
    ['x:*:*', 3],
    ['_exists_:a*', 1],
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
    ['a* b? [c] d~ ~e f~g', 'a* b c d~2 e (f g)', []],
    ['"a b"~x ("c d")~2', '"a b" x "c d"', ['~2']],
    ['[a TO', 'a to', ['[']],
    ['{a TO b', 'a to b', ['{']],
    ['"[a TO b"', '"a to b"', []],
    ['a~~ b~1.1 c~99', 'a~2 b c', ['~']],
    ['what? wha? t?? w?at ?', 'what wha t w?at', []],
    ['_exists_:a* b', 'b', ['_exists_:a*']],
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
  for (const operators of ['NOT '.repeat(240), '-'.repeat(240), '+!'.repeat(120), `b ${'AND '.repeat(240)}`]) {
    t.throws(() => strict(`${operators}a`), { code: 'QUERY_TOO_COMPLEX' }, operators.slice(0, 10))
    t.match(lenient(`${operators}a`)[0], /a$/)
  }
  t.throws(() => strict('NOT '.repeat(10)), { code: 'QUERY_SYNTAX', start: 0 })
  const wide = `${'a OR '.repeat(5000)}a`
  t.throws(() => strict(wide, { maxLength: 1e6 }), { code: 'QUERY_TOO_COMPLEX' })
  t.equal(lenient(wide, { maxLength: 1e6 })[0].split(' ').length, 1024)
  t.throws(() => strict('a'.repeat(10_001)), { code: 'QUERY_TOO_LONG' })
  const cut = new QueryParser({ field: 'f', analyzer: letters, lenient: true, maxLength: 3 }).parseWithReport('ab😀')
  t.equal(cut.query.toString('f'), 'ab', 'no surrogate pair is cut')
  t.match(cut.ignored, [{ code: 'QUERY_TOO_LONG' }])
  const slop = 'a "b c"~1000000000'
  t.throws(() => strict(slop), { code: 'QUERY_TOO_COMPLEX', start: 7 })
  t.same(lenient(slop), ['a "b c"~100', ['~1000000000']])
  t.equal(strict(slop, { maxSlop: Infinity }), 'a "b c"~1000000000')
  for (const pattern of [
    `a${'?'.repeat(1000)}`,
    `${'a'.repeat(1001)}~`,
    `${'a'.repeat(1001)}*`,
    `/${'a'.repeat(1001)}/`,
  ]) {
    t.throws(() => strict(pattern), { code: 'QUERY_TOO_COMPLEX' })
    t.equal(lenient(`${pattern} b`)[0], 'b')
  }
  for (const [boost, factor] of [
    ['1e308', '1000.0'],
    ['0', '0.0'],
    ['1e-3', '0.001'],
  ]) {
    t.equal(strict(`a^${boost}`), `(a)^${factor}`)
  }
  t.throws(() => strict(`a${'^2'.repeat(2)}`), { code: 'QUERY_SYNTAX', start: 3, end: 5 })
  const phrase = `"${'a '.repeat(65)}"`
  t.throws(() => strict(phrase), { code: 'QUERY_TOO_COMPLEX' })
  t.match(lenient(phrase)[1], ['"a a'])
  t.end()
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

t.test('the forms that docs/queries.md tells are read as the classes that it tells', (t) => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/queries.md'), 'utf8')
  const analyzers = {
    forField: () => letters,
    kindOf: (name: string) => (name === 'date' ? ('date' as const) : undefined),
  }
  const parser = new QueryParser({ field: 'field', analyzer: letters, analyzers })
  let forms = 0
  for (const row of page.split('\n')) {
    const [name, , typed] = row.split(' | ')
    const className = /^\| `(\w+)`/.exec(name!)?.[1]
    // `as scoring says` is no form.
    if (className === undefined || typed === undefined || typed.startsWith('as ')) continue
    for (const [, form] of typed.matchAll(/`([^`]+)`/g)) {
      forms++
      t.equal(parser.parse(form!).constructor.name, className, form)
    }
  }
  t.ok(forms >= 15, `${forms} forms`)
  t.end()
})
