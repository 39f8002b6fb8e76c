/**
 * Byte ranges of one file of a segment: either the whole file is in shared memory, and a range is there at once, or
 * each range is read when it is asked for. (A block cache for the second way has its place here.)
 */
import type { LoadedRange } from '../codec/postings.js'
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import type { Component } from '../store/file-header.js'

/** Files up to this size have their checksum compared when they are loaded: 1 ms. */
const VERIFIED_AT_OPEN = 1 << 20

/** A file of postings or positions. */
export class FileRanges {
  readonly file: string
  /** End of the content. */
  readonly end: number
  readonly length: number
  readonly #input: CheckedInput
  readonly #loaded: LoadedRange | null

  private constructor(input: CheckedInput, loaded: LoadedRange | null) {
    this.file = input.path
    this.end = input.contentEnd
    this.length = input.length
    this.#input = input
    this.#loaded = loaded
  }

  /** @param resident whether to load the file at once; its descriptor is then closed */
  static async open(
    directory: Directory,
    name: string,
    component: Component,
    id: Uint8Array,
    resident: boolean,
  ): Promise<FileRanges> {
    const input = await CheckedInput.open(directory, name, component, id)
    if (!resident) return new FileRanges(input, null)
    try {
      const bytes = await input.readAll(true, input.length <= VERIFIED_AT_OPEN)
      return new FileRanges(input, toRange(input.path, bytes, 0))
    } finally {
      await input.close()
    }
  }

  /** The whole file, where it is in memory. */
  get loaded(): LoadedRange | null {
    return this.#loaded
  }

  /** A range that holds the bytes asked for; they lie inside the content. */
  async load(start: number, length: number): Promise<LoadedRange> {
    if (this.#loaded !== null) return this.#loaded
    // Words of the file stay words in memory.
    const from = start - (start % 4)
    const buffer = new ArrayBuffer((start + length - from + 3) & ~3)
    const bytes = new Uint8Array(buffer, 0, start + length - from)
    await this.#input.read(bytes, from)
    return toRange(this.file, bytes, from)
  }

  async close(): Promise<void> {
    if (this.#loaded === null) await this.#input.close()
  }
}

/** Lays words over bytes that start at a multiple of 4 and have room to the next one. */
function toRange(file: string, bytes: Uint8Array, start: number): LoadedRange {
  return { file, bytes, words: new Int32Array(bytes.buffer, bytes.byteOffset, (bytes.length + 3) >>> 2), start }
}
