/** The text of a query as the lexer looks at it: full-width punctuation as ASCII, escapes, quotes, numbers. */
import { TWINS } from './syntax-tree.js'

/** Told of everything that is not as it should be. A strict caller throws from it. */
export type ReportProblem = (start: number, end: number, message: string) => void

/** A text and its end. */
export interface TextReading {
  readonly text: string
  /** One past its last UTF-16 unit in the query. */
  readonly end: number
}

/** A query text. */
export class QueryText {
  readonly #text: string
  readonly #report: ReportProblem
  readonly strict: boolean
  /** From here on no quotation mark is left: a look for one is never taken twice. */
  #unquotedFrom = Number.POSITIVE_INFINITY

  constructor(text: string, report: ReportProblem, strict: boolean) {
    this.#text = text
    this.#report = report
    this.strict = strict
  }

  /** Tells of a problem, or throws. */
  report(start: number, end: number, message: string): void {
    this.#report(start, end, message)
  }

  /** Character at a place with full-width punctuation made ASCII; '' at the end. */
  char(at: number): string {
    const char = this.#text[at] ?? ''
    return char < '\u2000' ? char : (TWINS.get(char) ?? char)
  }

  /** Character at a place as typed; '' at the end. */
  raw(at: number): string {
    return this.#text[at] ?? ''
  }

  slice(start: number, end: number): string {
    return this.#text.slice(start, end)
  }

  startsWith(text: string, at: number): boolean {
    return this.#text.startsWith(text, at)
  }

  /** What the backslash at a place stands for; `\u` takes four hexadecimal digits, as in Lucene. */
  escape(at: number): TextReading {
    if (at + 1 >= this.#text.length) {
      this.#report(at, at + 1, 'a backslash with nothing behind it')
      return { text: '', end: at + 1 }
    }
    if (this.#text[at + 1] === 'u') {
      const code = parseHex(this.#text.slice(at + 2, at + 6))
      if (code !== null) return { text: String.fromCharCode(code), end: at + 6 }
      if (this.strict) this.#report(at, at + 2, "a '\\u' without four hexadecimal digits behind it")
    }
    return { text: this.#text[at + 1]!, end: at + 2 }
  }

  /** The quoted text that begins with the quotation mark at a place, or null where it is never closed. */
  quoted(start: number): TextReading | null {
    if (start >= this.#unquotedFrom) return null
    const closing = this.#closing(start + 1)
    if (closing < 0) {
      this.#unquotedFrom = start
      return null
    }
    let text = ''
    for (let at = start + 1; at < closing; ) {
      if (this.#text[at] !== '\\') {
        text += this.#text[at++]!
        continue
      }
      const escaped = this.escape(at)
      text += escaped.text
      at = escaped.end
    }
    return { text, end: closing + 1 }
  }

  /** Place of the next quotation mark without a backslash, or −1. */
  #closing(from: number): number {
    for (let at = from; at < this.#text.length; at++) {
      if (this.#text[at] === '\\') at++
      else if (this.char(at) === '"') return at
    }
    return -1
  }
}

/** A decimal number without sign, perhaps with an exponent, or null. */
export function parseFactor(text: string): number | null {
  const match = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?$/i.exec(text)
  return match === null ? null : Number(text)
}

function parseHex(text: string): number | null {
  return /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : null
}
