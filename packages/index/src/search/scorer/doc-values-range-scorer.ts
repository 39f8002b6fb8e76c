/**
 * The documents with a code in a range; nothing is scored. Blocks of 4,096 values whose bounds miss the range are
 * skipped, blocks that lie inside of it are taken whole, the others are compared a group of 128 at a time. Candidates
 * are looked up one by one.
 */
import type { DocValues } from '../../codec/doc-values.js'
import type { Candidates } from './candidates.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { SearchLimits } from './search-limits.js'
import type { Window } from './window.js'

const GROUP = 128
const GROUPS_PER_BLOCK = 32

/** Bits of the values at hand; shared by all scorers, since nothing waits in between. */
let hits = new Uint32Array(4 * 64)

/** A range over a column. */
export class DocValuesRangeScorer extends Scorer {
  readonly cost: number
  readonly #values: DocValues
  readonly #from: number
  readonly #to: number
  readonly #limits: SearchLimits

  /** @param from the least code that matches @param to the greatest */
  constructor(values: DocValues, from: number, to: number, limits: SearchLimits) {
    super()
    this.cost = values.docCount
    this.#values = values
    this.#from = from
    this.#to = to
    this.#limits = limits
  }

  next(from: number): number {
    const values = this.#values
    if (from >= values.maxDoc) return NO_MORE_DOCS
    const rank = values.rank(from)
    if (rank >= values.docCount) return NO_MORE_DOCS
    const first = values.start(rank) >>> 12
    let b = first
    while (b < values.blockCount && values.misses(b, this.#from, this.#to)) b++
    if (b === values.blockCount) return NO_MORE_DOCS
    return b === first ? values.select(rank) : values.docOf(b << 12)
  }

  bound(): number {
    return 0
  }

  fill(window: Window): void {
    if (this.#values.presence === null && this.#values.starts === null) this.#fillDense(window)
    else this.#fillSparse(window)
  }

  /** Every document has one value: value i is document i, and words of bits go over as they are. */
  #fillDense({ lo, hi, bits }: Window): void {
    const values = this.#values
    const words = (hi - lo + 31) >>> 5
    let decoded = 0
    for (let g = Math.floor(lo / GROUP); g * GROUP < hi; g++) {
      if (values.misses(Math.floor(g / GROUPS_PER_BLOCK), this.#from, this.#to)) {
        g |= GROUPS_PER_BLOCK - 1
        continue
      }
      decoded += GROUP
      if (!values.match(g, this.#from, this.#to, hits, 0)) continue
      // Negative before the window, which may begin inside of a group.
      const at = (g * GROUP - lo) / 32
      for (let k = 0; k < 4; k++) if (at + k >= 0 && at + k < words) bits[at + k]! |= hits[k]!
    }
    this.#limits.spend(decoded)
  }

  #fillSparse({ lo, hi, bits }: Window): void {
    const values = this.#values
    const { presence, starts } = values
    const firstRank = values.rank(lo)
    const from = values.start(firstRank)
    const to = values.start(values.rank(hi))
    if (from === to) return
    const firstGroup = Math.floor(from / GROUP)
    const groups = Math.floor((to - 1) / GROUP) - firstGroup + 1
    if (hits.length < groups * 4) hits = new Uint32Array(groups * 8)
    let any = false
    for (let g = 0; g < groups; g++) {
      if (values.match(firstGroup + g, this.#from, this.#to, hits, g * 4)) any = true
    }
    this.#limits.spend(to - from)
    if (!any) return
    const offset = firstGroup * GROUP
    let rank = firstRank
    for (let doc = lo; doc < hi; doc++) {
      if (presence !== null && (presence[doc >>> 5]! & (1 << (doc & 31))) === 0) continue
      const end = starts === null ? rank + 1 : starts[rank + 1]!
      for (let i = (starts === null ? rank : starts[rank]!) - offset; i < end - offset; i++) {
        if ((hits[i >>> 5]! & (1 << (i & 31))) === 0) continue
        bits[(doc - lo) >>> 5]! |= 1 << (doc & 31)
        break
      }
      rank++
    }
  }

  probe(candidates: Candidates): void {
    const values = this.#values
    const { docs, matched, length } = candidates
    for (let n = 0; n < length; n++) {
      const doc = docs[n]!
      if (!values.has(doc)) continue
      const rank = values.rank(doc)
      const end = values.start(rank + 1)
      for (let i = values.start(rank); i < end; i++) {
        const code = values.code(i)
        if (code < this.#from || code > this.#to) continue
        matched[n] = 1
        break
      }
    }
    this.#limits.spend(length)
  }
}
