/**
 * BM25F over the lists of one term in several fields. The lists of a window are added up in an array of frequencies,
 * the short fields first, so that blocks of the long one can be passed over by a bound that knows whether any short
 * field has the term among the documents of the block.
 *
 * Bound of a block of field i: its best (frequency, norm) pairs, plus the highest frequency anywhere of the fields
 * before which it is read. A document that field i does not hold is bounded by those other fields' blocks.
 */
import type { Postings } from '../../codec/postings.js'
import type { BM25FFormula } from '../similarity/bm25f-formula.js'
import type { Candidates } from './candidates.js'
import { lowerBound, PostingsCursor } from './postings-cursor.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { SearchLimits } from './search-limits.js'
import { WINDOW_SIZE, type Window } from './window.js'

/** The term in one field. */
export interface CombinedPart {
  readonly postings: Postings | null
  readonly weight: number
  readonly bonus: number
}

/** A field that has the term. */
interface Part {
  readonly cursor: PostingsCursor
  readonly weight: number
  readonly bonus: number
  readonly norms: Uint8Array | null
  /** Upper bound of each block where no later part has the term, and where one may have it; −1: not yet known. */
  readonly alone: Float64Array
  readonly together: Float64Array
}

/** Sums of the window or the candidates at hand; shared by all scorers, since nothing waits in between. All 0 in between. */
const sums = new Float64Array(WINDOW_SIZE)
const bonuses = new Float64Array(WINDOW_SIZE)
const found = new Uint32Array(WINDOW_SIZE / 32)
const impacts = new Int32Array(8)

/** Scores the documents that hold a term in any of several fields. */
export class CombinedFieldScorer extends Scorer {
  readonly cost: number
  readonly #parts: Part[] = []
  /** Norms of all fields, whether they have the term or not: they make the length. */
  readonly #norms: readonly Uint8Array[]
  readonly #formula: BM25FFormula | null
  readonly #limits: SearchLimits
  /** Of the parts behind each one: highest weighted frequency and sum of bonuses; −1: not yet known. */
  readonly #restFreq: Float64Array
  readonly #restBonus: Float64Array

  /**
   * @param parts the longest field first
   * @param norms of the same fields
   * @param formula null: matches only
   */
  constructor(
    parts: readonly CombinedPart[],
    norms: readonly (Uint8Array | null)[],
    formula: BM25FFormula | null,
    limits: SearchLimits,
  ) {
    super()
    let cost = 0
    for (let i = 0; i < parts.length; i++) {
      const { postings, weight, bonus } = parts[i]!
      if (postings === null) continue
      cost += postings.docFreq
      this.#parts.push({
        cursor: new PostingsCursor(postings),
        weight,
        bonus,
        norms: norms[i]!,
        alone: new Float64Array(postings.blockCount).fill(-1),
        together: new Float64Array(postings.blockCount).fill(-1),
      })
    }
    this.cost = cost
    this.#norms = norms.filter((list) => list !== null)
    this.#formula = formula
    this.#limits = limits
    this.#restFreq = new Float64Array(this.#parts.length).fill(-1)
    this.#restBonus = new Float64Array(this.#parts.length)
  }

  next(from: number): number {
    let first = NO_MORE_DOCS
    const parts = this.#parts
    for (let i = 0; i < parts.length; i++) {
      const doc = parts[i]!.cursor.advance(from)
      if (doc === from) return from
      if (doc < first) first = doc
    }
    return first
  }

  /** Finds the highest sums of the parts behind part `i`. */
  #findRest(i: number): void {
    let freq = 0
    let bonus = 0
    for (let j = i + 1; j < this.#parts.length; j++) {
      const { cursor, weight, bonus: own } = this.#parts[j]!
      let highest = 0
      for (let b = 0; b < cursor.blockCount; b++) {
        const pairs = cursor.postings.impacts(b, impacts)
        for (let p = 0; p < pairs; p++) highest = Math.max(highest, impacts[2 * p]!)
      }
      freq += weight * highest
      bonus += own
    }
    this.#restFreq[i] = freq
    this.#restBonus[i] = bonus
  }

  /** Upper bound of the documents of block `b` of part `i`, by the expression that scores them. */
  #blockBound(formula: BM25FFormula, i: number, b: number, others: boolean): number {
    const part = this.#parts[i]!
    const bounds = others ? part.together : part.alone
    const known = bounds[b]!
    if (known >= 0) return known
    if (others && this.#restFreq[i]! < 0) this.#findRest(i)
    const restFreq = others ? this.#restFreq[i]! : 0
    const bonus = part.bonus + (others ? this.#restBonus[i]! : 0)
    const pairs = part.cursor.postings.impacts(b, impacts)
    let bound = 0
    for (let p = 0; p < pairs; p++) {
      const length = part.norms === null ? 0 : formula.lengths[impacts[2 * p + 1]!]!
      bound = Math.max(bound, formula.score(restFreq + part.weight * impacts[2 * p]!, length, bonus))
    }
    // The parts are added up in another order there than here.
    if (others) bound *= 1 + 1e-12
    bounds[b] = bound
    return bound
  }

  bound(lo: number, hi: number): number {
    const formula = this.#formula
    if (formula === null) return 0
    let bound = 0
    let others = false
    for (let i = this.#parts.length - 1; i >= 0; i--) {
      const { cursor } = this.#parts[i]!
      if (cursor.advance(lo) >= hi) continue
      const { lastDoc, blockCount } = cursor
      for (let b = cursor.findBlock(lo); b < blockCount; b++) {
        bound = Math.max(bound, this.#blockBound(formula, i, b, others))
        if (lastDoc[b]! >= hi - 1) break
      }
      others = true
    }
    return bound
  }

  fill(window: Window, min: number): void {
    this.accumulate(window, min)
  }

  override accumulate(window: Window, min: number): void {
    let postings = 0
    for (let i = this.#parts.length - 1; i >= 0; i--) postings += this.#collect(i, window, min)
    const words = (window.hi - window.lo + 31) >>> 5
    const { bits, scores, lo } = window
    const formula = this.#formula
    for (let w = 0; w < words; w++) {
      let word = found[w]!
      if (word === 0) continue
      found[w] = 0
      if (formula === null) {
        bits[w]! |= word
        continue
      }
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        word &= word - 1
        const score = formula.score(sums[at]!, this.#length(formula, lo + at), bonuses[at]!)
        sums[at] = 0
        bonuses[at] = 0
        if (score <= min) continue
        bits[w]! |= 1 << (at & 31)
        scores[at]! += score
      }
    }
    // Only now, because it may throw: the shared sums are empty again.
    this.#limits.spend(postings)
  }

  #length(formula: BM25FFormula, doc: number): number {
    let length = 0
    const norms = this.#norms
    for (let i = 0; i < norms.length; i++) length += formula.lengths[norms[i]![doc]!]!
    return length
  }

  /**
   * Adds the frequencies of part `i` in the window, without blocks none of whose documents can pass.
   * @returns postings read
   */
  #collect(i: number, window: Window, min: number): number {
    const { cursor, weight, bonus } = this.#parts[i]!
    const { lastDoc, blockCount, docs } = cursor
    const { lo, hi } = window
    const formula = this.#formula
    if (cursor.doc >= hi) return 0
    let postings = 0
    for (let b = cursor.findBlock(lo); b < blockCount; b++) {
      const first = b === 0 ? lo : Math.max(lo, lastDoc[b - 1]! + 1)
      if (first >= hi) break
      if (i === 0 && formula !== null && min > -Infinity) {
        const others = anyFound(first - lo, Math.min(lastDoc[b]!, hi - 1) - lo)
        if (this.#blockBound(formula, i, b, others) <= min) continue
      }
      cursor.load(b)
      cursor.forget()
      const from = docs[0]! >= lo ? 0 : lowerBound(docs, 0, cursor.length, lo)
      const to = lastDoc[b]! < hi ? cursor.length : lowerBound(docs, from, cursor.length, hi)
      if (formula === null) {
        for (let d = from; d < to; d++) found[(docs[d]! - lo) >>> 5]! |= 1 << ((docs[d]! - lo) & 31)
      } else {
        const freqs = cursor.freqs()
        for (let d = from; d < to; d++) {
          const at = docs[d]! - lo
          found[at >>> 5]! |= 1 << (at & 31)
          sums[at]! += weight * freqs[d]!
        }
        if (bonus > 0) for (let d = from; d < to; d++) bonuses[docs[d]! - lo]! += bonus
      }
      postings += to - from
    }
    return postings
  }

  probe(candidates: Candidates): void {
    const { docs, scores, matched, length } = candidates
    const formula = this.#formula
    for (let i = this.#parts.length - 1; i >= 0; i--) this.#probePart(this.#parts[i]!, candidates)
    for (let i = 0; i < length; i++) {
      if ((found[i >>> 5]! & (1 << (i & 31))) === 0) continue
      matched[i] = 1
      if (formula === null) continue
      scores[i]! += formula.score(sums[i]!, this.#length(formula, docs[i]!), bonuses[i]!)
      sums[i] = 0
      bonuses[i] = 0
    }
    found.fill(0, 0, (length + 31) >>> 5)
    this.#limits.spend(length)
  }

  /** Adds the frequencies of a part in the candidates; the sums are indexed like the candidates. */
  #probePart({ cursor, weight, bonus }: Part, { docs, length }: Candidates): void {
    const { lastDoc, blockCount, docs: blockDocs } = cursor
    const scored = this.#formula !== null
    let i = 0
    while (i < length) {
      const b = cursor.findBlock(docs[i]!)
      if (b >= blockCount) return
      cursor.load(b)
      cursor.forget()
      const last = lastDoc[b]!
      const near = cursor.length - 8
      let freqs: Int32Array | null = null
      let j = 0
      // Candidates and block are merged. Where candidates are few, steps of eight get over the documents in between.
      for (; i < length && docs[i]! <= last; i++) {
        const doc = docs[i]!
        while (j < near && blockDocs[j + 8]! < doc) j += 8
        while (blockDocs[j]! < doc) j++
        if (blockDocs[j] !== doc) continue
        found[i >>> 5]! |= 1 << (i & 31)
        if (!scored) continue
        freqs ??= cursor.freqs()
        sums[i]! += weight * freqs[j]!
        bonuses[i]! += bonus
      }
    }
  }
}

/** Whether a document of the window's places `from` to `to` has been found, or one close to them. */
function anyFound(from: number, to: number): boolean {
  for (let w = from >>> 5; w <= to >>> 5; w++) if (found[w] !== 0) return true
  return false
}
