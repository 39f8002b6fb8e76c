/**
 * Keeps the reader of a refreshed searcher open as long as a search or a result still uses it, and no longer: results
 * are read lazily, so they outlive the search. Results are not closed by their users, so a FinalizationRegistry tells
 * when one has gone.
 */
import type { IndexReader } from '../reading/index-reader.js'

const collected = new FinalizationRegistry<ReaderLease>((lease) => lease.release())

/** Counts the users of one reader. */
export class ReaderLease {
  readonly reader: IndexReader
  readonly #owned: boolean
  #users = 0
  #token: WeakRef<object> | undefined
  #retired = false
  #closed = false

  /** @param owned whether the reader is to be closed when nobody uses it any more */
  constructor(reader: IndexReader, owned: boolean) {
    this.reader = reader
    this.#owned = owned
  }

  acquire(): void {
    this.#users++
  }

  release(): void {
    this.#users--
    if (this.#retired && this.#users === 0) void this.close().catch(() => {})
  }

  /**
   * Whoever keeps the object that is returned uses the reader until that object is garbage. Results share one: to register
   * each of them costs more than finding a rare word.
   */
  hold(): object {
    let token = this.#token?.deref()
    if (token === undefined) {
      token = {}
      this.#token = new WeakRef(token)
      this.acquire()
      collected.register(token, this)
    }
    return token
  }

  /** No new users come: closes the reader now or after the last one. */
  async retire(): Promise<void> {
    this.#retired = true
    if (this.#users === 0) await this.close()
  }

  /** Closes the reader at once. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#owned) await this.reader.close()
  }

  /** Whether nobody uses the reader any more. */
  get closed(): boolean {
    return this.#closed
  }
}
