/**
 * The distinct (field, term) pairs of the documents in memory, numbered in the order of appearance. Open addressing over
 * FNV-1a of the UTF-8 bytes; terms lie one after the other in one array. No string is kept.
 */
import { largeBuffer, largeInt32Array } from '@spindle/core'
import { MAX_TERM_BYTES } from '../codec/term-dictionary-writer.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../codec/utf8.js'
import { copy } from './slice-pool.js'

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
const START_CAPACITY = 1 << 10
/** Up to here the arrays double; then they take room for a whole budget, untouched, as in slice-pool.ts. */
const SMALL_CAPACITY = 1 << 16
const ROOM = 1 << 20
/** Bytes a term: start, field and hash, and what sorting it will take (sort-terms.ts): id and key, twice. */
const BYTES_PER_TERM = 12 + 24

/** Term ids by field and bytes. */
export class TermTable {
  /** UTF-8 of all terms. */
  bytes = new Uint8Array(1 << 14)
  /** Start of each term in `bytes`; the next one's start is its end. */
  starts = new Int32Array(START_CAPACITY + 1)
  /** Field number of each term. */
  fields = new Int32Array(START_CAPACITY)
  /** Number of terms. */
  size = 0
  #hashes = new Int32Array(START_CAPACITY)
  /** Id + 1 of the term in the slot, 0: empty. A power of 2, at most half full. */
  #slots = new Int32Array(START_CAPACITY * 2)

  get capacity(): number {
    return this.fields.length
  }

  /** Bytes of memory in use, and those that sorting the terms will take. */
  get ramBytes(): number {
    return this.starts[this.size] + this.size * BYTES_PER_TERM + this.#slots.length * 4
  }

  /** Id of the term; a new one (equal to the old `size`) where it is new. −1 where it is too long to be indexed. */
  add(field: number, term: string): number {
    const start = this.starts[this.size]
    this.#reserveBytes(start + term.length * MAX_UTF8_BYTES_PER_UNIT)
    const length = encodeUtf8(term, this.bytes, start)
    if (length > MAX_TERM_BYTES) return -1
    const hash = hashOf(field, this.bytes, start, length)
    const slot = this.#slotOf(field, hash, start, length)
    const found = this.#slots[slot] - 1
    return found >= 0 ? found : this.#insert(field, hash, slot, start, length)
  }

  /** Id of the term with the bytes of another one in a field; a new one where it is new. */
  addSame(field: number, other: number): number {
    const start = this.starts[this.size]
    const from = this.starts[other]
    const length = this.starts[other + 1] - from
    this.#reserveBytes(start + length)
    this.bytes.copyWithin(start, from, from + length)
    const hash = hashOf(field, this.bytes, start, length)
    const slot = this.#slotOf(field, hash, start, length)
    const found = this.#slots[slot] - 1
    return found >= 0 ? found : this.#insert(field, hash, slot, start, length)
  }

  /** Makes a term of the bytes that lie behind the last one. */
  #insert(field: number, hash: number, slot: number, start: number, length: number): number {
    const id = this.size
    if (id === this.fields.length) this.#grow()
    this.starts[id + 1] = start + length
    this.fields[id] = field
    this.#hashes[id] = hash
    this.size = id + 1
    this.#slots[slot] = id + 1
    if (this.size * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2)
    return id
  }

  /** Id of the term, or −1. */
  find(field: number, term: string): number {
    const start = this.starts[this.size]
    this.#reserveBytes(start + term.length * MAX_UTF8_BYTES_PER_UNIT)
    const length = encodeUtf8(term, this.bytes, start)
    return this.#slots[this.#slotOf(field, hashOf(field, this.bytes, start, length), start, length)] - 1
  }

  /** Forgets all terms and keeps the memory. */
  reset(): void {
    this.size = 0
    this.#slots.fill(0)
  }

  #slotOf(field: number, hash: number, start: number, length: number): number {
    const { bytes, starts, fields } = this
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const id = slots[slot] - 1
      if (id < 0) return slot
      if (this.#hashes[id] === hash && fields[id] === field && starts[id + 1] - starts[id] === length) {
        const other = starts[id]
        let i = 0
        while (i < length && bytes[other + i] === bytes[start + i]) i++
        if (i === length) return slot
      }
      slot = (slot + 1) & mask
    }
  }

  #rehash(length: number): void {
    const slots = largeInt32Array(length)
    const mask = length - 1
    for (let id = 0; id < this.size; id++) {
      const hash = this.#hashes[id]
      let slot = (hash ^ (hash >>> 15)) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = id + 1
    }
    this.#slots = slots
  }

  #grow(): void {
    const doubled = this.fields.length * 2
    const capacity = doubled <= SMALL_CAPACITY ? doubled : Math.max(ROOM, doubled)
    this.starts = copy(this.starts, new Int32Array(capacity + 1))
    this.fields = copy(this.fields, new Int32Array(capacity))
    this.#hashes = copy(this.#hashes, new Int32Array(capacity))
  }

  #reserveBytes(needed: number): void {
    if (needed <= this.bytes.length) return
    const grown = new Uint8Array(largeBuffer(Math.max(needed, this.bytes.length * 2)))
    grown.set(this.bytes)
    this.bytes = grown
  }
}

function hashOf(field: number, bytes: Uint8Array, start: number, length: number): number {
  let hash = Math.imul(FNV_OFFSET ^ field, FNV_PRIME)
  for (let i = start; i < start + length; i++) hash = Math.imul(hash ^ bytes[i], FNV_PRIME)
  return hash
}
