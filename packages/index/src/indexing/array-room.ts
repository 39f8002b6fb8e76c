/** One buffer for several arrays, all zeros, so that their memory can be given back in one piece. */
export class ArrayRoom {
  readonly buffer: ArrayBuffer
  #words = 0
  #end: number

  /** @param bytes a multiple of 4 that the arrays take together */
  constructor(bytes: number) {
    this.buffer = new ArrayBuffer(bytes)
    this.#end = bytes
  }

  /** The next 32-bit words from the front. */
  words(length: number): Int32Array<ArrayBuffer> {
    const words = new Int32Array(this.buffer, this.#words, length)
    this.#words += words.byteLength
    return words
  }

  /** The next bytes from the back. */
  bytes(length: number): Uint8Array<ArrayBuffer> {
    this.#end -= length
    return new Uint8Array(this.buffer, this.#end, length)
  }
}
