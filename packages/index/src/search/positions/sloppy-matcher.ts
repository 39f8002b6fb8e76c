/**
 * Phrases that need not be exact: a match may be turned into the phrase by moving its words by `slop` positions in all,
 * so that two words in the other order are two moves. Matches are counted as Lucene's SloppyPhraseMatcher counts them:
 * the word that is furthest behind its place moves on, and each stretch that is as short as it can be there is a match.
 * A slot takes a position of the text that no other slot with the same word has.
 */
import { MAX_STEPS, type PositionMatcher } from './position-matcher.js'
import { repeatedSlots } from './repeated-slots.js'
import { SlotPositions } from './slot-positions.js'
import type { Spans } from './spans.js'
import type { TermPositions } from './term-positions.js'

/** Finds sloppy phrases; the distance of a match is the number of moves. */
export class SloppyMatcher implements PositionMatcher {
  readonly #slots: SlotPositions
  readonly #offsets: Int32Array
  readonly #slop: number
  readonly #withRanges: boolean
  /** Slots with the same words, each group in the order of the phrase; and each slot's group, −1 for none. */
  readonly #groups: readonly Int32Array[]
  readonly #groupOf: Int32Array
  readonly #severalTerms: boolean
  /** Of each slot: index of its current position, and that position less its place in the phrase. */
  readonly #at: Int32Array
  readonly #places: Int32Array
  /** Slots by place; ties in the order of the phrase. */
  readonly #heap: Int32Array
  #size = 0
  /** Slots that were moved on while they were in the heap. */
  readonly #moved: Uint8Array
  readonly #taken: Int32Array
  /** Largest place until now. */
  #end = 0
  #steps = 0

  /**
   * @param slots numbers of the terms of each slot, at least two slots
   * @param offsets place of each slot in the phrase, ascending
   * @param withRanges whether the stretches are wanted; otherwise only their distances are
   */
  constructor(slots: readonly (readonly number[])[], offsets: Int32Array, slop: number, withRanges: boolean) {
    const size = slots.length
    this.#slots = new SlotPositions(slots)
    this.#offsets = offsets
    this.#slop = slop
    this.#withRanges = withRanges
    this.#groups = repeatedSlots(slots, offsets)
    this.#groupOf = new Int32Array(size).fill(-1)
    this.#groups.forEach((group, number) => {
      for (const slot of group) this.#groupOf[slot] = number
    })
    this.#severalTerms = this.#groups.some((group) => group.some((slot) => slots[slot]!.length > 1))
    this.#at = new Int32Array(size)
    this.#places = new Int32Array(size)
    this.#heap = new Int32Array(size)
    this.#moved = new Uint8Array(size)
    this.#taken = new Int32Array(size)
  }

  find(document: TermPositions, found: Spans, limit: number): number {
    this.#steps = this.#slots.size
    if (this.#slots.load(document) && this.#begin()) this.#run(found, limit)
    return this.#steps
  }

  /**
   * Each step but the last moves a slot on, and a match that is exact takes one position of every slot, so there are no
   * more of these than of the rarest slot; any other counts half at most.
   */
  maxFrequency(counts: Int32Array): number {
    const size = this.#slots.size
    // A word that the phrase has so often must be in the text so often.
    if (!this.#severalTerms) {
      for (const group of this.#groups) if (this.#slots.slotCount(counts, group[0]!) < group.length) return 0
    }
    let least = 0x7fffffff
    let sum = 1 - size
    for (let slot = 0; slot < size; slot++) {
      const count = this.#slots.slotCount(counts, slot)
      if (count < least) least = count
      sum += count
    }
    if (least === 0) return 0
    return sum > least ? (least + sum) / 2 : sum
  }

  #run(found: Spans, limit: number): void {
    const places = this.#places
    const heap = this.#heap
    for (let more = true; more && found.length < limit; ) {
      more = false
      let slot = this.#pop()
      let lead = slot
      let leadPlace = places[slot]!
      let distance = this.#end - leadPlace
      // Not looked at again when other slots are moved on meanwhile.
      let next = places[heap[0]!]!
      while (this.#advance(slot)) {
        if (this.#groupOf[slot]! >= 0 && !this.#separate(slot)) break
        if (places[slot]! > next) {
          this.#push(slot)
          if (distance <= this.#slop) {
            more = true
            break
          }
          slot = this.#pop()
          next = places[heap[0]!]!
          distance = this.#end - places[slot]!
        } else {
          distance = Math.min(distance, this.#end - places[slot]!)
        }
        lead = slot
        leadPlace = places[slot]!
      }
      if (distance <= this.#slop) this.#add(found, lead, leadPlace, distance)
    }
  }

  #add(found: Spans, lead: number, leadPlace: number, distance: number): void {
    if (!this.#withRanges) {
      found.push(0, 0, distance)
      return
    }
    let first = leadPlace + this.#offsets[lead]!
    let last = first
    for (let slot = 0; slot < this.#slots.size; slot++) {
      if (slot === lead) continue
      const position = this.#places[slot]! + this.#offsets[slot]!
      first = Math.min(first, position)
      last = Math.max(last, position)
    }
    found.push(first, last + 1, distance)
  }

  /** Puts every slot at its first position that no slot before it has. @returns false where there are too few */
  #begin(): boolean {
    const size = this.#slots.size
    for (let slot = 0; slot < size; slot++) {
      this.#at[slot] = 0
      this.#places[slot] = this.#slots.lists[slot]![0]! - this.#offsets[slot]!
    }
    this.#end = -0x80000000
    for (const group of this.#groups) if (!this.#spread(group)) return false
    this.#size = 0
    for (let slot = 0; slot < size; slot++) {
      this.#end = Math.max(this.#end, this.#places[slot]!)
      this.#push(slot)
    }
    return true
  }

  #spread(group: Int32Array): boolean {
    if (!this.#severalTerms) {
      for (let i = 1; i < group.length; i++) {
        for (let step = 0; step < i; step++) if (!this.#next(group[i]!)) return false
      }
      return true
    }
    for (let i = 0; i < group.length; ) {
      let again = false
      for (let other = this.#collision(group[i]!); other >= 0; other = this.#collision(group[i]!)) {
        const behind = this.#behind(group[i]!, other)
        if (!this.#advance(behind)) return false
        // A slot that was settled already has moved: look at this one again.
        again = group.indexOf(behind) < i
        if (again) break
      }
      if (!again) i++
    }
    return true
  }

  /** Moves slots on until none has the position that `slot` has come to. @returns false at the end of the document */
  #separate(slot: number): boolean {
    const arrived = slot
    let moved = 0
    for (let other = this.#collision(slot); other >= 0; other = this.#collision(slot)) {
      slot = this.#behind(slot, other)
      if (!this.#advance(slot)) {
        this.#moved.fill(0)
        return false
      }
      if (other !== arrived && this.#moved[other] === 0) {
        this.#moved[other] = 1
        moved++
      }
    }
    // Those that were moved inside of the heap are put in again.
    let taken = 0
    while (moved > 0) {
      const top = this.#pop()
      this.#taken[taken++] = top
      if (this.#moved[top] === 1) {
        this.#moved[top] = 0
        moved--
      }
    }
    this.#steps += taken
    for (let i = taken - 1; i >= 0; i--) this.#push(this.#taken[i]!)
    return true
  }

  /** A slot of the same group at the same position, −1 where there is none. */
  #collision(slot: number): number {
    const group = this.#groups[this.#groupOf[slot]!]!
    const position = this.#places[slot]! + this.#offsets[slot]!
    this.#steps += group.length
    for (const other of group) {
      if (other !== slot && this.#places[other]! + this.#offsets[other]! === position) return other
    }
    return -1
  }

  #behind(a: number, b: number): number {
    const places = this.#places
    const first = places[a]! < places[b]! || (places[a] === places[b] && this.#offsets[a]! < this.#offsets[b]!)
    return first ? a : b
  }

  #advance(slot: number): boolean {
    if (!this.#next(slot)) return false
    if (this.#places[slot]! > this.#end) this.#end = this.#places[slot]!
    return true
  }

  #next(slot: number): boolean {
    const at = this.#at[slot]! + 1
    if (at >= this.#slots.counts[slot]! || ++this.#steps > MAX_STEPS) return false
    this.#at[slot] = at
    this.#places[slot] = this.#slots.lists[slot]![at]! - this.#offsets[slot]!
    return true
  }

  #before(a: number, b: number): boolean {
    const difference = this.#places[a]! - this.#places[b]!
    return difference < 0 || (difference === 0 && a < b)
  }

  #push(slot: number): void {
    const heap = this.#heap
    let at = this.#size++
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#before(slot, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = slot
  }

  #pop(): number {
    const heap = this.#heap
    const top = heap[0]!
    const size = --this.#size
    const slot = heap[size]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && this.#before(heap[child + 1]!, heap[child]!)) child++
      if (!this.#before(heap[child]!, slot)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = slot
    return top
  }
}
