/** Fetches of robots.txt: they keep the delay of their host like pages do, and their faults are kept for the report. */
import { FetchError } from '../fetch/fetch-error.js'
import type { FetchResult } from '../fetch/fetch-result.js'
import type { Fetcher, FetchOptions } from '../fetch/fetcher.js'
import type { Politeness } from './politeness.js'
import { hostOf } from './workload.js'

/** See the head of this file. */
export class PoliteFetcher implements Pick<Fetcher, 'fetch'> {
  readonly #fetcher: Pick<Fetcher, 'fetch'>
  readonly #politeness: Politeness
  readonly #faults = new Map<string, string>()
  readonly #blocked = new Set<string>()

  constructor(fetcher: Pick<Fetcher, 'fetch'>, politeness: Politeness) {
    this.#fetcher = fetcher
    this.#politeness = politeness
  }

  async fetch(url: string, options?: FetchOptions): Promise<FetchResult> {
    const host = hostOf(url)
    try {
      const result = await this.#fetcher.fetch(url, options)
      if (result.status >= 500 || result.status === 429) this.#faults.set(host, `http-${result.status}`)
      else this.#faults.delete(host)
      return result
    } catch (error) {
      if (error instanceof FetchError && error.reason === 'blocked-address') this.#blocked.add(host)
      this.#faults.set(host, describe(error))
      throw error
    } finally {
      this.#politeness.touched(host)
    }
  }

  /** True where the address guard refused the host. */
  isBlocked(host: string): boolean {
    return this.#blocked.has(host)
  }

  /** What was wrong with the last answer of a host, or undefined. */
  faultOf(host: string): string | undefined {
    return this.#faults.get(host)
  }
}

/** The last part of a fetch error's message: what the network said. */
function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  const colon = text.indexOf('): ')
  return colon < 0 ? text : text.slice(colon + 3)
}
