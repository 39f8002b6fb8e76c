/**
 * How many addresses a crawl takes from one place, so that what has no end ends: a host, the values of the same parameters of
 * a path (calendars, sort orders, session ids of unknown names), the hosts of a domain (`a.b.c.example.org` by wildcard DNS).
 * Counted are addresses known to the frontier, which keeps the counts; in memory are the names of the hosts.
 */
import { queryShape } from '../frontier/query-shape.js'
import { type Admission, hostOf, type KnownCounts } from '../frontier/workload.js'
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

/** Traps named; more are one place's doing, or an attack on the report. */
const MAX_TRAPS = 100

/** See the head of this file. */
export class UrlBudgets implements Admission {
  readonly #urlsPerHost: number
  readonly #urlsPerQuery: number
  readonly #hostsPerSite: number
  readonly #hosts = new Set<string>()
  readonly #traps = new Map<string, { reason: BudgetReason; refused: number }>()
  /** Hosts by domain; made when there are more hosts than one domain may have. */
  #sites: Map<string, number> | undefined

  constructor(limits: UrlLimits = {}) {
    this.#urlsPerHost = limits.urlsPerHost ?? 50_000
    this.#urlsPerQuery = limits.urlsPerQuery ?? 200
    this.#hostsPerSite = limits.hostsPerSite ?? 100
  }

  addHost(host: string): void {
    if (this.#hosts.has(host)) return
    this.#hosts.add(host)
    if (this.#sites !== undefined) addOne(this.#sites, siteOfHost(host))
  }

  admit(url: string, known: KnownCounts): BudgetReason | undefined {
    if (known.host === undefined) {
      const site = this.#siteAbove(hostOf(url))
      if (site !== undefined) return this.#refuse('site-limit', site)
    } else if (known.host >= this.#urlsPerHost) return this.#refuse('host-limit', hostOf(url))
    if (known.shape >= this.#urlsPerQuery) return this.#refuse('query-limit', queryShape(url)!)
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
      for (const known of this.#hosts) addOne(this.#sites, siteOfHost(known))
    }
    const site = siteOfHost(host)
    return (this.#sites.get(site) ?? 0) >= this.#hostsPerSite ? site : undefined
  }

  #refuse(reason: BudgetReason, place: string): BudgetReason {
    const trap = this.#traps.get(place)
    if (trap !== undefined) trap.refused++
    else if (this.#traps.size < MAX_TRAPS) this.#traps.set(place, { reason, refused: 1 })
    return reason
  }
}

function siteOfHost(host: string): string {
  return registrableDomain(hostnameOf(`//${host}`))
}

function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
