/**
 * Many byte streams that grow side by side in one array: each is a chain of slices that double in length, so that a rare
 * term costs 12 bytes and a frequent one is nearly contiguous.
 *
 *   slice of level l: SLICE_LENGTHS[l] − 4 bytes of data, then the address of the next slice (little-endian)
 */

import { ArrayRoom } from './array-room.js'

const SLICE_LENGTHS = new Int32Array([12, 24, 48, 96, 192, 384, 768, 1536, 3072, 4096])
const LAST_LEVEL = SLICE_LENGTHS.length - 1
const LINK_LENGTH = 4

/** Longest pool: addresses are 31 bits. */
export const MAX_POOL_LENGTH = 0x7fff0000

const START_POOL = 1 << 16
/** Up to here the pool doubles. */
const SMALL_POOL = 1 << 20
/**
 * Then it takes room for a whole budget. The system gives memory when it is touched, so what is not used costs nothing,
 * and nothing is copied and left behind on the way.
 */
const ROOM = 1 << 26

/** Where the streams stand, each in its place of the arrays. */
export class SliceStreams {
  /** First byte of the stream, 0 before anything is written. */
  heads = new Int32Array(0)
  /** Next byte to write. */
  nexts = new Int32Array(0)
  /** End of the data of the current slice. */
  ends = new Int32Array(0)
  levels = new Uint8Array(0)

  /** Bytes a stream. */
  static readonly BYTES = 13

  /** Makes room for so many streams. @param room for {@link BYTES} each; of its own where not given */
  grow(capacity: number, room = new ArrayRoom(capacity * SliceStreams.BYTES)): void {
    this.heads = copy(this.heads, room.words(capacity))
    this.nexts = copy(this.nexts, room.words(capacity))
    this.ends = copy(this.ends, room.words(capacity))
    const levels = room.bytes(capacity)
    levels.set(this.levels)
    this.levels = levels
  }

  /** Forgets all streams and their places. */
  clear(): void {
    this.heads = this.nexts = this.ends = new Int32Array(0)
    this.levels = new Uint8Array(0)
  }
}

/** Copies an array into a longer one. */
export function copy<T extends Int32Array>(from: Int32Array, to: T): T {
  to.set(from)
  return to
}

/** The bytes of all streams. */
export class SlicePool {
  bytes = new Uint8Array(START_POOL)
  /** Bytes handed out; the first ones to nobody, as no stream begins at 0. */
  used = LINK_LENGTH

  /** Appends an integer (0 … 2^32 − 1) as varint to stream `i`. */
  writeVarint(streams: SliceStreams, i: number, value: number): void {
    let at = streams.nexts[i]
    if (streams.heads[i] === 0) {
      at = this.#allocate(streams, i, 0)
      streams.heads[i] = at
    }
    let end = streams.ends[i]
    for (;;) {
      if (at === end) {
        const level = Math.min(streams.levels[i] + 1, LAST_LEVEL)
        const next = this.#allocate(streams, i, level)
        const bytes = this.bytes
        bytes[end] = next
        bytes[end + 1] = next >>> 8
        bytes[end + 2] = next >>> 16
        bytes[end + 3] = next >>> 24
        at = next
        end = streams.ends[i]
      }
      if (value < 0x80) break
      this.bytes[at++] = (value & 0x7f) | 0x80
      value >>>= 7
    }
    this.bytes[at++] = value
    streams.nexts[i] = at
  }

  /** Forgets all streams and keeps the memory, but for that of a very large document. */
  reset(): void {
    this.used = LINK_LENGTH
    if (this.bytes.length > ROOM) this.bytes = new Uint8Array(START_POOL)
  }

  #allocate(streams: SliceStreams, i: number, level: number): number {
    const at = this.used
    const length = SLICE_LENGTHS[level]
    if (at + length > this.bytes.length) {
      if (at + length > MAX_POOL_LENGTH) throw new RangeError('the documents in memory are too large')
      const wished = this.bytes.length < SMALL_POOL ? this.bytes.length * 2 : Math.max(ROOM, this.bytes.length * 2)
      const grown = new Uint8Array(Math.min(MAX_POOL_LENGTH, wished))
      grown.set(this.bytes)
      this.bytes = grown
    }
    this.used = at + length
    streams.levels[i] = level
    streams.ends[i] = at + length - LINK_LENGTH
    return at
  }
}

/** Reads a stream from its start. */
export class SliceReader {
  #bytes = new Uint8Array(0)
  #at = 0
  #end = 0
  #level = 0

  /** Goes to the start of stream `i`. It is for the caller to know how much is in it. */
  open(pool: SlicePool, streams: SliceStreams, i: number): void {
    this.#bytes = pool.bytes
    this.#at = streams.heads[i]
    this.#level = 0
    this.#end = this.#at + SLICE_LENGTHS[0] - LINK_LENGTH
  }

  readVarint(): number {
    const bytes = this.#bytes
    let value = 0
    for (let shift = 0; ; shift += 7) {
      if (this.#at === this.#end) {
        const end = this.#end
        const next = bytes[end] | (bytes[end + 1] << 8) | (bytes[end + 2] << 16) | (bytes[end + 3] << 24)
        this.#level = Math.min(this.#level + 1, LAST_LEVEL)
        this.#at = next
        this.#end = next + SLICE_LENGTHS[this.#level] - LINK_LENGTH
      }
      const byte = bytes[this.#at++]
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }
}
