/**
 * AND and everything that goes with it: the rarest required clause lists candidates, the other required clauses thin
 * them out, excluded clauses take documents away, optional ones add to the scores. Lists, not single documents, go
 * from clause to clause; before each clause the candidates that can no longer pass the threshold are dropped.
 */
import type { BitSet } from '@spindle/core'
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import { TermScorer } from './term-scorer.js'
import { MAX_WIDE_CLAUSES, type Window } from './window.js'

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
  /** Whether scores are asked for. */
  readonly scored: boolean
}

/** How many times as frequent as the rarest term others may be to be listed as bits. */
const DENSE = 8

/** A conjunction with exclusions and optional clauses. */
export class BooleanScorer extends Scorer {
  readonly cost: number
  readonly #required: readonly Scorer[]
  readonly #optional: readonly Scorer[]
  readonly #excluded: readonly Scorer[]
  readonly #minimum: number
  readonly #scored: boolean
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
    this.#scored = clauses.scored
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

  override seek(from: number, min: number): number {
    return this.#required[0]?.seek(from, -Infinity) ?? super.seek(from, min)
  }

  override stretch(from: number): number {
    return this.#required[0]?.stretch(from) ?? super.stretch(from)
  }

  override list(candidates: Candidates, lo: number, hi: number, min: number): void {
    let least = min
    if (min > -Infinity) {
      if (!this.#mayPass(lo, hi, min)) return
      const others = this.#rest[1]!
      if (others > 0) least = min - others * BOUND_SLACK - this.#rest[0]! * (BOUND_SLACK - 1)
      // Documents without a score of the first clause may pass by the others.
      if (least < 0) least = -Infinity
    }
    const lead = this.#required[0]
    if (lead === undefined) {
      const window = this.#scratch.takeWindow()
      window.reset(lo, hi)
      this.#fillOptional(window, candidates)
      this.#scratch.giveWindow(window)
      this.#exclude(candidates)
    } else {
      lead.list(candidates, lo, hi, least, this.#scratch)
      this.#thin(candidates, 1, min)
    }
  }

  fill(window: Window, min: number): void {
    const done = this.#scored ? 0 : this.#intersect(window, this.#denseTerms())
    if (done === this.#required.length && done > 0 && this.#excluded.length === 0 && this.#minimum === 0) return
    const candidates = this.#scratch.takeCandidates()
    if (done === 0) this.list(candidates, window.lo, window.hi, min)
    else {
      candidates.takeFrom(window)
      this.#thin(candidates, done, min)
    }
    candidates.addTo(window)
    this.#scratch.giveCandidates(candidates)
  }

  /**
   * Where all is frequent, the most frequent term is not listed at all, but its documents are looked up in the bits of
   * the others; and so is an excluded term.
   */
  override count(window: Window, live: BitSet | null): number {
    const other = this.#lookedUp()
    if (other === null) return super.count(window, live)
    const isExcluded = this.#excluded.length > 0
    this.#intersect(window, this.#required.length - (isExcluded ? 0 : 1))
    window.keepLive(live)
    const count = isExcluded ? window.countLive(null) - other.countIn(window) : other.countIn(window)
    window.clearBits()
    return count
  }

  override get countsWide(): boolean {
    return this.#lookedUp() !== null && this.#required.every((clause) => clause.countsWide)
  }

  /** The term that is only looked up in the bits of all others when documents are counted. */
  #lookedUp(): TermScorer | null {
    const required = this.#required
    const [excluded, ...more] = this.#excluded
    const other = excluded ?? required.at(-1)
    const all = required.length + this.#optional.length + this.#excluded.length
    if (this.#scored || this.#minimum > 0 || more.length > 0 || all < 2 || all > MAX_WIDE_CLAUSES) return null
    if (!(other instanceof TermScorer) || !this.#isDense(other)) return null
    if (required.length > 1 && this.#denseTerms() < required.length) return null
    return other
  }

  /** Whether a term is not so frequent that asking it about a list of the rarest documents costs less than its bits. */
  #isDense(scorer: Scorer): boolean {
    return scorer.cost <= DENSE * this.#required[0]!.cost
  }

  /** How many of the required clauses, from the first on, are terms that are best intersected as bits: 0, or at least 2. */
  #denseTerms(): number {
    const required = this.#required
    let dense = 0
    while (dense < required.length && required[dense] instanceof TermScorer && this.#isDense(required[dense]!)) dense++
    return dense < 2 ? 0 : dense
  }

  /** Intersects the first so many required clauses as bits. @returns how many */
  #intersect(window: Window, clauses: number): number {
    if (clauses === 0) return 0
    this.#required[0]!.fill(window, -Infinity)
    if (clauses === 1) return 1
    const other = this.#scratch.takeWindow(window)
    for (let i = 1; i < clauses; i++) {
      this.#required[i]!.fill(other, -Infinity)
      window.intersect(other)
    }
    this.#scratch.giveWindow(other)
    return clauses
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
