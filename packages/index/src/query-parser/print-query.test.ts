/** What is printed is read as the same query: random trees, random queries, random texts. */
import t from 'tap'
import { KeywordAnalyzer } from '../analysis/keyword-analyzer.js'
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { ExistsQuery } from '../search/query/exists-query.js'
import { FilterQuery } from '../search/query/filter-query.js'
import { FuzzyQuery } from '../search/query/fuzzy-query.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import { NearQuery } from '../search/query/near-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import { PrefixQuery } from '../search/query/prefix-query.js'
import type { Query } from '../search/query/query.js'
import { RegexpQuery } from '../search/query/regexp-query.js'
import { TermQuery } from '../search/query/term-query.js'
import { TermRangeQuery } from '../search/query/term-range-query.js'
import { WildcardQuery } from '../search/query/wildcard-query.js'
import { Term } from '../search/term.js'
import { LetterAnalyzer } from '../test-support/letter-analyzer.js'
import { Random, testSeed } from '../test-support/random.js'
import { randomQueryText } from '../test-support/random-query-text.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { escapeWildcard } from './leaf-lexer.js'
import { ParseProblems } from './parse-problem.js'
import { printSyntax } from './print-syntax.js'
import { QueryParser } from './query-parser.js'
import { parseSyntax } from './syntax-parser.js'
import type { Conjunction, GroupSyntax, LeafSyntax, Modifier, NearSyntax, SyntaxNode } from './syntax-tree.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)

const CHARACTERS = [
  ...'ab \t+-!():^[]{}"~*?\\/&|@.,0129uAND／（“」：　京\u00e9\u0301\ufeff',
  '\ud83d\ude00',
  '\ud800',
  '\u0000',
]
const WORDS = [
  'AND',
  'OR',
  'NOT',
  '&&',
  '||',
  'TO',
  'NEAR/3',
  'ADJ/12',
  '*',
  '*:*',
  '_exists_',
  '-a',
  'constructor',
  'u0041',
]

function text(): string {
  if (random.below(5) === 0) return random.pick(WORDS)
  return Array.from({ length: 1 + random.below(6) }, () => random.pick(CHARACTERS)).join('')
}

/** A text that fits between slashes. */
function expression(): string {
  return `${random.pick(['a', '[b-d]+', '(x|y)', 'q/r'])}${random.pick(['', '.*', 'z{2}', '\\\\', ' s'])}`
}

function boost(): number | null {
  return random.below(3) > 0 ? null : random.pick([0, 0.1, 1, 2.5, 1000, 1e-9])
}

function leaf(): LeafSyntax {
  switch (random.below(9)) {
    case 0:
      return { kind: 'phrase', text: random.below(8) === 0 ? '' : text(), slop: random.pick([0, 0, 1, 100]) }
    case 1:
      return { kind: 'fuzzy', text: text(), amount: random.pick([0, 1, 2, 0.5, 0.0001]) }
    case 2:
      return { kind: 'prefix', text: text() }
    case 3:
      return { kind: 'wildcard', pattern: `${escapeWildcard(text())}?${escapeWildcard(text())}*` }
    case 4:
      return { kind: 'regexp', pattern: expression() }
    case 5: {
      const bound = (): string | null => random.pick([null, '', text()])
      const [includeLower, includeUpper] = [random.below(2) === 0, random.below(2) === 0]
      return { kind: 'range', lower: bound(), upper: bound(), includeLower, includeUpper }
    }
    case 6:
      return random.below(2) === 0 ? { kind: 'any' } : { kind: 'everything' }
    default:
      return { kind: 'text', text: text() }
  }
}

function near(): NearSyntax {
  const clauses = Array.from({ length: 2 + random.below(2) }, () =>
    random.below(2) === 0
      ? ({ kind: 'text', text: text() } as const)
      : ({ kind: 'phrase', text: text(), slop: 0 } as const),
  )
  return { kind: 'near', clauses, slop: random.below(20), inOrder: random.below(2) === 0 }
}

function node(depth: number): SyntaxNode {
  const around = { boost: boost(), start: 0, end: 0 }
  const field = random.below(3) === 0 ? text() : null
  if (random.below(10) === 0) return { ...near(), ...around, field }
  const kind = random.below(depth > 0 ? 8 : 6)
  if (kind >= 6) return { ...group(depth - 1), ...around, field }
  const content = leaf()
  return { ...content, ...around, field: content.kind === 'everything' ? null : field }
}

function group(depth: number): GroupSyntax {
  const clauses = Array.from({ length: 1 + random.below(4) }, (_, i) => ({
    conjunction: (i === 0 ? 'none' : random.pick(['none', 'and', 'or'])) as Conjunction,
    modifier: random.pick<Modifier>(['none', 'none', 'not', 'required']),
    node: node(depth),
  }))
  return { kind: 'group', clauses, minimumShouldMatch: 0 }
}

/** Without the places in the text, names in one order. */
function shape(root: GroupSyntax): string {
  return JSON.stringify(root, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { start, end, ...rest } = value as Record<string, unknown>
    return Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const keywords = new KeywordAnalyzer()
const strict = new QueryParser({ field: 'field', analyzer: keywords, maxLength: 1e6, maxClauses: 1e6 })

/** The tree of a text without mistakes. */
function strictTree(printed: string): GroupSyntax {
  const options = {
    isField: () => true,
    strict: true,
    maxClauses: 1e6,
    maxDepth: 100,
    maxSlop: Number.POSITIVE_INFINITY,
  }
  return parseSyntax(printed, options, new ParseProblems(printed, false)).root
}

t.test('trees', (t) => {
  for (let run = 0; run < 3000; run++) {
    const root = group(3)
    const printed = printSyntax(root)
    const again = shape(strictTree(printed))
    if (again !== shape(root)) {
      t.equal(again, shape(root), printed)
      break
    }
  }
  t.pass('3000 trees')
  t.end()
})

function query(depth: number, words: () => string): Query {
  const field = random.pick(['field', 'title', '__proto__', 'a:b'])
  switch (random.below(depth > 0 ? 14 : 10)) {
    case 0:
      return new PrefixQuery(field, words())
    case 1:
      return new WildcardQuery(field, `${escapeWildcard(words())}?${escapeWildcard(words())}`)
    case 2:
      return new RegexpQuery(field, expression())
    case 3:
      return new FuzzyQuery(field, words(), { maxEdits: random.below(3) })
    case 4:
      return new TermRangeQuery(
        field,
        random.pick([null, words()]),
        random.pick([null, words()]),
        random.below(2) === 0,
      )
    case 5:
      return random.pick([new ExistsQuery(field), new MatchAllQuery()])
    case 10:
    case 11:
      return new BoostQuery(query(depth - 1, words), random.pick([0, 0.25, 3, 1e-7]))
    case 12:
    case 13: {
      const occurs: readonly Occur[] = ['must', 'should', 'mustNot']
      const clauses = Array.from({ length: 2 + random.below(3) }, () => ({
        query: query(depth - 1, words),
        occur: random.pick(occurs),
      }))
      return new BooleanQuery(clauses, random.pick([0, 0, 0, 2]))
    }
    default:
      return new TermQuery(new Term(field, words()))
  }
}

t.test('queries', (t) => {
  for (let run = 0; run < 2000; run++) {
    const original = query(3, text)
    const printed = strict.print(original)
    const parsed = strict.parse(printed)
    if (parsed.toString() !== original.toString() || JSON.stringify(parsed) !== JSON.stringify(original)) {
      t.equal(JSON.stringify(parsed), JSON.stringify(original), printed)
      break
    }
  }
  const spaces = new QueryParser({ field: 'field', analyzer: new WhitespaceAnalyzer() })
  for (const terms of [
    ['a', 'b'],
    ['"', '\\', '”'],
  ]) {
    const phrase = new PhraseQuery('x', terms, undefined, 3)
    t.same(spaces.parse(spaces.print(phrase)), phrase)
    const [first, second] = terms.map((word) => new Term('x', word))
    const near = new NearQuery([first!, new NearQuery([second!, first!])], { slop: 2, inOrder: terms[0] === 'a' })
    t.equal(JSON.stringify(spaces.parse(spaces.print(near))), JSON.stringify(near))
  }
  t.equal(spaces.print(new MatchNoneQuery()), '')
  t.equal(spaces.print(new BooleanQuery([{ query: new TermQuery(new Term('field', 'a')), occur: 'must' }])), '+a')
  const several = new QueryParser({ field: { fields: { a: 1, b: 2 } }, analyzer: keywords })
  t.equal(several.print(new TermQuery(new Term('a', 'x'))), 'a:x', 'of several fields each is named')
  for (const unspeakable of [
    new FilterQuery(new MatchAllQuery()),
    new PhraseQuery('x', ['a', 'b'], [0, 2]),
    new BooleanQuery([{ query: new MatchAllQuery(), occur: 'filter' }]),
    new BooleanQuery([{ query: new MatchNoneQuery(), occur: 'must' }]),
    new BooleanQuery([]),
  ]) {
    t.throws(() => spaces.print(unspeakable), RangeError)
  }
  t.end()
})

t.test('texts: what a lenient parser makes of anything is a query without mistakes', (t) => {
  const settings = { field: 'field', analyzer: new LetterAnalyzer(), maxLength: 1e6 }
  const forgiving = new QueryParser({ ...settings, lenient: true })
  const unforgiving = new QueryParser(settings)
  const texts = ['silk*\\', '*\\', 'sil?\\']
  for (let run = 0; run < 3000; run++) {
    const typed = texts[run] ?? randomQueryText(random)
    const { syntax, query, ignored } = forgiving.parseWithReport(typed)
    const printed = printSyntax(syntax)
    let again = ''
    try {
      again = shape(strictTree(printed))
    } catch (error) {
      again = String(error)
    }
    let found = query.toString()
    try {
      found = unforgiving.parse(printed).toString()
    } catch (error) {
      // Values that a field cannot have are in the tree all the same; of many only the first are told.
      if (
        ignored.length < 20 &&
        !ignored.some(({ message }) => (error as Error).message.toLowerCase().startsWith(message.toLowerCase()))
      ) {
        found = String(error)
      }
    }
    if (again !== shape(syntax) || found !== query.toString()) {
      t.equal(again, shape(syntax), JSON.stringify([typed, printed]))
      t.equal(found, query.toString())
      break
    }
  }
  t.pass('3000 texts')
  t.end()
})
