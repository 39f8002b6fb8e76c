/** Memory is taken in so many bytes, so that a little more does not need another buffer. */
const STEP = 1 << 14

/**
 * Memory that one range after the other is read into. Who goes through a whole file uses one again and again: what is
 * thrown away after each read would wait for the garbage collector, up to 64 MB of it.
 */
export class ReadBuffer {
  #buffer = new ArrayBuffer(0)

  /** So many bytes, at the start of a buffer with room to the next multiple of 4; what was taken before is overwritten. */
  take(length: number): Uint8Array {
    if (this.#buffer.byteLength < length) this.#buffer = new ArrayBuffer(Math.ceil(length / STEP) * STEP)
    return new Uint8Array(this.#buffer, 0, length)
  }
}
