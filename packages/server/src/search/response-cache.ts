/**
 * Answers from one commit of the index, and one computation for all who ask the same at the same time. A newer commit
 * has a cache of its own, so nothing is ever out of date.
 */
import { LruCache } from './lru-cache.js'
import { FACET_FIELDS, type SearchRequest, type SearchResponse } from './search-backend.js'

/** A computation under way. */
interface Flight {
  readonly response: Promise<SearchResponse>
  readonly controller: AbortController
  /** Who waits for it; it is aborted when the last one leaves. */
  waiting: number
}

/**
 * What an answer depends on; requests that differ only in other things share it.
 * @param revision of what else may change between two commits, such as the synonyms
 */
export function cacheKey(
  { query, page, size, filters, sort, facets, leniency }: SearchRequest,
  revision: string,
): string {
  const { from, to } = filters
  const values = FACET_FIELDS.map((field) => [...filters[field]].sort())
  return JSON.stringify([revision, query, page, size, values, from, to, sort ?? 'relevance', facets === true, leniency])
}

/** A bounded cache of answers. */
export class ResponseCache {
  readonly #known: LruCache<string, SearchResponse>
  readonly #flights = new Map<string, Flight>()

  /** @param maxBytes as held in memory, about */
  constructor(maxBytes: number) {
    this.#known = new LruCache(maxBytes)
  }

  /**
   * The answer known for a key, or the one computed now.
   * @param signal of this caller, who leaves when it is aborted; the computation has a signal of its own
   * @throws what `compute` throws; the reason of the signal
   */
  async get(
    key: string,
    signal: AbortSignal | undefined,
    compute: (signal: AbortSignal) => Promise<SearchResponse>,
  ): Promise<SearchResponse> {
    signal?.throwIfAborted()
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const flight = this.#flights.get(key) ?? this.#begin(key, compute)
    flight.waiting++
    if (signal === undefined) return flight.response
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(signal.reason)
        if (--flight.waiting > 0) return
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
        flight.controller.abort(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      flight.response.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  #begin(key: string, compute: (signal: AbortSignal) => Promise<SearchResponse>): Flight {
    const controller = new AbortController()
    const response = compute(controller.signal)
    const flight: Flight = { response, controller, waiting: 0 }
    this.#flights.set(key, flight)
    response
      .then(
        (done) => this.#keep(key, done),
        // whoever waits is told
        () => {},
      )
      .finally(() => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key)
      })
    return flight
  }

  #keep(key: string, response: SearchResponse): void {
    if (response.timedOut || response.partial || response.facets === null) return
    // A copy, since a part of a string keeps the whole alive: a snippet would hold the text of its page.
    const json = JSON.stringify(response)
    this.#known.set(key, JSON.parse(json), json.length + key.length)
  }
}
