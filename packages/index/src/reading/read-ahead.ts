/** Reads a file of postings from front to back in windows of 1 MB, for merging and checking: one read for thousands of terms. */
import type { LoadedRange } from '../codec/postings.js'
import type { FileRanges } from './file-ranges.js'

const WINDOW = 1 << 20

/** A window that moves forward. */
export class ReadAhead {
  readonly #file: FileRanges
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

  /** Reads the range and what follows it. */
  async load(start: number, length: number): Promise<LoadedRange> {
    this.#window = null
    this.#window = await this.#file.load(start, Math.max(length, Math.min(WINDOW, this.#file.end - start)))
    return this.#window
  }
}
