/** A growing array of 32-bit words. */
import { largeInt32Array } from '@spindle/core'

export class IntBuffer {
  /** The words; only those before `length` count. Replaced when it grows: do not keep. */
  words: Int32Array
  length = 0

  constructor(capacity = 128) {
    this.words = new Int32Array(capacity)
  }

  push(value: number): void {
    if (this.length === this.words.length) this.reserve(1)
    this.words[this.length++] = value
  }

  /** Makes room for `count` more words. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.words.length) return
    const grown = largeInt32Array(Math.max(needed, this.words.length * 2))
    grown.set(this.words)
    this.words = grown
  }
}
