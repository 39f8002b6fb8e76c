/** Gives the event loop its turn during long work, so that a crawler or server in the same process stays alive. */
import { setImmediate } from 'node:timers/promises'

const SLICE_MS = 10

/** Yields when the event loop has waited for 10 ms. */
export class Yielder {
  #since = performance.now()

  /** To be awaited between pieces of work that take well under 10 ms. */
  async maybeYield(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return
    await setImmediate()
    this.#since = performance.now()
  }
}
