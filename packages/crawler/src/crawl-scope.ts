/**
 * The default scope of a crawl: the hosts of all seeds that it ever had, kept with the queues, so that a crawl that goes on
 * without its seeds keeps its scope. Grows where a seed moves within its site.
 */
import { hostOf, type Workload } from './frontier/workload.js'
import type { Scope } from './link-sorter.js'
import type { ScopeCandidate, ScopeVerdict } from './scope/scope-rule.js'
import { ScopeRules } from './scope/scope-rules.js'

const NAMED = 'scope.named'
const MOVED = 'scope.moved'

/** Settings of a {@link CrawlScope}. */
export interface CrawlScopeOptions {
  /** Asked instead of the default rules. */
  readonly scope?: Scope | undefined
  readonly maxDepth?: number | undefined
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
    return read(workload, NAMED)
  }

  check(candidate: ScopeCandidate): ScopeVerdict {
    return this.#rules.check(candidate)
  }

  /** Takes in the hosts of seeds. */
  async addSeeds(seeds: readonly string[]): Promise<void> {
    await this.#add(NAMED, seeds)
  }

  /**
   * Takes in the host that a seed moved to, where that is of the same site (`example.org` → `www.example.org`).
   * @returns false where it is not, or the rules are not the default ones
   */
  async follow(seed: string, target: string): Promise<boolean> {
    if (this.#options.scope !== undefined) return false
    // Loaded where a seed has moved: the list of public suffixes costs 50 ms and 7 MB.
    const { getDomain } = await import('tldts')
    const domain = getDomain(seed)
    if (domain === null || domain !== getDomain(target)) return false
    await this.#add(MOVED, [target])
    return true
  }

  /** True for the hosts of seeds: they may be on this machine or in the own network, where no page may lead to. */
  isNamed(host: string): boolean {
    return this.#hosts.has(host)
  }

  async #add(name: string, urls: readonly string[]): Promise<void> {
    const known = new Set(read(this.#workload, name))
    const before = known.size
    for (const url of urls) known.add(`${new URL(url).origin}/`)
    if (known.size === before) return
    await this.#workload.setMeta(name, JSON.stringify([...known]))
    this.#rules = this.#build()
  }

  #build(): Scope {
    const named = read(this.#workload, NAMED)
    this.#hosts = new Set(named.map(hostOf))
    const { scope, maxDepth } = this.#options
    const seeds = [...named, ...read(this.#workload, MOVED)]
    return scope ?? ScopeRules.fromOptions({ seeds, ...(maxDepth === undefined ? {} : { maxDepth }) })
  }
}

function read(workload: Workload, name: string): string[] {
  const kept = workload.meta(name)
  return kept === undefined ? [] : (JSON.parse(kept) as string[])
}
