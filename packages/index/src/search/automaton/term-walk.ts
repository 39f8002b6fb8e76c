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
  /** Accepts those terms of the walk that are still wanted; all of them where not given. */
  readonly wanted?: TermAutomaton
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
  let path = new TermPath(sink.wanted ?? automaton)
  const walk = data.walkTerms(field)
  let visited = 0
  let work = path.automaton.work
  const goesOn = (): boolean => {
    const cost = visited * TERM_COST + path.automaton.work - work
    visited = 0
    work = path.automaton.work
    return limits.expand(cost)
  }
  let more = path.aimAtFirst()
  let aimed = true
  while (more) {
    const cursor: TermCursor | undefined = await walk.next(aimed ? path.target() : undefined)
    if (cursor === undefined) break
    path.restart()
    let inside = !aimed || path.isReachedBy(cursor) || path.seek(cursor)
    while (inside && more) {
      if (++visited >= CHECK_EVERY || path.automaton.work - work > MAX_UNCHECKED) {
        if (!goesOn()) return sink.flush()
        if (limits.sliceOver) await limits.yield()
      }
      const found = path.follow(cursor)
      aimed = found === LOST
      if (aimed) {
        more = path.aimBehind(cursor)
        inside = more && path.seek(cursor)
        continue
      }
      if (found === ACCEPTED && sink.add(cursor)) await sink.flush()
      if (sink.wanted !== undefined && sink.wanted !== path.automaton) {
        goesOn()
        path = new TermPath(sink.wanted)
        work = path.automaton.work
      }
      inside = cursor.next()
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
  readonly automaton: TermAutomaton
  #epoch = -1
  /** State behind so many bytes, known up to `#depth`. */
  #states = new Int32Array(64)
  #depth = 0
  /** Bytes behind which everything is accepted; Infinity: not so. */
  #openFrom = Number.POSITIVE_INFINITY
  /** No term before it is accepted that has not been met. */
  #target = new Uint8Array(64)
  #targetLength = 0

  constructor(automaton: TermAutomaton) {
    this.automaton = automaton
  }

  /** Makes the target one that is not above the first term that is accepted. @returns false where none is */
  aimAtFirst(): boolean {
    const { start } = this.automaton
    if (start === DEAD) return false
    this.#targetLength = 0
    this.#extend(start)
    return true
  }

  /** Makes the target where a term can be next behind a lost one. @returns false where none can */
  aimBehind({ bytes }: TermCursor): boolean {
    const { automaton } = this
    for (let at = this.#depth; at >= 0; at--) {
      const byte = automaton.nextByte(this.#states[at], bytes[at] + 1)
      if (byte < 0) continue
      if (at + MAX_EXTENSION >= this.#target.length) this.#target = new Uint8Array(2 * (at + MAX_EXTENSION))
      for (let i = 0; i < at; i++) this.#target[i] = bytes[i]
      this.#target[at] = byte
      this.#targetLength = at + 1
      this.#extend(automaton.step(this.#states[at], byte))
      return true
    }
    return false
  }

  target(): Uint8Array {
    return this.#target.slice(0, this.#targetLength)
  }

  /** Whether the cursor is not before the target. */
  isReachedBy({ bytes, length }: TermCursor): boolean {
    return compareBytes(bytes, length, this.#target, this.#targetLength) >= 0
  }

  seek(cursor: TermCursor): boolean {
    return cursor.seek(this.#target, this.#targetLength)
  }

  /** The next term comes from another cursor: what it shares with the last one is not known. */
  restart(): void {
    this.#depth = 0
  }

  follow(cursor: TermCursor): typeof ACCEPTED | typeof OPEN | typeof LOST {
    const { automaton } = this
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

  /** Adds the least bytes by which a term can go on. */
  #extend(from: number): void {
    const { automaton } = this
    let state = from
    for (let i = 1; i < MAX_EXTENSION && !automaton.accepts(state); i++) {
      const byte = automaton.nextByte(state, 0)
      const next = automaton.step(state, byte)
      if (next === state) break
      this.#target[this.#targetLength++] = byte
      state = next
    }
  }

  #begin(): void {
    this.#epoch = this.automaton.epoch
    this.#states[0] = this.automaton.start
    this.#depth = 0
    this.#openFrom = Number.POSITIVE_INFINITY
  }

  #grow(length: number): void {
    const grown = new Int32Array(2 * length)
    grown.set(this.#states)
    this.#states = grown
  }
}
