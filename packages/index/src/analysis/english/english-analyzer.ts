/**
 * For English, and with another stemmer for any other language that separates words by spaces. No word is left out of the
 * index, so that phrases of function words are found; two layers:
 *
 * ```
 *                    The runners' café
 * ''    positions    the runners' café      as they stand: phrases, patterns
 * word  freqs        the runner   cafe      ranks: stems, without accents
 * ```
 */
import {
  type AnalysisMode,
  type Analyzer,
  type AnalyzerLayer,
  MAX_TERM_LENGTH,
  type QueryPlan,
  type TokenSink,
} from '../analyzer.js'
import { fingerprint } from '../fingerprint.js'
import { CHARACTER_CLASSES } from '../standard/character-class.js'
import { foldWord } from '../standard/term-folding.js'
import { END, WordScanner } from '../standard/word-scanner.js'
import { AlphabeticWords } from './alphabetic-words.js'
import { STEMMER_VERSION, type StemSettings, type WordStemmer } from './word-stemmer.js'

/** Raised whenever the tokens of some text change. */
const VERSION = 3

const WORDS = 1
const LAYERS: readonly AnalyzerLayer[] = [
  { name: '', options: 'positions', norms: true },
  { name: 'word', options: 'freqs', norms: true },
]

/** The weights of the ChineseAnalyzer: the same word counts the same with both. */
const QUERY_PLAN: QueryPlan = { phraseRun: 0, mainWeight: 0.7, words: { layer: WORDS, weight: 1 } }

/** Words as they stand, and their stems. */
export class EnglishAnalyzer implements Analyzer {
  readonly name = 'english'
  readonly settings: WordStemmer['settings']
  readonly fingerprint: string
  readonly layers = LAYERS
  readonly queryPlan = QUERY_PLAN
  readonly #scanner = new WordScanner(CHARACTER_CLASSES, MAX_TERM_LENGTH)
  readonly #words: AlphabeticWords

  /** @throws RangeError for a language that has no rules */
  constructor(settings: StemSettings = {}) {
    this.#words = new AlphabeticWords(settings, WORDS)
    this.settings = this.#words.settings
    this.fingerprint = fingerprint(this.name, this.settings, VERSION, [STEMMER_VERSION])
  }

  analyze(text: string, sink: TokenSink, mode: AnalysisMode = 'index'): void {
    const scanner = this.#scanner
    scanner.reset(text)
    while (scanner.next() !== END) {
      this.#words.emit(text, scanner.start, scanner.end, scanner.plain, 1, mode, sink)
    }
    scanner.reset('')
  }

  normalize(text: string): string {
    return foldWord(text)
  }
}
