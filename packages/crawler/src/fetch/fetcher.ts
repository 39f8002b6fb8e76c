/**
 * What the spider fetches with: one address, one answer, everything bounded. http and https go to the {@link HttpClient} with
 * what the settings of the site say (headers, authentication, login) and the cookies of the origin; `file:` addresses below the
 * start folders are read from the disk.
 */

import { readFileSync } from 'node:fs'
import { type Logger, nullLogger, parseUrl } from '@spindle/core'
import { Bandwidth } from './bandwidth.js'
import type { ByteBudget } from './byte-budget.js'
import { CookieJar } from './cookie-jar.js'
import type { Resolve } from './dns-cache.js'
import type { ExchangeLimits } from './exchange.js'
import { FetchError } from './fetch-error.js'
import type { FetchResult } from './fetch-result.js'
import type { FileFetcher } from './file-fetcher.js'
import { HttpClient } from './http-client.js'
import { LoginSession } from './login.js'
import type { ProxyRules } from './proxy.js'
import type { SiteSettings, Sites } from './site-settings.js'

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
  /** from here on a body must have come at 1 KiB a second on average; default 10,000 */
  readonly slow: number
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
   * user named. Default: none but those of `sites`.
   */
  readonly mayBePrivate?: (host: string) => boolean
  /** which addresses other hosts may not have; default `isSpecialAddress` */
  readonly refusesAddress?: (address: string) => boolean
  /** finds the addresses of a name; default the system's resolver */
  readonly resolve?: Resolve
  /** settings of single origins */
  readonly sites?: Sites
  /** whether cookies are kept (in memory, as long as the fetcher lives) and sent back to their host; default true */
  readonly cookies?: boolean
  /** default: no proxy */
  readonly proxy?: ProxyRules | undefined
  /** further certificate authorities for all hosts, PEM */
  readonly ca?: string | undefined
  /** most body bytes a second over all connections; default no limit */
  readonly bandwidth?: number | undefined
  /** `file:` addresses of the folders, each with an ending slash, whose files may be read; default none */
  readonly fileRoots?: () => Iterable<string>
  /** told of logins and of certificates that are not checked */
  readonly logger?: Logger
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

/** Bytes read of a login page. */
const MAX_LOGIN_PAGE = 1024 * 1024
const UNSUPPORTED = 'only http and https addresses, and files below the start folders, can be fetched'
const ACCEPT = 'text/html,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5'

/** `Spindle/<version>`, followed by where to reach the one who runs it: ` (+https://example.org/bot)`. */
export function defaultUserAgent(contact?: string): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(file) as { version: string }
  return contact === undefined || contact === '' ? `Spindle/${version}` : `Spindle/${version} (+${contact})`
}

/** See the head of this file. */
export class Fetcher {
  readonly userAgent: string
  readonly #http: HttpClient
  readonly #fileRoots: (() => Iterable<string>) | undefined
  readonly #sites: Sites | undefined
  readonly #logins = new Map<string, LoginSession>()
  readonly #loginOrigins = new Set<string>()
  readonly #jar = new CookieJar()
  readonly #keepsCookies: boolean
  readonly #logger: Logger
  readonly #limits: ExchangeLimits
  #files: FileFetcher | undefined

  constructor(options: FetcherOptions = {}) {
    this.userAgent = options.userAgent ?? defaultUserAgent()
    const { sites, timeouts, bandwidth, mayBePrivate = () => false } = options
    this.#sites = sites !== undefined && sites.size > 0 ? sites : undefined
    this.#keepsCookies = options.cookies ?? true
    this.#fileRoots = options.fileRoots
    this.#logger = options.logger ?? nullLogger
    this.#limits = {
      maxBody: options.maxBody ?? MAX_BODY,
      totalTimeout: timeouts?.total ?? 60_000,
      maxHeaderBytes: options.maxHeaderBytes ?? 16 * 1024,
      slowAfter: timeouts?.slow ?? 10_000,
      bandwidth: bandwidth === undefined ? undefined : new Bandwidth(bandwidth),
    }
    const named = this.#readSites()
    this.#http = new HttpClient({
      connections: options.concurrency ?? 16,
      maxHeaderBytes: this.#limits.maxHeaderBytes,
      timeouts: {
        connect: timeouts?.connect ?? 10_000,
        headers: timeouts?.headers ?? 15_000,
        idle: timeouts?.idle ?? 15_000,
      },
      mayBePrivate: (host) => named.has(host) || mayBePrivate(host),
      refuses: options.refusesAddress,
      resolve: options.resolve,
      proxy: options.proxy,
      ca: options.ca,
      trustOf: (origin) => {
        const site = sites?.get(origin)
        return site?.insecure === true || site?.ca !== undefined ? site : undefined
      },
    })
  }

  /**
   * Fetches one address. Redirects are returned, not followed; every status is a result.
   * A body over the limit is cut there and marked `truncated`.
   * @throws FetchError for everything that is no complete response
   */
  fetch(url: string, options: FetchOptions = {}): Promise<FetchResult> {
    const target = parseUrl(url)
    if (target === undefined || !this.#mayFetch(target)) {
      const error = new FetchError('unsupported-scheme', withoutCredentials(url, target), UNSUPPORTED, false)
      return Promise.reject(error)
    }
    if (this.#http.closed || options.signal?.aborted === true) {
      return Promise.reject(aborted(url))
    }
    // Each change costs as much as parsing the address once more.
    if (target.href.includes('#')) target.hash = ''
    if (target.protocol === 'file:') return this.#readFile(target, options)
    if (target.username !== '') target.username = ''
    if (target.password !== '') target.password = ''
    const login = this.#logins.size === 0 ? undefined : this.#logins.get(target.origin)
    // What robots.txt says is asked before anything else, and by somebody not logged in.
    if (login === undefined || target.pathname === '/robots.txt') return this.#get(target, options)
    return this.#getAsUser(target, options, login)
  }

  /** Closes all connections; fetches still running end with `aborted`. */
  async close(): Promise<void> {
    await this.#http.close()
  }

  #mayFetch({ protocol, host }: URL): boolean {
    if (protocol === 'http:' || protocol === 'https:') return true
    return protocol === 'file:' && host === '' && this.#fileRoots !== undefined
  }

  /** The hosts that the settings name. */
  #readSites(): Set<string> {
    const named = new Set<string>()
    for (const [origin, { login, insecure }] of this.#sites ?? []) {
      named.add(new URL(origin).host)
      if (insecure === true) this.#logger.log('warn', 'certificate-not-checked', { origin })
      if (login === undefined) continue
      const { host, origin: loginOrigin } = new URL(login.url)
      named.add(host)
      this.#loginOrigins.add(loginOrigin)
      this.#logins.set(origin, new LoginSession(origin, login, (url, form) => this.#sendForm(url, form)))
    }
    return named
  }

  #get(target: URL, options: FetchOptions): Promise<FetchResult> {
    return new Promise((resolve, reject) => {
      this.#send('GET', target, undefined, options, resolve, reject)
    })
  }

  #send(
    method: 'GET' | 'POST',
    url: URL,
    body: string | undefined,
    options: FetchOptions,
    resolve: (result: FetchResult | Promise<FetchResult>) => void,
    reject: (error: FetchError) => void,
  ): void {
    const site = this.#sites?.get(url.origin)
    const { maxBody, totalTimeout, maxHeaderBytes, slowAfter, bandwidth } = this.#limits
    const limits = {
      maxBody: options.maxBody ?? maxBody,
      totalTimeout: options.totalTimeout ?? totalTimeout,
      maxHeaderBytes,
      slowAfter,
      bandwidth,
      budget: options.budget,
    }
    const headers = this.#headers(url, site, options)
    const keeps = this.#keepsCookies || site?.login !== undefined || this.#loginOrigins.has(url.origin)
    this.#http.send(
      { method, url, headers, body, limits, signal: options.signal },
      (result, setCookies) => {
        if (setCookies === undefined || !keeps) resolve(result)
        else resolve(this.#jar.store(url, setCookies).then(() => result))
      },
      reject,
    )
  }

  #headers(url: URL, site: SiteSettings | undefined, options: FetchOptions): Record<string, string> {
    const headers: Record<string, string> = {
      'user-agent': this.userAgent,
      accept: options.accept ?? ACCEPT,
      'accept-encoding': 'gzip, deflate, br',
    }
    const cookies = this.#jar.header(url, site?.login === undefined ? undefined : new URL(site.login.url).origin)
    if (site !== undefined) {
      if (site.userAgent !== undefined) headers['user-agent'] = site.userAgent
      Object.assign(headers, site.headers)
      if (site.auth !== undefined) headers.authorization = basic(site.auth)
    }
    if (cookies !== undefined) headers.cookie = headers.cookie === undefined ? cookies : `${headers.cookie}; ${cookies}`
    return Object.assign(headers, options.headers)
  }

  async #getAsUser(target: URL, options: FetchOptions, login: LoginSession): Promise<FetchResult> {
    const { signal } = options
    try {
      await unlessAborted(login.ready(), signal, target.href)
      const { count } = login
      const result = await this.#get(new URL(target), options)
      if (!login.hasEnded(result)) return result
      if (!(await unlessAborted(login.renew(count), signal, target.href))) return result
      result.release()
      const again = await this.#get(target, options)
      login.made(!login.hasEnded(again))
      return again
    } catch (error) {
      if (!(error instanceof FetchError) || error.reason !== 'login-failed') throw error
      throw new FetchError('login-failed', target.href, error.detail, error.retryable, { cause: error })
    }
  }

  /** One step of a login: the page with the form, or the form. */
  #sendForm(address: string, form: string | undefined): Promise<FetchResult> {
    const url = new URL(address)
    if (form === undefined) return this.#get(url, { maxBody: MAX_LOGIN_PAGE })
    this.#logger.log('info', 'login', { url: address })
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: url.origin,
      referer: address,
    }
    return new Promise((resolve, reject) => {
      this.#send('POST', url, form, { maxBody: MAX_LOGIN_PAGE, headers }, resolve, reject)
    })
  }

  async #readFile(
    target: URL,
    { headers, maxBody = this.#limits.maxBody, budget }: FetchOptions,
  ): Promise<FetchResult> {
    if (this.#files === undefined) {
      const { FileFetcher } = await import('./file-fetcher.js')
      this.#files = new FileFetcher(this.#fileRoots ?? (() => []))
    }
    return this.#files.fetch(target, { maxBody, headers, budget })
  }
}

function basic({ user, password }: { readonly user: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

function aborted(url: string): FetchError {
  return new FetchError('aborted', url, 'ended by the caller', false)
}

/** What was asked for, fit for a log. */
function withoutCredentials(text: string, url: URL | undefined): string {
  if (url === undefined || (url.username === '' && url.password === '')) return text
  url.username = ''
  url.password = ''
  return url.href
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, url: string): Promise<T> {
  if (signal === undefined) return work
  if (signal.aborted) {
    work.catch(() => {})
    return Promise.reject(aborted(url))
  }
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(aborted(url))
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
