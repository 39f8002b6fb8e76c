/**
 * Cuts a query text into tokens by hand, character by character; no regular expression sees user text. Full-width
 * punctuation and curly quotation marks count as their ASCII twins, because that is what Chinese keyboards type.
 */

/** Kind of a {@link QueryToken}. */
export type QueryTokenKind =
  | 'word'
  | 'quoted'
  | 'field'
  | 'open'
  | 'close'
  | 'and'
  | 'or'
  | 'not'
  | 'plus'
  | 'minus'
  | 'boost'
  | 'end'

/** A piece of a query. */
export interface QueryToken {
  readonly kind: QueryTokenKind
  /** UTF-16 range in the query text. */
  readonly start: number
  readonly end: number
  /** Word, quoted text or field name, escapes resolved. */
  readonly text: string
  /** Factor of a `boost`, 0–{@link MAX_BOOST}. */
  readonly boost: number
}

/** Largest factor after `^`; larger ones count as this. */
export const MAX_BOOST = 1000

/** Told of everything that is not as it should be. A strict caller throws from it. */
export type ReportProblem = (start: number, end: number, message: string) => void

const TWINS: ReadonlyMap<string, string> = new Map([
  ['（', '('],
  ['）', ')'],
  ['＂', '"'],
  ['“', '"'],
  ['”', '"'],
  ['：', ':'],
  ['＋', '+'],
  ['－', '-'],
])

const OPERATORS: ReadonlyMap<string, QueryTokenKind> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
])

/** Characters of Lucene's syntax that have no meaning here (wildcards, fuzzy words, ranges). */
const RESERVED = new Set(['*', '?', '~', '[', ']', '{', '}'])

const FIELD_LIKE = /^[a-z_]{2,20}$/i

/** Reads tokens one after the other. */
export class QueryLexer {
  readonly #text: string
  readonly #isField: (name: string) => boolean
  readonly #report: ReportProblem
  readonly #strict: boolean
  #at = 0
  /** Names before a colon that look like those of fields and are none. */
  readonly unknownFields = new Set<string>()
  /** Whether the token before was a field name: then a second colon belongs to no field. */
  #afterField = false

  /**
   * @param isField whether a word before a colon names a field; elsewhere the colon is text
   * @param strict reserved characters are problems; otherwise they are text
   */
  constructor(text: string, isField: (name: string) => boolean, report: ReportProblem, strict: boolean) {
    this.#text = text
    this.#isField = isField
    this.#report = report
    this.#strict = strict
  }

  /** The next token; `end` again and again at the end. */
  next(): QueryToken {
    for (;;) {
      while (this.#at < this.#text.length && isSpace(this.#text[this.#at]!)) this.#at++
      const token = this.#read()
      if (token === null) continue
      this.#afterField = token.kind === 'field'
      return token
    }
  }

  /** Character at `at` with full-width punctuation made ASCII; '' at the end. */
  #char(at: number): string {
    const char = this.#text[at] ?? ''
    return TWINS.get(char) ?? char
  }

  #token(kind: QueryTokenKind, start: number, text = '', boost = 1): QueryToken {
    return { kind, start, end: this.#at, text, boost }
  }

  /** One token from `#at`, which is no white space, or null where something was left out. */
  #read(): QueryToken | null {
    const start = this.#at
    const char = this.#char(start)
    switch (char) {
      case '':
        return this.#token('end', start)
      case '(':
        this.#at++
        return this.#token('open', start)
      case ')':
        this.#at++
        return this.#token('close', start)
      case '"':
        return this.#quoted()
      case '^':
        return this.#boost()
      case '+':
      case '-':
      case '!':
        return this.#sign(char)
      case ':':
        this.#at++
        this.#report(start, this.#at, 'a colon without a field name before it')
        return null
      default:
        return this.#word()
    }
  }

  #sign(char: string): QueryToken | null {
    const start = this.#at++
    const next = this.#char(this.#at)
    if (next === '' || isSpace(next) || next === ')') {
      this.#report(start, this.#at, `a '${char}' with nothing behind it`)
      return null
    }
    return this.#token(char === '+' ? 'plus' : char === '-' ? 'minus' : 'not', start)
  }

  #quoted(): QueryToken | null {
    const start = this.#at
    let text = ''
    let from = start + 1
    let at = from
    for (; at < this.#text.length && this.#char(at) !== '"'; at++) {
      if (this.#text[at] !== '\\' || at + 1 >= this.#text.length) continue
      text += this.#text.slice(from, at)
      from = ++at
    }
    if (at >= this.#text.length) {
      this.#at = start + 1
      // The words behind it are searched for, without the order.
      this.#report(start, this.#at, 'a quotation mark that is never closed')
      return null
    }
    text += this.#text.slice(from, at)
    this.#at = at + 1
    const token = this.#token('quoted', start, text)
    this.#slop()
    return token
  }

  /** Takes a `~2` behind a phrase away: only exact phrases can be asked. */
  #slop(): void {
    if (this.#char(this.#at) !== '~') return
    const start = this.#at++
    while (isDigit(this.#char(this.#at))) this.#at++
    if (this.#text.slice(start + 1, this.#at) !== '0') {
      this.#report(start, this.#at, 'a distance behind a phrase is not supported')
    }
  }

  /** `^` and a number where a clause has just ended. */
  #boost(): QueryToken | null {
    const start = this.#at++
    const from = this.#at
    while (!isBoundary(this.#char(this.#at)) && this.#char(this.#at) !== '^') this.#at++
    const factor = parseDecimal(this.#text.slice(from, this.#at))
    if (factor === null) {
      this.#report(start, this.#at, "a '^' without a number ≥ 0 behind it")
      return null
    }
    return this.#token('boost', start, '', Math.min(factor, MAX_BOOST))
  }

  #word(): QueryToken | null {
    const start = this.#at
    let text = ''
    let escaped = false
    for (;;) {
      const char = this.#char(this.#at)
      if (isBoundary(char) || char === '"') break
      if (char === '^' && this.#isBoostAhead()) break
      if (char === '\\') {
        escaped = true
        text += this.#escape()
        continue
      }
      if (char === ':') {
        if (!this.#colon(text, start)) {
          text += this.#text[this.#at++]!
          continue
        }
        this.#at++
        return this.#token('field', start, text)
      }
      if (RESERVED.has(char)) {
        const everything = this.#matchAll(start)
        if (everything !== null) return everything
        if (this.#strict) this.#reserved(char)
      }
      text += this.#text[this.#at++]!
    }
    const operator = escaped ? undefined : OPERATORS.get(text)
    return this.#token(operator ?? 'word', start, text)
  }

  /** `*` and `*:*` alone ask for every document. */
  #matchAll(start: number): QueryToken | null {
    if (this.#at !== start || this.#text[start] !== '*') return null
    const length = this.#text.startsWith('*:*', start) ? 3 : 1
    if (!isBoundary(this.#char(start + length)) && this.#char(start + length) !== '^') return null
    this.#at = start + length
    return this.#token('word', start, '*')
  }

  #reserved(char: string): void {
    this.#report(
      this.#at,
      this.#at + 1,
      `'${char}' is reserved (wildcards, fuzzy words and ranges are not supported); write '\\${char}' for the character`,
    )
  }

  /** Whether the colon at `#at` makes the word before it a field name. */
  #colon(name: string, start: number): boolean {
    // An address pasted into the box is text, whatever its scheme is called.
    if (name === '' || this.#text.startsWith('//', this.#at + 1)) return false
    if (!this.#isField(name)) {
      const next = this.#char(this.#at + 1)
      if (this.unknownFields.size < 4 && FIELD_LIKE.test(name) && !isBoundary(next) && !':/\\'.includes(next)) {
        this.unknownFields.add(name)
      }
      return false
    }
    if (!this.#afterField) return true
    this.#report(start, this.#at + 1, 'a second field name within one clause')
    return false
  }

  /** Whether `^` at `#at` begins a boost rather than being text as in `x^n`. */
  #isBoostAhead(): boolean {
    if (this.#strict) return true
    const next = this.#char(this.#at + 1)
    return isDigit(next) || next === '.' || next === '-' || next === '+'
  }

  /** The character that a backslash at `#at` stands for; `\u` takes four hexadecimal digits, as in Lucene. */
  #escape(): string {
    const start = this.#at++
    if (this.#at >= this.#text.length) {
      this.#report(start, this.#at, 'a backslash with nothing behind it')
      return ''
    }
    if (this.#text[this.#at] === 'u') {
      const code = parseHex(this.#text.slice(this.#at + 1, this.#at + 5))
      if (code !== null) {
        this.#at += 5
        return String.fromCharCode(code)
      }
      if (this.#strict) this.#report(start, this.#at + 1, "a '\\u' without four hexadecimal digits behind it")
    }
    return this.#text[this.#at++]!
  }
}

function isSpace(char: string): boolean {
  return char !== '' && char.trim() === ''
}

function isBoundary(char: string): boolean {
  return char === '' || char === '(' || char === ')' || isSpace(char)
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9' && char.length === 1
}

/** A plain decimal number without sign and exponent, or null. */
function parseDecimal(text: string): number | null {
  let digits = 0
  let points = 0
  for (const char of text) {
    if (isDigit(char)) digits++
    else if (char === '.') points++
    else return null
  }
  return digits > 0 && points <= 1 ? Number(text) : null
}

function parseHex(text: string): number | null {
  if (text.length !== 4) return null
  for (const char of text) if (!'0123456789abcdefABCDEF'.includes(char)) return null
  return Number.parseInt(text, 16)
}
