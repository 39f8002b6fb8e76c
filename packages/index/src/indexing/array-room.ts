import { largeBuffer } from '@spindle/core'

/**
 * Bytes between two arrays: those of 2^n bytes one behind the other would have all values of a term in the same few lines
 * of the processor's caches.
 */
const GAP = 4096 + 2 * 64
/** Arrays of a room at most. */
const MAX_ARRAYS = 16

/**
 * One buffer for several arrays, all zeros. It is kept from segment to segment: what is thrown away stays until the garbage collector finds it, and to
 * free it at once by transferring it away would make every access to a typed array in the process slower (V8 then has to
 * look whether it is still there).
 */
export class ArrayRoom {
  readonly buffer: ArrayBuffer
  #words = 0
  #end: number

  /** @param bytes a multiple of 4 that the arrays take together */
  constructor(bytes: number) {
    this.buffer = largeBuffer(bytes + MAX_ARRAYS * GAP)
    this.#end = this.buffer.byteLength
  }

  /** The next 32-bit words from the front. */
  words(length: number): Int32Array<ArrayBuffer> {
    const words = new Int32Array(this.buffer, this.#words, length)
    this.#words += words.byteLength + GAP
    return words
  }

  /** The next bytes from the back. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    this.#end -= length
    const bytes = new Uint8Array(this.buffer, this.#end, length)
    this.#end -= GAP
    return bytes
  }
}
