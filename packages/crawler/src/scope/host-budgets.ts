/**
 * How many pages and bytes a crawl takes from a host, and bytes from all hosts of a domain; counted over the runs of a
 * generation, kept with the queues.
 */
import type { Workload } from '../frontier/workload.js'
import { hostnameOf, registrableDomain } from './registrable-domain.js'

/** Limits of {@link HostBudgets}; default none. */
export interface HostLimits {
  /** pages stored, or found to be as stored */
  readonly pagesPerHost?: number | undefined
  /** body bytes */
  readonly bytesPerHost?: number | undefined
  /** body bytes */
  readonly bytesPerSite?: number | undefined
}

/** Why nothing more is fetched from a host. */
export type SpentBudget = 'host-pages' | 'host-bytes' | 'site-bytes'

interface Budget {
  readonly reason: SpentBudget
  readonly limit: number
  readonly unit: 'pages' | 'bytes'
  /** What is counted under, for a host. */
  readonly nameOf: (host: string) => string
}

/** See the head of this file. */
export class HostBudgets {
  readonly #workload: Workload
  readonly #budgets: readonly Budget[]

  constructor(workload: Workload, { pagesPerHost, bytesPerHost, bytesPerSite }: HostLimits = {}) {
    this.#workload = workload
    const none = Number.POSITIVE_INFINITY
    const siteOf = (host: string): string => `bytes.site.${registrableDomain(hostnameOf(`//${host}`))}`
    const all: Budget[] = [
      { reason: 'host-pages', limit: pagesPerHost ?? none, unit: 'pages', nameOf: (host) => `pages.host.${host}` },
      { reason: 'host-bytes', limit: bytesPerHost ?? none, unit: 'bytes', nameOf: (host) => `bytes.host.${host}` },
      { reason: 'site-bytes', limit: bytesPerSite ?? none, unit: 'bytes', nameOf: siteOf },
    ]
    this.#budgets = all.filter(({ limit }) => limit !== none)
  }

  /** The limit that is reached: nothing more is fetched from the host. */
  spent(host: string): SpentBudget | undefined {
    return this.#budgets.find(({ limit, nameOf }) => this.#read(nameOf(host)) >= limit)?.reason
  }

  /** Counts what came. */
  async add(host: string, came: { readonly pages: number; readonly bytes: number }): Promise<void> {
    for (const { unit, nameOf } of this.#budgets) {
      if (came[unit] === 0) continue
      const name = nameOf(host)
      await this.#workload.setMeta(name, `${this.#read(name) + came[unit]} ${this.#workload.generation()}`)
    }
  }

  /** What was taken in this generation. */
  #read(name: string): number {
    const [amount = 0, generation] = (this.#workload.meta(name) ?? '').split(' ').map(Number)
    return generation === undefined || generation === this.#workload.generation() ? amount : 0
  }
}
