/**
 * How many searches run at once, and how many wait for their turn: first come, first served. Where more come than the
 * machine can answer, the surplus is refused at once, so that those that were let in are answered in time. Between
 * the beginnings of two searches, connections are served and commits are noticed.
 */
import { SpindleError } from '@spindle/core'
import { serveOthers } from './serve-others.js'

/** Limits of a {@link SearchQueue}. */
export interface QueueLimits {
  /** Searches at once: while one waits for the disk, another computes. */
  readonly running: number
  /** Searches that wait. */
  readonly waiting: number
  /** So many may always wait, however long it takes; the other two limits are for more than those. */
  readonly patient: number
  /** Nobody joins a queue whose first has waited so long, milliseconds. */
  readonly fullAfter: number
  /** Who has waited longer is refused, milliseconds. */
  readonly wait: number
}

const LIMITS: QueueLimits = { running: 4, waiting: 200, patient: 64, fullAfter: 500, wait: 1_500 }

interface Waiting {
  readonly since: number
  readonly signal: AbortSignal | undefined
  start(): void
  refuse(reason: unknown): void
}

/** Lets a bounded number of searches run. */
export class SearchQueue {
  readonly #limits: QueueLimits
  /** A Set keeps the order of arrival. */
  readonly #waiting = new Set<Waiting>()
  #running = 0
  #scheduled = false

  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Runs a search when its turn comes; one whose signal is aborted meanwhile never starts.
   * @throws SpindleError `SERVER_BUSY`; the signal's reason
   */
  run<T>(search: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#isFull()) return Promise.reject(busy())
    return new Promise<T>((resolve, reject) => {
      const entry: Waiting = {
        since: performance.now(),
        signal,
        start: () => {
          search()
            .then(resolve, reject)
            .finally(() => {
              this.#running--
              this.#schedule()
            })
        },
        refuse: (reason) => reject(reason),
      }
      this.#waiting.add(entry)
      this.#schedule()
    })
  }

  #isFull(): boolean {
    const { waiting, patient, fullAfter } = this.#limits
    if (this.#waiting.size >= waiting) return true
    if (this.#waiting.size < patient) return false
    for (const first of this.#waiting) return performance.now() - first.since > fullAfter
    return false
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0 || this.#running >= this.#limits.running) return
    this.#scheduled = true
    void serveOthers().then(() => {
      this.#scheduled = false
      this.#startNext()
      this.#schedule()
    })
  }

  /** Starts the first that still wants to be started. */
  #startNext(): void {
    const { patient, wait } = this.#limits
    for (const entry of this.#waiting) {
      const crowded = this.#waiting.size > patient
      this.#waiting.delete(entry)
      if (entry.signal?.aborted === true) entry.refuse(entry.signal.reason)
      else if (crowded && performance.now() - entry.since > wait) entry.refuse(busy())
      else {
        this.#running++
        entry.start()
        return
      }
    }
  }
}

function busy(): SpindleError {
  return new SpindleError('SERVER_BUSY', 'More searches come in than can be answered: try again in a moment.')
}
