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
  /** The first slot with the same terms as each: their positions are merged once. */
  readonly #like: Int32Array

  /** @param slots numbers of the terms of each slot */
  constructor(slots: readonly (readonly number[])[]) {
    this.size = slots.length
    this.lists = slots.map(() => new Int32Array(0))
    this.counts = new Int32Array(slots.length)
    this.#slots = slots
    const known = new Map<string, number>()
    this.#like = Int32Array.from(slots, (terms, slot) => {
      const key = terms.join()
      if (!known.has(key)) known.set(key, slot)
      return known.get(key)!
    })
  }

  /** Takes over the positions of a document. @returns false where a slot stands nowhere in it */
  load(document: TermPositions): boolean {
    for (let slot = 0; slot < this.size; slot++) {
      const like = this.#like[slot]!
      if (like === slot) this.#load(document, slot)
      this.counts[slot] = this.counts[like]!
      this.lists[slot] = this.lists[like]!
      if (this.counts[slot] === 0) return false
    }
    return true
  }

  #load(document: TermPositions, slot: number): void {
    const { counts } = document
    const terms = this.#slots[slot]!
    let present = 0
    let last = 0
    for (const term of terms) {
      if (counts[term] === 0) continue
      present++
      last = term
    }
    const count = this.slotCount(counts, slot)
    this.counts[slot] = count
    if (present === 1) {
      this.lists[slot] = document.list(last)
      return
    }
    let merged = this.#merged[slot]
    if (merged === undefined || merged.length < count) {
      merged = new Int32Array(2 * count)
      this.#merged[slot] = merged
    }
    let at = 0
    for (const term of terms) {
      merged.set(document.list(term).subarray(0, counts[term]), at)
      at += counts[term]!
    }
    merged.subarray(0, count).sort()
    this.lists[slot] = merged
  }

  /** Occurrences of all terms of a slot. */
  slotCount(counts: Int32Array, slot: number): number {
    let count = 0
    for (const term of this.#slots[slot]!) count += counts[term]!
    return count
  }
}
