/** Combines the scores of another part with a function of a number of the document, whose bounds keep pruning possible. */
import type { FieldFunction } from '../function/field-function.js'
import { NumberColumn } from '../function/number-column.js'
import type { Candidates } from './candidates.js'
import { BOUND_SLACK, NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { Window } from './window.js'

/** See the head of this file. */
export class FunctionScoreScorer extends Scorer {
  readonly cost: number
  readonly #inner: Scorer
  readonly #column: NumberColumn | null
  readonly #function: FieldFunction
  /** Factor of the score that comes out. */
  readonly #boost: number
  readonly #scratch: Scratch
  /** The greatest value of the function in each block, −1 where not yet known. */
  readonly #bounds: Float64Array
  #overall = -1

  /**
   * @param inner made without scores where these are replaced
   * @param column null: no document of the segment has a number
   */
  constructor(
    inner: Scorer,
    column: NumberColumn | null,
    scoreFunction: FieldFunction,
    boost: number,
    scratch: Scratch,
  ) {
    super()
    this.cost = inner.cost
    this.#inner = inner
    this.#column = column
    this.#function = scoreFunction
    this.#boost = boost
    this.#scratch = scratch
    this.#bounds = new Float64Array(column === null ? 0 : column.mins.length).fill(-1)
  }

  next(from: number): number {
    return this.#inner.next(from)
  }

  /** The greatest value of the function in `[lo, hi)`. */
  #most(lo: number, hi: number): number {
    if (this.#column === null) return this.#function.ofMissing
    const last = Math.min(NumberColumn.blockOf(hi - 1), this.#bounds.length - 1)
    let most = 0
    for (let b = NumberColumn.blockOf(lo); b <= last; b++) most = Math.max(most, this.#blockBound(this.#column, b))
    return most * BOUND_SLACK
  }

  /** The greatest value of the function in the segment. */
  #mostOfAll(): number {
    if (this.#overall < 0) this.#overall = this.#most(0, NO_MORE_DOCS)
    return this.#overall
  }

  #blockBound({ mins, maxs, gaps }: NumberColumn, b: number): number {
    if (this.#bounds[b]! < 0) {
      const ofNumbers = mins[b]! <= maxs[b]! ? this.#function.most(mins[b]!, maxs[b]!) : 0
      this.#bounds[b] = gaps[b] === 0 ? ofNumbers : Math.max(ofNumbers, this.#function.ofMissing)
    }
    return this.#bounds[b]!
  }

  bound(lo: number, hi: number): number {
    const most = this.#most(lo, hi)
    const { combine } = this.#function
    if (combine === 'replace') return most * this.#boost * BOUND_SLACK
    const inner = this.#inner.bound(lo, hi)
    return (combine === 'multiply' ? inner * most : inner + most) * this.#boost * BOUND_SLACK
  }

  override seek(from: number, min: number): number {
    return this.#inner.seek(from, this.#innerMin(this.#mostOfAll(), min))
  }

  override stretch(from: number): number {
    return this.#inner.stretch(from)
  }

  override list(candidates: Candidates, lo: number, hi: number, min: number, scratch: Scratch): void {
    if (this.#isBelow(lo, hi, min)) return
    this.#inner.list(candidates, lo, hi, this.#innerMin(this.#most(lo, hi), min), scratch)
    const { docs, scores, length } = candidates
    for (let i = 0; i < length; i++) scores[i] = this.#score(docs[i]!, scores[i]!)
  }

  fill(window: Window, min: number): void {
    const { lo, hi, bits, scores } = window
    if (this.#isBelow(lo, hi, min)) return
    this.#inner.fill(window, this.#innerMin(this.#most(lo, hi), min))
    const words = (hi - lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = bits[w]!
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        word &= word - 1
        scores[at] = this.#score(lo + at, scores[at]!)
      }
    }
  }

  /** Whether the function alone tells that nothing in `[lo, hi)` scores above `min`. */
  #isBelow(lo: number, hi: number, min: number): boolean {
    return min > -Infinity && this.#function.combine === 'replace' && this.bound(lo, hi) <= min
  }

  /** A score of the inner part that cannot become more than `min` by a value of at most `most`. */
  #innerMin(most: number, min: number): number {
    const { combine } = this.#function
    if (min === -Infinity || combine === 'replace') return -Infinity
    const least = min / (this.#boost * BOUND_SLACK)
    if (combine === 'multiply') return least > 0 ? least / (most * BOUND_SLACK) : min
    const left = least - most - (least + most) * (BOUND_SLACK - 1)
    return left > 0 ? left : -Infinity
  }

  #score(doc: number, inner: number): number {
    const x = this.#column === null ? Number.NaN : this.#column.numbers[doc]!
    return this.#function.score(inner, x) * this.#boost
  }

  probe(candidates: Candidates): void {
    const own = this.#scratch.takeCandidates()
    own.copyDocs(candidates)
    this.#inner.probe(own)
    for (let i = 0; i < candidates.length; i++) {
      if (own.matched[i] === 0) continue
      candidates.matched[i] = 1
      candidates.scores[i]! += this.#score(own.docs[i]!, own.scores[i]!)
    }
    this.#scratch.giveCandidates(own)
  }
}
