/** The documents of another scorer, which itself computes no scores, with one and the same score. */
import type { Candidates } from './candidates.js'
import { Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { Window } from './window.js'

/** Gives every match the same score. */
export class ConstantScoreScorer extends Scorer {
  readonly cost: number
  readonly #inner: Scorer
  readonly #score: number
  readonly #scratch: Scratch

  /** @param inner made without scores */
  constructor(inner: Scorer, score: number, scratch: Scratch) {
    super()
    this.cost = inner.cost
    this.#inner = inner
    this.#score = score
    this.#scratch = scratch
  }

  next(from: number): number {
    return this.#inner.next(from)
  }

  bound(): number {
    return this.#score
  }

  fill(window: Window, min: number): void {
    if (min >= this.#score) return
    this.#inner.fill(window, -Infinity)
    const { bits, scores } = window
    const words = (window.hi - window.lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = bits[w]!
      while (word !== 0) {
        scores[(w << 5) + 31 - Math.clz32(word & -word)] = this.#score
        word &= word - 1
      }
    }
  }

  probe(candidates: Candidates): void {
    const own = this.#scratch.takeCandidates()
    own.copyDocs(candidates)
    this.#inner.probe(own)
    for (let i = 0; i < own.length; i++) {
      if (own.matched[i] === 0) continue
      candidates.matched[i] = 1
      candidates.scores[i]! += this.#score
    }
    this.#scratch.giveCandidates(own)
  }
}
