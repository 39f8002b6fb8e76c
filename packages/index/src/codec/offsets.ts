/** Where the occurrences of one term stand in the texts of a segment, decoded a block of 128 at a time. */
import { indexCorrupt } from '../store/index-corrupt.js'
import { BLOCK_SIZE } from './bit-packing.js'
import { unpack } from './bit-unpacking.js'
import type { LoadedRange } from './postings.js'
import type { TermEntry } from './term-entry.js'

const MAX_OFFSET = 0x7fffffff

/** The offsets of one term. An occurrence is named by its place among all of the term, see `Postings.occurrence`. */
export class Offsets {
  readonly #range: LoadedRange | null
  readonly #count: number
  /** Bytes of the list in the range. */
  readonly #at: number
  readonly #end: number
  readonly #starts = new Int32Array(BLOCK_SIZE)
  readonly #lengths = new Int32Array(BLOCK_SIZE)
  #block = -1

  /** @param range holds the list's range; null for a single occurrence */
  constructor(entry: TermEntry, range: LoadedRange | null) {
    this.#range = range
    this.#count = entry.totalTermFreq
    this.#at = range === null ? 0 : entry.offsetsStart - range.start
    this.#end = this.#at + entry.offsetsLength
    if (range !== null) return
    this.#starts[0] = entry.singleOffset
    this.#lengths[0] = entry.singleOffsetLength
    this.#block = 0
  }

  /**
   * UTF-16 ranges of the occurrences of one document, ascending.
   * @param first place of its first occurrence
   * @param count its frequency: so many numbers are written to `starts` and `ends`
   * @throws SpindleError INDEX_CORRUPT
   */
  read(first: number, count: number, starts: Int32Array, ends: Int32Array): void {
    if (first + count > this.#count) this.#corrupt(`at most ${this.#count} offsets`, first + count)
    let start = 0
    for (let n = 0; n < count; n++) {
      const place = first + n
      if (Math.floor(place / BLOCK_SIZE) !== this.#block) this.#load(Math.floor(place / BLOCK_SIZE))
      const i = place % BLOCK_SIZE
      start += this.#starts[i]
      starts[n] = start
      const end = start + this.#lengths[i]
      if (!(end <= MAX_OFFSET)) this.#corrupt('an offset below 2^31', end)
      ends[n] = end
    }
  }

  #load(number: number): void {
    const { words, bytes } = this.#range!
    const full = Math.floor(this.#count / BLOCK_SIZE)
    const table = this.#at >>> 2
    const blocksAt = table + full
    this.#block = -1
    if (full > 0 && blocksAt * 4 > this.#end) this.#corrupt(`a table of ${full} blocks`, 'the end')
    const start = number === 0 ? 0 : words[table + number - 1]
    if (number < full) {
      const end = words[table + number]
      if (!(start >= 0 && end > start && (blocksAt + end) * 4 <= this.#end)) this.#corrupt('a block of offsets', end)
      const header = words[blocksAt + start]
      const startBits = header & 0xff
      const lengthBits = (header >>> 8) & 0xff
      const isWhole = header >>> 16 === 0 && end - start === 1 + 4 * (startBits + lengthBits)
      if (!isWhole || startBits > 31 || lengthBits > 31) this.#corrupt('the header word of a block', header)
      unpack(startBits, words, blocksAt + start + 1, this.#starts)
      unpack(lengthBits, words, blocksAt + start + 1 + 4 * startBits, this.#lengths)
    } else {
      let at = full === 0 ? this.#at : (blocksAt + start) * 4
      const varint = (): number => {
        let value = 0
        let scale = 1
        let byte = 0x80
        for (let k = 0; k < 5 && byte >= 0x80; k++) {
          if (!(at >= this.#at && at < this.#end)) this.#corrupt('an offset', 'the end')
          byte = bytes[at++]
          value += (byte & 0x7f) * scale
          scale *= 128
        }
        if (value > MAX_OFFSET) this.#corrupt('an offset below 2^31', value)
        return value
      }
      for (let i = 0; i < this.#count - full * BLOCK_SIZE; i++) {
        this.#starts[i] = varint()
        this.#lengths[i] = varint()
      }
    }
    this.#block = number
  }

  #corrupt(expected: string, found: number | string): never {
    throw indexCorrupt(this.#range?.file ?? '', (this.#range?.start ?? 0) + this.#at, expected, found)
  }
}
