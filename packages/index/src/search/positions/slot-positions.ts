/** The slots of a phrase: at each stands one of several terms. */
import type { TermPositions } from './term-positions.js'

/** Positions by slot in one document. */
export class SlotPositions {
  readonly size: number
  /** Ascending positions of each slot; the first `counts[slot]` count. A position of two of its terms is there twice. */
  readonly lists: Int32Array[]
  readonly counts: Int32Array
  readonly #slots: readonly (readonly number[])[]
  readonly #merged: Int32Array[] = []

  /** @param slots numbers of the terms of each slot */
  constructor(slots: readonly (readonly number[])[]) {
    this.size = slots.length
    this.lists = slots.map(() => new Int32Array(0))
    this.counts = new Int32Array(slots.length)
    this.#slots = slots
  }

  /** Takes over the positions of a document. @returns false where a slot stands nowhere in it */
  load(document: TermPositions): boolean {
    const { counts } = document
    for (let slot = 0; slot < this.size; slot++) {
      const terms = this.#slots[slot]!
      let count = 0
      let last = 0
      let present = 0
      for (const term of terms) {
        if (counts[term] === 0) continue
        count += counts[term]!
        last = term
        present++
      }
      if (count === 0) return false
      this.counts[slot] = count
      this.lists[slot] = present === 1 ? document.list(last) : this.#merge(document, slot, count)
    }
    return true
  }

  #merge(document: TermPositions, slot: number, count: number): Int32Array {
    let merged = this.#merged[slot]
    if (merged === undefined || merged.length < count) {
      merged = new Int32Array(2 * count)
      this.#merged[slot] = merged
    }
    let at = 0
    for (const term of this.#slots[slot]!) {
      merged.set(document.list(term).subarray(0, document.counts[term]), at)
      at += document.counts[term]!
    }
    merged.subarray(0, count).sort()
    return merged
  }

  /** Occurrences of all terms of a slot. */
  slotCount(counts: Int32Array, slot: number): number {
    let count = 0
    for (const term of this.#slots[slot]!) count += counts[term]!
    return count
  }
}
