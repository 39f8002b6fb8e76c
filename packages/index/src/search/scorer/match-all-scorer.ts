/** Every document of a segment with one score. */
import type { Candidates } from './candidates.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Window } from './window.js'

/** Matches everything. */
export class MatchAllScorer extends Scorer {
  readonly cost: number
  readonly #score: number

  /** @param score 0 where nothing is scored */
  constructor(maxDoc: number, score: number) {
    super()
    this.cost = maxDoc
    this.#score = score
  }

  next(from: number): number {
    return from < this.cost ? from : NO_MORE_DOCS
  }

  bound(): number {
    return this.#score
  }

  fill(window: Window, min: number): void {
    if (min >= this.#score) return
    window.addAll(this.#score)
  }

  probe(candidates: Candidates): void {
    for (let i = 0; i < candidates.length; i++) {
      candidates.matched[i] = 1
      candidates.scores[i]! += this.#score
    }
  }
}
