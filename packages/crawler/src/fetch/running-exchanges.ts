/**
 * Exchanges that have not ended, by the signal that ends them. The many fetches of a crawl have one signal, which is listened to
 * once for all of them: to add and remove a listener of each costs more than all else that is done here.
 */

import type { Exchange } from './exchange.js'

interface Group {
  readonly exchanges: Set<Exchange>
  readonly onAbort: () => void
}

/** See the head of this file. */
export class RunningExchanges {
  readonly #groups = new Map<AbortSignal | undefined, Group>()

  add(exchange: Exchange, signal: AbortSignal | undefined): void {
    let group = this.#groups.get(signal)
    if (group === undefined) {
      const exchanges = new Set<Exchange>()
      group = { exchanges, onAbort: () => abortAll(exchanges) }
      this.#groups.set(signal, group)
      signal?.addEventListener('abort', group.onAbort)
    }
    group.exchanges.add(exchange)
  }

  delete(exchange: Exchange, signal: AbortSignal | undefined): void {
    const group = this.#groups.get(signal)
    if (group?.exchanges.delete(exchange) !== true || group.exchanges.size > 0) return
    this.#groups.delete(signal)
    signal?.removeEventListener('abort', group.onAbort)
  }

  /** Ends all at once with `aborted`. */
  abortAll(): void {
    for (const { exchanges } of [...this.#groups.values()]) abortAll(exchanges)
  }
}

function abortAll(exchanges: ReadonlySet<Exchange>): void {
  for (const exchange of [...exchanges]) exchange.abort()
}
