/** The last word before an address is fetched: what may have changed since it was queued, or is only known now. */
import type { CrawlScope } from './crawl-scope.js'
import type { PageVariants } from './frontier/page-variants.js'
import type { ClaimedUrl } from './frontier/workload.js'
import type { LinkSorter } from './link-sorter.js'
import type { HostAliases } from './scope/host-aliases.js'
import type { HostBudgets } from './scope/host-budgets.js'

/** Why an address is not fetched. */
export interface Refusal {
  readonly queue: 'complete' | 'error'
  readonly disposition: string
  /** The address that the page is stored under, or that this one leads to. */
  readonly location?: string
}

/** See the head of this file. */
export class Gatekeeper {
  readonly #scope: CrawlScope
  readonly #sorter: LinkSorter
  readonly #variants: PageVariants
  readonly #budgets: HostBudgets
  readonly #aliases: HostAliases

  constructor(
    scope: CrawlScope,
    sorter: LinkSorter,
    variants: PageVariants,
    budgets: HostBudgets,
    aliases: HostAliases,
  ) {
    this.#scope = scope
    this.#sorter = sorter
    this.#variants = variants
    this.#budgets = budgets
    this.#aliases = aliases
  }

  /** Undefined where the address may be fetched, as far as we are concerned. */
  async refuse(url: ClaimedUrl): Promise<Refusal | undefined> {
    const refused = url.previous === undefined ? undefined : this.#sorter.refuses(url)
    const reason = refused ?? this.#budgets.spent(url.host) ?? (await this.#offRange(url))
    if (reason !== undefined) return { queue: 'error', disposition: reason }
    // A page that was stored before is looked at: it may have become another one.
    if (url.previous !== undefined || url.depth === 0) return undefined
    const target = this.#aliases.resolve(url.url)
    if (target !== url.url) return { queue: 'complete', disposition: 'redirect', location: target }
    const twin = this.#variants.foresee(url.url)
    return twin === undefined ? undefined : { queue: 'complete', disposition: 'duplicate', location: twin }
  }

  /** Start addresses are always in scope. */
  async #offRange({ url, depth }: ClaimedUrl): Promise<string | undefined> {
    return depth === 0 ? undefined : this.#scope.checkHost(url)
  }
}
