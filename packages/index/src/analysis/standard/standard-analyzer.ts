/**
 * Words by the rules of Unicode, lower-cased: for English and every other language that separates words by spaces.
 * Same words as Lucene's StandardAnalyzer without stop words; a Han or Hiragana character is a word by itself.
 */
import { type AnalysisMode, type Analyzer, type AnalyzerLayer, MAX_TERM_LENGTH, type TokenSink } from '../analyzer.js'
import { fingerprint } from '../fingerprint.js'
import { CHARACTER_CLASSES } from './character-class.js'
import { lowerCase } from './term-folding.js'
import { END, WordScanner } from './word-scanner.js'

/** Raised whenever the tokens of some text change. */
const VERSION = 1

const LAYERS: readonly AnalyzerLayer[] = [{ name: '', options: 'positions', norms: true }]

/** Settings of {@link StandardAnalyzer}. */
export interface StandardAnalyzerSettings {
  /** Longest word in UTF-16 units, 2 to 255 (the default); longer ones are cut into several. */
  readonly maxTokenLength?: number
}

/** Unicode words in lower case. */
export class StandardAnalyzer implements Analyzer {
  readonly name = 'standard'
  readonly settings: { readonly maxTokenLength: number }
  readonly fingerprint: string
  readonly layers = LAYERS
  readonly #scanner: WordScanner

  constructor(settings: StandardAnalyzerSettings = {}) {
    const wanted = Math.trunc(settings.maxTokenLength ?? MAX_TERM_LENGTH)
    const maxTokenLength = Math.min(Math.max(Number.isNaN(wanted) ? MAX_TERM_LENGTH : wanted, 2), MAX_TERM_LENGTH)
    this.settings = { maxTokenLength }
    this.fingerprint = fingerprint(this.name, this.settings, VERSION)
    this.#scanner = new WordScanner(CHARACTER_CLASSES, maxTokenLength)
  }

  analyze(text: string, sink: TokenSink, _mode?: AnalysisMode): void {
    const scanner = this.#scanner
    scanner.reset(text)
    while (scanner.next() !== END) {
      const word = text.slice(scanner.start, scanner.end)
      sink.token(scanner.plain ? word : lowerCase(word), scanner.start, scanner.end, 1, 0)
    }
    scanner.reset('')
  }

  normalize(text: string): string {
    return lowerCase(text)
  }
}
