/** The best of several clauses plus a share of the others: `max + tieBreaker · (sum of the rest)`. */
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { Window } from './window.js'

/** At least one of several clauses, the best of which counts. */
export class DisjunctionMaxScorer extends Scorer {
  readonly cost: number
  readonly #clauses: readonly Scorer[]
  readonly #tieBreaker: number
  readonly #scratch: Scratch

  constructor(clauses: readonly Scorer[], tieBreaker: number, scratch: Scratch) {
    super()
    let cost = 0
    for (const clause of clauses) cost += clause.cost
    this.cost = cost
    this.#clauses = clauses
    this.#tieBreaker = tieBreaker
    this.#scratch = scratch
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
    let max = 0
    let others = 0
    for (const clause of this.#clauses) {
      const bound = clause.bound(lo, hi)
      if (bound > max) {
        others += max
        max = bound
      } else others += bound
    }
    return others === 0 ? max : (max + this.#tieBreaker * others) * BOUND_SLACK
  }

  fill(window: Window, min: number): void {
    const { lo, hi } = window
    if (min > -Infinity && this.bound(lo, hi) <= min) return
    // Scores of the clauses that are not the best: the window's own scores hold the best ones.
    const others = this.#scratch.takeWindow(window)
    const own = this.#scratch.takeWindow(window)
    for (const clause of this.#clauses) {
      if (clause.next(lo) >= hi) continue
      clause.fill(own, -Infinity)
      this.#merge(window, others, own)
    }
    this.#finish(window, others)
    this.#scratch.giveWindow(own)
    this.#scratch.giveWindow(others)
  }

  /** Moves one clause's documents into the window: the better score to `window`, the worse one to `others`. */
  #merge(window: Window, others: Window, own: Window): void {
    const { bits, scores } = window
    const words = (window.hi - window.lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = own.bits[w]!
      if (word === 0) continue
      own.bits[w] = 0
      bits[w]! |= word
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        word &= word - 1
        const score = own.scores[at]!
        own.scores[at] = 0
        if (score > scores[at]!) {
          others.scores[at]! += scores[at]!
          scores[at] = score
        } else others.scores[at]! += score
      }
    }
  }

  #finish(window: Window, others: Window): void {
    const { bits, scores } = window
    const words = (window.hi - window.lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = bits[w]!
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        word &= word - 1
        scores[at] = scores[at]! + this.#tieBreaker * others.scores[at]!
        others.scores[at] = 0
      }
    }
  }

  probe(candidates: Candidates): void {
    const n = candidates.length
    const best = this.#scratch.takeCandidates()
    const own = this.#scratch.takeCandidates()
    best.copyDocs(candidates)
    const losers = this.#scratch.takeCandidates()
    losers.scores.fill(0, 0, n)
    for (const clause of this.#clauses) {
      own.copyDocs(candidates)
      clause.probe(own)
      for (let i = 0; i < n; i++) {
        if (own.matched[i] === 0) continue
        best.matched[i] = 1
        const score = own.scores[i]!
        if (score > best.scores[i]!) {
          losers.scores[i]! += best.scores[i]!
          best.scores[i] = score
        } else losers.scores[i]! += score
      }
    }
    for (let i = 0; i < n; i++) {
      if (best.matched[i] === 0) continue
      candidates.matched[i] = 1
      candidates.scores[i]! += best.scores[i]! + this.#tieBreaker * losers.scores[i]!
    }
    this.#scratch.giveCandidates(losers)
    this.#scratch.giveCandidates(own)
    this.#scratch.giveCandidates(best)
  }
}
