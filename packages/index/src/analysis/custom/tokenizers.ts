/** The tokenizers of the library. */
import { MAX_TERM_LENGTH } from '../analyzer.js'
import { CHARACTER_CLASSES } from '../standard/character-class.js'
import { END, WordScanner } from '../standard/word-scanner.js'
import { numberOf, PartRegistry, type PartSettings, type Tokenizer, type TokenTarget } from './chain-parts.js'

/** Words by the rules of Unicode, see `WordScanner`. */
class StandardTokenizer implements Tokenizer {
  readonly #scanner = new WordScanner(CHARACTER_CLASSES, MAX_TERM_LENGTH)

  tokenize(text: string, target: TokenTarget): void {
    const scanner = this.#scanner
    scanner.reset(text)
    while (scanner.next() !== END) {
      target.token(text.slice(scanner.start, scanner.end), scanner.start, scanner.end, 1)
    }
    scanner.reset('')
  }
}

/** What stands between white space; longer words are cut. */
class WhitespaceTokenizer implements Tokenizer {
  tokenize(text: string, target: TokenTarget): void {
    for (const { 0: word, index } of text.matchAll(/\S+/g)) {
      for (let at = 0; at < word.length; ) {
        const end = boundary(word, Math.min(word.length, at + MAX_TERM_LENGTH))
        target.token(word.slice(at, end), index + at, index + end, 1)
        at = end
      }
    }
  }
}

/** The whole text as one token, as far as a term may be long. */
class KeywordTokenizer implements Tokenizer {
  tokenize(text: string, target: TokenTarget): void {
    const end = boundary(text, Math.min(text.length, MAX_TERM_LENGTH))
    if (end > 0) target.token(text.slice(0, end), 0, end, 1)
  }
}

/** Longest pieces that may be asked for. */
const MAX_GRAM = 32

/** Every piece of `min` to `max` characters, white space among them; pieces that begin at one character share a position. */
class NgramTokenizer implements Tokenizer {
  readonly #min: number
  readonly #max: number

  constructor(settings: PartSettings) {
    this.#min = Math.min(numberOf(settings, 'min', 2, 1), MAX_GRAM)
    this.#max = Math.min(numberOf(settings, 'max', 3, this.#min), MAX_GRAM)
  }

  tokenize(text: string, target: TokenTarget): void {
    for (let start = 0; start < text.length; start = after(text, start)) {
      let increment = 1
      let end = start
      for (let length = 1; length <= this.#max && end < text.length; length++) {
        end = after(text, end)
        if (length < this.#min) continue
        target.token(text.slice(start, end), start, end, increment)
        increment = 0
      }
    }
  }
}

/** One past the character that begins at `at`. */
function after(text: string, at: number): number {
  return at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
}

/** The same place, or the one before where it is within a character. */
function boundary(text: string, at: number): number {
  const last = text.charCodeAt(at - 1)
  return at < text.length && at > 1 && (last & 0xfc00) === 0xd800 ? at - 1 : at
}

/** `standard`, `whitespace`, `keyword`; `ngram` with `min` and `max` characters. */
export const tokenizers: PartRegistry<Tokenizer> = new PartRegistry('tokenizer', {
  standard: () => new StandardTokenizer(),
  whitespace: () => new WhitespaceTokenizer(),
  keyword: () => new KeywordTokenizer(),
  ngram: (settings) => new NgramTokenizer(settings),
})
