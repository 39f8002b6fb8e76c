/** Upper bounds of the scores in the blocks of a list, computed as they are asked for. */
import type { Postings } from '../../codec/postings.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'

const impacts = new Int32Array(8)

/** Bounds by one formula over one list, whose frequencies are at least those that are scored. */
export class BlockBounds {
  readonly #postings: Postings
  readonly #sim: SimScorer
  readonly #hasNorms: boolean
  /** −1 where not yet known. */
  readonly #bounds: Float64Array

  constructor(postings: Postings, sim: SimScorer, hasNorms: boolean) {
    this.#postings = postings
    this.#sim = sim
    this.#hasNorms = hasNorms
    this.#bounds = new Float64Array(postings.blockCount).fill(-1)
  }

  /** Bound of block `b`: the score of its best pairs, by the expression that scores the documents. */
  of(b: number): number {
    const known = this.#bounds[b]!
    if (known >= 0) return known
    const pairs = this.#postings.impacts(b, impacts)
    let bound = 0
    for (let i = 0; i < pairs; i++) {
      const norm = this.#hasNorms ? impacts[2 * i + 1]! : NO_NORM
      const score = this.#sim.score(impacts[2 * i]!, norm)
      if (score > bound) bound = score
    }
    this.#bounds[b] = bound
    return bound
  }

  /** Bound of the documents below `hi` of the blocks from `b` on. */
  from(b: number, hi: number): number {
    const { lastDoc, blockCount } = this.#postings
    let bound = 0
    for (let at = b; at < blockCount; at++) {
      const own = this.of(at)
      if (own > bound) bound = own
      if (lastDoc[at]! >= hi - 1) break
    }
    return bound
  }

  /** Where the first block from that of `from` on begins that has a bound above `min`; `none` where there is none. */
  seek(b: number, from: number, min: number, none: number): number {
    const { lastDoc, blockCount } = this.#postings
    let at = b
    while (at < blockCount && this.of(at) <= min) at++
    if (at === blockCount) return none
    return at === b ? from : lastDoc[at - 1]! + 1
  }
}
