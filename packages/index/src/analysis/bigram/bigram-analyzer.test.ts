import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { tokenize } from '../tokenize.js'
import { BigramAnalyzer } from './bigram-analyzer.js'
import { CHUNK_CELLS, isCjk, isHan } from './cjk-scanner.js'

/** Cases of Lucene's own analyzer, beside the project; not part of it. Every one must pass. */
const CASES = join(import.meta.dirname, '../../../../../../shared/data/conformance/lucene/cjk-analyzer.json')

const analyzer = new BigramAnalyzer()
const terms = (text: string): string[] => tokenize(analyzer, text).map((x) => x.term)

t.test("the tokens are those of Lucene's CJKAnalyzer", { skip: !existsSync(CASES) && 'no ../shared/data' }, (t) => {
  const cases = JSON.parse(readFileSync(CASES, 'utf8')) as { text: string; tokens: string[] }[]
  t.ok(cases.length >= 10)
  for (const { text, tokens } of cases) t.same(terms(text), tokens, JSON.stringify(text))
  t.end()
})

t.test('pairs of a run, words as they are', (t) => {
  t.same(terms('北京天安门'), ['北京', '京天', '天安', '安门'])
  t.same(terms('北京，上海。中 Web搜索'), ['北京', '上海', '中', 'web', '搜索'])
  t.same(terms('한국어 검색'), ['한국', '국어', '검색'])
  t.same(terms('検索エンジンの仕組み'), ['検索', '索エ', 'エン', 'ンジ', 'ジン', 'ンの', 'の仕', '仕組', '組み'])
  t.same(terms('\u{20000}\u{20001}中'), ['\u{20000}\u{20001}', '\u{20001}中'], 'characters of two units')
  t.same(terms('１，２'), ['1', '2'], 'a full-width comma separates')
  t.same(terms('３．１４ 3.14 don’t site:example'), ['3.14', '3.14', "don't", 'site', 'example'])
  t.end()
})

t.test('compatibility forms are folded, offsets are those of the original text', (t) => {
  t.same(terms('ＡＢＣ ﬁne e\u0301cole co\u00adop'), ['abc', 'fine', 'école', 'coop'])
  const kana = tokenize(analyzer, 'ｶﾞｷﾞ')
  t.same(kana, [{ term: 'ガギ', startOffset: 0, endOffset: 4, positionIncrement: 1 }], 'half-width Katakana')
  const hangul = tokenize(analyzer, '한국어'.normalize('NFD'))
  t.same(
    hangul.map((x) => [x.term, x.startOffset, x.endOffset]),
    [
      ['한국', 0, 6],
      ['국어', 3, 8],
    ],
    'decomposed Hangul',
  )
  t.same(tokenize(analyzer, '葛\u{e0100}城'), [{ term: '葛城', startOffset: 0, endOffset: 4, positionIncrement: 1 }])
  t.end()
})

t.test('a run longer than a chunk loses no pair', (t) => {
  for (const length of [CHUNK_CELLS - 1, CHUNK_CELLS, CHUNK_CELLS + 1, 3 * CHUNK_CELLS]) {
    const run = Array.from({ length }, (_, i) => String.fromCharCode(0x4e00 + (i % 5000))).join('')
    const tokens = tokenize(analyzer, `${run} x`)
    t.equal(tokens.length, length, `${length} characters`)
    t.ok(tokens.slice(0, -1).every((x, i) => x.term === run.slice(i, i + 2) && x.startOffset === i))
  }
  t.end()
})

t.test('which characters make runs', (t) => {
  for (const char of '中々〇\u{20000}') t.ok(isHan(char.codePointAt(0)!), char)
  for (const char of 'ーあア한') t.ok(isCjk(char.codePointAt(0)!) && !isHan(char.codePointAt(0)!), char)
  for (const char of 'a1，。 😀') t.notOk(isCjk(char.codePointAt(0)!), char)
  t.notOk(isCjk(0x10ffff))
  t.end()
})
