/**
 * Byte ranges of one file of a segment: either the whole file is in shared memory, and a range is there at once; or
 * ranges are read when they are asked for, through a cache of blocks, or (for work that goes through a file once, like
 * merging) without one. Checksums are compared of whatever comes in.
 */
import type { LoadedRange } from '../codec/postings.js'
import type { BlockCache, CachedFile, LoadedBytes } from '../store/block-cache.js'
import { CheckedInput } from '../store/checked-input.js'
import type { Directory } from '../store/directory.js'
import type { Component } from '../store/file-header.js'
import { PAGE_LENGTH, pageStart } from '../store/page-checksums.js'
import type { ReadBuffer } from './read-buffer.js'

/** A file of postings, positions or terms. */
export class FileRanges {
  readonly file: string
  /** End of the content. */
  readonly end: number
  readonly length: number
  readonly #input: CheckedInput
  readonly #cached: CachedFile | null
  #loaded: LoadedRange | null = null
  #filling: Promise<void> | null = null
  #open = true

  private constructor(input: CheckedInput, cached: CachedFile | null) {
    this.file = input.path
    this.end = input.contentEnd
    this.length = input.length
    this.#input = input
    this.#cached = cached
  }

  /**
   * @param resident whether to load the file at once (its descriptor is then closed), or through which cache ranges are
   * read
   */
  static async open(
    directory: Directory,
    name: string,
    component: Component,
    id: Uint8Array,
    resident: boolean | BlockCache,
  ): Promise<FileRanges> {
    const input = await CheckedInput.open(directory, name, component, id)
    if (typeof resident === 'object') return new FileRanges(input, resident.add(input))
    const file = new FileRanges(input, null)
    if (resident) await file.fill().finally(() => input.close())
    return file
  }

  /**
   * Brings the whole file into memory; ranges may be read meanwhile. Nothing happens where it is closed.
   * @throws SpindleError INDEX_CORRUPT: ranges of it that are whole can still be read
   */
  fill(): Promise<void> {
    if (!this.#open) return Promise.resolve()
    this.#filling ??= this.readAll().then((bytes) => {
      this.#loaded = toRange(this.file, { bytes, start: 0 })
    })
    return this.#filling
  }

  /** The whole file, where it is in memory. */
  get loaded(): LoadedRange | null {
    return this.#loaded
  }

  /**
   * A range that holds the bytes asked for; they lie inside the content. Not to be changed.
   * @param buffer memory for a range that is neither loaded nor cached; of its own where not given
   */
  async load(start: number, length: number, buffer?: ReadBuffer): Promise<LoadedRange> {
    if (this.#loaded !== null) return this.#loaded
    if (this.#cached !== null) return toRange(this.file, await this.#cached.load(start, length))
    const from = pageStart(start)
    const to = Math.min(pageStart(start + length + PAGE_LENGTH - 1), this.end)
    const bytes =
      buffer?.take(to - from) ?? new Uint8Array(new ArrayBuffer(Math.ceil((to - from) / 4) * 4), 0, to - from)
    await this.#input.read(bytes, from)
    return toRange(this.file, { bytes, start: from })
  }

  /** The whole file in shared memory, past the cache. */
  readAll(): Promise<Uint8Array> {
    return this.#input.readAll(true)
  }

  async close(): Promise<void> {
    this.#open = false
    this.#cached?.close()
    // Not under a read that is on its way.
    await this.#filling?.catch(() => {})
    await this.#input.close()
  }
}

/** Lays words over bytes that start at a multiple of 4 and have room to the next one. */
function toRange(file: string, { bytes, start }: LoadedBytes): LoadedRange {
  return { file, bytes, words: new Int32Array(bytes.buffer, bytes.byteOffset, (bytes.length + 3) >>> 2), start }
}
