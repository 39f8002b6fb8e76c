/**
 * One HTTP request and its response, bounded, over kept connections.
 * It stands on undici's `dispatch`, which neither follows redirects nor decodes bodies; both are the caller's and this folder's
 * business. (The global `fetch` costs several times the CPU, and hides cut and exploding bodies.)
 */

import { blockedAddress } from './address-guard.js'
import { Connector, type ConnectorOptions, type TlsTrust } from './connector.js'
import { DnsCache, type Resolve } from './dns-cache.js'
import { Exchange, type ExchangeLimits } from './exchange.js'
import { FetchError } from './fetch-error.js'
import type { FetchResult } from './fetch-result.js'
import { type ProxyRules, type ProxyServer, proxyAnswer } from './proxy.js'
import { RunningExchanges } from './running-exchanges.js'
import { toFetchError } from './to-fetch-error.js'
import { Agent } from './undici-adapter.js'

/** Part of the time to connect that the resolver may take. */
const DNS_SHARE = 0.8

/** Settings of an {@link HttpClient}. */
export interface HttpClientOptions {
  /** most open connections to one origin */
  readonly connections: number
  readonly maxHeaderBytes: number
  /** milliseconds to an open connection, to the headers, between two pieces of a body */
  readonly timeouts: { readonly connect: number; readonly headers: number; readonly idle: number }
  readonly mayBePrivate: ConnectorOptions['mayBePrivate']
  readonly refuses?: ConnectorOptions['refuses']
  readonly resolve?: Resolve | undefined
  readonly proxy?: ProxyRules | undefined
  readonly ca?: string | undefined
  readonly trustOf?: (origin: string) => TlsTrust | undefined
}

/** A request. */
export interface HttpRequest {
  /** http or https, without fragment and credentials */
  readonly url: URL
  /** a POST is never sent twice */
  readonly method: 'GET' | 'POST'
  /** lower-case names */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly limits: ExchangeLimits
  readonly signal?: AbortSignal | undefined
}

/** A response with the values of its Set-Cookie headers. */
export interface HttpResponse {
  readonly result: FetchResult
  readonly setCookies: readonly string[] | undefined
}

/** See the head of this file. */
export class HttpClient {
  readonly #connector: Connector
  readonly #proxy: ProxyRules | undefined
  readonly #agent: InstanceType<typeof Agent>
  /** Of http requests that a proxy is asked. */
  #proxied: InstanceType<typeof Agent> | undefined
  readonly #newAgent: (connector: Connector) => InstanceType<typeof Agent>
  readonly #toProxy: ConnectorOptions
  readonly #running = new RunningExchanges()
  #closed = false

  constructor({ timeouts, connections, maxHeaderBytes, resolve, proxy, ...options }: HttpClientOptions) {
    const dns = new DnsCache({ resolve, timeout: timeouts.connect * DNS_SHARE })
    const timeout = timeouts.connect
    const proxyFor = (origin: string): ProxyServer | undefined => proxy?.proxyFor(new URL(origin))
    this.#proxy = proxy
    this.#connector = new Connector({ ...options, timeout, dns, ...(proxy === undefined ? {} : { proxyFor }) })
    this.#toProxy = {
      timeout,
      ca: options.ca,
      dns,
      mayBePrivate: () => true,
      toProxies: true,
    }
    this.#newAgent = ({ connect }) =>
      new Agent({
        connections,
        pipelining: 1,
        keepAliveTimeout: 10_000,
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: timeouts.headers,
        bodyTimeout: timeouts.idle,
        connect,
      })
    this.#agent = this.#newAgent(this.#connector)
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * Sends a request. `done` and `failed` are called in place of a promise, which would cost a turn of every page; one of them
   * is called once.
   */
  send(
    request: HttpRequest,
    done: (result: FetchResult, setCookies: readonly string[] | undefined) => void,
    failed: (error: FetchError) => void,
  ): void {
    const { url, method, headers, limits, signal } = request
    const proxy = this.#proxy?.proxyFor(url)
    if (proxy !== undefined) {
      if (this.#connector.isRefused(url)) {
        failed(toFetchError(blockedAddress(url.hostname), url.href, false))
        return
      }
      if (url.protocol === 'http:') {
        this.#sendToProxy(proxy, request, done, failed)
        return
      }
    }
    const path = url.pathname + url.search
    const body = request.body ?? null
    this.#run(
      url,
      limits,
      signal,
      method === 'GET',
      (exchange) => this.#agent.dispatch({ origin: url.origin, path, method, headers, body }, exchange),
      done,
      failed,
    )
  }

  /** {@link send} as a promise. */
  request(request: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      this.send(request, (result, setCookies) => resolve({ result, setCookies }), reject)
    })
  }

  /** Closes all connections; requests still running end with `aborted`. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#running.abortAll()
    await Promise.all([this.#agent.destroy(), this.#proxied?.destroy()])
  }

  #sendToProxy(
    { origin, authorization }: ProxyServer,
    { url, method, headers, limits, signal, body = undefined }: HttpRequest,
    done: (result: FetchResult, setCookies: readonly string[] | undefined) => void,
    failed: (error: FetchError) => void,
  ): void {
    this.#proxied ??= this.#newAgent(new Connector(this.#toProxy))
    const agent = this.#proxied
    const all = { ...headers, host: url.host }
    const options = {
      origin,
      path: url.href,
      method,
      headers: authorization === undefined ? all : { ...all, 'proxy-authorization': authorization },
      body: body ?? null,
    }
    this.#run(
      url,
      limits,
      signal,
      method === 'GET',
      (exchange) => agent.dispatch(options, exchange),
      (result, setCookies) => {
        if (result.status !== 407) done(result, setCookies)
        else failed(new FetchError('proxy-error', url.href, proxyAnswer(407), true))
      },
      (error) => {
        if (error.reason !== 'connect-error' && error.reason !== 'dns-error') failed(error)
        else failed(new FetchError('proxy-error', url.href, `the proxy cannot be reached: ${error.detail}`, true))
      },
    )
  }

  #run(
    url: URL,
    limits: ExchangeLimits,
    signal: AbortSignal | undefined,
    mayRetry: boolean,
    start: (exchange: Exchange) => void,
    done: (result: FetchResult, setCookies: readonly string[] | undefined) => void,
    failed: (error: FetchError) => void,
  ): void {
    const dispatch = (exchange: Exchange): void => {
      try {
        start(exchange)
      } catch (error) {
        exchange.failWith(error)
      }
    }
    const exchange: Exchange = new Exchange(
      url,
      limits,
      (result, setCookies) => {
        this.#running.delete(exchange, signal)
        done(result, setCookies)
      },
      (error) => {
        this.#running.delete(exchange, signal)
        failed(error)
      },
      mayRetry ? dispatch : undefined,
    )
    this.#running.add(exchange, signal)
    dispatch(exchange)
  }
}
