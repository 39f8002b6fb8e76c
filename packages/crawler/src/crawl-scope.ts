/**
 * The default scope of a crawl: the hosts (or domains, or folders) of all seeds that it ever had, kept with the queues, so that
 * a crawl that goes on without its seeds keeps its scope. Grows where a seed moves within its site.
 */

import { isSpecialAddress } from './fetch/address-guard.js'
import { folderOf } from './fetch/local-address.js'
import { hostOf, type Workload } from './frontier/workload.js'
import type { Scope } from './link-sorter.js'
import { hostnameOf, siteOf } from './scope/registrable-domain.js'
import type { ScopeCandidate, ScopeReason, ScopeVerdict } from './scope/scope-rule.js'
import { type ScopeOptions, ScopeRules } from './scope/scope-rules.js'

const NAMED = 'scope.named'
const MOVED = 'scope.moved'

/** Settings of a {@link CrawlScope}. */
export interface CrawlScopeOptions extends Omit<ScopeOptions, 'seeds' | 'now'> {
  /** Asked instead of the default rules. */
  readonly scope?: Scope | undefined
}

/** See the head of this file. */
export class CrawlScope implements Scope {
  readonly #workload: Workload
  readonly #options: CrawlScopeOptions
  #rules: Scope
  #hosts = new Set<string>()

  constructor(workload: Workload, options: CrawlScopeOptions) {
    this.#workload = workload
    this.#options = options
    this.#rules = this.#build()
  }

  /** Origins of the seeds of a crawl, with an ending slash. */
  static origins(workload: Workload): string[] {
    return [...new Set(read(workload, NAMED).map((url) => (isFile(url) ? url : `${new URL(url).origin}/`)))]
  }

  check(candidate: ScopeCandidate): ScopeVerdict {
    return this.#rules.check(candidate)
  }

  /** Takes in the hosts of seeds. */
  async addSeeds(seeds: readonly string[]): Promise<void> {
    await this.#add(NAMED, seeds)
  }

  /**
   * Takes in where a seed moved to: another folder of its host, or a host of the same site (`example.org` → `www.example.org`).
   * @returns false where it is not, or the rules are not the default ones
   */
  async follow(seed: string, target: string): Promise<boolean> {
    if (this.#options.scope !== undefined) return false
    if (hostOf(seed) !== hostOf(target)) {
      const site = siteOf(hostnameOf(seed))
      if (site === undefined || site !== siteOf(hostnameOf(target))) return false
    }
    await this.#add(MOVED, [target])
    return true
  }

  /**
   * Why an address that {@link check} let through is not to be fetched after all, where that depends on what its host's name
   * resolves to.
   */
  async checkHost(url: string): Promise<ScopeReason | undefined> {
    return this.#rules instanceof ScopeRules ? this.#rules.checkHost(url) : undefined
  }

  /** `file:` addresses of the folders of seeds, each with an ending slash: no other files may be read. */
  get fileRoots(): string[] {
    return read(this.#workload, NAMED).filter(isFile)
  }

  /** True for the hosts of seeds: they may be on this machine or in the own network, where no page may lead to. */
  isNamed(host: string): boolean {
    return this.#hosts.has(host)
  }

  /** True for an address that no host but those of seeds may have: special ones that no range of the scope names. */
  refusesAddress(address: string): boolean {
    return isSpecialAddress(address) && !(this.#rules instanceof ScopeRules && this.#rules.namesAddress(address))
  }

  async #add(name: string, urls: readonly string[]): Promise<void> {
    const known = new Set(read(this.#workload, name))
    const before = known.size
    // Folders matter where they are the scope; else thousands of seeds of a host are one.
    for (const url of urls) {
      if (isFile(url)) known.add(folderOf(url))
      else known.add(this.#options.site === 'prefix' ? withoutQuery(url) : `${new URL(url).origin}/`)
    }
    if (known.size === before) return
    await this.#workload.setMeta(name, JSON.stringify([...known]))
    this.#rules = this.#build()
  }

  #build(): Scope {
    const named = read(this.#workload, NAMED)
    this.#hosts = new Set(named.map(hostOf))
    const seeds = [...named, ...read(this.#workload, MOVED)]
    return this.#options.scope ?? ScopeRules.fromOptions({ ...this.#options, seeds, now: undefined })
  }
}

function read(workload: Workload, name: string): string[] {
  const kept = workload.meta(name)
  return kept === undefined ? [] : (JSON.parse(kept) as string[])
}

function isFile(url: string): boolean {
  return url.startsWith('file:')
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}
