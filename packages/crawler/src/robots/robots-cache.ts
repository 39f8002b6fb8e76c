/**
 * robots.txt of every origin met: fetched once by however many pages wait for it, kept for a day.
 * RFC 9309 §2.3.1: not there (4xx, too many redirects) means all is allowed; a server in trouble (5xx, 429, no connection) means
 * nothing is, until it answers again; then the last good copy, if there is one, still holds for 30 days.
 */

import { FetchError } from '../fetch/fetch-error.js'
import type { Fetcher } from '../fetch/fetcher.js'
import { parseRetryAfter } from '../frontier/retry-after.js'
import { MAX_ROBOTS_BYTES, NO_RULES, parseRobotsTxt, type RobotsRules, unavailableRules } from './robots-rules.js'

/** Copies of robots.txt that outlive the process. */
export interface RobotsMemory {
  /** The last copy that came from an answer, and when (milliseconds since 1970). */
  read(origin: string): { readonly body: Buffer; readonly at: number } | undefined
  write(origin: string, body: Buffer, at: number): Promise<void>
}

/** Settings of a {@link RobotsCache}. */
export interface RobotsCacheOptions {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  /** product token or whole User-Agent; what counts is the part before `/` */
  readonly userAgent: string
  /** clock, milliseconds; default Date.now */
  readonly now?: () => number
  /** most origins kept; default 10,000 */
  readonly maxOrigins?: number
  /** default: copies end with the process */
  readonly memory?: RobotsMemory
}

const MAX_REDIRECTS = 5
/** Faults of a request to an address at which there may be no server. */
const NO_SERVER = new Set<string>(['connect-error', 'timeout'])
const TIMEOUT_MS = 20_000
const FRESH_MS = 24 * 3600_000
/** How soon a server in trouble is asked again where it does not say. */
export const ROBOTS_RETRY_MS = 5 * 60_000
const LAST_GOOD_MS = 30 * 24 * 3600_000

interface Entry {
  rules: RobotsRules
  expires: number
  /** the last rules that came from an answer, and when */
  good: RobotsRules | undefined
  goodAt: number
}

/** Rules by origin. */
export class RobotsCache {
  readonly #fetcher: Pick<Fetcher, 'fetch'>
  readonly #userAgent: string
  readonly #now: () => number
  readonly #maxOrigins: number
  readonly #memory: RobotsMemory | undefined
  readonly #entries = new Map<string, Entry>()
  readonly #running = new Map<string, Promise<RobotsRules>>()

  constructor(options: RobotsCacheOptions) {
    this.#fetcher = options.fetcher
    this.#userAgent = options.userAgent
    this.#now = options.now ?? Date.now
    this.#maxOrigins = options.maxOrigins ?? 10_000
    this.#memory = options.memory
  }

  /**
   * The rules of an origin (`https://example.org:8443`).
   * @param signal ends this caller's wait; the fetch itself goes on for the others
   * @throws FetchError `aborted` when the signal fires or the fetcher is closed; no other
   */
  async rulesFor(origin: string, signal?: AbortSignal): Promise<RobotsRules> {
    // Local files, whose origin is none.
    if (origin === 'null') return NO_RULES
    if (signal?.aborted === true) throw abortedWait(origin)
    const entry = this.#entries.get(origin)
    if (entry !== undefined && this.#now() < entry.expires) return entry.rules
    let running = this.#running.get(origin)
    if (running === undefined) {
      running = this.#load(origin, entry).finally(() => this.#running.delete(origin))
      // whoever waits gets the rejection; with nobody left to wait it is no news
      running.catch(() => {})
      this.#running.set(origin, running)
    }
    return signal === undefined ? running : await raceAbort(running, signal, origin)
  }

  async #load(origin: string, before: Entry | undefined): Promise<RobotsRules> {
    const rules = await this.#fetchRules(origin)
    const now = this.#now()
    // That there is none any more is an answer as well.
    if (rules.status === 'none') await this.#memory?.write(origin, Buffer.alloc(0), now)
    const entry: Entry = { rules, expires: now + FRESH_MS, good: rules, goodAt: now }
    if (rules.status === 'unavailable') {
      entry.expires = now + Math.max(ROBOTS_RETRY_MS, rules.retryAfterMs ?? 0)
      const kept = before === undefined ? this.#memory?.read(origin) : undefined
      entry.good = kept === undefined ? before?.good : parseRobotsTxt(kept.body, this.#userAgent)
      entry.goodAt = kept?.at ?? before?.goodAt ?? 0
      if (entry.good !== undefined && now - entry.goodAt < LAST_GOOD_MS) entry.rules = entry.good
    }
    this.#entries.delete(origin)
    this.#entries.set(origin, entry)
    if (this.#entries.size > this.#maxOrigins) {
      const oldest = this.#entries.keys().next()
      if (oldest.done !== true) this.#entries.delete(oldest.value)
    }
    return entry.rules
  }

  async #fetchRules(origin: string): Promise<RobotsRules> {
    let url = `${origin}/robots.txt`
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const via = hop === 0 ? '' : `it leads to ${url}: `
      let result: Awaited<ReturnType<Fetcher['fetch']>>
      try {
        result = await this.#fetcher.fetch(url, {
          accept: 'text/plain,*/*;q=0.5',
          // one more than is read, so that the cut at a full line can see that there is more
          maxBody: MAX_ROBOTS_BYTES + 1,
          totalTimeout: TIMEOUT_MS,
        })
      } catch (error) {
        if (!(error instanceof FetchError)) throw error
        if (error.reason === 'aborted') throw error
        // no page of a refused host will be fetched either, and that says it better
        if (error.reason === 'blocked-address' && hop === 0) return NO_RULES
        // a redirect into a scheme that cannot be fetched is a robots.txt that is not there
        if (error.reason === 'unsupported-scheme' && hop > 0) return NO_RULES
        const rules = unavailableRules(`${via}${error.detail}`)
        return NO_SERVER.has(error.reason) && hop === 0 ? { ...rules, hasNoServer: true } : rules
      }
      const { status } = result
      if (status >= 200 && status < 300) {
        await this.#memory?.write(origin, result.body, this.#now())
        return parseRobotsTxt(result.body, this.#userAgent)
      }
      if (status === 429 || status >= 500) {
        return unavailableRules(`${via}http-${status}`, parseRetryAfter(result.headers.get('retry-after'), this.#now()))
      }
      // Nobody asked on a condition: it says that there is one, and not what is in it.
      if (status === 304) return unavailableRules(`${via}http-304`)
      if (status < 300 || status >= 400 || result.location === undefined) return NO_RULES
      url = result.location
      // A server of the web never leads to a file of this machine.
      if (url.startsWith('file:')) return NO_RULES
    }
    return NO_RULES
  }
}

function raceAbort(rules: Promise<RobotsRules>, signal: AbortSignal, origin: string): Promise<RobotsRules> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortedWait(origin))
    signal.addEventListener('abort', onAbort, { once: true })
    rules.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function abortedWait(origin: string): FetchError {
  return new FetchError('aborted', `${origin}/robots.txt`, 'ended by the caller', false)
}
