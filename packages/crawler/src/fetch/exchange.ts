/**
 * One request and its response, as the handler that undici drives: by the calls that its own dispatchers make. (Those with a
 * controller are built on top of them, and make an object of all headers that is not wanted here.) Every way out (end, error, limit, deadline, caller's abort)
 * goes through one settling point, so that a fetch ends exactly once and its timer and listener never outlive it.
 */

import { isUtf8 } from 'node:buffer'
import { canonicalUrl, parseUrl } from '@spindle/core'
import type { Dispatcher } from 'undici'
import type { Bandwidth } from './bandwidth.js'
import { BodyBuffer } from './body-buffer.js'
import type { ByteBudget, ByteClaim } from './byte-budget.js'
import { ContentDecoder, parseContentEncoding } from './content-decoder.js'
import { parseContentType } from './content-type.js'
import { FetchError } from './fetch-error.js'
import type { FetchResult } from './fetch-result.js'
import { toFetchError } from './to-fetch-error.js'

/** Colon, blank and line end. */
const HEADER_LINE_OVERHEAD = 4
/** Most 1xx responses before the real one. */
const MAX_INFORMATIONAL = 100
/** Most bytes read of a redirect's body, which nobody wants but whose end keeps the connection usable. */
const MAX_REDIRECT_BODY = 64 * 1024
/** Bytes of a body that need no place in the budget. */
const FREE_BYTES = 256 * 1024
/** A body must come at this rate on average … */
export const MIN_BYTES_PER_SECOND = 1024

/** The limits of one exchange. */
export interface ExchangeLimits {
  readonly maxBody: number
  /** milliseconds */
  readonly totalTimeout: number
  /** of the response headers, line ends included */
  readonly maxHeaderBytes: number
  /** milliseconds of a body from which on it must have come at {@link MIN_BYTES_PER_SECOND} */
  readonly slowAfter: number
  readonly budget?: ByteBudget | undefined
  /** of all connections */
  readonly bandwidth?: Bandwidth | undefined
}

/** A dispatch handler that gives a {@link FetchResult} or a {@link FetchError}. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly url: URL
  readonly #href: string
  readonly #limits: ExchangeLimits
  readonly #resolve: (result: FetchResult, setCookies: readonly string[] | undefined) => void
  readonly #reject: (error: FetchError) => void
  #timer: NodeJS.Timeout
  readonly #startedAt = performance.now()
  readonly #fetchedAt = Date.now()
  #retry: (() => void) | undefined
  /** ends the request; undefined before it is sent, and once it is used */
  #abort: ((reason: Error) => void) | undefined
  /** reads on */
  #resume: (() => void) | undefined
  #paused = false
  #settled = false
  #informational = 0
  #status = 0
  #headers = new Map<string, string>()
  #setCookies: string[] | undefined
  #location: string | undefined
  #decoder: ContentDecoder | undefined
  #body: BodyBuffer | undefined
  #wireBytes = 0
  /** the wire limit was reached and the rest given up */
  #wireCut = false
  #bodyStartedAt = 0
  #claim: ByteClaim | undefined
  #decoderIsFull = false
  /** reading waits until the bytes that came are paid for */
  #throttle: NodeJS.Timeout | undefined
  /** milliseconds that this side let the server wait; they count against no limit of it */
  #waitedMs = 0

  /**
   * @param resolve told the result and the values of Set-Cookie, which are not among its headers
   * @param retry dispatches this exchange once more; called at most once, when a kept-alive connection died unused
   */
  constructor(
    url: URL,
    limits: ExchangeLimits,
    resolve: (result: FetchResult, setCookies: readonly string[] | undefined) => void,
    reject: (error: FetchError) => void,
    retry: ((exchange: Exchange) => void) | undefined,
  ) {
    this.url = url
    this.#href = url.href
    this.#limits = limits
    this.#resolve = resolve
    this.#reject = reject
    this.#retry = retry === undefined ? undefined : () => retry(this)
    this.#timer = this.#deadline()
  }

  get settled(): boolean {
    return this.#settled
  }

  /** Ends the exchange at once with `aborted`. */
  abort(): void {
    this.#fail('aborted', 'ended by the caller', false)
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort
    if (this.#settled) this.#endRequest()
  }

  onUpgrade(): void {
    this.#fail('protocol-error', 'the server wants to switch protocols', false)
  }

  /** @param headers names and values by turns */
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void): boolean {
    this.#resume = resume
    this.#start(status, headers)
    return !this.#paused
  }

  #start(status: number, headers: readonly Buffer[]): void {
    if (this.#settled) return
    if (status < 100) {
      this.#fail('protocol-error', `the status ${status} is none of HTTP`, false)
      return
    }
    if (status < 200) {
      if (status === 101) this.onUpgrade()
      else if (++this.#informational > MAX_INFORMATIONAL) this.#fail('protocol-error', 'endless 1xx responses', false)
      return
    }
    this.#retry = undefined
    this.#status = status
    this.#bodyStartedAt = performance.now()
    if (this.#readHeaders(headers) > this.#limits.maxHeaderBytes) {
      this.#fail('headers-too-large', `the headers are longer than ${this.#limits.maxHeaderBytes} bytes`, false)
      return
    }
    if (this.#needsNoBody()) return
    const codings = parseContentEncoding(this.#headers.get('content-encoding'))
    if (codings === undefined) {
      this.#fail('bad-encoding', `content encoding “${this.#headers.get('content-encoding')}” is not handled`, false)
      return
    }
    if (codings.length === 0) return
    this.#decoder = new ContentDecoder(codings, this.#limits.maxBody, {
      data: (chunk) => this.#take(chunk),
      end: () => this.#finish(this.#wireCut),
      fail: (failure, detail) => {
        if (failure === 'truncated' && this.#wireCut) this.#finish(true)
        else this.#fail(failure, detail, failure === 'truncated')
      },
      drain: () => {
        this.#decoderIsFull = false
        this.#goOn()
      },
    })
  }

  onData(chunk: Buffer): boolean {
    // what goes on after its end mark is not worth waiting for
    if (this.#settled || this.#wireCut) this.#endRequest()
    else this.#receive(chunk)
    return !this.#paused
  }

  #receive(chunk: Buffer): void {
    this.#wireBytes += chunk.length
    if (this.#limits.bandwidth !== undefined) this.#pay(chunk.length, this.#limits.bandwidth)
    if (this.#needsNoBody()) {
      if (this.#wireBytes > MAX_REDIRECT_BODY) this.#finish(false)
      else if (this.#mustWait()) this.#paused = true
      return
    }
    const bodyMs = performance.now() - this.#bodyStartedAt
    if (bodyMs > this.#limits.slowAfter && this.#wireBytes < (bodyMs / 1000) * MIN_BYTES_PER_SECOND) {
      this.#fail('timeout', `the body comes at less than ${MIN_BYTES_PER_SECOND} bytes a second`, true)
      return
    }
    if (this.#decoder === undefined) this.#take(chunk)
    else if (this.#wireBytes > this.#limits.maxBody) {
      // enough received; what there is gets decoded to its last byte
      this.#decoder.write(chunk.subarray(0, chunk.length - (this.#wireBytes - this.#limits.maxBody)))
      this.#wireCut = true
      this.#decoder.end()
      this.#endRequest()
    } else if (!this.#decoder.write(chunk)) this.#decoderIsFull = true
    if (this.#mustWait()) this.#paused = true
  }

  onComplete(): void {
    if (this.#settled || this.#wireCut) return
    if (this.#decoder === undefined) this.#finish(false)
    else this.#decoder.end()
  }

  onError(error: Error): void {
    if (this.#settled || this.#wireCut) return
    // a body that is not needed does no harm when it is broken
    if (this.#needsNoBody()) {
      this.#finish(false)
      return
    }
    const fetchError = toFetchError(error, this.#href, this.#wireBytes > 0 || this.#status > 0)
    const retry = this.#retry
    if (fetchError.reason === 'network-error' && retry !== undefined) {
      this.#retry = undefined
      this.#abort = undefined
      this.#resume = undefined
      retry()
      return
    }
    this.#settle()
    this.#claim?.release()
    this.#reject(fetchError)
  }

  /** Ends the exchange with an error that came up outside of the handler's calls. */
  failWith(error: unknown): void {
    if (this.#settled) return
    this.#settle()
    this.#claim?.release()
    this.#reject(toFetchError(error, this.#href, false))
  }

  /** A redirect, and a "not modified", whose Content-Length is that of the body it leaves out (RFC 9110 §15.4.5). */
  #needsNoBody(): boolean {
    if (this.#status === 304) return true
    return this.#status >= 300 && this.#status < 400 && this.#headers.has('location')
  }

  #take(chunk: Buffer): boolean {
    if (this.#settled) return false
    this.#body ??= new BodyBuffer(this.#limits.maxBody, this.#announced())
    const whole = this.#body.append(chunk)
    if (this.#body.length > FREE_BYTES) this.#claimBytes()
    if (whole) return true
    this.#finish(true)
    return false
  }

  /** A large body needs its place in the budget to go on. */
  #claimBytes(): void {
    const { budget, maxBody } = this.#limits
    if (budget === undefined || this.#claim !== undefined) return
    const since = performance.now()
    this.#claim = budget.claim(Math.min(this.#announced() ?? maxBody, maxBody), () => {
      if (this.#settled) return
      // The wait was ours, not the server's.
      this.#bodyStartedAt += performance.now() - since
      clearTimeout(this.#timer)
      this.#timer = this.#deadline()
      this.#goOn()
    })
    if (!this.#claim.granted) clearTimeout(this.#timer)
  }

  /** Waits as long as the bytes that came need at the rate that is allowed. */
  #pay(bytes: number, bandwidth: Bandwidth): void {
    const wait = bandwidth.take(bytes)
    if (wait < 1) return
    clearTimeout(this.#throttle)
    this.#waitedMs += wait
    this.#bodyStartedAt += wait
    this.#throttle = setTimeout(() => {
      this.#throttle = undefined
      this.#goOn()
    }, wait)
  }

  /** @param ms until it ends the exchange, unless the server was made to wait meanwhile */
  #deadline(ms = this.#limits.totalTimeout): NodeJS.Timeout {
    const before = this.#waitedMs
    return setTimeout(() => {
      const waited = this.#waitedMs - before
      if (waited > 0) this.#timer = this.#deadline(waited)
      else this.#fail('timeout', `not done after ${this.#limits.totalTimeout} ms`, true)
    }, ms)
  }

  #mustWait(): boolean {
    return !this.#settled && (this.#decoderIsFull || this.#throttle !== undefined || this.#claim?.granted === false)
  }

  #goOn(): void {
    if (!this.#paused || this.#mustWait()) return
    this.#paused = false
    this.#resume?.()
  }

  /** The body's length after decoding, where the headers tell it. */
  #announced(): number | undefined {
    const length = Number(this.#headers.get('content-length') ?? Number.NaN)
    return this.#decoder === undefined && Number.isSafeInteger(length) && length >= 0 ? length : undefined
  }

  /** @returns the bytes of all lines (the HTTP client's own limit counts names and values alone) */
  #readHeaders(raw: readonly Buffer[]): number {
    let size = 0
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i]!.toString('latin1').toLowerCase()
      const bytes = raw[i + 1]!
      size += name.length + bytes.length + HEADER_LINE_OVERHEAD
      const value = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')
      if (name === 'set-cookie') {
        this.#setCookies ??= []
        // The bytes as they are, for they go back to the server.
        this.#setCookies.push(bytes.toString('latin1'))
        continue
      }
      const before = this.#headers.get(name)
      this.#headers.set(name, before === undefined ? value : before + separatorOf(name) + value)
      if (name === 'location' && this.#location === undefined && value.trim() !== '') {
        const target = parseUrl(isUtf8(bytes) ? value : escapeBytes(bytes), this.#href)
        if (target !== undefined) this.#location = canonicalUrl(target)
      }
    }
    return size
  }

  #finish(truncated: boolean): void {
    if (this.#settled) return
    const complete = !truncated && !(this.#needsNoBody() && this.#wireBytes > MAX_REDIRECT_BODY)
    this.#settle(complete)
    const { essence, charset } = parseContentType(this.#headers.get('content-type'))
    const result: FetchResult = {
      url: this.#href,
      status: this.#status,
      headers: this.#headers,
      body: this.#body?.take() ?? Buffer.alloc(0),
      contentType: essence,
      charsetLabel: charset,
      location: this.#status >= 300 && this.#status < 400 ? this.#location : undefined,
      truncated,
      elapsedMs: performance.now() - this.#startedAt,
      fetchedAt: this.#fetchedAt,
      wireBytes: this.#wireBytes,
      release: () => this.#claim?.release(),
    }
    this.#resolve(result, this.#setCookies)
  }

  #fail(reason: FetchError['reason'], detail: string, retryable: boolean): void {
    if (this.#settled) return
    this.#settle()
    this.#claim?.release()
    this.#reject(new FetchError(reason, this.#href, detail, retryable))
  }

  #settle(complete = false): void {
    this.#settled = true
    clearTimeout(this.#timer)
    clearTimeout(this.#throttle)
    if (complete) return
    this.#decoder?.destroy()
    this.#endRequest()
  }

  #endRequest(): void {
    const abort = this.#abort
    this.#abort = undefined
    abort?.(new Error('the fetch is over'))
  }
}

/** A later X-Robots-Tag does not go on with the agent of the one before; all other headers are lists. */
function separatorOf(name: string): string {
  return name === 'x-robots-tag' ? '\n' : ', '
}

/** A header value that is not UTF-8, with its bytes above ASCII percent-encoded as they are. */
function escapeBytes(bytes: Buffer): string {
  let text = ''
  for (const byte of bytes) {
    text += byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}
