/** Gives the event loop its turn during long work, so that a crawler or server in the same process stays alive. */
import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 10

/** Called between pieces of long work. */
export interface Pace {
  /** To be awaited between pieces of work that take well under 10 ms. */
  maybeYield(): Promise<void>
}

/** Yields when the event loop has waited for 10 ms. */
export class Yielder implements Pace {
  #since = performance.now()

  async maybeYield(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return
    await setImmediate()
    this.#since = performance.now()
  }
}
