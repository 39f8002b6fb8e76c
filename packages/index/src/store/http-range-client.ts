/**
 * Ranges of files from a static HTTP server, by the platform's own fetch (Node.js and browsers). Every answer is held
 * against what was asked: 206, the very range, the length and the version of the file; what fails on the way is asked
 * again after a pause that doubles. A bounded number of requests is under way at a time.
 */
import { SpindleError } from '@spindle/core'

/** Settings of an {@link HttpDirectory}. */
export interface HttpDirectoryOptions {
  /** Requests under way at a time; 6 where not given. */
  readonly concurrency?: number
  /** How often a request is repeated that failed on the way or with 408, 429 or 5xx; 3 where not given. */
  readonly retries?: number
  /** Milliseconds before the first repetition; the next pauses are twice as long each. 200 where not given. */
  readonly retryDelay?: number
  /** Milliseconds for one request and its answer; 30,000 where not given. */
  readonly timeout?: number
  /** Ends all requests, running and later ones, with its reason. */
  readonly signal?: AbortSignal
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the platform's fetch. */
  readonly fetch?: typeof fetch
  /**
   * Number of the commit to read, for a server without the pointer `segments.gen`. Where not given, the pointer tells the
   * newest.
   */
  readonly generation?: number
}

/** What was transferred so far. */
export interface HttpTraffic {
  /** Requests sent, repetitions included. */
  readonly requests: number
  /** Bytes of bodies received. */
  readonly bytes: number
}

/** A range of a file, as a server gave it. */
export interface HttpRange {
  /** May be shorter than asked for where the file ends. */
  readonly bytes: Uint8Array
  /** Length of the whole file. */
  readonly fileLength: number
  /** Version of the file: ETag or Last-Modified, '' where the server tells neither. */
  readonly version: string
}

/** What a failed request may be asked again for. */
class Retryable extends Error {}

const LONGEST_PAUSE = 10_000

/** Sends the requests of one directory. */
export class HttpRangeClient {
  readonly #options: HttpDirectoryOptions
  readonly #concurrency: number
  readonly #waiting: (() => void)[] = []
  #running = 0
  #requests = 0
  #bytes = 0

  /** @throws RangeError for a wrong number */
  constructor(options: HttpDirectoryOptions) {
    this.#options = options
    this.#concurrency = options.concurrency ?? 6
    if (!(this.#concurrency >= 1)) throw new RangeError(`concurrency must be a number ≥ 1: ${options.concurrency}`)
    const { retries = 0, retryDelay = 0, timeout = 1 } = options
    if (!(retries >= 0 && retryDelay >= 0 && timeout > 0))
      throw new RangeError('retries, retryDelay and timeout are ≥ 0')
  }

  get traffic(): HttpTraffic {
    return { requests: this.#requests, bytes: this.#bytes }
  }

  /**
   * Asks for `bytes[from … to)` of a file.
   * @param version of the file, where it is known
   * @throws SpindleError INDEX_FETCH_FAILED, INDEX_CHANGED; an error with the code ENOENT for 404 and 410; the reason of
   * the signal
   */
  async range(url: string, from: number, to: number, known: HttpRange | null): Promise<HttpRange> {
    const { retries = 3, retryDelay = 200, signal } = this.#options
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted()
      await this.#enter()
      try {
        return await this.#ask(url, from, to, known)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof Retryable)) throw error
        if (attempt >= retries) throw fetchFailed(url, `${error.message}, ${attempt + 1} times`, error.cause)
      } finally {
        this.#leave()
      }
      // Half of it by chance, so that many readers do not come back at the same moment.
      const pause = Math.min(LONGEST_PAUSE, retryDelay * 2 ** attempt) * (0.5 + Math.random() / 2)
      await wait(pause, signal)
    }
  }

  async #ask(url: string, from: number, to: number, known: HttpRange | null): Promise<HttpRange> {
    const { timeout = 30_000, signal, headers } = this.#options
    const ask = this.#options.fetch ?? fetch
    const limit = AbortSignal.timeout(timeout)
    const stop = signal === undefined ? limit : AbortSignal.any([limit, signal])
    // No cache of a browser: an answer of an index that was replaced would not fit the others.
    const init = { headers: { ...headers, range: `bytes=${from}-${to - 1}` }, signal: stop, cache: 'no-store' }
    this.#requests++
    let response: Response
    try {
      response = await ask(url, init)
    } catch (error) {
      throw new Retryable(limit.aborted ? `no answer within ${timeout} ms` : `no answer: ${reason(error)}`, {
        cause: error,
      })
    }
    let told: { length: number; fileLength: number }
    try {
      told = checkHead(url, response, from, to, known)
    } catch (error) {
      // Ends the transfer: the body may be large.
      await response.body?.cancel().catch(() => {})
      throw error
    }
    const bytes = new Uint8Array(told.length)
    let done = 0
    try {
      const reader = response.body?.getReader()
      for (;;) {
        const part = await reader?.read()
        if (part === undefined || part.done) break
        this.#bytes += part.value.length
        if (done + part.value.length > told.length) {
          await reader?.cancel().catch(() => {})
          throw fetchFailed(url, `more than the ${told.length} bytes announced came`)
        }
        bytes.set(part.value, done)
        done += part.value.length
      }
    } catch (error) {
      if (error instanceof SpindleError) throw error
      throw new Retryable(
        limit.aborted ? `no whole answer within ${timeout} ms` : `the answer broke off: ${reason(error)}`,
        {
          cause: error,
        },
      )
    }
    if (done < told.length) throw new Retryable(`the answer ended after ${done} of ${told.length} bytes`)
    return { bytes, fileLength: told.fileLength, version: versionOf(response) }
  }

  async #enter(): Promise<void> {
    if (this.#running >= this.#concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running++
  }

  #leave(): void {
    const next = this.#waiting.shift()
    // The place goes over to the next.
    if (next === undefined) this.#running--
    else next()
  }
}

/** Compares status and headers with the request. @returns the lengths that they tell */
function checkHead(
  url: string,
  response: Response,
  from: number,
  to: number,
  known: HttpRange | null,
): { length: number; fileLength: number } {
  const { status, headers } = response
  if (status === 404 || status === 410) {
    throw Object.assign(new Error(`ENOENT: the server has no file ${url}`), { code: 'ENOENT', path: url })
  }
  if (status === 408 || status === 429 || status >= 500) throw new Retryable(`the server answered ${status}`)
  if (status === 416 && known !== null) throw changed(url, `it ends before byte ${from}`)
  if (status !== 206 && status !== 200) throw fetchFailed(url, `the server answered ${status}`)
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity') {
    throw fetchFailed(url, `the server compressed the range (${encoding}): switch compression off for index files`)
  }
  if (known !== null && versionOf(response) !== known.version) throw changed(url, 'its ETag or date is another')
  if (status === 200) {
    // Allowed for a range that is the whole file; anything else would be a download of it.
    const length = Number(headers.get('content-length') ?? Number.NaN)
    if (from !== 0 || !(length <= to)) {
      throw fetchFailed(url, 'the server ignores ranges (it answered 200): use one that supports the Range header')
    }
    return { length, fileLength: length }
  }
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')
  if (match === null) {
    throw fetchFailed(
      url,
      `the server told no Content-Range that can be read; across origins it has to expose the header`,
    )
  }
  const [first, last, fileLength] = [Number(match[1]), Number(match[2]), Number(match[3])]
  if (known !== null && fileLength !== known.fileLength) {
    throw changed(url, `it has ${fileLength} bytes and had ${known.fileLength}`)
  }
  if (first !== from || last !== Math.min(to, fileLength) - 1) {
    throw fetchFailed(url, `the server sent the bytes ${first}–${last} for ${from}–${to - 1}`)
  }
  return { length: last - first + 1, fileLength }
}

function versionOf({ headers }: Response): string {
  return headers.get('etag') ?? headers.get('last-modified') ?? ''
}

function reason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message ?? String(error)
}

function fetchFailed(url: string, what: string, cause?: unknown): SpindleError {
  return new SpindleError(
    'INDEX_FETCH_FAILED',
    `The index file ${url} could not be read: ${what}.`,
    cause === undefined ? undefined : { cause },
  )
}

function changed(url: string, how: string): SpindleError {
  return new SpindleError(
    'INDEX_CHANGED',
    `The index file ${url} changed while it was open (${how}): open the index again, and publish each index under its own address.`,
  )
}

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
