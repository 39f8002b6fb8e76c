/**
 * What analyzers make of a word of letters and digits, in two layers: the word as it stands, for phrases and patterns, and
 * in the layer `word`, which ranks, its stem, further stems of the same word, and its parts:
 *
 * ```
 *                Dog's    Zürich    parseHTML           C++    Notepad++            .NET
 * ''    exact    dog's    zürich    parsehtml           c++    notepad++            .net
 * word  stems    dog      zurich    parsehtml           c++    notepad++            .net
 *       parts                       pars html                  notepad              net
 * ```
 *
 * A token of the word layer that has the range of the whole word is a form of it, one that has a smaller range a part.
 */
import type { AnalysisMode, TokenSink } from '../analyzer.js'
import { CHARACTER_CLASSES, classOf, EXTEND, EXTEND_NUM_LET, LETTER } from '../standard/character-class.js'
import { foldWord } from '../standard/term-folding.js'
import { WordParts } from './word-parts.js'
import { type StemSettings, WordStemmer } from './word-stemmer.js'

/** Number of the main layer. */
const MAIN = 0
/** Longest word that takes a symbol to it. */
const MAX_WITH_SYMBOL = 64

/** Of ASCII and full-width. */
const PLUS = '+\uff0b'
const NUMBER_SIGN = '#\uff03'

/** Puts words into the layers of an analyzer. */
export class AlphabeticWords {
  readonly #stemmer: WordStemmer
  readonly #parts = new WordParts()
  readonly #wordLayer: number

  /** @param wordLayer number of the layer that ranks */
  constructor(settings: StemSettings, wordLayer: number) {
    this.#stemmer = new WordStemmer(settings)
    this.#wordLayer = wordLayer
  }

  /** See `WordStemmer`. */
  get settings(): WordStemmer['settings'] {
    return this.#stemmer.settings
  }

  /**
   * Emits the word in a range of the text, as a scanner has found it.
   * @param plain whether the word is its own folded form
   * @param increment to its position in the main layer
   * @returns false where nothing is left of the word
   */
  emit(
    text: string,
    start: number,
    end: number,
    plain: boolean,
    increment: number,
    mode: AnalysisMode,
    sink: TokenSink,
  ): boolean {
    const from = withStop(text, start, end) ? start - 1 : start
    const to = end - from <= MAX_WITH_SYMBOL ? withSymbol(text, start, end) : end
    const word = text.slice(from, to)
    const symbols = to - from > end - start
    const term = plain && !symbols ? word : foldWord(word)
    if (term === '') return false
    sink.token(term, from, to, increment, MAIN)
    const layer = this.#wordLayer
    const stem = symbols ? term : this.#stemmer.stem(term)
    sink.token(stem, from, to, 1, layer)
    const bare = symbols || plain ? stem : this.#stemmer.bareStem(term, stem)
    if (bare !== stem) sink.token(bare, from, to, 0, layer)
    if (symbols) {
      // A page about Notepad++ is one about Notepad; one about C++ is not about C.
      if (mode === 'index' && end - start > 1) this.#part(text, start, end, sink)
      return true
    }
    const parts = this.#parts
    if (parts.split(text, start, end) && (mode === 'index' || parts.complete)) {
      for (let i = 0; i < parts.count; i++) this.#part(text, parts.starts[i]!, parts.ends[i]!, sink)
    }
    return true
  }

  #part(text: string, start: number, end: number, sink: TokenSink): void {
    const term = foldWord(text.slice(start, end))
    if (term !== '') sink.token(this.#stemmer.bareStem(term, this.#stemmer.stem(term)), start, end, 0, this.#wordLayer)
  }
}

/** Where a word ends with what belongs to its name: `C++`, `Notepad++`, `C#`. */
function withSymbol(text: string, start: number, end: number): number {
  const unit = text.charCodeAt(end)
  if (unit !== 0x2b && unit !== 0x23 && !(unit >= 0xff00)) return end
  if (!isLetter(text, start)) return end
  if (isOneOf(PLUS, text, end) && isOneOf(PLUS, text, end + 1)) {
    return isOneOf(PLUS, text, end + 2) || goesOn(text, end + 2) ? end : end + 2
  }
  if (end - start === 1 && isOneOf(NUMBER_SIGN, text, end)) {
    return isOneOf(NUMBER_SIGN, text, end + 1) || goesOn(text, end + 1) ? end : end + 1
  }
  return end
}

/** Whether a full stop belongs to a word behind it, as in `.NET` and `.htaccess`; it does not end a sentence there. */
function withStop(text: string, start: number, end: number): boolean {
  const stop = text.charCodeAt(start - 1)
  if (stop !== 0x2e && stop !== 0xff0e) return false
  if (end - start >= MAX_WITH_SYMBOL || !isLetter(text, start)) return false
  if (start === 1) return true
  const before = text.charCodeAt(start - 2)
  return before <= 0x20 || BEFORE_STOP.includes(text[start - 2]!) || (before >= 0x2e80 && before !== 0xff0e)
}

/** What may stand before a full stop that begins a word, besides white space and Chinese: brackets, slashes, commas. */
const BEFORE_STOP = '([{<"\'`/\\,;:=*\u00a0\u201c\u2018'

function isOneOf(symbols: string, text: string, at: number): boolean {
  return at < text.length && symbols.includes(text[at]!)
}

function isLetter(text: string, at: number): boolean {
  return classOf(CHARACTER_CLASSES, text.charCodeAt(at)) === LETTER
}

/** Whether a symbol is within something longer: `C++x`; the number of `C++17` is a word of its own. */
function goesOn(text: string, at: number): boolean {
  if (at >= text.length) return false
  const found = classOf(CHARACTER_CLASSES, text.charCodeAt(at))
  return found === LETTER || found === EXTEND || found === EXTEND_NUM_LET
}
