/** The documents of a bit set; nothing is scored. */
import type { Candidates } from './candidates.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Window } from './window.js'

/** Lists a set that is already there: a filter, or what several terms have together. */
export class BitSetScorer extends Scorer {
  readonly cost: number
  readonly #words: Uint32Array
  readonly #maxDoc: number

  /** @param words bit `d & 31` of word `d >>> 5` is document d; none past the last document @param cost bits that are on */
  constructor(words: Uint32Array, maxDoc: number, cost: number) {
    super()
    this.cost = cost
    this.#words = words
    this.#maxDoc = maxDoc
  }

  next(from: number): number {
    if (from >= this.#maxDoc) return NO_MORE_DOCS
    const words = this.#words
    let w = from >>> 5
    let word = words[w]! & (0xffffffff << (from & 31))
    while (word === 0) {
      if (++w >= words.length) return NO_MORE_DOCS
      word = words[w]!
    }
    return (w << 5) + 31 - Math.clz32(word & -word)
  }

  bound(): number {
    return 0
  }

  fill(window: Window): void {
    const { bits, lo, hi } = window
    const from = lo >>> 5
    const count = (hi - lo + 31) >>> 5
    for (let w = 0; w < count; w++) bits[w]! |= this.#words[from + w]!
  }

  probe(candidates: Candidates): void {
    const { docs, matched, length } = candidates
    for (let i = 0; i < length; i++) {
      const doc = docs[i]!
      if ((this.#words[doc >>> 5]! & (1 << (doc & 31))) !== 0) matched[i] = 1
    }
  }
}
