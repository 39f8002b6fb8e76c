/**
 * How many addresses a crawl takes from one place, so that what has no end ends: a host, the values of the same parameters of
 * a path (calendars, sort orders, session ids of unknown names), the hosts of a domain (`a.b.c.example.org` by wildcard DNS).
 * Counted are addresses known to the frontier; it tells what it holds when a run begins, so a run that goes on counts on.
 *
 * Memory: a number a host, and one for each path with parameters (about 40 bytes, at most {@link MAX_QUERIES}).
 */
import { urlKey } from '../frontier/url-key.js'
import { type Admission, hostOf } from '../frontier/workload.js'
import { hostnameOf, registrableDomain } from './registrable-domain.js'

/** Limits of {@link UrlBudgets}. */
export interface UrlLimits {
  /** addresses of a host (name and port); default 50,000 */
  readonly urlsPerHost?: number | undefined
  /** addresses that differ in the values of their parameters only: one path, one set of names; default 200 */
  readonly urlsPerQuery?: number | undefined
  /** hosts of one registrable domain; default 100 */
  readonly hostsPerSite?: number | undefined
}

/** Why an address is over a limit. */
export type BudgetReason = 'host-limit' | 'query-limit' | 'site-limit'

/** A place that has more addresses than a crawl takes. */
export interface Trap {
  /** Host; host, path and names of parameters; or domain. */
  readonly place: string
  readonly reason: BudgetReason
  /** How often an address of it was refused in this run. */
  readonly refused: number
}

/** Paths with parameters that are counted at a time; beyond, those with few addresses are forgotten. */
const MAX_QUERIES = 500_000
const FEW = 10
/** Traps named; more are one place's doing, or an attack on the report. */
const MAX_TRAPS = 100

/** See the head of this file. */
export class UrlBudgets implements Admission {
  readonly #urlsPerHost: number
  readonly #urlsPerQuery: number
  readonly #hostsPerSite: number
  readonly #hosts = new Map<string, number>()
  readonly #queries = new Map<number, number>()
  readonly #traps = new Map<string, { reason: BudgetReason; refused: number }>()
  /** Hosts by domain; made when there are more hosts than one domain may have. */
  #sites: Map<string, number> | undefined

  constructor(limits: UrlLimits = {}) {
    this.#urlsPerHost = limits.urlsPerHost ?? 50_000
    this.#urlsPerQuery = limits.urlsPerQuery ?? 200
    this.#hostsPerSite = limits.hostsPerSite ?? 100
  }

  countHost(host: string, urls: number): void {
    if (!this.#hosts.has(host) && this.#sites !== undefined) add(this.#sites, siteOfHost(host), 1)
    add(this.#hosts, host, urls)
  }

  countQuery(url: string): void {
    const key = queryOf(url)
    if (key !== undefined) this.#countQuery(urlKey(key, 0))
  }

  admit(url: string): BudgetReason | undefined {
    const host = hostOf(url)
    const known = this.#hosts.get(host)
    if (known === undefined) {
      const site = this.#siteAbove(host)
      if (site !== undefined) return this.#refuse('site-limit', site)
    } else if (known >= this.#urlsPerHost) return this.#refuse('host-limit', host)
    const query = queryOf(url)
    if (query !== undefined) {
      const key = urlKey(query, 0)
      if ((this.#queries.get(key) ?? 0) >= this.#urlsPerQuery) return this.#refuse('query-limit', query)
      this.#countQuery(key)
    }
    this.countHost(host, 1)
    return undefined
  }

  /** The places whose addresses were refused, most refused first. */
  get traps(): readonly Trap[] {
    return [...this.#traps]
      .map(([place, trap]) => ({ place, ...trap }))
      .sort((a, b) => b.refused - a.refused || (a.place < b.place ? -1 : 1))
  }

  /** The domain of a new host, where that has all the hosts that it may have. */
  #siteAbove(host: string): string | undefined {
    // A domain cannot have more hosts than there are: until then its name need not be known.
    if (this.#hosts.size < this.#hostsPerSite) return undefined
    if (this.#sites === undefined) {
      this.#sites = new Map()
      for (const known of this.#hosts.keys()) add(this.#sites, siteOfHost(known), 1)
    }
    const site = siteOfHost(host)
    return (this.#sites.get(site) ?? 0) >= this.#hostsPerSite ? site : undefined
  }

  #countQuery(key: number): void {
    add(this.#queries, key, 1)
    if (this.#queries.size <= MAX_QUERIES) return
    for (const [known, count] of this.#queries) if (count < FEW) this.#queries.delete(known)
  }

  #refuse(reason: BudgetReason, place: string): BudgetReason {
    const trap = this.#traps.get(place)
    if (trap !== undefined) trap.refused++
    else if (this.#traps.size < MAX_TRAPS) this.#traps.set(place, { reason, refused: 1 })
    return reason
  }
}

/** Scheme, host, path and the names of the parameters in order, once each; undefined where there is no query. */
function queryOf(url: string): string | undefined {
  const start = url.indexOf('?')
  if (start < 0) return undefined
  const names = new Set<string>()
  for (const part of url.slice(start + 1).split('&')) {
    const equals = part.indexOf('=')
    // A query that is no list of parameters (`?2026-05-01`) is a value.
    names.add(equals < 0 ? '' : part.slice(0, equals))
  }
  return `${url.slice(0, start)}?${[...names].sort().join('&')}`
}

function siteOfHost(host: string): string {
  return registrableDomain(hostnameOf(`//${host}`))
}

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}
