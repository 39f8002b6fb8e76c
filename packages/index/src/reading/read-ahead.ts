/** Reads a file of postings from front to back in windows of 64 KB, for merging and checking: one read for thousands of terms. */
import type { LoadedRange } from '../codec/postings.js'
import type { FileRanges } from './file-ranges.js'
import { ReadBuffer } from './read-buffer.js'

const WINDOW = 1 << 16

/** A window that moves forward. */
export class ReadAhead {
  readonly #file: FileRanges
  readonly #buffer = new ReadBuffer()
  #window: LoadedRange | null = null

  constructor(file: FileRanges) {
    this.#file = file
  }

  /** The range if it is in memory, otherwise null: then `load` has to be awaited. */
  get(start: number, length: number): LoadedRange | null {
    const window = this.#file.loaded ?? this.#window
    if (window === null || start < window.start || start + length > window.start + window.bytes.length) return null
    return window
  }

  /** Reads the range and what follows it; ranges that were read before are overwritten. */
  async load(start: number, length: number): Promise<LoadedRange> {
    this.#window = null
    this.#window = await this.#file.load(
      start,
      Math.max(length, Math.min(WINDOW, this.#file.end - start)),
      this.#buffer,
    )
    return this.#window
  }
}
