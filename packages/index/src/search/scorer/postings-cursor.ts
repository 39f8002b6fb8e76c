/**
 * A position in a postings list that moves forward by skipping whole blocks: galloping over the last documents of the
 * blocks, then a search in one decoded block. One concrete class, so that the engine can inline it.
 */
import type { Postings } from '../../codec/postings.js'
import { NO_MORE_DOCS } from './scorer.js'
import type { Scratch } from './scratch.js'

/** Documents of a block. */
export const BLOCK_SIZE = 128

/** First index in `values[from … to − 1]`, which ascends, whose value is ≥ `target`; `to` where there is none. */
export function lowerBound(values: Int32Array, from: number, to: number, target: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! < target) low = middle + 1
    else high = middle
  }
  return low
}

/** The same in a whole block whose last value is ≥ `target`: without branches, which could not be foreseen. */
export function lowerBoundInBlock(values: Int32Array, target: number): number {
  let at = ((values[63]! - target) >>> 31) << 6
  at += ((values[at + 31]! - target) >>> 31) << 5
  at += ((values[at + 15]! - target) >>> 31) << 4
  at += ((values[at + 7]! - target) >>> 31) << 3
  at += ((values[at + 3]! - target) >>> 31) << 2
  at += ((values[at + 1]! - target) >>> 31) << 1
  return at + ((values[at]! - target) >>> 31)
}

/** A cursor; fresh ones stand before the first document. */
export class PostingsCursor {
  readonly postings: Postings
  readonly lastDoc: Int32Array
  readonly blockCount: number
  /** Documents of the decoded block. */
  readonly docs: Int32Array
  /** The decoded block, −1 where none. */
  block = -1
  /** Documents in the decoded block. */
  length = 0
  /** Index in the decoded block of the current document. */
  index = 0
  /** Current document; −1 before the first call of `advance`. */
  doc = -1
  #freqs: Int32Array | null = null
  #freqsBlock = -1
  #sumIndex = 0
  #sum = 0

  readonly #scratch: Scratch | undefined

  /** @param scratch lends the memory for blocks; of its own where not given */
  constructor(postings: Postings, scratch?: Scratch) {
    this.postings = postings
    this.#scratch = scratch
    this.docs = scratch?.takeBlock() ?? new Int32Array(Math.min(BLOCK_SIZE, postings.docFreq))
    this.lastDoc = postings.lastDoc
    this.blockCount = postings.blockCount
  }

  /** The first block whose last document is ≥ `target`; `blockCount` where there is none. */
  findBlock(target: number): number {
    const lastDoc = this.lastDoc
    const count = this.blockCount
    let low = Math.max(this.block, 0)
    if (low > 0 && lastDoc[low - 1]! >= target) low = 0
    if (low >= count || lastDoc[low]! >= target) return low
    let step = 1
    let high = low + step
    while (high < count && lastDoc[high]! < target) {
      low = high
      step <<= 1
      high = low + step
    }
    return lowerBound(lastDoc, low + 1, Math.min(high, count), target)
  }

  /** Decodes the documents of block `b`. */
  load(b: number): void {
    if (b === this.block) return
    this.block = b
    this.length = this.postings.decodeDocs(b, this.docs)
    this.index = 0
  }

  /** Moves to the first document ≥ `target` and returns it, or {@link NO_MORE_DOCS}. */
  advance(target: number): number {
    if (this.doc >= target) return this.doc
    const b = this.findBlock(target)
    if (b >= this.blockCount) {
      this.doc = NO_MORE_DOCS
      return NO_MORE_DOCS
    }
    this.load(b)
    const docs = this.docs
    let i = this.index
    // Candidates are often near: a few steps before a binary search.
    const near = Math.min(i + 4, this.length)
    while (i < near && docs[i]! < target) i++
    if (i === near) i = lowerBound(docs, i, this.length, target)
    this.index = i
    this.doc = docs[i]!
    return this.doc
  }

  /** Forgets the current document, after blocks were loaded by hand. */
  forget(): void {
    this.doc = -1
    this.index = 0
  }

  /** Frequencies of the decoded block. */
  freqs(): Int32Array {
    const freqs = this.#freqs ?? this.#scratch?.takeBlock() ?? new Int32Array(this.docs.length)
    if (this.#freqsBlock !== this.block) {
      this.postings.decodeFreqs(this.block, freqs)
      this.#freqs = freqs
      this.#freqsBlock = this.block
      this.#sumIndex = 0
      this.#sum = 0
    }
    return freqs
  }

  /** Frequency of the current document. */
  freq(): number {
    return this.freqs()[this.index]!
  }

  /** Sum of the frequencies before the current document in its block. */
  freqBefore(): number {
    const freqs = this.freqs()
    if (this.#sumIndex > this.index) {
      this.#sumIndex = 0
      this.#sum = 0
    }
    while (this.#sumIndex < this.index) this.#sum += freqs[this.#sumIndex++]!
    return this.#sum
  }

  /** Writes the positions of the current document into `out[at …]`; there are `freq()` of them. */
  positions(out: Int32Array, at: number): void {
    this.postings.positions(this.block, this.freqBefore(), this.freq(), out, at)
  }
}
