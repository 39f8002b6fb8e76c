/**
 * For Chinese text with words of other languages in it. Characters are folded one by one (width, traditional to
 * simplified), so that both scripts meet; offsets are those of the original text. Three layers:
 *
 * ```
 *                    南京市长江大桥 Bridges
 * ''    positions    南京 京市 市长 长江 江大 大桥 bridges    any part of a run is found as a phrase, exactly
 * word  freqs        南京市 长江 大桥 bridge                  ranks: whole words say more than pairs, stems more than forms
 * char  docs         南 京 市 长 江 大 桥                     queries of one character
 * ```
 *
 * Kana, Hangul and Thai characters (see `CjkScanner`) go into the same runs; in the word layer they are pairs too.
 * About 7 M characters/s, all layers. The dictionary is loaded at the first Han character that any analyzer of the process meets.
 */
import {
  type AnalysisMode,
  type Analyzer,
  type AnalyzerLayer,
  MAX_TERM_LENGTH,
  type QueryPlan,
  type TokenSink,
} from '../analyzer.js'
import { emitPairs } from '../bigram/bigram-analyzer.js'
import { CHUNK_CELLS, CjkScanner, cellTerm, isHan, pairTerm, RUN } from '../bigram/cjk-scanner.js'
import { AlphabeticWords } from '../english/alphabetic-words.js'
import { STEMMER_VERSION, type StemSettings, type WordStemmer } from '../english/word-stemmer.js'
import { fingerprint } from '../fingerprint.js'
import { foldWord } from '../standard/term-folding.js'
import { END } from '../standard/word-scanner.js'
import { CHINESE_FUNCTION_WORDS } from './function-words.js'
import { QUESTION_WORDS } from './question-words.js'
import { Segmenter } from './segmenter.js'
import { SEGMENTIT_CHECKSUM } from './segmentit-source.js'
import { simplifiedChecksum, simplifiedFolder } from './simplified-folder.js'
import { standardDictionary } from './standard-dictionary.js'
import type { WordDictionary } from './word-dictionary.js'

/** Raised whenever the tokens of some text change. */
const VERSION = 9

/** Number of the layer of overlapping pairs. */
const PAIRS = 0
/** Number of the layer of words. */
const WORDS = 1
/** Number of the layer of single characters. */
const CHARS = 2

const LAYERS: readonly AnalyzerLayer[] = [
  { name: '', options: 'positions', norms: true },
  { name: 'word', options: 'freqs', norms: true },
  { name: 'char', options: 'docs', norms: false },
]

/** Short runs must stand as they are typed; the weights are the best ones measured on four Chinese collections. */
const QUERY_PLAN: QueryPlan = {
  phraseRun: 4,
  mainWeight: 0.7,
  words: { layer: WORDS, weight: 1 },
  characterLayer: CHARS,
}

/** A longer query is no question; it also fits into one chunk. */
const MAX_QUESTION_LENGTH = 1024

/** Characters of the first four planes, one bit each. */
const SEEN_WORDS = 0x40000 / 32

/** Settings of a {@link ChineseAnalyzer}; those of the stemmer are for words of alphabetic scripts. */
export interface ChineseAnalyzerOptions extends StemSettings {
  /** The words to cut text into, instead of the product's. */
  readonly dictionary?: WordDictionary
  /**
   * Whether documents have the shorter words of the dictionary inside of a long one too: 中华人民共和国 has 中华, 人民
   * and 共和国.
   */
  readonly searchMode?: boolean
}

/** Pairs, words and characters of Chinese, Unicode words of everything else. */
export class ChineseAnalyzer implements Analyzer {
  readonly name = 'chinese'
  readonly settings: WordStemmer['settings'] & { readonly searchMode?: true }
  readonly fingerprint: string
  readonly layers = LAYERS
  readonly queryPlan = QUERY_PLAN

  readonly #scanner = new CjkScanner(simplifiedFolder, MAX_TERM_LENGTH)
  readonly #seen = new Uint32Array(SEEN_WORDS)
  readonly #words: AlphabeticWords
  #dictionary: WordDictionary | null
  #segmenter: Segmenter | null = null
  readonly #searchMode: boolean

  /** @throws RangeError for a language that has no stemmer */
  constructor({ dictionary, searchMode = false, ...settings }: ChineseAnalyzerOptions = {}) {
    this.#dictionary = dictionary ?? null
    this.#searchMode = searchMode
    this.#words = new AlphabeticWords(settings, WORDS)
    this.settings = searchMode ? { ...this.#words.settings, searchMode } : this.#words.settings
    const data = [STEMMER_VERSION, SEGMENTIT_CHECKSUM, simplifiedChecksum()]
    this.fingerprint = fingerprint('chinese', this.settings, VERSION, data)
  }

  /**
   * The words that text is cut into. Another one may be set between two texts. It decides only where the borders in the
   * word layer are, so it is no part of the fingerprint: what is found as an exact part of a text does not depend on it.
   */
  get dictionary(): WordDictionary {
    this.#dictionary ??= standardDictionary()
    return this.#dictionary
  }

  set dictionary(dictionary: WordDictionary) {
    this.#dictionary = dictionary
    this.#segmenter = null
  }

  /**
   * In mode `query` question words (什么, 如何, 吗 …) are left out of all layers where something else remains; the
   * positions they took are left open.
   * @throws SpindleError DICTIONARY_UNREADABLE where the installation is damaged; never because of the text
   */
  analyze(text: string, sink: TokenSink, mode: AnalysisMode = 'index'): void {
    this.#seen.fill(0)
    const question = mode === 'query' && text.length <= MAX_QUESTION_LENGTH && this.#isQuestion(text)
    const scanner = this.#scanner
    scanner.reset(text)
    let gap = 0
    for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
      if (kind !== RUN) {
        const { start, end, plain } = scanner
        if (this.#words.emit(text, start, end, plain, 1 + gap, mode, sink)) gap = 0
      } else if (question) gap = this.#questionRun(text, sink, gap)
      else this.#run(text, mode, sink)
    }
    scanner.reset('')
  }

  normalize(text: string): string {
    return foldWord(simplifiedFolder.foldAll(text))
  }

  /** Steps that the segmenter has taken through the dictionary so far: shows that its work grows with the text only. */
  get steps(): number {
    return this.#segmenter?.steps ?? 0
  }

  #segment(): Segmenter {
    this.#segmenter ??= new Segmenter(this.dictionary, CHUNK_CELLS)
    return this.#segmenter
  }

  /** Whether a digit stands before the run that begins with this chunk. */
  #isAfterDigit(text: string): boolean {
    const { starts, fresh } = this.#scanner
    if (fresh > 0 || starts[0] === 0) return false
    const before = text.charCodeAt(starts[0]! - 1)
    return (before >= 0x30 && before <= 0x39) || (before >= 0xff10 && before <= 0xff19)
  }

  /** Emits a chunk of a run into all layers. */
  #run(text: string, mode: AnalysisMode, sink: TokenSink): void {
    const scanner = this.#scanner
    emitPairs(scanner, sink)
    for (let i = scanner.fresh; i < scanner.length; i++) this.#char(i, sink)
    const segmenter = this.#segment()
    const covered = segmenter.segment(scanner.codes, scanner.length, scanner.last, this.#isAfterDigit(text))
    for (let w = 0; w < segmenter.count; w++) this.#word(text, w, mode, sink)
    if (!scanner.last) scanner.keep(covered)
  }

  /** Whether a query has question words and something besides that it may be about. */
  #isQuestion(text: string): boolean {
    const scanner = this.#scanner
    scanner.reset(text)
    let asks = false
    let says = false
    for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
      if (kind !== RUN) {
        says = true
        continue
      }
      const segmenter = this.#segment()
      segmenter.segment(scanner.codes, scanner.length, true, this.#isAfterDigit(text))
      let from = 0
      for (let w = 0; w < segmenter.count; w++) {
        const to = segmenter.ends[w]!
        const term = this.#term(text, from, to)
        if (QUESTION_WORDS.has(term)) asks = true
        else if (!CHINESE_FUNCTION_WORDS.has(term)) says = true
        from = to
      }
    }
    return asks && says
  }

  /** Emits a run without its question words; returns how many positions are open behind the last pair. */
  #questionRun(text: string, sink: TokenSink, gap: number): number {
    const { codes, starts, ends, length } = this.#scanner
    const segmenter = this.#segment()
    segmenter.segment(codes, length, true, this.#isAfterDigit(text))
    // A piece is what stands between two question words: cells from `piece` to `to`.
    let piece = 0
    let next = -gap
    let from = 0
    for (let w = 0; w <= segmenter.count; w++) {
      const to = w < segmenter.count ? segmenter.ends[w]! : length
      const asks = w < segmenter.count && QUESTION_WORDS.has(this.#term(text, from, to))
      if (w < segmenter.count && !asks) {
        this.#word(text, w, 'query', sink)
        for (let i = from; i < to; i++) this.#char(i, sink)
      }
      if (asks || w === segmenter.count) {
        if (from - piece === 1) {
          sink.token(cellTerm(codes[piece]!), starts[piece]!, ends[piece]!, piece - next + 1, PAIRS)
          next = piece + 1
        }
        for (let i = piece + 1; i < from; i++) {
          sink.token(pairTerm(codes[i - 1]!, codes[i]!), starts[i - 1]!, ends[i]!, i - next, PAIRS)
          next = i
        }
        piece = to
      }
      from = to
    }
    // A run takes as many positions as it has pairs.
    return Math.max(0, Math.max(length - 1, 1) - next)
  }

  /**
   * Emits word `w` of the segmentation. Kana and Hangul characters that no word has come as pairs, such a one between
   * words as it is.
   */
  #word(text: string, w: number, mode: AnalysisMode, sink: TokenSink): void {
    const { codes, starts, ends, length } = this.#scanner
    const segmenter = this.#segment()
    const from = w === 0 ? 0 : segmenter.ends[w - 1]!
    const to = segmenter.ends[w]!
    if (to - from === 1 && !isHan(codes[from]!)) {
      if (this.#isLoose(w - 1)) {
        sink.token(pairTerm(codes[from - 1]!, codes[from]!), starts[from - 1]!, ends[from]!, 1, WORDS)
        return
      }
      if (w + 1 < segmenter.count ? this.#isLoose(w + 1) : to < length && !isHan(codes[to]!)) return
    }
    sink.token(this.#term(text, from, to), starts[from]!, ends[to - 1]!, 1, WORDS)
    if (!this.#searchMode || mode === 'query' || to - from < 3) return
    const { inner } = segmenter
    for (let i = 0, count = segmenter.findInner(from, to); i < count; i++) {
      const first = inner[2 * i]!
      const end = inner[2 * i + 1]!
      sink.token(this.#term(text, first, end), starts[first]!, ends[end - 1]!, 1, WORDS)
    }
  }

  /** Whether word `w` of the segmentation is one Kana or Hangul character. */
  #isLoose(w: number): boolean {
    if (w < 0) return false
    const { ends } = this.#segment()
    const from = w === 0 ? 0 : ends[w - 1]!
    return ends[w]! - from === 1 && !isHan(this.#scanner.codes[from]!)
  }

  /** Emits a character once a text. */
  #char(at: number, sink: TokenSink): void {
    const { codes, starts, ends } = this.#scanner
    const code = codes[at]!
    const bit = 1 << (code & 31)
    if ((this.#seen[code >>> 5]! & bit) !== 0) return
    this.#seen[code >>> 5]! |= bit
    sink.token(cellTerm(code), starts[at]!, ends[at]!, 1, CHARS)
  }

  /** The term of some cells. */
  #term(text: string, from: number, to: number): string {
    const { codes, starts, ends, verbatim } = this.#scanner
    if (verbatim) return text.slice(starts[from]!, ends[to - 1]!)
    if (to - from === 1) return cellTerm(codes[from]!)
    let term = pairTerm(codes[from]!, codes[from + 1]!)
    for (let i = from + 2; i < to; i++) term += cellTerm(codes[i]!)
    return term
  }
}
