/** Multiplies the scores of another part by a factor that grows with a number of the document and has a bound. */
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { Window } from './window.js'

/** What the score of a document with a number ≥ 0 is multiplied by. */
export function rankFactor(rank: number, factor: number, pivot: number): number {
  return 1 + (factor * rank) / (rank + pivot)
}

/** See the head of this file. */
export class StaticRankScorer extends Scorer {
  readonly cost: number
  readonly #inner: Scorer
  readonly #ranks: Float32Array
  readonly #factor: number
  readonly #pivot: number
  readonly #scratch: Scratch
  /** Of the best number there can be. */
  readonly #most: number

  /** @param ranks by document, ≥ 0 */
  constructor(inner: Scorer, ranks: Float32Array, factor: number, pivot: number, scratch: Scratch) {
    super()
    this.cost = inner.cost
    this.#inner = inner
    this.#ranks = ranks
    this.#factor = factor
    this.#pivot = pivot
    this.#scratch = scratch
    this.#most = (1 + factor) * BOUND_SLACK
  }

  next(from: number): number {
    return this.#inner.next(from)
  }

  bound(lo: number, hi: number): number {
    return this.#inner.bound(lo, hi) * this.#most
  }

  fill(window: Window, min: number): void {
    this.#inner.fill(window, min > 0 ? min / this.#most : min)
    const { lo, hi, bits, scores } = window
    const words = (hi - lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = bits[w]
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        word &= word - 1
        scores[at] *= rankFactor(this.#ranks[lo + at], this.#factor, this.#pivot)
      }
    }
  }

  probe(candidates: Candidates): void {
    const own = this.#scratch.takeCandidates()
    own.copyDocs(candidates)
    this.#inner.probe(own)
    for (let i = 0; i < candidates.length; i++) {
      if (own.matched[i] === 0) continue
      candidates.matched[i] = 1
      candidates.scores[i] += own.scores[i] * rankFactor(this.#ranks[own.docs[i]], this.#factor, this.#pivot)
    }
    this.#scratch.giveCandidates(own)
  }
}
