/**
 * A nondeterministic automaton over the bytes of UTF-8, built state by state (Thompson 1968). Terms are compared byte
 * by byte as they lie in the dictionary, whose order is that of bytes; code points become short chains of byte ranges.
 * Terms are valid UTF-8, so that a range of lead bytes and their continuations never matches in the middle of a
 * character, and "any text" may be a loop over all bytes.
 */
import { SpindleError } from '@spindle/core'

/** States of one automaton, at most: what a pattern may cost in memory and time is bounded by it. */
export const MAX_STATES = 10_000

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
}

/** Bytes of a code point that begin with these ranges have one, two or three continuation bytes. */
const LEADS = [
  [0xc2, 0xdf],
  [0xe0, 0xef],
  [0xf0, 0xf4],
] as const

/** Last code point of one, two, three and four bytes. */
const LAST_POINTS = [0x7f, 0x7ff, 0xffff, MAX_POINT]

/** Builds one automaton. */
export class ByteNfaBuilder {
  readonly #what: string
  readonly #from: number[] = []
  readonly #lo: number[] = []
  readonly #hi: number[] = []
  readonly #to: number[] = []
  readonly #emptyFrom: number[] = []
  readonly #emptyTo: number[] = []
  /** By target: states from which one, two or three continuation bytes lead there. */
  readonly #tails = new Map<number, number[]>()
  #size = 0

  /** @param what names the pattern in messages */
  constructor(what: string) {
    this.#what = what
  }

  /** A new state. @throws SpindleError REGEX_TOO_COMPLEX beyond 10,000 */
  state(): number {
    if (this.#size === MAX_STATES) throw tooComplex(this.#what)
    return this.#size++
  }

  /** One byte of a range. */
  bytes(from: number, lo: number, hi: number, to: number): void {
    // A long list of alternatives from one state costs as much as states do.
    if (this.#from.length === MAX_STATES * 8) throw tooComplex(this.#what)
    this.#from.push(from)
    this.#lo.push(lo)
    this.#hi.push(hi)
    this.#to.push(to)
  }

  /** Nothing. */
  empty(from: number, to: number): void {
    if (this.#emptyFrom.length === MAX_STATES * 8) throw tooComplex(this.#what)
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
    const live = this.#live(accept)
    const kept: number[] = []
    for (let i = 0; i < this.#from.length; i++) if (live[this.#from[i]] + live[this.#to[i]] === 2) kept.push(i)
    const keptEmpty: number[] = []
    for (let i = 0; i < this.#emptyFrom.length; i++)
      if (live[this.#emptyFrom[i]] + live[this.#emptyTo[i]] === 2) keptEmpty.push(i)
    const { offsets, order } = bySource(this.#from, kept, this.#size)
    const empties = bySource(this.#emptyFrom, keptEmpty, this.#size)
    return {
      start,
      accept,
      size: this.#size,
      offsets,
      lo: Uint8Array.from(order, (i) => this.#lo[i]),
      hi: Uint8Array.from(order, (i) => this.#hi[i]),
      to: Int32Array.from(order, (i) => this.#to[i]),
      emptyOffsets: empties.offsets,
      emptyTo: Int32Array.from(empties.order, (i) => this.#emptyTo[i]),
    }
  }

  /** 1 for each state from which `accept` can be reached. */
  #live(accept: number): Uint8Array {
    const live = new Uint8Array(this.#size)
    const all = [...this.#from.keys()]
    const into = bySource(this.#to, all, this.#size)
    const emptyInto = bySource(this.#emptyTo, [...this.#emptyFrom.keys()], this.#size)
    const waiting = [accept]
    live[accept] = 1
    while (waiting.length > 0) {
      const state = waiting.pop()!
      const reach = (source: number): void => {
        if (live[source] === 1) return
        live[source] = 1
        waiting.push(source)
      }
      for (let i = into.offsets[state]; i < into.offsets[state + 1]; i++) reach(this.#from[into.order[i]])
      for (let i = emptyInto.offsets[state]; i < emptyInto.offsets[state + 1]; i++)
        reach(this.#emptyFrom[emptyInto.order[i]])
    }
    return live
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
export function tooComplex(what: string): SpindleError {
  const shown = what.length > 60 ? `${what.slice(0, 60)}…` : what
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

/** Transitions grouped by a state. */
function bySource(
  states: readonly number[],
  transitions: readonly number[],
  size: number,
): { offsets: Int32Array; order: Int32Array } {
  const offsets = new Int32Array(size + 1)
  for (const i of transitions) offsets[states[i] + 1]++
  for (let s = 0; s < size; s++) offsets[s + 1] += offsets[s]
  const next = offsets.slice()
  const order = new Int32Array(transitions.length)
  for (const i of transitions) order[next[states[i]]++] = i
  return { offsets, order }
}
