/**
 * OR: the sum of the clauses that match. Without a threshold all clauses are added up into the window. With one,
 * MaxScore by window: the light clauses at the end of the order, which together cannot lift a document over the
 * threshold, are not listed but asked only about the documents that the heavy clauses found and that can still pass.
 * Turtle and Flood, "Query evaluation: strategies and optimizations" (1995); block bounds after Ding and Suel (2011).
 */
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import { TermScorer } from './term-scorer.js'
import { MAX_WIDE_CLAUSES, type Window } from './window.js'

/** At least one of several clauses. */
export class DisjunctionScorer extends Scorer {
  readonly cost: number
  readonly #clauses: readonly Scorer[]
  readonly #scratch: Scratch
  /** Bound of each clause in the window at hand. */
  readonly #bounds: Float64Array
  /** Sum of the bounds from each clause to the last one. */
  readonly #rest: Float64Array

  /** @param clauses heaviest first: scores are summed in this order */
  constructor(clauses: readonly Scorer[], scratch: Scratch) {
    super()
    let cost = 0
    for (const clause of clauses) cost += clause.cost
    this.cost = cost
    this.#clauses = clauses
    this.#scratch = scratch
    this.#bounds = new Float64Array(clauses.length)
    this.#rest = new Float64Array(clauses.length + 1)
  }

  next(from: number): number {
    let first = NO_MORE_DOCS
    for (const clause of this.#clauses) {
      const doc = clause.next(from)
      if (doc === from) return from
      if (doc < first) first = doc
    }
    return first
  }

  override floor(count: number): number {
    let floor = -Infinity
    for (const clause of this.#clauses) floor = Math.max(floor, clause.floor(count))
    return floor
  }

  bound(lo: number, hi: number): number {
    let sum = 0
    for (const clause of this.#clauses) sum += clause.bound(lo, hi)
    return sum * BOUND_SLACK
  }

  fill(window: Window, min: number): void {
    if (min === -Infinity) {
      this.#addAll(window)
      return
    }
    const candidates = this.#scratch.takeCandidates()
    this.list(candidates, window.lo, window.hi, min)
    candidates.addTo(window)
    this.#scratch.giveCandidates(candidates)
  }

  #addAll(window: Window): void {
    for (const clause of this.#clauses) {
      if (clause.next(window.lo) < window.hi) clause.accumulate(window, -Infinity, this.#scratch)
    }
  }

  override get countsWide(): boolean {
    return (
      this.#clauses.length <= MAX_WIDE_CLAUSES &&
      this.#clauses.every((clause) => clause instanceof TermScorer && clause.countsWide)
    )
  }

  override list(candidates: Candidates, lo: number, hi: number, min: number): void {
    const clauses = this.#clauses
    const rest = this.#rest
    const heavy = min === -Infinity ? clauses.length : this.#partition(lo, hi, min)
    if (heavy === 0) return
    if (heavy === 1) {
      clauses[0]!.list(candidates, lo, hi, this.#least(0, min), this.#scratch)
    } else {
      const window = this.#scratch.takeWindow()
      window.reset(lo, hi)
      if (min === -Infinity) this.#addAll(window)
      else {
        for (let i = 0; i < heavy; i++) {
          if (this.#bounds[i]! > 0) clauses[i]!.accumulate(window, this.#least(i, min), this.#scratch)
        }
      }
      candidates.takeFrom(window)
      this.#scratch.giveWindow(window)
    }
    for (let i = heavy; i < clauses.length; i++) {
      candidates.keepAbove(min, rest[i]!)
      if (candidates.length === 0) return
      if (this.#bounds[i] === 0) continue
      candidates.clearMatched()
      clauses[i]!.probe(candidates)
    }
  }

  /** What clause `i` must score more than: the rest does not pass even with the best of all other clauses. */
  #least(i: number, min: number): number {
    if (this.#clauses.length === 1) return min
    const all = this.#rest[0]!
    return min - (all - this.#bounds[i]!) * BOUND_SLACK - all * (BOUND_SLACK - 1)
  }

  /** Computes bounds and returns how many clauses at the beginning must be listed; 0: nothing passes here. */
  #partition(lo: number, hi: number, min: number): number {
    const clauses = this.#clauses
    const bounds = this.#bounds
    const rest = this.#rest
    let parts = 0
    let heavy = clauses.length
    rest[heavy] = 0
    for (let i = clauses.length - 1; i >= 0; i--) {
      const bound = clauses[i]!.bound(lo, hi)
      bounds[i] = bound
      // One clause alone needs no slack: its bound is made by the very expression of its score.
      if (bound > 0) parts++
      rest[i] = parts > 1 && bound > 0 ? (rest[i + 1]! + bound) * BOUND_SLACK : rest[i + 1]! + bound
      if (rest[i]! <= min) heavy = i
    }
    return heavy
  }

  probe(candidates: Candidates): void {
    const own = this.#scratch.takeCandidates()
    own.copyDocs(candidates)
    for (const clause of this.#clauses) clause.probe(own)
    for (let i = 0; i < own.length; i++) {
      if (own.matched[i] === 0) continue
      candidates.matched[i] = 1
      candidates.scores[i]! += own.scores[i]!
    }
    this.#scratch.giveCandidates(own)
  }
}
