/**
 * Candidates: an ascending list of documents with scores, from which clause after clause removes those
 * that do not match. The counterpart of a window where few documents are left.
 */
import { WINDOW_SIZE, type Window } from './window.js'

/** A list with room for one window; the first `length` entries count. */
export class Candidates {
  length = 0
  readonly docs = new Int32Array(WINDOW_SIZE)
  readonly scores = new Float64Array(WINDOW_SIZE)
  /** Set by `Scorer.probe` for the documents that match; 0 otherwise. */
  readonly matched = new Uint8Array(WINDOW_SIZE)
  /** Where each came from in the list that this one was copied from; free for other counts. */
  readonly origin = new Int32Array(WINDOW_SIZE)

  /** Takes over the documents and scores of a window and empties it. */
  takeFrom(window: Window): void {
    const { docs, scores } = this
    const { bits, scores: windowScores, lo } = window
    const words = (window.hi - lo + 31) >>> 5
    let n = 0
    for (let w = 0; w < words; w++) {
      let word = bits[w]!
      if (word === 0) continue
      bits[w] = 0
      while (word !== 0) {
        const at = (w << 5) + 31 - Math.clz32(word & -word)
        docs[n] = lo + at
        scores[n++] = windowScores[at]!
        windowScores[at] = 0
        word &= word - 1
      }
    }
    this.length = n
  }

  /** Adds the documents and scores to a window. */
  addTo(window: Window): void {
    const { docs, scores } = this
    const { bits, scores: windowScores, lo } = window
    for (let i = 0; i < this.length; i++) {
      const at = docs[i]! - lo
      bits[at >>> 5]! |= 1 << (at & 31)
      windowScores[at]! += scores[i]!
    }
  }

  /** Copies the documents of another list; scores and matches are 0, origins are the indexes there. */
  copyDocs(other: Candidates): void {
    const n = other.length
    for (let i = 0; i < n; i++) {
      this.docs[i] = other.docs[i]!
      this.origin[i] = i
    }
    this.scores.fill(0, 0, n)
    this.matched.fill(0, 0, n)
    this.length = n
  }

  clearMatched(): void {
    this.matched.fill(0, 0, this.length)
  }

  /** Keeps the documents whose `matched` equals `value`. */
  keepMatched(value: 0 | 1): void {
    const { docs, scores, matched, origin } = this
    let kept = 0
    // Without a branch: which ones match cannot be foreseen.
    for (let i = 0; i < this.length; i++) {
      docs[kept] = docs[i]!
      scores[kept] = scores[i]!
      origin[kept] = origin[i]!
      kept += matched[i]! ^ value ^ 1
    }
    this.length = kept
  }

  /** Keeps the documents whose score + `rest` is above `min`. */
  keepAbove(min: number, rest: number): void {
    const { docs, scores, origin } = this
    let kept = 0
    for (let i = 0; i < this.length; i++) {
      if (!(scores[i]! + rest > min)) continue
      docs[kept] = docs[i]!
      scores[kept] = scores[i]!
      origin[kept++] = origin[i]!
    }
    this.length = kept
  }
}
