/** Fetches of robots.txt: they keep the delay of their host like pages do. */
import type { FetchResult } from '../fetch/fetch-result.js'
import type { Fetcher, FetchOptions } from '../fetch/fetcher.js'
import type { Politeness } from './politeness.js'
import { hostOf } from './workload.js'

/** See the head of this file. */
export class PoliteFetcher implements Pick<Fetcher, 'fetch'> {
  readonly #fetcher: Pick<Fetcher, 'fetch'>
  readonly #politeness: Politeness

  constructor(fetcher: Pick<Fetcher, 'fetch'>, politeness: Politeness) {
    this.#fetcher = fetcher
    this.#politeness = politeness
  }

  async fetch(url: string, options?: FetchOptions): Promise<FetchResult> {
    try {
      return await this.#fetcher.fetch(url, options)
    } finally {
      this.#politeness.touched(hostOf(url))
    }
  }
}
