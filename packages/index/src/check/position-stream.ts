/**
 * The positions of one term as they are in the file: a stream of distances, gone through once from front to back, block
 * by block. A reading of its own beside `Postings`, which finds the positions of single documents.
 */
import { BLOCK_SIZE } from '../codec/bit-packing.js'
import { unpack } from '../codec/bit-unpacking.js'
import type { LoadedRange } from '../codec/postings.js'
import type { TermEntry } from '../codec/term-entry.js'
import { indexCorrupt } from '../store/index-corrupt.js'

const MAX_POSITION = 0x7fffffff
const NO_RANGE: LoadedRange = { file: '', bytes: new Uint8Array(0), words: new Int32Array(0), start: 0 }

/** Begins anew with each term, so that nothing is allocated for one. */
export class PositionStream {
  readonly #block = new Int32Array(BLOCK_SIZE)
  #range = NO_RANGE
  /** Of the list, in the range. */
  #at = 0
  #end = 0
  /** Positions of the term, and those already gone through. */
  #count = 0
  #done = 0
  /** Blocks loaded, and the place in the last of them. */
  #blocks = 0
  #index = 0
  /** Where the next full block starts, in words behind the table. */
  #nextWord = 0
  #tailEnd = 0

  /** @param range holds the positions of a term that occurs more than once */
  start(entry: TermEntry, range: LoadedRange): void {
    this.#range = range
    this.#at = entry.positionsStart - range.start
    this.#end = this.#at + entry.positionsLength
    this.#count = entry.totalTermFreq
    this.#done = 0
    this.#blocks = 0
    this.#index = BLOCK_SIZE
    this.#nextWord = 0
  }

  /**
   * Goes through the positions of documents that follow each other.
   * @param freqs how many each of them has, `freqs[0 … length)`
   * @param total their sum
   * @throws SpindleError INDEX_CORRUPT where they are too many or too large
   */
  pass(freqs: Int32Array, length: number, total: number): void {
    const block = this.#block
    this.#done += total
    if (this.#done > this.#count) this.#corrupt(`${this.#count} positions`, this.#done)
    let i = this.#index
    for (let d = 0; d < length; d++) {
      let left = freqs[d]
      if (left === 1 && i < BLOCK_SIZE) {
        // No sum to be made, and no number of a block is larger than a position may be.
        i++
        continue
      }
      let position = 0
      while (left > 0) {
        if (i === BLOCK_SIZE) {
          this.#load()
          i = 0
        }
        const end = Math.min(i + left, BLOCK_SIZE)
        left -= end - i
        for (; i < end; i++) position += block[i]
      }
      if (position > MAX_POSITION) this.#corrupt('a position below 2^31', position)
    }
    this.#index = i
  }

  /** Compares that nothing is left. @throws SpindleError INDEX_CORRUPT */
  finish(): void {
    if (this.#done !== this.#count) this.#corrupt(`${this.#count} positions`, this.#done)
    const full = Math.floor(this.#count / BLOCK_SIZE)
    const end = this.#count % BLOCK_SIZE === 0 ? this.#at + 4 * (full + this.#nextWord) : this.#tailEnd
    if (end !== this.#end) this.#corrupt('the end of the positions', `${this.#end - end} bytes more`)
  }

  /** Loads the next block. */
  #load(): void {
    const { words } = this.#range
    const full = Math.floor(this.#count / BLOCK_SIZE)
    const number = this.#blocks++
    const table = this.#at >>> 2
    const blocksAt = table + full
    if (blocksAt * 4 > this.#end && full > 0) this.#corrupt(`a table of ${full} blocks`, 'the end')
    if (number === full) {
      this.#loadTail(full === 0 ? this.#at : (blocksAt + this.#nextWord) * 4)
      return
    }
    const start = this.#nextWord
    const end = words[table + number]
    const bits = (end - start) / 4
    const isInside = end >= start && (blocksAt + end) * 4 <= this.#end
    if (!isInside || bits > 31 || bits !== Math.floor(bits)) this.#corrupt('a block of positions', bits)
    unpack(bits, words, blocksAt + start, this.#block)
    this.#nextWord = end
  }

  #loadTail(from: number): void {
    const { bytes } = this.#range
    const count = this.#count % BLOCK_SIZE
    let at = from
    for (let i = 0; i < count; i++) {
      let value = 0
      let scale = 1
      let byte = 0x80
      for (let k = 0; k < 5 && byte >= 0x80; k++) {
        if (at >= this.#end) this.#corrupt('a position', 'the end')
        byte = bytes[at++]
        value += (byte & 0x7f) * scale
        scale *= 128
      }
      if (byte >= 0x80 || value > MAX_POSITION) this.#corrupt('a position below 2^31', value)
      this.#block[i] = value
    }
    this.#tailEnd = at
  }

  #corrupt(expected: string, found: number | string): never {
    throw indexCorrupt(this.#range.file, this.#range.start + this.#at, expected, found)
  }
}
