/**
 * Which record of an address is its newest: what a store is compacted and exported by. 48 bytes an address in memory, in one table
 * (open addressing). An address is known by 106 bits of hash, so that none is taken for another.
 */
import { urlKey } from '../frontier/url-key.js'

const FIRST_SLOTS = 1 << 10
const MAX_LOAD = 0.6
const SALTS = [0x5bd1e995, 0x27d4eb2f] as const

/** See the head of this file. */
export class NewestRecords {
  #keys = new Float64Array(FIRST_SLOTS * 2)
  /** sequence number, negative for a removal; 0 for an empty slot */
  #sequences = new Float64Array(FIRST_SLOTS)
  #count = 0
  #last = 0

  /** Notes a record; records come in order. */
  note(url: string, sequence: number, isRemoval: boolean): void {
    if (this.#count >= this.#sequences.length * MAX_LOAD) this.#grow()
    const [first, second] = keysOf(url)
    const slot = this.#slotOf(first, second)
    if (this.#sequences[slot] === 0) {
      this.#keys[slot * 2] = first
      this.#keys[slot * 2 + 1] = second
      this.#count++
    }
    this.#sequences[slot] = isRemoval ? -sequence : sequence
    this.#last = sequence
  }

  /** True for the newest record of an address that has a page. */
  isLive(url: string, sequence: number): boolean {
    return this.#sequences[this.#slotOf(...keysOf(url))] === sequence
  }

  /** Number of the last record of all. */
  get last(): number {
    return this.#last
  }

  /** Addresses that have a page. */
  get live(): number {
    let live = 0
    for (const sequence of this.#sequences) if (sequence > 0) live++
    return live
  }

  #slotOf(first: number, second: number): number {
    const mask = this.#sequences.length - 1
    let slot = first % this.#sequences.length
    while (this.#sequences[slot] !== 0) {
      if (this.#keys[slot * 2] === first && this.#keys[slot * 2 + 1] === second) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const [keys, sequences] = [this.#keys, this.#sequences]
    this.#keys = new Float64Array(keys.length * 2)
    this.#sequences = new Float64Array(sequences.length * 2)
    for (let i = 0; i < sequences.length; i++) {
      if (sequences[i] === 0) continue
      const slot = this.#slotOf(keys[i * 2]!, keys[i * 2 + 1]!)
      this.#keys[slot * 2] = keys[i * 2]!
      this.#keys[slot * 2 + 1] = keys[i * 2 + 1]!
      this.#sequences[slot] = sequences[i]!
    }
  }
}

function keysOf(url: string): [number, number] {
  return [urlKey(url, SALTS[0]), urlKey(url, SALTS[1])]
}
