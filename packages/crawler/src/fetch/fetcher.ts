/**
 * The spider's HTTP client: one GET, one response, everything bounded.
 * It stands on undici's `dispatch`, which neither follows redirects nor decodes bodies; both are the caller's and this folder's
 * business. (The global `fetch` costs several times the CPU, and hides cut and exploding bodies.)
 */

import { readFileSync } from 'node:fs'
import { parseUrl } from '@spindle/core'
import { guardedConnector } from './address-guard.js'
import type { ByteBudget } from './byte-budget.js'
import { Exchange } from './exchange.js'
import { FetchError } from './fetch-error.js'
import type { FetchResult } from './fetch-result.js'
import { Agent } from './undici-adapter.js'

/** Time limits in milliseconds. */
export interface FetchTimeouts {
  /** to an open connection, name resolution and TLS included; default 10,000 */
  readonly connect: number
  /** from the request to the response headers; default 15,000 */
  readonly headers: number
  /** between two pieces of the body; default 15,000 */
  readonly idle: number
  /** for the whole fetch, waiting for a free connection included; default 60,000 */
  readonly total: number
}

/** Settings of a {@link Fetcher}. */
export interface FetcherOptions {
  /** the User-Agent header; default {@link defaultUserAgent} */
  readonly userAgent?: string
  readonly timeouts?: Partial<FetchTimeouts>
  /** most body bytes, counted on the wire and again after decoding; default 10 MiB */
  readonly maxBody?: number
  /** most bytes of response headers; default 16 KiB */
  readonly maxHeaderBytes?: number
  /** most open connections to one origin; default 16 */
  readonly concurrency?: number
  /**
   * Whether a host (name and port, as `hostKey` gives it) may be this machine or in a private network: true for hosts that the
   * user named. Default: no host may.
   */
  readonly mayBePrivate?: (host: string) => boolean
}

/** Settings of one fetch. */
export interface FetchOptions {
  readonly signal?: AbortSignal | undefined
  /** the Accept header */
  readonly accept?: string
  /** further request headers (validators, …); lower-case names */
  readonly headers?: Readonly<Record<string, string>>
  /** overrides the fetcher's limit */
  readonly maxBody?: number
  /** bounds the large bodies in memory; the caller then must call `release` of each result */
  readonly budget?: ByteBudget
  /** overrides the fetcher's total time, milliseconds */
  readonly totalTimeout?: number
}

/** Default of {@link FetcherOptions.maxBody}. */
export const MAX_BODY = 10 * 1024 * 1024

const ACCEPT = 'text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5'

/** `Spindle/<version>`, followed by where to reach the one who runs it: ` (+https://example.org/bot)`. */
export function defaultUserAgent(contact?: string): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(file) as { version: string }
  return contact === undefined || contact === '' ? `Spindle/${version}` : `Spindle/${version} (+${contact})`
}

/** HTTP client of the spider. */
export class Fetcher {
  readonly userAgent: string
  readonly #agent: InstanceType<typeof Agent>
  readonly #maxBody: number
  readonly #totalTimeout: number
  readonly #running = new Set<Exchange>()
  #closed = false

  constructor(options: FetcherOptions = {}) {
    this.userAgent = options.userAgent ?? defaultUserAgent()
    this.#maxBody = options.maxBody ?? MAX_BODY
    this.#totalTimeout = options.timeouts?.total ?? 60_000
    this.#agent = new Agent({
      connections: options.concurrency ?? 16,
      pipelining: 1,
      keepAliveTimeout: 10_000,
      maxHeaderSize: options.maxHeaderBytes ?? 16 * 1024,
      headersTimeout: options.timeouts?.headers ?? 15_000,
      bodyTimeout: options.timeouts?.idle ?? 15_000,
      connect: guardedConnector(options.timeouts?.connect ?? 10_000, options.mayBePrivate ?? (() => false)),
    })
  }

  /**
   * Fetches one address. Redirects are returned, not followed; every status is a result.
   * A body over the limit is cut there and marked `truncated`.
   * @throws FetchError for everything that is no complete response
   */
  fetch(url: string, options: FetchOptions = {}): Promise<FetchResult> {
    const target = parseUrl(url)
    if (target === undefined || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
      const error = new FetchError('unsupported-scheme', url, 'only http and https addresses can be fetched', false)
      return Promise.reject(error)
    }
    if (this.#closed || options.signal?.aborted === true) {
      return Promise.reject(new FetchError('aborted', url, 'ended by the caller', false))
    }
    target.hash = ''
    target.username = ''
    target.password = ''
    const headers = {
      'user-agent': this.userAgent,
      accept: options.accept ?? ACCEPT,
      'accept-encoding': 'gzip, deflate, br',
      ...options.headers,
    }
    const limits = {
      maxBody: options.maxBody ?? this.#maxBody,
      totalTimeout: options.totalTimeout ?? this.#totalTimeout,
      budget: options.budget,
    }
    const dispatch = (exchange: Exchange): void => {
      try {
        const path = `${target.pathname}${target.search}`
        this.#agent.dispatch({ origin: target.origin, path, method: 'GET', headers }, exchange)
      } catch (error) {
        exchange.failWith(error)
      }
    }
    return new Promise((resolve, reject) => {
      const exchange: Exchange = new Exchange(
        target,
        limits,
        options.signal,
        (result) => {
          this.#running.delete(exchange)
          resolve(result)
        },
        (error) => {
          this.#running.delete(exchange)
          reject(error)
        },
        dispatch,
      )
      this.#running.add(exchange)
      dispatch(exchange)
    })
  }

  /** Closes all connections; fetches still running end with `aborted`. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    for (const exchange of [...this.#running]) exchange.abort()
    await this.#agent.destroy()
  }
}
