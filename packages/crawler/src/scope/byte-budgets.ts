/** How many bytes a crawl takes from a host and from all hosts of a domain; counted over runs, kept with the queues. */
import type { Workload } from '../frontier/workload.js'
import { hostnameOf, registrableDomain } from './registrable-domain.js'

/** Limits of {@link ByteBudgets}, in body bytes; default none. */
export interface ByteLimits {
  readonly bytesPerHost?: number | undefined
  readonly bytesPerSite?: number | undefined
}

/** See the head of this file. */
export class ByteBudgets {
  readonly #workload: Workload
  readonly #perHost: number
  readonly #perSite: number

  constructor(workload: Workload, { bytesPerHost, bytesPerSite }: ByteLimits = {}) {
    this.#workload = workload
    this.#perHost = bytesPerHost ?? Number.POSITIVE_INFINITY
    this.#perSite = bytesPerSite ?? Number.POSITIVE_INFINITY
  }

  /** The limit that is reached: nothing more is fetched from the host. */
  spent(host: string): 'host-bytes' | 'site-bytes' | undefined {
    if (this.#perHost !== Number.POSITIVE_INFINITY && this.#read(ofHost(host)) >= this.#perHost) return 'host-bytes'
    if (this.#perSite !== Number.POSITIVE_INFINITY && this.#read(ofSite(host)) >= this.#perSite) return 'site-bytes'
    return undefined
  }

  /** Counts what came. */
  async add(host: string, bytes: number): Promise<void> {
    if (bytes === 0) return
    if (this.#perHost !== Number.POSITIVE_INFINITY) await this.#add(ofHost(host), bytes)
    if (this.#perSite !== Number.POSITIVE_INFINITY) await this.#add(ofSite(host), bytes)
  }

  #read(name: string): number {
    return Number(this.#workload.meta(name) ?? 0)
  }

  async #add(name: string, bytes: number): Promise<void> {
    await this.#workload.setMeta(name, String(this.#read(name) + bytes))
  }
}

function ofHost(host: string): string {
  return `bytes.host.${host}`
}

function ofSite(host: string): string {
  return `bytes.site.${registrableDomain(hostnameOf(`//${host}`))}`
}
