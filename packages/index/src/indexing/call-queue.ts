/** Does the calls of a writer one after the other in the order they are made, and refuses them once it has ended. */
import { SpindleError } from '@spindle/core'

/** The calls of one writer. */
export class CallQueue {
  readonly #path: string
  #last: Promise<unknown> = Promise.resolve()
  #ended: { readonly cause?: unknown } | null = null

  /** @param path of the index, for messages */
  constructor(path: string) {
    this.#path = path
  }

  /** Whether the writer has ended. */
  get hasEnded(): boolean {
    return this.#ended !== null
  }

  /** From now on calls are refused. @param reason the error that ended the writer, if one did */
  end(reason: { readonly cause?: unknown }): void {
    this.#ended = reason
  }

  /**
   * Does the work after everything asked for before.
   * @param evenEnded whether to do it also after the end
   * @throws SpindleError INDEX_CLOSED
   */
  run<T>(work: () => Promise<T>, evenEnded = false): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#ended !== null && !evenEnded) throw this.#refusal(this.#ended)
      return work()
    })
    this.#last = result.catch(() => {})
    return result
  }

  #refusal({ cause }: { readonly cause?: unknown }): SpindleError {
    const why = cause === undefined ? 'is closed' : `was closed by an error (${String(cause)})`
    return new SpindleError('INDEX_CLOSED', `The writer of ${this.#path} ${why}: open a new one.`, { cause })
  }
}
