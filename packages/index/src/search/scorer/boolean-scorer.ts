/**
 * AND and everything that goes with it: the rarest required clause lists candidates, the other required clauses thin
 * them out, excluded clauses take documents away, optional ones add to the scores. Lists, not single documents, go
 * from clause to clause; before each clause the candidates that can no longer pass the threshold are dropped.
 */
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { Window } from './window.js'

/** The clauses of a {@link BooleanScorer}. */
export interface BooleanScorerClauses {
  /** All must match; the rarest first. Scores are summed in this order. */
  readonly required: readonly Scorer[]
  /** May match; their scores follow, in this order. */
  readonly optional: readonly Scorer[]
  /** None may match; made without scores. */
  readonly excluded: readonly Scorer[]
  /** How many of `optional` must match. */
  readonly minimumShouldMatch: number
}

/** A conjunction with exclusions and optional clauses. */
export class BooleanScorer extends Scorer {
  readonly cost: number
  readonly #required: readonly Scorer[]
  readonly #optional: readonly Scorer[]
  readonly #excluded: readonly Scorer[]
  readonly #minimum: number
  readonly #scratch: Scratch
  /** Bounds in the window at hand: of the clauses from this one to the last one, required then optional. */
  readonly #rest: Float64Array

  /** At least one clause is required, or `minimumShouldMatch` ≥ 1. */
  constructor(clauses: BooleanScorerClauses, scratch: Scratch) {
    super()
    this.#required = clauses.required
    this.#optional = clauses.optional
    this.#excluded = clauses.excluded
    this.#minimum = clauses.minimumShouldMatch
    this.#scratch = scratch
    this.#rest = new Float64Array(clauses.required.length + clauses.optional.length + 1)
    let cost = 0
    if (clauses.required.length === 0) for (const clause of clauses.optional) cost += clause.cost
    else cost = Math.min(...clauses.required.map((clause) => clause.cost))
    this.cost = cost
  }

  next(from: number): number {
    if (this.#required.length === 0) {
      let first = NO_MORE_DOCS
      for (const clause of this.#optional) first = Math.min(first, clause.next(from))
      return first
    }
    // Leapfrog until all agree; every step is a proven lower bound, so it may also stop early.
    let doc = from
    for (let round = 0; round < 8; round++) {
      const before = doc
      for (const clause of this.#required) {
        doc = clause.next(doc)
        if (doc === NO_MORE_DOCS) return doc
      }
      if (doc === before) break
    }
    return doc
  }

  bound(lo: number, hi: number): number {
    let sum = 0
    for (const clause of this.#required) sum += clause.bound(lo, hi)
    for (const clause of this.#optional) sum += clause.bound(lo, hi)
    return sum * BOUND_SLACK
  }

  fill(window: Window, min: number): void {
    const rest = this.#rest
    if (min > -Infinity && !this.#mayPass(window.lo, window.hi, min)) return
    const candidates = this.#scratch.takeCandidates()
    const lead = this.#required[0]
    if (lead === undefined) {
      this.#fillOptional(window, candidates)
      this.#exclude(candidates)
    } else {
      lead.fill(window, rest[1] === 0 ? min : -Infinity)
      candidates.takeFrom(window)
      this.#thin(candidates, 1, min)
    }
    candidates.addTo(window)
    this.#scratch.giveCandidates(candidates)
  }

  /** Computes the bounds of the window; false where nothing can pass. */
  #mayPass(lo: number, hi: number, min: number): boolean {
    const rest = this.#rest
    const required = this.#required.length
    for (let i = required + this.#optional.length - 1; i >= 0; i--) {
      const clause = i < required ? this.#required[i]! : this.#optional[i - required]!
      const bound = clause.bound(lo, hi)
      rest[i] = bound === 0 ? rest[i + 1]! : rest[i + 1] === 0 ? bound : (rest[i + 1]! + bound) * BOUND_SLACK
    }
    return rest[0]! > min
  }

  /** Applies all clauses but the first `done` required ones. */
  #thin(candidates: Candidates, done: number, min: number): void {
    const required = this.#required
    const rest = this.#rest
    for (let i = done; i < required.length && candidates.length > 0; i++) {
      if (min > -Infinity) candidates.keepAbove(min, rest[i]!)
      candidates.clearMatched()
      required[i]!.probe(candidates)
      candidates.keepMatched(1)
    }
    this.#exclude(candidates)
    if (this.#minimum > 0) this.#atLeast(candidates)
    else this.#add(candidates, min)
  }

  /** Takes the documents of excluded clauses away. */
  #exclude(candidates: Candidates): void {
    for (const clause of this.#excluded) {
      if (candidates.length === 0) return
      candidates.clearMatched()
      clause.probe(candidates)
      candidates.keepMatched(0)
    }
  }

  /** Lists the documents that enough of the optional clauses match, where nothing is required. */
  #fillOptional(window: Window, candidates: Candidates): void {
    const counts = this.#scratch.takeWindow(window)
    const own = this.#scratch.takeWindow(window)
    for (const clause of this.#optional) {
      clause.fill(own, -Infinity)
      counts.count(own)
      window.absorb(own)
    }
    this.#scratch.giveWindow(own)
    candidates.takeFrom(window)
    for (let i = 0; i < candidates.length; i++) {
      candidates.matched[i] = counts.scores[candidates.docs[i]! - counts.lo]! >= this.#minimum ? 1 : 0
    }
    candidates.keepMatched(1)
    counts.clear()
    this.#scratch.giveWindow(counts)
  }

  /** Adds the optional clauses. */
  #add(candidates: Candidates, min: number): void {
    for (let i = 0; i < this.#optional.length && candidates.length > 0; i++) {
      if (min > -Infinity) candidates.keepAbove(min, this.#rest[this.#required.length + i]!)
      candidates.clearMatched()
      this.#optional[i]!.probe(candidates)
    }
  }

  /** Adds the optional clauses and keeps the documents that enough of them match. */
  #atLeast(candidates: Candidates): void {
    const counts = this.#scratch.takeCandidates()
    const n = candidates.length
    counts.origin.fill(0, 0, n)
    for (const clause of this.#optional) {
      candidates.clearMatched()
      clause.probe(candidates)
      for (let i = 0; i < n; i++) counts.origin[i]! += candidates.matched[i]!
    }
    for (let i = 0; i < n; i++) candidates.matched[i] = counts.origin[i]! >= this.#minimum ? 1 : 0
    candidates.keepMatched(1)
    this.#scratch.giveCandidates(counts)
  }

  probe(candidates: Candidates): void {
    const own = this.#scratch.takeCandidates()
    own.copyDocs(candidates)
    this.#thin(own, 0, -Infinity)
    for (let i = 0; i < own.length; i++) {
      const at = own.origin[i]!
      candidates.matched[at] = 1
      candidates.scores[at]! += own.scores[i]!
    }
    this.#scratch.giveCandidates(own)
  }
}
