/**
 * Reads regular expressions in the syntax of Lucene's RegExp class with all of its options: `|`, `&`, `~`, `?`, `*`, `+`,
 * `{n}`, `{n,}`, `{n,m}`, `[…]`, `[^…]`, `.`, `#` (nothing), `@` (any text), `"…"`, `(…)`, `<n-m>` (numbers), `\d`, `\D`,
 * `\s`, `\S`, `\w`, `\W` and `\` before any other character. An operator where none can be is a character, as there.
 */
import { SpindleError } from '@spindle/core'
import { codePoints, MAX_POINT, tooComplex } from './byte-nfa.js'

/** An expression, or a part of one. */
export type RegexpNode =
  /** one code point of some ranges: first, last, first, last, … in ascending order */
  | { readonly kind: 'points'; readonly ranges: readonly number[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'anyText' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'union' | 'intersection' | 'sequence'; readonly parts: readonly RegexpNode[] }
  | { readonly kind: 'repeat'; readonly part: RegexpNode; readonly min: number; readonly max: number }
  | { readonly kind: 'complement'; readonly part: RegexpNode }
  /** decimal numbers; with `digits` digits, or any number of leading zeros where it is 0 */
  | { readonly kind: 'interval'; readonly min: number; readonly max: number; readonly digits: number }

/** Characters of an expression, at most. */
export const MAX_REGEXP_LENGTH = 1000
/** Parentheses in parentheses, at most. */
const MAX_DEPTH = 200
/** Numbers in expressions, at most. */
const MAX_NUMBER = 2 ** 31 - 1

const DIGITS = [0x30, 0x39]
const SPACES = [0x09, 0x0a, 0x0d, 0x0d, 0x20, 0x20]
const WORDS = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
const CLASSES: Readonly<Record<string, readonly number[]>> = {
  d: DIGITS,
  D: complementOf(DIGITS),
  s: SPACES,
  S: complementOf(SPACES),
  w: WORDS,
  W: complementOf(WORDS),
}

/** @throws SpindleError QUERY_SYNTAX, REGEX_TOO_COMPLEX for an expression of more than 1,000 characters or too deep a nesting */
export function parseRegexp(pattern: string): RegexpNode {
  return new RegexpParser(pattern).parse()
}

class RegexpParser {
  readonly #pattern: string
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    if (pattern.length > MAX_REGEXP_LENGTH) {
      throw new SpindleError(
        'REGEX_TOO_COMPLEX',
        `The expression has ${pattern.length} characters, and ${MAX_REGEXP_LENGTH} are allowed: make it shorter.`,
      )
    }
    this.#pattern = pattern
    this.#characters = [...pattern]
  }

  parse(): RegexpNode {
    if (this.#characters.length === 0) return { kind: 'text', text: '' }
    const node = this.#union()
    if (this.#at < this.#characters.length) this.#fail('a character that closes nothing')
    return node
  }

  #union(): RegexpNode {
    if (++this.#depth > MAX_DEPTH) throw tooComplex(this.#pattern)
    const parts = [this.#intersection()]
    while (this.#match('|')) parts.push(this.#intersection())
    this.#depth--
    return parts.length === 1 ? parts[0] : { kind: 'union', parts }
  }

  #intersection(): RegexpNode {
    const parts = [this.#sequence()]
    while (this.#match('&')) parts.push(this.#sequence())
    return parts.length === 1 ? parts[0] : { kind: 'intersection', parts }
  }

  #sequence(): RegexpNode {
    const parts = [this.#repeat()]
    while (this.#at < this.#characters.length && !this.#peek(')|&')) parts.push(this.#repeat())
    return parts.length === 1 ? parts[0] : { kind: 'sequence', parts }
  }

  #repeat(): RegexpNode {
    let complements = 0
    while (this.#match('~')) complements++
    let part = this.#atom()
    // Twice the complement is the thing itself.
    if (complements % 2 === 1) part = { kind: 'complement', part }
    for (;;) {
      if (this.#match('?')) part = { kind: 'repeat', part, min: 0, max: 1 }
      else if (this.#match('*')) part = { kind: 'repeat', part, min: 0, max: Number.POSITIVE_INFINITY }
      else if (this.#match('+')) part = { kind: 'repeat', part, min: 1, max: Number.POSITIVE_INFINITY }
      else if (this.#match('{')) part = this.#counted(part)
      else return part
    }
  }

  #counted(part: RegexpNode): RegexpNode {
    const min = this.#number()
    if (min === undefined) this.#fail('a number is missing')
    let max: number = min
    if (this.#match(',')) max = this.#number() ?? Number.POSITIVE_INFINITY
    this.#expect('}')
    if (min > max) this.#fail('a repetition has a minimum above its maximum')
    return { kind: 'repeat', part, min, max }
  }

  #number(): number | undefined {
    const start = this.#at
    while (this.#peek('0123456789')) this.#at++
    if (this.#at === start) return undefined
    const value = Number(this.#characters.slice(start, this.#at).join(''))
    if (value > MAX_NUMBER) this.#fail('a number is too large')
    return value
  }

  #atom(): RegexpNode {
    if (this.#match('[')) return this.#class()
    if (this.#match('.')) return { kind: 'points', ranges: [0, MAX_POINT] }
    if (this.#match('#')) return { kind: 'nothing' }
    if (this.#match('@')) return { kind: 'anyText' }
    if (this.#match('"')) return { kind: 'text', text: this.#until('"') }
    if (this.#match('<')) return this.#interval()
    if (this.#match('(')) {
      if (this.#match(')')) return { kind: 'text', text: '' }
      const node = this.#union()
      this.#expect(')')
      return node
    }
    return { kind: 'points', ranges: this.#predefined() ?? this.#character() }
  }

  #class(): RegexpNode {
    const negated = this.#match('^')
    const ranges: number[] = []
    do {
      const predefined = this.#predefined()
      if (predefined !== undefined) {
        ranges.push(...predefined)
        continue
      }
      const [first] = this.#character()
      const [last] = this.#match('-') ? this.#character() : [first]
      if (first > last) this.#fail('a range ends before it begins')
      ranges.push(first, last)
    } while (this.#at < this.#characters.length && !this.#peek(']'))
    this.#expect(']')
    const merged = merge(ranges)
    return { kind: 'points', ranges: negated ? complementOf(merged) : merged }
  }

  #predefined(): readonly number[] | undefined {
    if (!this.#peek('\\')) return undefined
    const letter = this.#characters[this.#at + 1]
    if (letter === undefined || !/^[a-zA-Z]$/.test(letter)) return undefined
    if (!Object.hasOwn(CLASSES, letter)) this.#fail(`\\${letter} has no meaning`)
    this.#at += 2
    return CLASSES[letter]
  }

  /** The next character, perhaps behind a backslash, as a range. */
  #character(): readonly [number, number] {
    this.#match('\\')
    if (this.#at === this.#characters.length) this.#fail('it ends too early')
    const [point] = codePoints(this.#characters[this.#at++])
    return [point, point]
  }

  #interval(): RegexpNode {
    const text = this.#until('>')
    const match = /^(\d+)-(\d+)$/.exec(text)
    if (match === null) this.#fail('an interval needs two numbers, as in <1-31>')
    const [, first, last] = match
    const numbers = [Number(first), Number(last)].sort((a, b) => a - b)
    if (numbers[1] > MAX_NUMBER) this.#fail('a number is too large')
    const digits = first.length === last.length ? first.length : 0
    return { kind: 'interval', min: numbers[0], max: numbers[1], digits }
  }

  #until(end: string): string {
    const start = this.#at
    while (this.#at < this.#characters.length && !this.#peek(end)) this.#at++
    this.#expect(end)
    return this.#characters.slice(start, this.#at - 1).join('')
  }

  #peek(characters: string): boolean {
    const next = this.#characters[this.#at]
    return next !== undefined && characters.includes(next)
  }

  #match(character: string): boolean {
    if (this.#characters[this.#at] !== character) return false
    this.#at++
    return true
  }

  #expect(character: string): void {
    if (!this.#match(character)) this.#fail(`'${character}' is missing`)
  }

  #fail(what: string): never {
    throw new SpindleError(
      'QUERY_SYNTAX',
      `The expression ${JSON.stringify(this.#pattern)} cannot be read at character ${this.#at + 1}: ${what}.`,
    )
  }
}

/** Ranges in ascending order, those that touch as one. */
function merge(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i], ranges[i + 1]])
  pairs.sort((a, b) => a[0] - b[0])
  const merged: number[] = []
  for (const [first, last] of pairs) {
    const end = merged.length - 1
    if (end > 0 && first <= merged[end] + 1) merged[end] = Math.max(merged[end], last)
    else merged.push(first, last)
  }
  return merged
}

/** All code points outside of ascending ranges. */
function complementOf(ranges: readonly number[]): number[] {
  const others: number[] = []
  let next = 0
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i] > next) others.push(next, ranges[i] - 1)
    next = ranges[i + 1] + 1
  }
  if (next <= MAX_POINT) others.push(next, MAX_POINT)
  return others
}
