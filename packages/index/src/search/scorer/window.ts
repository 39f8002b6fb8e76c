/**
 * The piece of a segment that is evaluated at once: 4,096 documents, a bit and a score each. Working by windows makes
 * one call a clause and window instead of several a document, and adding clauses up is an array addition.
 */

/** Documents in a window: scores take 32 KB, which stays in the first-level cache. */
export const WINDOW_SIZE = 4096
/** Windows double from here on up to that size. */
export const FIRST_WINDOW_SIZE = 256

/** A set of documents with scores. Scores of documents outside the set are 0. */
export class Window {
  /** First document, a multiple of 32. */
  lo = 0
  /** One past the last document. */
  hi = 0
  /** Bit `doc − lo` is on where the document is in the set. Signed: unsigned words would be computed as doubles. */
  readonly bits = new Int32Array(WINDOW_SIZE / 32)
  /** Score at `doc − lo`. */
  readonly scores = new Float64Array(WINDOW_SIZE)

  /** Makes the window, which must be empty, cover `[lo, hi)`. */
  reset(lo: number, hi: number): void {
    this.lo = lo
    this.hi = hi
  }

  /** Adds a document, or to its score where it is in the set. */
  add(doc: number, score: number): void {
    const at = doc - this.lo
    this.bits[at >>> 5]! |= 1 << (at & 31)
    this.scores[at]! += score
  }

  /** Adds every document from `lo` to `hi − 1` with the score given. */
  addAll(score: number): void {
    const { bits, scores } = this
    const size = this.hi - this.lo
    bits.fill(0xffffffff, 0, size >>> 5)
    if ((size & 31) !== 0) bits[size >>> 5]! |= (1 << (size & 31)) - 1
    if (score !== 0) for (let i = 0; i < size; i++) scores[i]! += score
  }

  /** Adds the documents of `other`, which covers the same ones, each with a score of 1. */
  count(other: Window): void {
    const words = (this.hi - this.lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = other.bits[w]!
      this.bits[w]! |= word
      while (word !== 0) {
        this.scores[(w << 5) + 31 - Math.clz32(word & -word)]! += 1
        word &= word - 1
      }
    }
  }

  /** Adds the set and the scores of `other`, which covers the same documents, and empties `other`. */
  absorb(other: Window): void {
    const from = other.bits
    const fromScores = other.scores
    const { bits, scores } = this
    const words = (this.hi - this.lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      let word = from[w]!
      if (word === 0) continue
      bits[w]! |= word
      from[w] = 0
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        scores[at]! += fromScores[at]!
        fromScores[at] = 0
        word &= word - 1
      }
    }
  }

  /** Keeps the documents that are in `other`, too, which covers the same ones; both without scores. Empties `other`. */
  intersect(other: Window): void {
    const from = other.bits
    const bits = this.bits
    const words = (this.hi - this.lo + 31) >>> 5
    for (let w = 0; w < words; w++) bits[w]! &= from[w]!
    other.clearBits()
  }

  /** Empties a window without scores. */
  clearBits(): void {
    this.bits.fill(0, 0, (this.hi - this.lo + 31) >>> 5)
  }

  /** Empties the window. */
  clear(): void {
    const { bits, scores } = this
    const words = (this.hi - this.lo + 31) >>> 5
    for (let w = 0; w < words; w++) {
      if (bits[w] === 0) continue
      bits[w] = 0
      scores.fill(0, w << 5, (w << 5) + 32)
    }
  }
}
