/**
 * The limits of one running search: an abort signal, a deadline, the work of its expansions, and the moment to let other
 * work of the process run. The clock is looked at every 4,096 postings, because a look costs about as much as decoding a
 * block.
 */
import { SpindleError } from '@spindle/core'

/** Postings between two looks at the clock. */
const CHECK_EVERY = 4096
/** Milliseconds after which a search lets the event loop turn, so that a long query does not stop a server. */
const SLICE_MS = 10
/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1
/** Work of the expansions of a search: about a second. */
export const MAX_EXPANSION_WORK = 50_000_000

/** When a search has to stop. */
export interface SearchStop {
  /** Stops the search with the signal's reason. */
  readonly signal?: AbortSignal
  /** Milliseconds after which the search fails with `QUERY_TIMEOUT`; unlimited where not given. */
  readonly timeLimit?: number
  /**
   * Postings that prefixes, wildcards, expressions and ranges together may look at before the search fails with
   * `QUERY_TOO_COMPLEX`; a term that they look at counts as eight. 50,000,000 where not given.
   */
  readonly expansionLimit?: number
}

/** What a search does that meets a limit: it fails, or gives what it has found by then. */
export type AtLimit = 'fail' | 'partial'

/** Counts work and stops the search when it has to stop. */
export class SearchLimits {
  readonly #signal: AbortSignal | undefined
  readonly #deadline: number
  readonly #timeLimit: number
  /** Whether there is a signal or a time limit. */
  readonly #isBounded: boolean
  readonly #expansionLimit: number
  readonly #atLimit: AtLimit
  #postings = 0
  #expansionWork = 0
  #sliceEnd: number
  #timeout: SpindleError | null = null
  #partial = false
  /** True when the search should yield to the event loop at the next window. */
  sliceOver = false

  /** The time limit counts from now on. */
  constructor(stop: SearchStop = {}, atLimit: AtLimit = 'fail') {
    this.#signal = stop.signal
    this.#timeLimit = stop.timeLimit ?? Infinity
    this.#expansionLimit = stop.expansionLimit ?? MAX_EXPANSION_WORK
    this.#atLimit = atLimit
    this.#isBounded = stop.signal !== undefined || this.#timeLimit < Infinity
    const now = performance.now()
    this.#deadline = now + this.#timeLimit
    this.#sliceEnd = now + SLICE_MS
    stop.signal?.throwIfAborted()
  }

  /** Whether a limit has been met and something may be missing in the result. */
  get partial(): boolean {
    return this.#partial
  }

  /** Tells that postings were read. @throws the signal's reason, or `QUERY_TIMEOUT` */
  spend(postings: number): void {
    this.#postings += postings
    if (this.#postings >= CHECK_EVERY) {
      this.#postings = 0
      this.check()
    }
  }

  /**
   * Tells that an expansion has looked at so many more postings, or done as much.
   * @returns false where it is to go on with what it has found: the result is partial
   * @throws SpindleError QUERY_TOO_COMPLEX where a partial result is not wanted; and as {@link SearchLimits.spend}
   */
  expand(work: number): boolean {
    this.spend(work)
    this.#expansionWork += work
    if (this.#expansionWork <= this.#expansionLimit) return true
    if (this.#atLimit === 'fail') {
      throw new SpindleError(
        'QUERY_TOO_COMPLEX',
        `The words that the query stands for take more work to find than ${this.#expansionLimit} postings; write longer beginnings, or narrower ranges.`,
      )
    }
    this.#partial = true
    return false
  }

  /** Looks at the signal and the clock now. */
  check(): void {
    this.#signal?.throwIfAborted()
    const now = performance.now()
    if (now > this.#deadline) {
      this.#timeout ??= new SpindleError(
        'QUERY_TIMEOUT',
        `The search took longer than ${this.#timeLimit} ms; ask for rarer words or raise the time limit.`,
      )
      throw this.#timeout
    }
    if (now > this.#sliceEnd) this.sliceOver = true
  }

  /**
   * Does a part of a search whose result may be partial: where the time is over meanwhile, the part ends there.
   * @returns what the work gives; undefined where it was ended
   */
  untilOver<T>(work: () => T | Promise<T>): T | Promise<T | undefined> {
    return this.#isBounded ? this.#untilOver(work) : work()
  }

  async #untilOver<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      this.check()
      return await work()
    } catch (error) {
      if (this.#atLimit === 'fail' || this.#timeout === null || error !== this.#timeout) throw error
      this.#partial = true
      return undefined
    }
  }

  /**
   * Waits for what is read (or has it already), no longer than the search may take. The reading itself goes on: others may wait for it.
   * @throws the signal's reason, or `QUERY_TIMEOUT`
   */
  wait<T>(reading: T | Promise<T>): T | Promise<T> {
    return this.#isBounded && reading instanceof Promise ? this.#waitFor(reading) : reading
  }

  async #waitFor<T>(reading: Promise<T>): Promise<T> {
    const signal = this.#signal
    let timer: NodeJS.Timeout | undefined
    let look = (): void => {}
    const over = new Promise<never>((_, reject) => {
      look = () => {
        try {
          this.check()
        } catch (error) {
          reject(error)
          return
        }
        const left = this.#deadline - performance.now()
        if (left < Infinity) timer = setTimeout(look, Math.min(Math.ceil(left) + 1, MAX_TIMER_MS))
      }
      look()
      signal?.addEventListener('abort', look)
    })
    try {
      return await Promise.race([reading, over])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', look)
    }
  }

  /** Whether the time of the search is over. */
  get timeOver(): boolean {
    return this.#timeout !== null
  }

  /** Lets the event loop turn once, so that timers and abort signals can fire. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.sliceOver = false
    this.#sliceEnd = performance.now() + SLICE_MS
    this.check()
  }
}
