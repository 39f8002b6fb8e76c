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
  #pending = NONE
  #last = 0
  #marked = false
  #marks: number[] = []

  /** Adds text with any white space in it. */
  append(chars: string): void {
    const { length } = chars
    let i = 0
    while (i < length) {
      let code = chars.charCodeAt(i)
      if (code <= 0x20 && isSpace(code)) {
        if (this.#pending < LINE) this.#pending = code === 0x20 || code === 0x09 ? Math.max(this.#pending, SPACE) : LINE
        i++
        continue
      }
      // words with single blanks between them are taken as one piece
      const start = i
      let end = i + 1
      for (i = end; i < length; i++) {
        code = chars.charCodeAt(i)
        if (code > 0x20 || !isSpace(code)) end = i + 1
        else if (code !== 0x20 || end !== i) break
      }
      this.#word(start === 0 && end === length ? chars : chars.slice(start, end), chars.charCodeAt(end - 1))
      i = end
    }
  }

  #word(word: string, last: number): void {
    if (this.#pending !== NONE) {
      if (this.#text !== '') {
        if (this.#pending === BLOCK) this.#text += '\n'
        else if (this.#pending === SPACE || !isWide(this.#last) || !isWide(word.charCodeAt(0))) this.#text += ' '
      }
      this.#pending = NONE
    }
    if (this.#marked) {
      this.#marked = false
      this.#marks.push(this.#text.length)
    }
    this.#text += word
    this.#last = last
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
    return this.#text.length
  }

  /** The text so far; the builder starts over, the next text counts as a new block. */
  take(): string {
    const text = this.#text
    this.#text = ''
    this.#pending = NONE
    return text
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

/** One line: white space collapsed, cleaned, cut at a number of UTF-16 units without splitting a character. */
export function oneLine(text: string, maxLength: number): string {
  const builder = new TextBuilder()
  builder.append(cut(text, maxLength * 8))
  return cut(cleanText(builder.take()), maxLength)
}

/** At most so many UTF-16 units, without splitting a character. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const lastUnit = text.charCodeAt(maxLength - 1)
  return text.slice(0, lastUnit >= 0xd800 && lastUnit <= 0xdbff ? maxLength - 1 : maxLength)
}
