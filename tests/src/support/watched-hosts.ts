/**
 * Endless little sites, one a port, that write down when each request came and when its answer had left, so that the
 * politeness of a spider can be judged by those who were visited.
 */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'

/** One answered request; times in milliseconds of `performance.now()`. */
export interface Visit {
  readonly path: string
  readonly status: number
  readonly began: number
  readonly ended: number
  /** Milliseconds that the answer asked to be left alone, by `Retry-After`. */
  readonly retryAfter: number
}

/** How a site behaves. */
export interface HostManner {
  /** Body of robots.txt, or the status of its failure. */
  readonly robots: string | number
  /** Milliseconds that robots.txt asks for between two requests. */
  readonly crawlDelay?: number
  /** Milliseconds until an answer begins. */
  readonly slowness?: number
  /** Every so many pages one is answered with 429 and `Retry-After: 1`. */
  readonly busyEvery?: number
}

/** See the head of this file. */
export class WatchedHost {
  readonly manner: HostManner
  readonly visits: Visit[] = []
  /** Requests that came while another one was being answered. */
  overlapping = 0
  #open = 0
  #pages = 0
  readonly #server: Server
  #elsewhere: () => string = () => ''

  constructor(manner: HostManner) {
    this.manner = manner
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  /** Every tenth page redirects to an address that the function gives. */
  redirectTo(elsewhere: () => string): void {
    this.#elsewhere = elsewhere
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const began = performance.now()
    const path = request.url ?? '/'
    if (this.#open > 0) this.overlapping++
    this.#open++
    const send = (status: number, headers: OutgoingHttpHeaders = {}, body = ''): void => {
      this.#open--
      // Before the answer leaves: whoever gets it may run before this process does again.
      const retryAfter = Number(headers['retry-after'] ?? 0) * 1000
      this.visits.push({ path, status, began, ended: performance.now(), retryAfter })
      response.writeHead(status, headers).end(body)
    }
    const { robots, slowness = 0, busyEvery } = this.manner
    if (path === '/robots.txt') {
      if (typeof robots === 'number') send(robots)
      else send(200, { 'content-type': 'text/plain' }, robots)
      return
    }
    const page = this.#pages++
    setTimeout(() => {
      if (busyEvery !== undefined && page % busyEvery === busyEvery - 1) send(429, { 'retry-after': '1' })
      else if (page % 10 === 9 && this.#elsewhere() !== '') send(302, { location: this.#elsewhere() })
      else send(200, { 'content-type': 'text/html; charset=utf-8' }, this.#page(path))
    }, slowness)
  }

  #page(path: string): string {
    const number = Number(/^\/p(\d+)$/.exec(path)?.[1] ?? 0)
    const links = [3, 2, 1].map((k) => `<a href="/p${number * 3 + k}">${k}</a>`).join(' ')
    return `<!doctype html><html lang="en"><title>${number}</title><p>Page ${number}. ${links} <a href="/private/p${number}">not for you</a></html>`
  }
}

/** What a spider did that it must not do. */
export function violations(host: WatchedHost, delay: number): string[] {
  const found: string[] = []
  if (host.overlapping > 0) found.push(`${host.overlapping} requests beside another one`)
  const visits = host.visits.toSorted((a, b) => a.began - b.began)
  if (visits.length > 0 && visits[0]!.path !== '/robots.txt') found.push(`began with ${visits[0]!.path}`)
  for (const [i, { path, began }] of visits.entries()) {
    if (path.startsWith('/private/') && host.manner.robots !== 404) found.push(`fetched ${path}`)
    if (typeof host.manner.robots === 'number' && host.manner.robots >= 500 && path !== '/robots.txt') {
      found.push(`fetched ${path} without knowing robots.txt`)
    }
    const before = visits[i - 1]
    if (before === undefined) continue
    const gap = began - before.ended
    // What robots.txt asks for is known after it.
    const least = Math.max(delay, before.retryAfter, i > 1 ? (host.manner.crawlDelay ?? 0) : 0)
    if (gap < least - TIMER)
      found.push(`${path} came ${gap.toFixed(1)} ms after ${before.path}, not ${least}, at ${began.toFixed(0)} ms`)
  }
  return found
}

/** Timers of the same machine, in whole milliseconds, may differ by so much. */
const TIMER = 2
