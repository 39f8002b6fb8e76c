/**
 * Splits a text into words (as WordScanner does) and runs of Han, Kana and Hangul characters, and of scripts written without
 * spaces such as Thai. A run is handed out as cells: the folded character and where it stands in the original text. Long
 * runs come in chunks, so that memory stays bounded (64 KiB an analyzer) whatever the text.
 */
import {
  CHARACTER_CLASSES,
  COMPLEX,
  EXTEND,
  HAN,
  HANGUL,
  KATAKANA,
  MID_LETTER,
  MID_NUM,
  MID_NUM_LET,
  OTHER,
  SYLLABLE,
} from '../standard/character-class.js'
import { END, IDEOGRAPH, SINGLE, WordScanner } from '../standard/word-scanner.js'
import type { CharacterFolder } from './character-folder.js'

/** A run of Han, Kana and Hangul characters, next to the kinds of word-scanner.ts. */
export const RUN = 5

/** Most cells of a chunk. */
export const CHUNK_CELLS = 4096

/** Blocks of scripts written without spaces that nobody here has a dictionary of: Thai, Lao, Myanmar, Khmer, Tai. */
const UNSPACED: readonly (readonly [number, number])[] = [
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  [0x1950, 0x19df],
  [0x1a20, 0x1aaf],
  [0xa9e0, 0xa9ff],
  [0xaa60, 0xaadf],
]

const CJK_CLASSES = makeClasses()

/** Whether a character belongs to a run: Han, Kana, Hangul, Thai and the like. */
export function isCjk(codePoint: number): boolean {
  const found = codePoint < CJK_CLASSES.length ? CJK_CLASSES[codePoint]! : OTHER
  return found === HAN || found === SYLLABLE
}

/** Whether a character is Han. */
export function isHan(codePoint: number): boolean {
  return codePoint < CJK_CLASSES.length && CJK_CLASSES[codePoint] === HAN
}

/** Scans one text at a time; make one and use it again. */
export class CjkScanner {
  /** First UTF-16 unit of the word found (not of a run). */
  start = 0
  /** One past the last unit of the word. */
  end = 0
  /** Whether the word is its own folded form, see WordScanner. */
  plain = false

  /** Folded code point of each cell of the run. */
  readonly codes = new Int32Array(CHUNK_CELLS)
  /** First UTF-16 unit of each cell. */
  readonly starts = new Int32Array(CHUNK_CELLS)
  /** One past the last unit of each cell. */
  readonly ends = new Int32Array(CHUNK_CELLS)
  /** Number of cells. */
  length = 0
  /** Cells before this one were in the chunk before and have been kept, see {@link keep}. */
  fresh = 0
  /** Whether the run ends with this chunk. */
  last = true
  /** Whether every cell is the very character of the text, so that terms can be cut out of it. */
  verbatim = true

  readonly #folder: CharacterFolder
  readonly #scanner: WordScanner
  #text = ''
  #open = false
  #pending = -1

  constructor(folder: CharacterFolder, maxLength: number) {
    this.#folder = folder
    this.#scanner = new WordScanner(CJK_CLASSES, maxLength)
  }

  /** Starts on a text. */
  reset(text: string): void {
    this.#text = text
    this.#scanner.reset(text)
    this.#open = false
    this.#pending = -1
    this.length = 0
  }

  /** Finds the next word or (part of a) run: the kind of a word, {@link RUN}, or END. */
  next(): number {
    if (this.#open) return this.#fill()
    const kind = this.#pending === -1 ? this.#scanner.next() : this.#pending
    this.#pending = -1
    if (kind === IDEOGRAPH || kind === SINGLE) {
      this.length = 0
      this.fresh = 0
      this.verbatim = true
      this.#push()
      return this.#fill()
    }
    if (kind !== END) {
      this.start = this.#scanner.start
      this.end = this.#scanner.end
      this.plain = this.#scanner.plain
    }
    return kind
  }

  /**
   * Where {@link last} is false: keeps the cells from `from` on (at least one, less than a chunk) at the front of the
   * next chunk.
   */
  keep(from: number): void {
    this.codes.copyWithin(0, from, this.length)
    this.starts.copyWithin(0, from, this.length)
    this.ends.copyWithin(0, from, this.length)
    this.length -= from
    this.fresh = this.length
  }

  #fill(): number {
    while (this.length < CHUNK_CELLS) {
      const kind = this.#scanner.next()
      if ((kind !== IDEOGRAPH && kind !== SINGLE) || this.#scanner.start !== this.ends[this.length - 1]) {
        this.#pending = kind
        this.#open = false
        this.last = true
        return RUN
      }
      this.#push()
    }
    this.#open = true
    this.last = false
    return RUN
  }

  #push(): void {
    const { start, end } = this.#scanner
    const unit = this.#text.charCodeAt(start)
    let folded: number
    if (end - start === 1) {
      folded = this.#folder.fold(unit)
      if (folded !== unit) this.verbatim = false
    } else {
      const code = this.#text.codePointAt(start)!
      const bare = end - start === (code > 0xffff ? 2 : 1)
      folded = bare ? this.#folder.fold(code) : this.#folder.foldCluster(this.#text.slice(start, end))
      this.verbatim = false
    }
    const at = this.length++
    this.codes[at] = folded
    this.starts[at] = start
    this.ends[at] = end
  }
}

/** The term of two cells. */
export function pairTerm(first: number, second: number): string {
  return first < 0x10000 && second < 0x10000 ? String.fromCharCode(first, second) : String.fromCodePoint(first, second)
}

/** The term of one cell. */
export function cellTerm(code: number): string {
  return code < 0x10000 ? String.fromCharCode(code) : String.fromCodePoint(code)
}

/**
 * Kana and Hangul are characters of a run, and so are those of {@link UNSPACED}, their vowel signs each by itself; the parts
 * of a decomposed Hangul syllable belong to its first part; the full-width comma, colon and semicolon separate, and so does
 * the ASCII colon (`site:example`).
 */
function makeClasses(): Uint8Array {
  const classes = CHARACTER_CLASSES.slice()
  for (let code = 0; code < classes.length; code++) {
    const found = classes[code]
    if (found === KATAKANA || found === HANGUL || found === COMPLEX) classes[code] = SYLLABLE
    else if (found === MID_LETTER || found === MID_NUM || found === MID_NUM_LET) {
      if (code >= 0xfe10 || code === 0x3a) classes[code] = OTHER
    }
  }
  for (const [first, last] of UNSPACED) {
    for (let code = first; code <= last; code++) if (classes[code] === EXTEND) classes[code] = SYLLABLE
  }
  classes.fill(EXTEND, 0x1160, 0x1200)
  classes[0xff0e] = MID_NUM_LET
  return classes
}
