/**
 * The limits of one running search: an abort signal, a deadline, and the moment to let other work of the process run.
 * Looked at every 4,096 postings, because a look costs about as much as decoding a block.
 */
import { SpindleError } from '@spindle/core'

/** Postings between two looks at the clock. */
const CHECK_EVERY = 4096
/** Milliseconds after which a search lets the event loop turn, so that a long query does not stop a server. */
const SLICE_MS = 10

/** Counts postings and stops the search when it has to stop. */
export class SearchLimits {
  readonly #signal: AbortSignal | undefined
  readonly #deadline: number
  readonly #timeLimit: number
  #postings = 0
  #sliceEnd = performance.now() + SLICE_MS
  /** True when the search should yield to the event loop at the next window. */
  sliceOver = false

  /** @param timeLimit milliseconds from now on */
  constructor(signal?: AbortSignal, timeLimit = Infinity) {
    this.#signal = signal
    this.#timeLimit = timeLimit
    this.#deadline = performance.now() + timeLimit
    this.check()
  }

  /** Tells that postings were read. @throws the signal's reason, or `QUERY_TIMEOUT` */
  spend(postings: number): void {
    this.#postings += postings
    if (this.#postings >= CHECK_EVERY) {
      this.#postings = 0
      this.check()
    }
  }

  /** Looks at the signal and the clock now. */
  check(): void {
    this.#signal?.throwIfAborted()
    const now = performance.now()
    if (now > this.#deadline) {
      throw new SpindleError(
        'QUERY_TIMEOUT',
        `The search took longer than ${this.#timeLimit} ms; ask for rarer words or raise the time limit.`,
      )
    }
    if (now > this.#sliceEnd) this.sliceOver = true
  }

  /** Lets the event loop turn once, so that timers and abort signals can fire. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.sliceOver = false
    this.#sliceEnd = performance.now() + SLICE_MS
    this.check()
  }
}
