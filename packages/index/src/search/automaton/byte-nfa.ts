/**
 * A nondeterministic automaton over the bytes of UTF-8, built state by state (Thompson 1968). Terms are compared byte
 * by byte as they lie in the dictionary, whose order is that of bytes; code points become short chains of byte ranges.
 * Terms are valid UTF-8, so that a range of lead bytes and their continuations never matches in the middle of a
 * character, and "any text" may be a loop over all bytes.
 */
import { SpindleError } from '@spindle/core'

/** States that an expression may need, at most: what it may cost in memory and time is bounded by it. */
const MAX_STATES = 10_000

/** The greatest code point. */
export const MAX_POINT = 0x10ffff

/** An automaton that is complete; states from which nothing is accepted have lost their transitions. */
export interface ByteNfa {
  readonly start: number
  readonly accept: number
  readonly size: number
  /** Transitions of state s: those from `offsets[s]` to before `offsets[s + 1]`, bytes `lo` to `hi` lead to `to`. */
  readonly offsets: Int32Array
  readonly lo: Uint8Array
  readonly hi: Uint8Array
  readonly to: Int32Array
  /** The same for empty transitions. */
  readonly emptyOffsets: Int32Array
  readonly emptyTo: Int32Array
  /** 1 for each state that leads to `accept` by empty transitions. */
  readonly ends: Uint8Array
}

/** Bytes of a code point that begin with these ranges have one, two or three continuation bytes. */
const LEADS = [
  [0xc2, 0xdf],
  [0xe0, 0xef],
  [0xf0, 0xf4],
] as const

/** Last code point of one, two, three and four bytes. */
const LAST_POINTS = [0x7f, 0x7ff, 0xffff, MAX_POINT]

/** Steps that building an automaton may take, at most: some 50 ms. */
const MAX_STEPS = 1 << 21

/** What may still be built for one expression, which may need several automata. */
export class PatternBudget {
  readonly #pattern: string
  #states: number
  #steps: number

  /** @param pattern for messages */
  constructor(pattern: string, states = MAX_STATES, steps = MAX_STEPS) {
    this.#pattern = pattern
    this.#states = states
    this.#steps = steps
  }

  /** One state more. @throws SpindleError REGEX_TOO_COMPLEX */
  takeState(): void {
    if (--this.#states < 0) this.exceed()
  }

  /** So many steps more. @throws SpindleError REGEX_TOO_COMPLEX */
  spend(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) this.exceed()
  }

  /** @throws SpindleError REGEX_TOO_COMPLEX */
  exceed(): never {
    throw tooComplex(this.#pattern)
  }
}

/** Builds one automaton. */
export class ByteNfaBuilder {
  readonly budget: PatternBudget
  readonly #from: number[] = []
  readonly #lo: number[] = []
  readonly #hi: number[] = []
  readonly #to: number[] = []
  readonly #emptyFrom: number[] = []
  readonly #emptyTo: number[] = []
  /** By target: states from which one, two or three continuation bytes lead there. */
  readonly #tails = new Map<number, number[]>()
  #size = 0

  /** @param budget shared with the other automata of an expression; none where what is built is linear in what is given */
  constructor(budget = new PatternBudget('', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)) {
    this.budget = budget
  }

  /** A new state. @throws SpindleError REGEX_TOO_COMPLEX where the budget has none left; so do the methods below */
  state(): number {
    this.budget.takeState()
    return this.#size++
  }

  /** One byte of a range. */
  bytes(from: number, lo: number, hi: number, to: number): void {
    this.budget.spend(1)
    this.#from.push(from)
    this.#lo.push(lo)
    this.#hi.push(hi)
    this.#to.push(to)
  }

  /** Nothing. */
  empty(from: number, to: number): void {
    this.budget.spend(1)
    this.#emptyFrom.push(from)
    this.#emptyTo.push(to)
  }

  /** One code point of a range. */
  points(from: number, lo: number, hi: number, to: number): void {
    if (lo === 0 && hi === MAX_POINT) {
      this.anyPoint(from, to)
      return
    }
    let first = lo
    for (let i = 0; i < LAST_POINTS.length && first <= hi; i++) {
      const last = Math.min(hi, LAST_POINTS[i])
      if (first > last) continue
      this.#sequences(from, utf8(first, i + 1), utf8(last, i + 1), 0, to)
      first = last + 1
    }
  }

  /** Any one code point. */
  anyPoint(from: number, to: number): void {
    this.bytes(from, 0, 0x7f, to)
    for (let i = 0; i < LEADS.length; i++) this.bytes(from, LEADS[i][0], LEADS[i][1], this.#tail(to, i + 1))
  }

  /** Any text, the empty one included, all of it at `state`. */
  anyText(state: number): void {
    this.bytes(state, 0, 0xff, state)
  }

  /** The code points of a text one after the other. */
  text(from: number, text: string, to: number): void {
    const points = codePoints(text)
    if (points.length === 0) this.empty(from, to)
    let at = from
    for (let i = 0; i < points.length; i++) {
      const next = i === points.length - 1 ? to : this.state()
      this.points(at, points[i], points[i], next)
      at = next
    }
  }

  /** The automaton from one state to another. */
  build(start: number, accept: number): ByteNfa {
    const size = this.#size
    const into = groupBy(this.#to, null, size)
    const emptyInto = groupBy(this.#emptyTo, null, size)
    const sources = (state: number): number[] =>
      Array.from(into.order.subarray(into.offsets[state], into.offsets[state + 1]), (i) => this.#from[i])
    const emptySources = (state: number): number[] =>
      Array.from(
        emptyInto.order.subarray(emptyInto.offsets[state], emptyInto.offsets[state + 1]),
        (i) => this.#emptyFrom[i],
      )
    const live = reachable(accept, size, (state) => [...sources(state), ...emptySources(state)])
    const isKept = (from: number, to: number): boolean => live[from] === 1 && live[to] === 1
    const { offsets, order } = groupBy(this.#from, (i) => isKept(this.#from[i], this.#to[i]), size)
    const empties = groupBy(this.#emptyFrom, (i) => isKept(this.#emptyFrom[i], this.#emptyTo[i]), size)
    return {
      start,
      accept,
      size,
      offsets,
      lo: Uint8Array.from(order, (i) => this.#lo[i]),
      hi: Uint8Array.from(order, (i) => this.#hi[i]),
      to: Int32Array.from(order, (i) => this.#to[i]),
      emptyOffsets: empties.offsets,
      emptyTo: Int32Array.from(empties.order, (i) => this.#emptyTo[i]),
      ends: reachable(accept, size, emptySources),
    }
  }

  /** A state from which so many continuation bytes lead to `to`. */
  #tail(to: number, count: number): number {
    if (count === 0) return to
    let tails = this.#tails.get(to)
    if (tails === undefined) {
      tails = []
      this.#tails.set(to, tails)
    }
    for (let i = tails.length; i < count; i++) {
      const state = this.state()
      this.bytes(state, 0x80, 0xbf, i === 0 ? to : tails[i - 1])
      tails.push(state)
    }
    return tails[count - 1]
  }

  /** Sequences of equal length between two, from byte `i` on. */
  #sequences(from: number, first: readonly number[], last: readonly number[], i: number, to: number): void {
    const a = first[i]
    const b = last[i]
    const rest = first.length - 1 - i
    if (rest === 0) {
      this.bytes(from, a, b, to)
      return
    }
    if (a === b) {
      const next = this.state()
      this.bytes(from, a, a, next)
      this.#sequences(next, first, last, i + 1, to)
      return
    }
    let lo = a
    let hi = b
    if (first.slice(i + 1).some((byte) => byte !== 0x80)) {
      const next = this.state()
      this.bytes(from, a, a, next)
      this.#sequences(
        next,
        first,
        first.map((byte, n) => (n > i ? 0xbf : byte)),
        i + 1,
        to,
      )
      lo++
    }
    if (last.slice(i + 1).some((byte) => byte !== 0xbf)) {
      const next = this.state()
      this.bytes(from, b, b, next)
      this.#sequences(
        next,
        last.map((byte, n) => (n > i ? 0x80 : byte)),
        last,
        i + 1,
        to,
      )
      hi--
    }
    if (lo <= hi) this.bytes(from, lo, hi, this.#tail(to, rest))
  }
}

/** Code points of a text; a lone surrogate is U+FFFD, as in the dictionary. */
export function codePoints(text: string): number[] {
  return Array.from(text, (character) => {
    const point = character.codePointAt(0)!
    return point >= 0xd800 && point < 0xe000 ? 0xfffd : point
  })
}

/** The error of a pattern that needs too many states. */
export function tooComplex(pattern: string): SpindleError {
  const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern
  return new SpindleError(
    'REGEX_TOO_COMPLEX',
    `The pattern ${JSON.stringify(shown)} needs more than ${MAX_STATES} states: repeat shorter parts, or fewer times.`,
  )
}

/** UTF-8 of a code point in so many bytes. */
function utf8(point: number, length: number): number[] {
  if (length === 1) return [point]
  const bytes: number[] = []
  let rest = point
  for (let i = 1; i < length; i++) {
    bytes.unshift(0x80 | (rest & 0x3f))
    rest >>>= 6
  }
  bytes.unshift(((0xff00 >>> length) & 0xff) | rest)
  return bytes
}

/** Transitions, those that a test keeps, grouped by the state that `states` has for each. */
function groupBy(
  states: readonly number[],
  isKept: ((transition: number) => boolean) | null,
  size: number,
): { offsets: Int32Array; order: Int32Array } {
  const kept: number[] = []
  const offsets = new Int32Array(size + 1)
  for (let i = 0; i < states.length; i++) {
    if (isKept !== null && !isKept(i)) continue
    kept.push(i)
    offsets[states[i] + 1]++
  }
  for (let s = 0; s < size; s++) offsets[s + 1] += offsets[s]
  const next = offsets.slice()
  const order = new Int32Array(kept.length)
  for (const i of kept) order[next[states[i]]++] = i
  return { offsets, order }
}

/** 1 for each state that a walk from a state meets. */
function reachable(from: number, size: number, next: (state: number) => readonly number[]): Uint8Array {
  const met = new Uint8Array(size)
  met[from] = 1
  const waiting = [from]
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    for (const other of next(state)) {
      if (met[other] === 1) continue
      met[other] = 1
      waiting.push(other)
    }
  }
  return met
}
