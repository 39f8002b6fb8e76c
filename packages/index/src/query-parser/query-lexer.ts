/**
 * Cuts a query text into tokens by hand, character by character; no regular expression with repetition of its own sees
 * user text. Each kind of leaf is read by a function of `leaf-lexer.ts`.
 */
import { isBoundary, isDigit, readRange, readRegexp, readWord, type WordReading } from './leaf-lexer.js'
import { parseFactor, QueryText, type ReportProblem } from './query-text.js'
import { isSpace, type LeafSyntax, nearOperator, OPERATORS, type SyntaxRange } from './syntax-tree.js'

/** A piece of a query. */
export type QueryToken = SyntaxRange &
  (
    | { readonly kind: 'leaf'; readonly leaf: LeafSyntax }
    | { readonly kind: 'field'; readonly name: string }
    /** `^2` */
    | { readonly kind: 'boost'; readonly factor: number }
    /** `~` and the number behind it, null where there is none. */
    | { readonly kind: 'tilde'; readonly amount: number | null }
    /** `@2` behind a parenthesis */
    | { readonly kind: 'atLeast'; readonly count: number }
    /** `NEAR/3`, or in order `ADJ/3` */
    | { readonly kind: 'near'; readonly slop: number; readonly inOrder: boolean }
    | { readonly kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'plus' | 'minus' | 'end' }
  )

/** Largest factor after `^`; larger ones count as this. */
export const MAX_BOOST = 1000

const FIELD_LIKE = /^[a-z_]{2,20}$/i

/** How a {@link QueryLexer} reads. */
export interface QueryLexerOptions {
  /** Whether a word before a colon names a field; elsewhere the colon is text. */
  readonly isField: (name: string) => boolean
  readonly report: ReportProblem
  /** Characters of the syntax where they mean nothing are problems; otherwise they are text. */
  readonly strict: boolean
}

/** Reads tokens one after the other. */
export class QueryLexer {
  readonly #text: QueryText
  readonly #options: QueryLexerOptions
  #at = 0
  /** The token before. */
  #last: QueryToken | null = null
  /** Names before a colon that look like those of fields and are none. */
  readonly unknownFields = new Set<string>()

  constructor(text: string, options: QueryLexerOptions) {
    this.#text = new QueryText(text, options.report, options.strict)
    this.#options = options
  }

  /** The next token; `end` again and again at the end. */
  next(): QueryToken {
    for (;;) {
      while (isSpace(this.#text.char(this.#at))) this.#at++
      const token = this.#read()
      if (token === null) continue
      this.#last = token
      return token
    }
  }

  #simple(kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'plus' | 'minus' | 'end', start: number): QueryToken {
    return { kind, start, end: this.#at }
  }

  #leaf(leaf: LeafSyntax, start: number): QueryToken {
    return { kind: 'leaf', leaf, start, end: this.#at }
  }

  /** One token from `#at`, which is no white space, or null where something was left out. */
  #read(): QueryToken | null {
    const start = this.#at
    const char = this.#text.char(start)
    switch (char) {
      case '':
        return this.#simple('end', start)
      case '(':
        this.#at++
        return this.#simple('open', start)
      case ')':
        this.#at++
        return this.#simple('close', start)
      case '"':
        return this.#quoted()
      case '^':
        return this.#boost()
      case '~':
        return this.#tilde()
      case '@':
        return this.#atLeast()
      case '[':
      case '{':
        return this.#range()
      case '/':
        return this.#regexp()
      case '+':
      case '-':
      case '!':
        return this.#sign(char)
      case ':':
        this.#at++
        this.#options.report(start, this.#at, 'a colon without a field name before it')
        return null
      default:
        return this.#word()
    }
  }

  #sign(char: string): QueryToken | null {
    const start = this.#at++
    const next = this.#text.char(this.#at)
    if (next === '' || isSpace(next) || next === ')') {
      this.#options.report(start, this.#at, `a '${char}' with nothing behind it`)
      return null
    }
    return this.#simple(char === '+' ? 'plus' : char === '-' ? 'minus' : 'not', start)
  }

  #quoted(): QueryToken | null {
    const start = this.#at
    const quoted = this.#text.quoted(start)
    if (quoted === null) {
      this.#at = start + 1
      // The words behind it are searched for, without the order.
      this.#options.report(start, this.#at, 'a quotation mark that is never closed')
      return null
    }
    this.#at = quoted.end
    return this.#leaf({ kind: 'phrase', text: quoted.text, slop: 0 }, start)
  }

  #range(): QueryToken | null {
    const reading = readRange(this.#text, this.#at)
    if (typeof reading === 'object') {
      const start = this.#at
      this.#at = reading.end
      return this.#leaf(reading.leaf, start)
    }
    // A bracket is text as in `[c]`, unless it was meant to begin a range.
    if (!this.#options.strict && reading === 'no range') return this.#word()
    const start = this.#at++
    this.#options.report(start, this.#at, `a '${this.#text.char(start)}' that begins no range such as [a TO b]`)
    return null
  }

  #regexp(): QueryToken | null {
    const reading = readRegexp(this.#text, this.#at)
    if (reading === null) return this.#word()
    const start = this.#at
    this.#at = reading.end
    return this.#leaf(reading.leaf, start)
  }

  /** `^` and a number where a clause has just ended. */
  #boost(): QueryToken | null {
    const start = this.#at++
    const end = this.#numberEnd(start + 1)
    const factor = parseFactor(this.#text.slice(start + 1, end))
    this.#at = end
    if (factor === null) {
      this.#options.report(start, end, "a '^' without a number ≥ 0 behind it")
      return null
    }
    return { kind: 'boost', factor: Math.min(factor, MAX_BOOST), start, end }
  }

  /** Where the text of a number behind `^` ends. */
  #numberEnd(from: number): number {
    let end = from
    while (!isBoundary(this.#text.char(end)) && !'^~@'.includes(this.#text.char(end))) end++
    return end
  }

  /** `~` and a number where a word, a phrase or a boost has just ended. */
  #tilde(): QueryToken | null {
    const start = this.#at
    const last = this.#last
    const isAttached = last !== null && last.end === start
    if (!isAttached && !this.#options.strict) return this.#word()
    this.#at++
    while (isDigit(this.#text.char(this.#at)) || this.#text.char(this.#at) === '.') this.#at++
    if (!isAttached || (last.kind !== 'leaf' && last.kind !== 'boost')) {
      this.#options.report(start, this.#at, "a '~' without a word or phrase right before it")
      return null
    }
    const typed = this.#text.slice(start + 1, this.#at)
    const amount = typed === '' ? null : parseFactor(typed)
    if (typed !== '' && amount === null) {
      this.#options.report(start, this.#at, "a '~' with no number behind it")
      return null
    }
    return { kind: 'tilde', amount, start, end: this.#at }
  }

  /** `@2` right behind a parenthesis. */
  #atLeast(): QueryToken | null {
    const start = this.#at
    if (this.#last?.kind !== 'close' || this.#last.end !== start) return this.#word()
    let end = start + 1
    while (isDigit(this.#text.char(end))) end++
    const count = Number(this.#text.slice(start + 1, end))
    if (end === start + 1 || end > start + 10 || count === 0) return this.#word()
    this.#at = end
    return { kind: 'atLeast', count, start, end }
  }

  #word(): QueryToken | null {
    const start = this.#at
    const word = readWord(this.#text, start, (name) => this.#colon(name, start))
    this.#at = word.end
    if (word.isField) {
      this.#at++
      return { kind: 'field', name: word.text, start, end: this.#at }
    }
    if (word.leaf.kind === 'everything') {
      if (this.#last?.kind !== 'field') return this.#leaf(word.leaf, start)
      this.#options.report(start, this.#at, 'a second field name within one clause')
      return null
    }
    // Of a lone backslash, which was told, nothing is left.
    if (word.text === '') return null
    return this.#operator(word, start) ?? this.#leaf(word.leaf, start)
  }

  #operator({ escaped, text }: WordReading, start: number): QueryToken | null {
    if (escaped) return null
    const operator = OPERATORS.get(text)
    if (operator !== undefined) return this.#simple(operator, start)
    const near = nearOperator(text)
    return near === null ? null : { kind: 'near', ...near, start, end: this.#at }
  }

  /** Whether a colon makes the word before it a field name; `at` is the place of the colon. */
  #colon({ text, end: at }: { text: string; end: number }, start: number): boolean {
    // An address pasted into the box is text, whatever its scheme is called.
    if (text === '' || this.#text.startsWith('//', at + 1)) return false
    if (!this.#options.isField(text)) {
      const next = this.#text.char(at + 1)
      if (this.unknownFields.size < 4 && FIELD_LIKE.test(text) && !isBoundary(next) && !':/\\'.includes(next)) {
        this.unknownFields.add(text)
      }
      return false
    }
    if (this.#last?.kind !== 'field') return true
    this.#options.report(start, at + 1, 'a second field name within one clause')
    return false
  }
}
