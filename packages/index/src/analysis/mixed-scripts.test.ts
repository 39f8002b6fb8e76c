/** Texts of several scripts: nothing is lost, whatever stands beside what, and the work grows with the text only. */
import fc from 'fast-check'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { QueryParser } from '../query-parser/query-parser.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { testSeed } from '../test-support/random.js'
import type { Analyzer } from './analyzer.js'
import { BigramAnalyzer } from './bigram/bigram-analyzer.js'
import { ChineseAnalyzer } from './chinese/chinese-analyzer.js'
import { EnglishAnalyzer } from './english/english-analyzer.js'
import { StandardAnalyzer } from './standard/standard-analyzer.js'
import { tokenize } from './tokenize.js'

const ANALYZERS: readonly Analyzer[] = [
  new StandardAnalyzer(),
  new EnglishAnalyzer(),
  new BigramAnalyzer(),
  new ChineseAnalyzer(),
]
const WORD = /[\p{L}\p{Nd}]/u
/** Parts of Korean syllables and marks of Kana, which never stand alone. */
const PART = /[\u1160-\u11ff\uff9e\uff9f]/

t.test('every letter and digit of Unicode is in a token of each layer that holds words', (t) => {
  // The others are made on the same two scanners.
  for (const analyzer of [new EnglishAnalyzer(), new ChineseAnalyzer()]) {
    const lost: string[] = []
    for (let code = 0; code < 0x40000; code++) {
      const character = String.fromCodePoint(code)
      if (!WORD.test(character) || PART.test(character)) continue
      const layers = new Set<number>()
      analyzer.analyze(character, { token: (_term, _start, _end, _increment, layer) => layers.add(layer) })
      if (!layers.has(0) || (analyzer.layers[1]?.name === 'word' && !layers.has(1))) lost.push(code.toString(16))
    }
    t.same(lost, [], analyzer.name)
  }
  t.end()
})

t.test('scripts beside each other', (t) => {
  const terms = (text: string, layer: number): string =>
    tokenize(new ChineseAnalyzer(), text, layer)
      .map((token) => token.term)
      .join(' ')
  t.equal(terms('用Python读取JSON文件', 0), '用 python 读取 json 文件')
  t.equal(terms('用Python读取JSON文件', 1), '用 python 读取 json 文件')
  t.equal(terms('ภาษาไทย and 日本語のテスト', 0), 'ภา าษ ษา าไ ไท ทย and 日本 本语 语の のテ テス スト')
  t.equal(terms('한국어 العَرَبِية Ελλάδα Москва', 1), '한국 국어 العربية ελλαδα москва')
  t.equal(terms('２０２６年１２月 ３.５ｋｇ', 0), '2026 年 12 月 3.5kg')
  t.end()
})

const PIECES = fc.oneof(
  fc.constantFrom(
    ...['中文字符', '長江', 'Straße', 'parseHTML', 'snake_case', 'C++', '.NET', 'ภาษาไทย', '한국어', 'カナ', 'ひら'],
  ),
  fc.constantFrom(
    ...['हिन्दी', 'العَرَبِية', 'שָׁלוֹם', 'Москва', 'ភាសា', '１２３', '3.14', 'x', '中', '🙂', "l'été", 'မြန်မာ'],
  ),
  fc.constantFrom(
    ...['\u0301', '\u200d', '\u3099', '\ufe0f', '\u00ad', '\ud800', ' ', '，', '.', '-', "'", '_', '#', '+'],
  ),
)

t.test('in any mixture, each letter and digit is in a token, in order', (t) => {
  const seed = testSeed()
  t.comment(`SEED=${seed}`)
  for (const analyzer of ANALYZERS) {
    const layers = analyzer.layers[1]?.name === 'word' ? [0, 1] : [0]
    const property = fc.property(fc.array(PIECES, { maxLength: 20 }), (pieces) => {
      const text = pieces.join('')
      for (const layer of layers) {
        const covered = new Uint8Array(text.length)
        let before = 0
        for (const { startOffset, endOffset } of tokenize(analyzer, text, layer)) {
          if (startOffset < before || endOffset <= startOffset) throw new Error(`out of order at ${startOffset}`)
          before = startOffset
          covered.fill(1, startOffset, endOffset)
        }
        for (let i = 0; i < text.length; i++) {
          if (WORD.test(text[i]!) && covered[i] === 0) throw new Error(`${layer}: ${text[i]} at ${i} is lost`)
        }
      }
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 1000, seed }), analyzer.name)
  }
  t.end()
})

t.test('the work grows with the text only', (t) => {
  const units = [
    'a',
    'A',
    'aB',
    'a_',
    'a.',
    '1.',
    "a'",
    'é',
    'C++',
    '.a',
    'ภ',
    'ិ',
    '中a',
    '한',
    '\u0301',
    '\u200d',
    '🙂',
    '+',
    '.',
  ]
  for (const analyzer of ANALYZERS) {
    for (const unit of units) {
      const short = count(analyzer, unit.repeat(2000))
      const long = count(analyzer, unit.repeat(20_000))
      t.ok(long <= 10.5 * short + 20, `${analyzer.name}, ${unit}: ${short} and ${long} tokens`)
      t.ok(long <= 4 * unit.length * 20_000)
    }
  }
  t.end()
})

t.test('words of scripts that are written without spaces are found', async (t) => {
  for (const analyzer of [new BigramAnalyzer(), new ChineseAnalyzer()]) {
    const directory = new MemoryDirectory()
    const writer = await IndexWriter.open(directory, { analyzer })
    for (const text of ['ภาษาไทยเขียนติดกัน', 'เขียนหนังสือ', 'ភាសាខ្មែរ']) {
      await writer.addDocument(new Document().add(Field.text('body', text)))
    }
    await writer.close()
    const searcher = await IndexSearcher.open(directory)
    const found = async (query: string): Promise<number[]> => {
      const hits = await searcher.search(QueryParser.parse(query, 'body', analyzer))
      return Array.from({ length: hits.length }, (_, i) => hits.docId(i)).sort()
    }
    t.same(await found('ไทย'), [0])
    t.same(await found('"เขียน"'), [0, 1])
    t.same(await found('"หนังสือ"'), [1])
    t.same(await found('ខ្មែរ'), [2])
    await searcher.close()
  }
})

function count(analyzer: Analyzer, text: string): number {
  let tokens = 0
  analyzer.analyze(text, { token: () => tokens++ })
  return tokens
}
