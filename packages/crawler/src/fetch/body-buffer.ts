/**
 * A body put together in one growing buffer. Keeping the pieces as they come would let a server that sends single bytes make an
 * object of each; here a body costs at most twice its length, however it is cut up.
 */

/** Most bytes reserved on the word of a Content-Length. */
const MAX_RESERVED = 1 << 20

/** Collects up to a number of bytes. */
export class BodyBuffer {
  readonly #limit: number
  #bytes: Buffer
  #length = 0

  /**
   * @param limit most bytes kept
   * @param expected length announced, where one is
   */
  constructor(limit: number, expected: number | undefined) {
    this.#limit = limit
    this.#bytes = Buffer.allocUnsafe(Math.min(expected ?? 16 * 1024, MAX_RESERVED, limit))
  }

  get length(): number {
    return this.#length
  }

  /** Adds a piece, as far as there is room below the limit. Returns whether all of it was taken. */
  append(chunk: Buffer): boolean {
    const taken = Math.min(chunk.length, this.#limit - this.#length)
    const needed = this.#length + taken
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.min(Math.max(needed, this.#bytes.length * 2), this.#limit))
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    chunk.copy(this.#bytes, this.#length, 0, taken)
    this.#length = needed
    return taken === chunk.length
  }

  /** The body so far. Shares the memory of this buffer, which must not be written to any more. */
  take(): Buffer {
    const body = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    return body
  }
}
