import type { FetchResult } from './fetch-result.js'

/** Time limits in milliseconds. */
export interface FetchTimeouts {
  /** to an open connection, name resolution and TLS included; default 10,000 */
  readonly connect: number
  /** from the request to the response headers; default 15,000 */
  readonly headers: number
  /** between two pieces of the body; default 15,000 */
  readonly idle: number
  /** for the whole fetch; default 60,000 */
  readonly total: number
}

/** Settings of a {@link Fetcher}. */
export interface FetcherOptions {
  /** the User-Agent header; default `Spindle/<version>` */
  readonly userAgent?: string
  readonly timeouts?: Partial<FetchTimeouts>
  /** most body bytes, counted on the wire and again after decoding; default 10 MiB */
  readonly maxBody?: number
  /** most bytes of response headers; default 16 KiB */
  readonly maxHeaderBytes?: number
  /** most open connections to one origin; default 16 */
  readonly concurrency?: number
}

/** Settings of one fetch. */
export interface FetchOptions {
  readonly signal?: AbortSignal
  /** the Accept header */
  readonly accept?: string
  /** further request headers (validators, …); lower-case names */
  readonly headers?: Readonly<Record<string, string>>
  /** overrides the fetcher's limit */
  readonly maxBody?: number
  /** overrides the fetcher's total time, milliseconds */
  readonly totalTimeout?: number
}

/** HTTP client of the spider. */
export class Fetcher {
  readonly userAgent: string

  constructor(options: FetcherOptions = {}) {
    this.userAgent = options.userAgent ?? 'Spindle'
  }

  /** @throws FetchError for everything that is no response. Redirects are returned, not followed. */
  async fetch(url: string, _options: FetchOptions = {}): Promise<FetchResult> {
    throw new Error(`not yet: ${url}`)
  }

  /** Closes all connections; fetches still running end with `aborted`. */
  async close(): Promise<void> {}
}
