/** What a writer's merges have done and cost so far. */

/** Sums since the writer was opened, and what is going on now. */
export interface MergeStats {
  /** Merges that were put in place. */
  readonly merges: number
  /** Bytes of the segments that they made. */
  readonly mergedBytes: number
  /** Whether the worker is merging. */
  readonly isRunning: boolean
  /** Merges that were due and waited for the worker when the segments were last looked through. */
  readonly waiting: number
  /** How fast the worker may write now, in bytes a second; Infinity: as fast as it can. */
  readonly bytesPerSecond: number
  /** How often adding or committing waited for the worker because too many merges did; each time for one merge at most. */
  readonly stalls: number
  /** Milliseconds of all these waits, and of the longest. */
  readonly stalledMs: number
  readonly longestStallMs: number
}

/** Counts them. */
export class MergeCounter {
  #merges = 0
  #mergedBytes = 0
  #stalls = 0
  #stalledMs = 0
  #longestStallMs = 0

  /** A merge was put in place. */
  merged(bytes: number): void {
    this.#merges++
    this.#mergedBytes += bytes
  }

  /** Counts the wait for the work. */
  async stalled(work: () => Promise<void>): Promise<void> {
    const since = performance.now()
    try {
      await work()
    } finally {
      const took = performance.now() - since
      this.#stalls++
      this.#stalledMs += took
      this.#longestStallMs = Math.max(this.#longestStallMs, took)
    }
  }

  get sums(): Omit<MergeStats, 'isRunning' | 'waiting' | 'bytesPerSecond'> {
    return {
      merges: this.#merges,
      mergedBytes: this.#mergedBytes,
      stalls: this.#stalls,
      stalledMs: this.#stalledMs,
      longestStallMs: this.#longestStallMs,
    }
  }
}
