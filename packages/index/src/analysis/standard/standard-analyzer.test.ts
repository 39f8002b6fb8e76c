import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { versions } from 'node:process'
import t from 'tap'
import { KeywordAnalyzer } from '../keyword-analyzer.js'
import { tokenize } from '../tokenize.js'
import { StandardAnalyzer } from './standard-analyzer.js'
import { WORD_BREAK_RUNS, WORD_BREAK_UNICODE } from './word-break-data.js'
import { wordBreakRuns } from './word-break-generator.js'

/** Cases of Lucene's own analyzer, beside the project; not part of it. */
const CASES = join(import.meta.dirname, '../../../../../../shared/data/conformance/lucene/standard-analyzer.json')

/** Where we differ from Lucene on purpose: our tokens and why. */
const DIFFERENCES = new Map<string, { tokens: string[]; why: string }>([
  [
    '\u2b55\ufe0e\u200d\u2b55\ufe0e',
    {
      tokens: ['\u2b55', '\u2b55'],
      why: 'Lucene keeps a stray joiner in the second token, so that it is never found.',
    },
  ],
])

const terms = (text: string, analyzer = new StandardAnalyzer()): string[] => tokenize(analyzer, text).map((x) => x.term)

t.test("the words are those of Lucene's StandardAnalyzer", { skip: !existsSync(CASES) && 'no ../shared/data' }, (t) => {
  const cases = JSON.parse(readFileSync(CASES, 'utf8')) as { text: string; tokens: string[] }[]
  t.ok(cases.length > 30)
  for (const { text, tokens } of cases) {
    // Lucene's case for long words sets the limit to 5.
    const analyzer = text.includes('toolong') ? new StandardAnalyzer({ maxTokenLength: 5 }) : new StandardAnalyzer()
    const expected = DIFFERENCES.get(text)?.tokens ?? tokens.map((token) => token.toLowerCase())
    t.same(terms(text, analyzer), expected, JSON.stringify(text.slice(0, 40)))
  }
  for (const [text, { tokens, why }] of DIFFERENCES) {
    const lucene = cases.find((x) => x.text === text)?.tokens
    t.notSame(lucene, tokens, `still a difference: ${why}`)
  }
  t.end()
})

t.test('words, numbers and scripts', (t) => {
  t.same(terms("The quick (brown) fox can't jump 32.3 feet, right?"), [
    ...['the', 'quick', 'brown', 'fox', "can't", 'jump', '32.3', 'feet', 'right'],
  ])
  t.same(terms('snake_case __init__ ___ C++ example.com. 1,2'), [
    ...['snake_case', '__init__', 'c', 'example.com', '1,2'],
  ])
  t.same(terms('カタカナ ひら 漢字 한글 ÉCOLE ΟΔΟΣ'), ['カタカナ', 'ひ', 'ら', '漢', '字', '한글', 'école', 'οδος'])
  t.same(terms('\u05d0\u05d1\u0022\u05d2 \u05d0\u0027 x'), ['\u05d0\u05d1\u0022\u05d2', '\u05d0\u0027', 'x'], 'Hebrew')
  t.same(terms('\u{20000}\u{20001} \u{10400}'), ['\u{20000}', '\u{20001}', '\u{10428}'], 'characters of two units')
  t.same(terms('\ud800 a\udc00b \ufeffword'), ['a', 'b', 'word'], 'half characters are no words')
  t.same(terms('constructor __proto__ toString'), ['constructor', '__proto__', 'tostring'])
  t.end()
})

t.test('offsets are those of the original text', (t) => {
  const text = '  ÉCOLE, \u{1d400}x 中'
  t.same(
    tokenize(new StandardAnalyzer(), text).map((x) => text.slice(x.startOffset, x.endOffset)),
    ['ÉCOLE', '\u{1d400}x', '中'],
  )
  t.end()
})

t.test('long words are cut and never too long', (t) => {
  const tokens = tokenize(new StandardAnalyzer(), `${'a'.repeat(600)} ${'İ'.repeat(255)} x${'\u0301'.repeat(600)}`)
  t.ok(tokens.every((x) => x.term.length >= 1 && x.term.length <= 255))
  t.equal(
    tokens.filter((x) => x.term.startsWith('a')).reduce((sum, x) => sum + x.term.length, 0),
    600,
  )
  t.end()
})

t.test('a keyword is the text itself', (t) => {
  const analyzer = new KeywordAnalyzer()
  const address = `https://example.com/${'a'.repeat(2000)}`
  t.same(tokenize(analyzer, address), [{ term: address, startOffset: 0, endOffset: 2020, positionIncrement: 1 }])
  t.same(tokenize(analyzer, ''), [])
  t.equal(tokenize(analyzer, 'a'.repeat(32_766)).length, 1)
  t.equal(tokenize(analyzer, 'a'.repeat(32_767)).length, 0)
  t.equal(tokenize(analyzer, '中'.repeat(10_922)).length, 1)
  t.equal(tokenize(analyzer, '中'.repeat(10_923)).length, 0)
  t.end()
})

t.test(
  'the class table is what the generator makes',
  { skip: versions.unicode !== WORD_BREAK_UNICODE && `made from Unicode ${WORD_BREAK_UNICODE}` },
  (t) => {
    t.equal(WORD_BREAK_RUNS, wordBreakRuns())
    t.end()
  },
)
