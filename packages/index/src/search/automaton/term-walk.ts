/**
 * Walks through those terms of a segment that an automaton accepts, or that lie in a range, in order. Behind a term that can lead nowhere it
 * goes on at the next one that can, over whole blocks, or pieces of the file, without looking at what lies between:
 * a prefix costs its own terms and one look-up.
 */
import type { TermCursor } from '../../codec/term-dictionary.js'
import { compareBytes } from '../../codec/terms-index.js'
import type { SegmentData } from '../../reading/segment-data.js'
import type { SearchLimits } from '../scorer/search-limits.js'
import { DEAD, type TermAutomaton } from './term-automaton.js'
import type { TermBounds } from './term-bounds.js'

/** What looking at a term costs, in postings read. */
const TERM_COST = 8
/** Terms between two looks at the limits. */
const CHECK_EVERY = 256
/** Steps of an automaton between two looks at the limits, but for the last term. */
const MAX_UNCHECKED = 1 << 16
/** Bytes that a jump goes beyond the one that decides, at most. */
const MAX_EXTENSION = 16

/** Takes the terms that are found. */
export interface TermSink {
  /**
   * A cursor on a term, valid during the call.
   * @returns whether `flush` wants to be called before the next term
   */
  add(cursor: TermCursor): boolean
  /** Reads what has been put off. */
  flush(): Promise<void>
}

/**
 * Hands all terms of a field that are accepted to a sink, and flushes it.
 * @throws what the limits throw
 */
export async function walkMatchingTerms(
  data: SegmentData,
  field: string,
  automaton: TermAutomaton,
  limits: SearchLimits,
  sink: TermSink,
): Promise<void> {
  const path = new TermPath(automaton)
  const walk = data.walkTerms(field)
  let visited = 0
  let work = automaton.work
  const goesOn = (): boolean => {
    const cost = visited * TERM_COST + automaton.work - work
    visited = 0
    work = automaton.work
    return limits.expand(cost)
  }
  let target = path.first()
  let more = target !== undefined
  while (more) {
    const cursor: TermCursor | undefined = await walk.next(target)
    if (cursor === undefined) break
    path.restart()
    let inside = target === undefined || compareBytes(cursor.bytes, cursor.length, target, target.length) >= 0
    if (!inside) inside = cursor.seek(target!, target!.length)
    while (inside && more) {
      if (++visited >= CHECK_EVERY || automaton.work - work > MAX_UNCHECKED) {
        if (!goesOn()) return sink.flush()
        if (limits.sliceOver) await limits.yield()
      }
      const found = path.follow(cursor)
      target = undefined
      if (found === ACCEPTED && sink.add(cursor)) await sink.flush()
      if (found === LOST) {
        target = path.jump(cursor)
        more = target !== undefined
        inside = more && cursor.seek(target!, target!.length)
      } else inside = cursor.next()
    }
  }
  goesOn()
  return sink.flush()
}

/**
 * Hands all terms of a field in a range to a sink, and flushes it.
 * @throws what the limits throw
 */
export async function walkTermRange(
  data: SegmentData,
  field: string,
  bounds: TermBounds,
  limits: SearchLimits,
  sink: TermSink,
): Promise<void> {
  const walk = data.walkTerms(field)
  let visited = 0
  let inside = true
  for (let from = bounds.from ?? undefined; inside; from = undefined) {
    const cursor: TermCursor | undefined = await walk.next(from)
    if (cursor === undefined) break
    let more = from === undefined || compareBytes(cursor.bytes, cursor.length, from, from.length) >= 0
    if (!more) more = cursor.seek(from!, from!.length)
    while (more) {
      if (++visited % CHECK_EVERY === 0) {
        if (!limits.expand(CHECK_EVERY * TERM_COST)) return sink.flush()
        if (limits.sliceOver) await limits.yield()
      }
      inside = bounds.isBeforeEnd(cursor.bytes, cursor.length)
      if (!inside) break
      if (sink.add(cursor)) await sink.flush()
      more = cursor.next()
    }
  }
  limits.expand((visited % CHECK_EVERY) * TERM_COST)
  return sink.flush()
}

const ACCEPTED = 0
/** The term is not accepted, but longer ones that begin with it may be. */
const OPEN = 1
/** Nothing that begins like the term is accepted. */
const LOST = 2

/** The states along the term at hand: of the next one only what differs has to be followed. */
class TermPath {
  readonly #automaton: TermAutomaton
  #epoch = -1
  /** State behind so many bytes, known up to `#depth`. */
  #states = new Int32Array(64)
  #depth = 0
  /** Bytes behind which everything is accepted; Infinity: not so. */
  #openFrom = Number.POSITIVE_INFINITY
  readonly #target: number[] = []

  constructor(automaton: TermAutomaton) {
    this.#automaton = automaton
  }

  /** A text that is not above the first one that is accepted; undefined where none is. */
  first(): Uint8Array | undefined {
    const { start } = this.#automaton
    if (start === DEAD) return undefined
    this.#target.length = 0
    return this.#extend(start)
  }

  /** The next term comes from another cursor: what it shares with the last one is not known. */
  restart(): void {
    this.#depth = 0
  }

  follow(cursor: TermCursor): typeof ACCEPTED | typeof OPEN | typeof LOST {
    const automaton = this.#automaton
    if (automaton.epoch !== this.#epoch) this.#begin()
    const { bytes, length } = cursor
    let at = Math.min(cursor.shared, this.#depth)
    if (at >= this.#openFrom) return ACCEPTED
    this.#openFrom = Number.POSITIVE_INFINITY
    if (length >= this.#states.length) this.#grow(length)
    const states = this.#states
    let state = states[at]
    while (at < length && !automaton.acceptsAll(state)) {
      state = automaton.step(state, bytes[at])
      if (state === DEAD) break
      states[++at] = state
    }
    this.#depth = at
    // States of this path may be among those that were forgotten meanwhile: then nothing can be told of the next term.
    const isKnown = automaton.epoch === this.#epoch
    if (state === DEAD) return isKnown ? LOST : OPEN
    if (isKnown && automaton.acceptsAll(state)) this.#openFrom = at
    return automaton.accepts(state) ? ACCEPTED : OPEN
  }

  /** Where a term can be next behind a lost one; undefined: nowhere. */
  jump(cursor: TermCursor): Uint8Array | undefined {
    const automaton = this.#automaton
    for (let at = this.#depth; at >= 0; at--) {
      const byte = automaton.nextByte(this.#states[at], cursor.bytes[at] + 1)
      if (byte < 0) continue
      this.#target.length = 0
      for (let i = 0; i < at; i++) this.#target.push(cursor.bytes[i])
      this.#target.push(byte)
      return this.#extend(automaton.step(this.#states[at], byte))
    }
    return undefined
  }

  /** Adds the least bytes by which a term can go on. */
  #extend(from: number): Uint8Array {
    const automaton = this.#automaton
    const target = this.#target
    let state = from
    for (let i = 0; i < MAX_EXTENSION && !automaton.accepts(state); i++) {
      const byte = automaton.nextByte(state, 0)
      const next = automaton.step(state, byte)
      if (next === state) break
      target.push(byte)
      state = next
    }
    return Uint8Array.from(target)
  }

  #begin(): void {
    this.#epoch = this.#automaton.epoch
    this.#states[0] = this.#automaton.start
    this.#depth = 0
    this.#openFrom = Number.POSITIVE_INFINITY
  }

  #grow(length: number): void {
    const grown = new Int32Array(2 * length)
    grown.set(this.#states)
    this.#states = grown
  }
}
