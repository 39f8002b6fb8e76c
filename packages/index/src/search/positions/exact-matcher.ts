/** Slots at exact distances, each with one of several terms: places are thinned out slot by slot. */
import type { PositionMatcher } from './position-matcher.js'
import { SlotPositions } from './slot-positions.js'
import type { Spans } from './spans.js'
import type { TermPositions } from './term-positions.js'

/** Finds exact phrases; their distance is 0. */
export class ExactMatcher implements PositionMatcher {
  readonly #slots: SlotPositions
  readonly #offsets: Int32Array
  readonly #firstTerms: number
  /** Places of the phrase that are still possible. */
  #places = new Int32Array(16)

  /**
   * @param slots numbers of the terms of each slot, at least one slot
   * @param offsets place of each slot in the phrase, ascending
   */
  constructor(slots: readonly (readonly number[])[], offsets: Int32Array) {
    this.#slots = new SlotPositions(slots)
    this.#offsets = offsets
    this.#firstTerms = slots[0]!.length
  }

  find(document: TermPositions, found: Spans, limit: number): number {
    const slots = this.#slots
    if (!slots.load(document)) return slots.size
    const first = slots.lists[0]!
    const firstOffset = this.#offsets[0]!
    let left = slots.counts[0]!
    let steps = left
    if (this.#places.length < left) this.#places = new Int32Array(2 * left)
    const places = this.#places
    for (let i = 0; i < left; i++) places[i] = first[i]! - firstOffset
    for (let slot = 1; slot < slots.size && left > 0; slot++) {
      left = thin(places, left, slots.lists[slot]!, slots.counts[slot]!, this.#offsets[slot]!)
      steps += slots.counts[slot]!
    }
    const end = this.#offsets[slots.size - 1]! + 1
    for (let i = 0; i < left && found.length < limit; i++) found.push(places[i]! + firstOffset, places[i]! + end, 0)
    return steps
  }

  /** The positions of the first slot are counted, and as many of them may be at one place as it has terms. */
  maxFrequency(counts: Int32Array): number {
    let places = 0x7fffffff
    for (let slot = 1; slot < this.#slots.size; slot++) places = Math.min(places, this.#slots.slotCount(counts, slot))
    return Math.min(this.#slots.slotCount(counts, 0), places * this.#firstTerms)
  }
}

/** Keeps the places at which one of `positions` is at the distance given; all ascend. @returns how many are left */
export function thin(places: Int32Array, left: number, positions: Int32Array, count: number, offset: number): number {
  let kept = 0
  let at = 0
  for (let i = 0; i < left; i++) {
    const wanted = places[i]! + offset
    while (at < count && positions[at]! < wanted) at++
    if (at === count) break
    if (positions[at] === wanted) places[kept++] = places[i]!
  }
  return kept
}

/**
 * Of the positions of one word, how many have one of another word at the distance `offset`, both given by the differences
 * between them. No branch depends on which of the two is ahead, since that cannot be foreseen.
 * @param a its differences from `aAt` on; one more than `aCount` can be read
 * @param limit nothing is looked for beyond so many
 * @returns −1 where positions are too large for 30 bits
 */
export function countPairs(
  a: Int32Array,
  aAt: number,
  aCount: number,
  b: Int32Array,
  bAt: number,
  bCount: number,
  offset: number,
  limit: number,
): number {
  const aEnd = aAt + aCount
  const bEnd = bAt + bCount
  let i = aAt
  let j = bAt
  let wanted = (a[i]! + Math.max(offset, 0)) | 0
  let place = (b[j]! + Math.max(-offset, 0)) | 0
  let found = 0
  let seen = wanted | place
  while (i < aEnd && j < bEnd && found < limit) {
    const difference = (place - wanted) | 0
    // −1 where the other word is behind: then it goes on.
    const behind = difference >> 31
    // 1 where the two meet.
    found += ((difference | -difference) >>> 31) ^ 1
    j -= behind
    i += 1 + behind
    place = (place + (b[j]! & behind)) | 0
    wanted = (wanted + (a[i]! & ~behind)) | 0
    seen |= place | wanted
  }
  return seen >>> 30 === 0 ? found : -1
}
