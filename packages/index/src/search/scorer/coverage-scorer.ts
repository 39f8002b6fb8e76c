/**
 * OR with the coverage factor. As in the plain OR (MaxScore by window), the light clauses at the end of the order are
 * only asked about documents that the heavy ones found; they are light if their scores together, times the factor of
 * their own share, cannot pass the threshold.
 */
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { Window } from './window.js'

/** What the sum of the scores of a document is multiplied by. @param share of the clauses that match, 0–1 */
export function coverageFactor(factor: number, share: number): number {
  return 1 + factor * share * share
}

/** At least one of several clauses; more is better. */
export class CoverageScorer extends Scorer {
  readonly cost: number
  readonly #clauses: readonly Scorer[]
  readonly #shares: Float64Array
  readonly #factor: number
  readonly #scratch: Scratch
  /** Bound of each clause in the window at hand, and the sum from each clause to the last one. */
  readonly #bounds: Float64Array
  readonly #rest: Float64Array

  /**
   * @param clauses heaviest first: scores are summed in this order
   * @param shares of the clauses in the whole query
   */
  constructor(clauses: readonly Scorer[], shares: Float64Array, factor: number, scratch: Scratch) {
    super()
    let cost = 0
    for (const clause of clauses) cost += clause.cost
    this.cost = cost
    this.#clauses = clauses
    this.#shares = shares
    this.#factor = factor
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

  bound(lo: number, hi: number): number {
    return this.#partition(lo, hi, -Infinity).bound
  }

  /**
   * Computes the bounds of the window.
   * @returns how many clauses at the beginning must be listed (0: nothing passes here), and the bound of all
   */
  #partition(lo: number, hi: number, min: number): { heavy: number; bound: number; best: number } {
    let heavy = this.#clauses.length
    let share = 0
    let bound = 0
    this.#rest[heavy] = 0
    for (let i = heavy - 1; i >= 0; i--) {
      this.#bounds[i] = this.#clauses[i]!.bound(lo, hi)
      if (this.#bounds[i]! > 0) share += this.#shares[i]!
      this.#rest[i] = (this.#rest[i + 1]! + this.#bounds[i]!) * BOUND_SLACK
      bound = this.#rest[i]! * coverageFactor(this.#factor, share) * BOUND_SLACK
      if (bound <= min) heavy = i
    }
    return { heavy, bound, best: coverageFactor(this.#factor, share) * BOUND_SLACK }
  }

  fill(window: Window, min: number): void {
    const clauses = this.#clauses
    const { lo, hi } = window
    const pruned = min > -Infinity
    let heavy = clauses.length
    // Scores before the factor that are not above this one do not pass.
    let least = min
    if (pruned) {
      const partition = this.#partition(lo, hi, min)
      heavy = partition.heavy
      if (heavy === 0) return
      least = min > 0 ? (min / partition.best) * (2 - BOUND_SLACK) : min
    }
    const own = this.#scratch.takeWindow(window)
    const shares = this.#scratch.takeWindow(window)
    const all = this.#rest[0]!
    for (let i = 0; i < heavy; i++) {
      const clause = clauses[i]!
      if (pruned && this.#bounds[i] === 0 && this.#shares[i]! > 0) continue
      if (clause.next(lo) >= hi) continue
      // The clause may leave out what would not pass even with the best of all others.
      const others = (all - this.#bounds[i]!) * BOUND_SLACK + all * (BOUND_SLACK - 1)
      clause.fill(own, pruned ? least - others : min)
      absorb(window, shares, own, this.#shares[i]!)
    }
    this.#scratch.giveWindow(own)
    if (heavy < clauses.length) this.#askLight(window, shares, heavy, least)
    const words = (hi - lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = window.bits[w]!
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        word &= word - 1
        window.scores[at] = window.scores[at]! * coverageFactor(this.#factor, shares.scores[at]!)
      }
    }
    shares.clear()
    this.#scratch.giveWindow(shares)
  }

  /** Asks the clauses from `heavy` on about the documents of the window that can still pass. */
  #askLight(window: Window, shares: Window, heavy: number, least: number): void {
    const candidates = this.#scratch.takeCandidates()
    candidates.takeFrom(window)
    candidates.keepAbove(least, this.#rest[heavy]!)
    for (let i = heavy; i < this.#clauses.length && candidates.length > 0; i++) {
      candidates.clearMatched()
      this.#clauses[i]!.probe(candidates)
      for (let c = 0; c < candidates.length; c++) {
        if (candidates.matched[c] !== 0) shares.scores[candidates.docs[c]! - window.lo]! += this.#shares[i]!
      }
      candidates.keepAbove(least, this.#rest[i + 1]!)
    }
    candidates.addTo(window)
    this.#scratch.giveCandidates(candidates)
  }

  probe(candidates: Candidates): void {
    const own = this.#scratch.takeCandidates()
    const shares = this.#scratch.takeCandidates()
    const n = candidates.length
    own.copyDocs(candidates)
    shares.copyDocs(candidates)
    for (let i = 0; i < this.#clauses.length; i++) {
      own.clearMatched()
      this.#clauses[i]!.probe(own)
      for (let c = 0; c < n; c++) {
        if (own.matched[c] === 0) continue
        candidates.matched[c] = 1
        shares.scores[c]! += this.#shares[i]!
      }
    }
    for (let c = 0; c < n; c++) {
      // Only documents that a clause matches have a score of their own.
      if (own.scores[c] !== 0) candidates.scores[c]! += own.scores[c]! * coverageFactor(this.#factor, shares.scores[c]!)
    }
    this.#scratch.giveCandidates(shares)
    this.#scratch.giveCandidates(own)
  }
}

/** Adds a clause's documents and scores to the window and its share to theirs, and empties `own`. */
function absorb(window: Window, shares: Window, own: Window, share: number): void {
  const words = (window.hi - window.lo + 31) >>> 5
  for (let w = 0; w < words; w++) {
    let word = own.bits[w]!
    if (word === 0) continue
    own.bits[w] = 0
    window.bits[w]! |= word
    shares.bits[w]! |= word
    while (word !== 0) {
      const at = (w << 5) + 31 - Math.clz32(word & -word)
      word &= word - 1
      window.scores[at]! += own.scores[at]!
      own.scores[at] = 0
      shares.scores[at]! += share
    }
  }
}
