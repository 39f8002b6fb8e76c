/**
 * How fast the merges of the worker write: as fast as is needed, so that they take little from searches on the same disk.
 * After the idea of Lucene's ConcurrentMergeScheduler: faster by a fifth whenever merges are found to wait, slower by a
 * tenth whenever none does; at full speed as long as somebody waits for one. The rate lies in shared memory and counts
 * also for the merge that is running.
 */

const KIB = 1024
const START = 20 * 1024 * KIB
const LEAST = 5 * 1024 * KIB
const MOST = 1024 * 1024 * KIB
const FASTER = 1.2
const SLOWER = 1 / 1.1

/** Stands for no limit in the shared word. */
export const NO_LIMIT = 0x7fffffff

/** The rate of one writer's merges. */
export class MergeRate {
  /** One word: KiB a second, or {@link NO_LIMIT}. */
  readonly word = new Int32Array(new SharedArrayBuffer(4))
  readonly #limit: number
  #adapted: number
  /** How many wait for merges now. */
  #hurries = 0

  /**
   * @param limit bytes a second that are never exceeded, Infinity for none
   * @param start bytes a second to begin with
   */
  constructor(limit: number, start = START) {
    this.#limit = limit
    this.#adapted = start
    this.#publish()
  }

  /** Bytes a second that a merge may write now; Infinity: as fast as it can. */
  get bytesPerSecond(): number {
    return this.#hurries > 0 ? this.#limit : Math.min(this.#adapted, this.#limit)
  }

  /** Told whenever the segments were looked through. @param waiting merges that are due and wait for the worker */
  adapt(waiting: number): void {
    const wished = this.#adapted * (waiting > 0 ? FASTER : SLOWER)
    this.#adapted = Math.min(MOST, Math.max(LEAST, wished))
    this.#publish()
  }

  /** Full speed while the work, which waits for a merge, is done. */
  async hurry<T>(work: () => Promise<T>): Promise<T> {
    this.#hurries++
    this.#publish()
    try {
      return await work()
    } finally {
      this.#hurries--
      this.#publish()
    }
  }

  #publish(): void {
    Atomics.store(this.word, 0, wordOf(this.bytesPerSecond))
  }
}

/** A rate that stays as it is, for {@link MergePacer}. @param bytesPerSecond Infinity for no limit */
export function fixedRate(bytesPerSecond: number): Int32Array {
  return Int32Array.of(wordOf(bytesPerSecond))
}

function wordOf(bytesPerSecond: number): number {
  return bytesPerSecond === Number.POSITIVE_INFINITY
    ? NO_LIMIT
    : Math.min(NO_LIMIT - 1, Math.max(1, Math.round(bytesPerSecond / KIB)))
}
