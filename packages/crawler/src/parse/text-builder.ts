/**
 * Puts the text pieces of a page together as a reader sees them: white space collapsed, blocks on lines of their own.
 * A line break in the source between two Han characters or kana vanishes, as CSS Text 3 §4.1.3 has it: a page's author wraps
 * Chinese lines anywhere, and a word cut by the wrapping must still be found.
 */

const NONE = 0
const SPACE = 1
const LINE = 2
const BLOCK = 3
const NO_MARKS: readonly number[] = []

/** Collects one text. Linear in its input. */
export class TextBuilder {
  #text = ''
  /** of the text: to ask a string for its length costs more the more kinds of strings there are */
  #length = 0
  #pending = NONE
  #last = 0
  #isClean = true
  #marked = false
  #marks: number[] = []

  /** Adds text with any white space in it. */
  append(chars: string): void {
    this.appendRun(chars, unitsOf(chars), 0, chars.length)
  }

  /**
   * Adds what stands in a text from `start` up to `end`.
   * @param units of the text
   */
  appendRun(text: string, units: Uint16Array, start: number, end: number): void {
    let i = start
    while (i < end) {
      let code = units[i]!
      if (code <= 0x20 && isSpace(code)) {
        if (this.#pending < LINE) this.#pending = code === 0x20 || code === 0x09 ? Math.max(this.#pending, SPACE) : LINE
        i++
        continue
      }
      // words with single blanks between them are taken as one piece
      const from = i
      let to = i
      for (; i < end; i++) {
        code = units[i]!
        if (code > 0x20) to = i + 1
        else if (!isSpace(code)) {
          to = i + 1
          this.#isClean = false
        } else if (code !== 0x20 || to !== i) break
        if (code >= 0x7f && mayBeUnclean(code)) this.#isClean = false
      }
      this.#addPiece(text.slice(from, to), units[from]!, to - from)
      this.#last = units[to - 1]!
      i = to
    }
  }

  #addPiece(piece: string, first: number, length: number): void {
    if (this.#pending !== NONE) {
      if (this.#length > 0) {
        const gap =
          this.#pending === BLOCK ? '\n' : this.#pending === LINE && isWide(this.#last) && isWide(first) ? '' : ' '
        this.#text += gap
        this.#length += gap === '' ? 0 : 1
      }
      this.#pending = NONE
    }
    if (this.#marked) {
      this.#marked = false
      this.#marks.push(this.#length)
    }
    this.#text += piece
    this.#length += length
  }

  /** A blank that is one wherever it stands (between table cells). */
  gap(): void {
    if (this.#pending !== BLOCK) this.#pending = SPACE
  }

  /** The begin or end of a block. */
  block(): void {
    this.#pending = BLOCK
  }

  /** Keeps the place where the next word begins; see {@link takeMarks}. */
  mark(): void {
    this.#marked = true
  }

  /** UTF-16 offsets of the marked places since the last call. Call it together with {@link take}. */
  takeMarks(): readonly number[] {
    if (this.#marks.length === 0) return NO_MARKS
    const marks = this.#marks
    this.#marks = []
    return marks
  }

  /** UTF-16 units so far. */
  get length(): number {
    return this.#length
  }

  /** True where {@link cleanText} would leave the text so far as it is. */
  get isClean(): boolean {
    return this.#isClean
  }

  /** The text so far; the builder starts over, the next text counts as a new block. */
  take(): string {
    const text = this.#text
    this.#text = ''
    this.#length = 0
    this.#pending = NONE
    this.#isClean = true
    return text
  }

  /** {@link take}, cleaned. */
  takeClean(): string {
    return this.#isClean ? this.take() : cleanText(this.take())
  }
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}

/** Characters of scripts written without blanks, and their punctuation: radicals to Yi, compatibility forms, full-width forms. */
function isWide(code: number): boolean {
  if (code < 0x2e80) return false
  return (
    code <= 0xa4cf ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe4f) ||
    (code >= 0xff00 && code <= 0xff60)
  )
}

/** False for characters that {@link cleanText} leaves, from U+007F on, and for none that it takes out. */
function mayBeUnclean(code: number): boolean {
  if (code < 0x200b) return code <= 0x9f || code === 0xad || code === 0x61c
  if (code > 0x2069) return code === 0xfeff
  return code <= 0x200f || code >= 0x2060 || (code >= 0x202a && code <= 0x202e)
}

/** Units of text that is no page; used again as long as it is not large. */
let kept = new Uint16Array(1024)
const MAX_KEPT = 32 * 1024

/** The units of a text until the next call; there may be more behind them. */
function unitsOf(text: string): Uint16Array {
  const { length } = text
  let units = kept
  if (length > units.length) {
    units = new Uint16Array(Math.max(length, MAX_KEPT))
    if (units.length === MAX_KEPT) kept = units
  }
  for (let i = 0; i < length; i++) units[i] = text.charCodeAt(i)
  return units
}

/**
 * Control characters but the white space among them, and what is not seen but parts a word or turns it around: soft hyphen,
 * zero-width space and word joiner, byte order mark, marks and controls of writing direction.
 */
const UNCLEAN = /[^\P{Cc}\t\n]|[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u
const ALL_UNCLEAN = new RegExp(UNCLEAN, 'gu')

/** Text without characters that nobody sees and that keep words from being found. */
export function cleanText(text: string): string {
  if (!UNCLEAN.test(text)) return text
  return text.replace(ALL_UNCLEAN, '')
}

const line = new TextBuilder()

/** One line: white space collapsed, cleaned, cut at a number of UTF-16 units without splitting a character. */
export function oneLine(text: string, maxLength: number): string {
  line.append(cut(text, maxLength * 8))
  return cut(line.takeClean(), maxLength)
}

/** At most so many UTF-16 units, without splitting a character. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const lastUnit = text.charCodeAt(maxLength - 1)
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? maxLength - 1 : maxLength)
}
