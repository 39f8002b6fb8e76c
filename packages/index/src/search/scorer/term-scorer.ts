/**
 * All documents of one term, a block at a time. Blocks whose best (frequency, norm) pair cannot beat the threshold are
 * neither decoded nor looked at.
 */
import type { Postings } from '../../codec/postings.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import { BlockBounds } from './block-bounds.js'
import type { Candidates } from './candidates.js'
import { BLOCK_SIZE, lowerBound, lowerBoundInBlock, PostingsCursor } from './postings-cursor.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { Scratch } from './scratch.js'
import type { SearchLimits } from './search-limits.js'
import { WINDOW_SIZE, type Window } from './window.js'

/** Scores of the block at hand; shared by all scorers, since nothing waits in between. */
const blockScores = new Float64Array(BLOCK_SIZE)
/** Blocks that are looked at for a floor, how many a list must have, and for how many documents it is found. */
const FLOOR_BLOCKS = 8
const MIN_FLOOR_BLOCKS = 24
const MAX_FLOOR_COUNT = 64
/** Documents of the segment that a block covers from which on most windows have none of its postings. */
const SPARSE = 2 * WINDOW_SIZE

/** Scores the postings of one term, or only lists them where there is no formula. */
export class TermScorer extends Scorer {
  readonly cost: number
  readonly #cursor: PostingsCursor
  readonly #sim: SimScorer | null
  readonly #norms: Uint8Array | null
  readonly #limits: SearchLimits
  /** null where nothing is scored. */
  readonly #bounds: BlockBounds | null

  /**
   * @param sim null: matches only
   * @param scratch of the search
   */
  constructor(
    postings: Postings,
    sim: SimScorer | null,
    norms: Uint8Array | null,
    limits: SearchLimits,
    scratch: Scratch,
  ) {
    super()
    this.cost = postings.docFreq
    this.#cursor = new PostingsCursor(postings, scratch)
    this.#sim = sim
    this.#norms = norms
    this.#limits = limits
    this.#bounds = sim === null ? null : new BlockBounds(postings, sim, norms !== null)
  }

  next(from: number): number {
    return this.#cursor.advance(from)
  }

  override seek(from: number, min: number): number {
    const b = this.#cursor.findBlock(from)
    if (this.#bounds !== null && min > -Infinity) return this.#bounds.seek(b, from, min, NO_MORE_DOCS)
    return b < this.#cursor.blockCount ? from : NO_MORE_DOCS
  }

  /** Looks at the blocks with the highest bounds. */
  override floor(count: number): number {
    const sim = this.#sim
    const bounds = this.#bounds
    const { blockCount, docs } = this.#cursor
    if (sim === null || bounds === null || count === 0 || count > MAX_FLOOR_COUNT || blockCount < MIN_FLOOR_BLOCKS)
      return -Infinity
    // Ascending by bound.
    const blocks: number[] = []
    for (let b = 0; b < blockCount; b++) {
      const bound = bounds.of(b)
      if (blocks.length === FLOOR_BLOCKS) {
        if (bound <= bounds.of(blocks[0]!)) continue
        blocks.shift()
      }
      let at = blocks.length
      while (at > 0 && bounds.of(blocks[at - 1]!) > bound) at--
      blocks.splice(at, 0, b)
    }
    // The best scores, ascending.
    const best = new Float64Array(count)
    for (let i = blocks.length - 1; i >= 0 && bounds.of(blocks[i]!) > best[0]!; i--) {
      this.#cursor.load(blocks[i]!)
      const { length } = this.#cursor
      sim.scoreBlock(docs, this.#cursor.freqs(), 0, length, this.#norms, blockScores)
      for (let n = 0; n < length; n++) {
        const score = blockScores[n]!
        if (score <= best[0]!) continue
        let at = 1
        for (; at < count && best[at]! < score; at++) best[at - 1] = best[at]!
        best[at - 1] = score
      }
      this.#limits.spend(length)
    }
    this.#cursor.forget()
    return best[0]! > 0 ? best[0]! : -Infinity
  }

  override stretch(from: number): number {
    const b = this.#cursor.findBlock(from)
    return b < this.#cursor.blockCount ? this.#cursor.lastDoc[b]! + 1 : NO_MORE_DOCS
  }

  override list(candidates: Candidates, lo: number, hi: number, min: number): void {
    const cursor = this.#cursor
    const { lastDoc, blockCount, docs } = cursor
    if (cursor.doc >= hi) return
    const sim = this.#sim
    const bounds = this.#bounds
    const { docs: out, scores } = candidates
    let n = 0
    for (let b = cursor.findBlock(lo); b < blockCount; b++) {
      if (b > 0 && lastDoc[b - 1]! >= hi - 1) break
      if (bounds !== null && min > -Infinity && bounds.of(b) <= min) continue
      cursor.load(b)
      cursor.forget()
      const from = docs[0]! >= lo ? 0 : lowerBound(docs, 0, cursor.length, lo)
      const to = lastDoc[b]! < hi ? cursor.length : lowerBound(docs, from, cursor.length, hi)
      if (sim === null) {
        for (let i = from; i < to; i++) {
          out[n] = docs[i]!
          scores[n++] = 0
        }
      } else {
        sim.scoreBlock(docs, cursor.freqs(), from, to, this.#norms, blockScores)
        for (let i = from; i < to; i++) {
          const score = blockScores[i]!
          if (score <= min) continue
          out[n] = docs[i]!
          scores[n++] = score
        }
      }
      this.#limits.spend(to - from)
    }
    candidates.length = n
  }

  bound(lo: number, hi: number): number {
    const cursor = this.#cursor
    const { lastDoc, blockCount } = cursor
    if (this.#bounds === null) return 0
    const b = cursor.findBlock(lo)
    // A block that reaches far is decoded: its next document tells whether there is any in the range.
    if (b < blockCount && lastDoc[b]! - (b > 0 ? lastDoc[b - 1]! : -1) > SPARSE) cursor.advance(lo)
    return cursor.doc >= hi ? 0 : this.#bounds.from(b, hi)
  }

  fill(window: Window, min: number): void {
    this.accumulate(window, min)
  }

  override accumulate(window: Window, min: number): void {
    const cursor = this.#cursor
    const { lastDoc, blockCount, docs } = cursor
    const { lo, hi, bits, scores } = window
    if (cursor.doc >= hi) return
    const sim = this.#sim
    const bounds = this.#bounds
    for (let b = cursor.findBlock(lo); b < blockCount; b++) {
      if (b > 0 && lastDoc[b - 1]! >= hi - 1) break
      if (bounds !== null && min > -Infinity && bounds.of(b) <= min) continue
      cursor.load(b)
      cursor.forget()
      const from = docs[0]! >= lo ? 0 : lowerBound(docs, 0, cursor.length, lo)
      const to = lastDoc[b]! < hi ? cursor.length : lowerBound(docs, from, cursor.length, hi)
      if (sim === null) {
        window.addDocs(docs, from, to)
      } else {
        sim.scoreBlock(docs, cursor.freqs(), from, to, this.#norms, blockScores)
        for (let i = from; i < to; i++) {
          if (blockScores[i]! <= min) continue
          const at = docs[i]! - lo
          bits[at >>> 5]! |= 1 << (at & 31)
          scores[at]! += blockScores[i]!
        }
      }
      this.#limits.spend(to - from)
    }
  }

  override get countsWide(): boolean {
    return this.#sim === null
  }

  /** How many documents of the window have the term. */
  countIn(window: Window): number {
    const cursor = this.#cursor
    const { lastDoc, blockCount, docs } = cursor
    const { lo, hi } = window
    if (cursor.doc >= hi) return 0
    let count = 0
    for (let b = cursor.findBlock(lo); b < blockCount; b++) {
      if (b > 0 && lastDoc[b - 1]! >= hi - 1) break
      cursor.load(b)
      cursor.forget()
      const from = docs[0]! >= lo ? 0 : lowerBound(docs, 0, cursor.length, lo)
      const to = lastDoc[b]! < hi ? cursor.length : lowerBound(docs, from, cursor.length, hi)
      count += window.countDocs(docs, from, to)
      this.#limits.spend(to - from)
    }
    return count
  }

  probe(candidates: Candidates): void {
    const cursor = this.#cursor
    const { lastDoc, blockCount, docs: blockDocs } = cursor
    const sim = this.#sim
    const norms = this.#norms
    const { docs, scores, matched, length } = candidates
    let i = 0
    while (i < length) {
      const b = cursor.findBlock(docs[i]!)
      if (b >= blockCount) break
      cursor.load(b)
      cursor.forget()
      const last = lastDoc[b]!
      const isWhole = cursor.length === BLOCK_SIZE
      let freqs: Int32Array | null = null
      for (; i < length && docs[i]! <= last; i++) {
        const doc = docs[i]!
        const j = isWhole ? lowerBoundInBlock(blockDocs, doc) : lowerBound(blockDocs, 0, cursor.length, doc)
        if (sim === null) {
          // 1 where the two are equal.
          matched[i]! |= ((blockDocs[j]! ^ doc) - 1) >>> 31
          continue
        }
        if (blockDocs[j] !== doc) continue
        matched[i] = 1
        freqs ??= cursor.freqs()
        scores[i]! += sim.score(freqs[j]!, norms === null ? NO_NORM : norms[doc]!)
      }
    }
    this.#limits.spend(length)
  }

  /** Frequency in a document, 0 where the term is not in it. Goes forward like every other call. */
  freqAt(doc: number): number {
    return this.#cursor.advance(doc) === doc ? this.#cursor.freq() : 0
  }
}
