/**
 * Pieces of files that are read by ranges, kept up to a number of bytes; the one used longest ago goes first. A file is
 * cut into blocks of one size, and only whole blocks are read of it; neighbouring blocks that are missing come with one
 * read, and a block that is on its way is not asked for again. A hit costs a look-up in a map and the copying of what is wanted.
 */

/** A file that blocks are read of. */
export interface BlockSource {
  /** Bytes up to here may be read. */
  readonly contentEnd: number
  /** Called with whole blocks; the last one ends with the content. */
  read(target: Uint8Array, offset: number): Promise<void>
}

/** What a cache has done so far. */
export interface BlockCacheStats {
  /** Bytes kept now. */
  readonly bytes: number
  /** Blocks found, and blocks that had to be read. */
  readonly hits: number
  readonly misses: number
}

/** Numbers of blocks in a file stay below 2^26: 4 TiB of blocks of 64 KiB. */
const BLOCKS_OF_A_FILE = 2 ** 26
/** Longest read in blocks. */
const MAX_RUN = 64

/** Settings of a {@link BlockCache}. */
export interface BlockCacheOptions {
  /** Most bytes kept; asked whenever a block comes in. */
  readonly capacity: () => number
  /** Bytes of a block, a multiple of 4, and of the pages of the files. 64 KiB where not given. */
  readonly blockSize?: number
}

/** A cache for any number of files. */
export class BlockCache {
  readonly blockSize: number
  readonly #capacity: () => number
  /** By file and block; a Map keeps the order of insertion, so that the first is the one used longest ago. */
  readonly #blocks = new Map<number, Uint8Array>()
  readonly #coming = new Map<number, Promise<Uint8Array>>()
  #bytes = 0
  #hits = 0
  #misses = 0
  #files = 0

  constructor({ capacity, blockSize = 64 * 1024 }: BlockCacheOptions) {
    this.blockSize = blockSize
    this.#capacity = capacity
  }

  get stats(): BlockCacheStats {
    return { bytes: this.#bytes, hits: this.#hits, misses: this.#misses }
  }

  /** Makes a file known. */
  add(source: BlockSource): CachedFile {
    return new CachedFile(this, source, this.#files++ * BLOCKS_OF_A_FILE)
  }

  /** Bytes of a file: a view of a block where one holds them all (not to be changed), otherwise a copy. */
  async load(source: BlockSource, firstKey: number, start: number, length: number): Promise<LoadedBytes> {
    const size = this.blockSize
    const first = Math.floor(start / size)
    const last = Math.max(first, Math.ceil((start + length) / size) - 1)
    // Would push out everything else, and itself.
    if ((last - first + 1) * size > this.#capacity() / 2 && last > first) return this.#direct(source, first, last + 1)
    const parts: (Uint8Array | Promise<Uint8Array>)[] = []
    for (let block = first; block <= last; ) {
      const known = this.#known(firstKey + block)
      if (known !== undefined) {
        parts.push(known)
        block++
        continue
      }
      let end = block + 1
      while (end <= last && end - block < MAX_RUN && !this.#has(firstKey + end)) end++
      parts.push(...this.#read(source, firstKey, block, end))
      block = end
    }
    const blocks = await Promise.all(parts)
    if (blocks.length === 1) return { bytes: blocks[0], start: first * size }
    const from = start - (start % 4)
    const bytes = aligned(start + length - from)
    for (let i = 0; i < blocks.length; i++) {
      const at = (first + i) * size
      const skip = Math.max(0, from - at)
      const wanted = blocks[i].subarray(skip, Math.min(blocks[i].length, start + length - at))
      bytes.set(wanted, at + skip - from)
    }
    return { bytes, start: from }
  }

  /** Forgets the blocks of a file. */
  forget(source: BlockSource, firstKey: number): void {
    const count = Math.ceil(source.contentEnd / this.blockSize)
    // Whichever are fewer: the blocks of the file, or those kept.
    if (count <= this.#blocks.size) {
      for (let block = 0; block < count; block++) this.#drop(firstKey + block)
    } else {
      for (const key of this.#blocks.keys()) if (key >= firstKey && key < firstKey + BLOCKS_OF_A_FILE) this.#drop(key)
    }
  }

  #has(key: number): boolean {
    return this.#blocks.has(key) || this.#coming.has(key)
  }

  #known(key: number): Uint8Array | Promise<Uint8Array> | undefined {
    const block = this.#blocks.get(key)
    if (block === undefined) return this.#coming.get(key)
    this.#hits++
    this.#blocks.delete(key)
    this.#blocks.set(key, block)
    return block
  }

  /** Reads the blocks `from` to `to − 1` at once. */
  #read(source: BlockSource, firstKey: number, from: number, to: number): Promise<Uint8Array>[] {
    const size = this.blockSize
    this.#misses += to - from
    const reading = this.#direct(source, from, to)
    const blocks: Promise<Uint8Array>[] = []
    for (let block = from; block < to; block++) {
      const key = firstKey + block
      const coming = reading.then(
        ({ bytes }) => {
          const at = (block - from) * size
          const view = bytes.subarray(at, Math.min(at + size, bytes.length))
          // Memory of its own, so that a block that is dropped is free: a view would hold the whole run.
          const own = to - from === 1 ? view : aligned(view.length)
          if (own !== view) own.set(view)
          this.#coming.delete(key)
          this.#keep(key, own)
          return own
        },
        (error) => {
          this.#coming.delete(key)
          throw error
        },
      )
      this.#coming.set(key, coming)
      blocks.push(coming)
    }
    return blocks
  }

  async #direct(source: BlockSource, from: number, to: number): Promise<LoadedBytes> {
    const start = from * this.blockSize
    const bytes = aligned(Math.min(to * this.blockSize, source.contentEnd) - start)
    await source.read(bytes, start)
    return { bytes, start }
  }

  #keep(key: number, block: Uint8Array): void {
    this.#blocks.set(key, block)
    this.#bytes += block.length
    const capacity = this.#capacity()
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= capacity) break
      this.#drop(oldest)
    }
  }

  #drop(key: number): void {
    const block = this.#blocks.get(key)
    if (block === undefined) return
    this.#bytes -= block.length
    this.#blocks.delete(key)
  }
}

/** Bytes of a file in memory. */
export interface LoadedBytes {
  /** At a multiple of 4 of a buffer with room to the next one. */
  readonly bytes: Uint8Array
  /** Offset in the file of the first one: a multiple of 4. */
  readonly start: number
}

/** A file whose blocks are cached. */
export class CachedFile {
  readonly #cache: BlockCache
  readonly #source: BlockSource
  readonly #firstKey: number
  #open = true

  constructor(cache: BlockCache, source: BlockSource, firstKey: number) {
    this.#cache = cache
    this.#source = source
    this.#firstKey = firstKey
  }

  /** A range that holds the bytes asked for; not to be changed. */
  async load(start: number, length: number): Promise<LoadedBytes> {
    const loaded = await this.#cache.load(this.#source, this.#firstKey, start, length)
    // What came in after the file was closed would stay for nothing.
    if (!this.#open) this.#cache.forget(this.#source, this.#firstKey)
    return loaded
  }

  /** Gives the blocks back. */
  close(): void {
    this.#open = false
    this.#cache.forget(this.#source, this.#firstKey)
  }
}

/** Zeros, with room to the next multiple of 4. */
function aligned(length: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer((length + 3) & ~3), 0, length)
}
