/**
 * How a reader shares out the memory that it may use for terms, postings, positions, norms and doc values: whole segments
 * as long as they fit, of the others the terms as long as they fit, and a cache of blocks for the rest. A reader and
 * those that `refresh` makes of it share one.
 */
import { setImmediate } from 'node:timers/promises'
import { BlockCache, type BlockCacheStats } from '../store/block-cache.js'
import type { Directory } from '../store/directory.js'

/** 1 GiB: an index of about 5 million pages of text is all in memory. */
export const DEFAULT_MEMORY_BUDGET = 2 ** 30
/** 64 MiB for an index whose ranges come over a network. */
const DEFAULT_REMOTE_BUDGET = 2 ** 26
/** This part of the budget always is for the cache. */
const CACHE_SHARE = 1 / 16
/** Blocks over a network: most lists, and runs of terms, take one to three. */
const REMOTE_BLOCK = 8 * 1024

/** The memory of a reader. */
export class ReadingMemory {
  /** Bytes. */
  readonly budget: number
  /** Whether nothing is loaded whole, as the files are far away. */
  readonly isRemote: boolean
  readonly cache: BlockCache
  #resident = 0
  readonly #waiting: (() => Promise<void> | null)[] = []
  #loading: Promise<void> = Promise.resolve()

  /**
   * @param budget bytes
   * @throws RangeError where it is no number ≥ 0
   */
  constructor(directory: Directory, budget?: number) {
    this.isRemote = directory.isRemote === true
    this.budget = budget ?? (this.isRemote ? DEFAULT_REMOTE_BUDGET : DEFAULT_MEMORY_BUDGET)
    if (!(this.budget >= 0)) throw new RangeError(`memoryBudget must be a number of bytes ≥ 0: ${this.budget}`)
    const capacity = () => this.budget - this.#resident
    this.cache = new BlockCache(this.isRemote ? { capacity, blockSize: REMOTE_BLOCK } : { capacity })
  }

  /** Bytes of the segments, and of the terms, that are in memory whole. */
  get residentBytes(): number {
    return this.#resident
  }

  get cacheStats(): BlockCacheStats {
    return this.cache.stats
  }

  /** Takes room for a segment, or a part of it. @returns false where there is none: then it is read by ranges */
  admit(bytes: number): boolean {
    if (this.isRemote || this.#resident + bytes > this.budget * (1 - CACHE_SHARE)) return false
    this.#resident += bytes
    return true
  }

  /** Notes what is to be loaded once the index is open. */
  later(load: () => Promise<void> | null): void {
    this.#waiting.push(load)
  }

  /**
   * The index is open: loads what was noted, one after the other, behind the back of the first searches. Failures are
   * passed over: what cannot be loaded whole is read by ranges, and told there.
   */
  begin(): void {
    const loads = this.#waiting.splice(0)
    if (loads.length === 0) return
    this.#loading = this.#loading.then(async () => {
      for (const load of loads) {
        await setImmediate()
        await load()?.catch(() => {})
      }
    })
  }

  /** Waits until all of it is loaded. */
  async settled(): Promise<void> {
    for (let seen: Promise<void> | null = null; seen !== this.#loading; ) {
      seen = this.#loading
      await seen
    }
  }

  /** Gives the room of a segment back. */
  leave(bytes: number): void {
    this.#resident -= bytes
  }
}
