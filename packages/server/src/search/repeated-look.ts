/**
 * Looks at something again and again, one look after the other. Files and folders are looked at instead of watched, which works
 * on every file system.
 */

/** Repeats a look until it is closed. */
export class RepeatedLook {
  readonly #look: () => Promise<void>
  readonly #pause: () => number
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #closed = false

  /**
   * @param look never fails
   * @param pause milliseconds between the end of a look and the next
   */
  constructor(look: () => Promise<void>, pause: () => number) {
    this.#look = look
    this.#pause = pause
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Begins to repeat; the first look comes after a pause. */
  start(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.now().then(() => this.start()), this.#pause())
    this.#timer.unref()
  }

  /** Looks now, after the look that may be under way. */
  async now(): Promise<void> {
    this.#looking = this.#looking.then(() => (this.#closed ? undefined : this.#look()))
    await this.#looking
  }

  /** No look begins any more; waits for the one under way. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#looking
  }
}
