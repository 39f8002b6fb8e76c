/**
 * Byte ranges of one file of a segment: either the whole file is in shared memory, and a range is there at once; or
 * ranges are read when they are asked for, through a cache of blocks, or (for work that goes through a file once, like
 * merging) without one.
 */
import type { LoadedRange } from '../codec/postings.js'
import type { BlockCache, CachedFile, LoadedBytes } from '../store/block-cache.js'
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import type { Component } from '../store/file-header.js'

/** Files up to this size have their checksum compared when they are loaded: 1 ms. */
const VERIFIED_AT_OPEN = 1 << 20

/** A file of postings, positions, terms or norms. */
export class FileRanges {
  readonly file: string
  /** End of the content. */
  readonly end: number
  readonly length: number
  readonly #input: CheckedInput
  readonly #loaded: LoadedRange | null
  readonly #cached: CachedFile | null

  private constructor(input: CheckedInput, loaded: LoadedRange | null, cached: CachedFile | null) {
    this.file = input.path
    this.end = input.contentEnd
    this.length = input.length
    this.#input = input
    this.#loaded = loaded
    this.#cached = cached
  }

  /** @param resident whether to load the file at once (its descriptor is then closed), or through which cache it is read */
  static async open(
    directory: Directory,
    name: string,
    component: Component,
    id: Uint8Array,
    resident: boolean | BlockCache,
  ): Promise<FileRanges> {
    const input = await CheckedInput.open(directory, name, component, id)
    if (typeof resident === 'object') return new FileRanges(input, null, resident.add(input))
    if (!resident) return new FileRanges(input, null, null)
    try {
      const bytes = await input.readAll(true, input.length <= VERIFIED_AT_OPEN)
      return new FileRanges(input, toRange(input.path, { bytes, start: 0 }), null)
    } finally {
      await input.close()
    }
  }

  /** The whole file, where it is in memory. */
  get loaded(): LoadedRange | null {
    return this.#loaded
  }

  /** A range that holds the bytes asked for; they lie inside the content. Not to be changed. */
  async load(start: number, length: number): Promise<LoadedRange> {
    if (this.#loaded !== null) return this.#loaded
    if (this.#cached !== null) return toRange(this.file, await this.#cached.load(start, length))
    // Words of the file stay words in memory.
    const from = start - (start % 4)
    const bytes = new Uint8Array(new ArrayBuffer((start + length - from + 3) & ~3), 0, start + length - from)
    await this.#input.read(bytes, from)
    return toRange(this.file, { bytes, start: from })
  }

  /** Fills `target` from a place in the content, past the cache. */
  read(target: Uint8Array, offset: number): Promise<void> {
    return this.#input.read(target, offset)
  }

  /** The whole file in shared memory, past the cache. @param verify whether to compare the checksum */
  readAll(verify: boolean): Promise<Uint8Array> {
    return this.#input.readAll(true, verify)
  }

  async close(): Promise<void> {
    this.#cached?.close()
    if (this.#loaded === null) await this.#input.close()
  }
}

/** Lays words over bytes that start at a multiple of 4 and have room to the next one. */
function toRange(file: string, { bytes, start }: LoadedBytes): LoadedRange {
  return { file, bytes, words: new Int32Array(bytes.buffer, bytes.byteOffset, (bytes.length + 3) >>> 2), start }
}
