/**
 * The sitemaps of a crawl: which addresses are ones (named by a robots.txt, by an index, or well known), and which of the
 * addresses in them count. They are fetched like pages, from the same queues, so politeness, robots.txt, retries and going on after
 * a stop are theirs as well. What is a sitemap is kept with the queues.
 *
 * An address counts where it is on the host of its sitemap, or on one whose robots.txt names that sitemap (sitemaps.org,
 * “cross submits”): nobody can send the crawl elsewhere by listing it.
 */
import { normalizeUrl, resolveUrl } from '@spindle/core'
import { hostOf, type NewUrl, type Workload } from '../frontier/workload.js'
import type { RobotsRules } from '../robots/robots-rules.js'
import type { UrlList } from './url-list.js'

/** Where sitemaps are looked for: those that robots.txt names, at `/sitemap.xml` as well, or nowhere. */
export type SitemapMode = 'robots' | 'all' | 'off'

/** What is known of a sitemap. */
export interface SitemapRole {
  /** Indexes above it. */
  readonly level: number
  /** Hosts (name and port) whose addresses it may list beside its own. */
  readonly hosts: readonly string[]
  /** True where nobody named it: it is looked for where sitemaps often are. */
  readonly isGuess?: boolean
}

/** Indexes within each other; the protocol allows one. */
const MAX_LEVEL = 2
/** Sitemaps of a crawl. */
const MAX_SITEMAPS = 10_000
/** Sitemaps that one robots.txt may name, so that none takes the place of all others. */
const MAX_NAMED = 1000
const META = 'sitemaps'

/** See the head of this file. */
export class SiteLists {
  readonly #workload: Workload
  readonly #mode: SitemapMode
  readonly #roles: Map<string, SitemapRole>
  readonly #origins = new Set<string>()

  constructor(workload: Workload, mode: SitemapMode) {
    this.#workload = workload
    this.#mode = mode
    this.#roles = new Map(JSON.parse(workload.meta(META) ?? '[]') as [string, SitemapRole][])
  }

  /** What is known of a sitemap; undefined for any other address. */
  roleOf(url: string): SitemapRole | undefined {
    return this.#roles.get(url)
  }

  /**
   * Told the robots.txt of an origin whose page is about to be fetched.
   * @returns the sitemaps that are new work
   */
  async found(origin: string, rules: RobotsRules): Promise<NewUrl[]> {
    if (this.#mode === 'off' || this.#origins.has(origin) || !origin.startsWith('http')) return []
    this.#origins.add(origin)
    const named = rules.sitemaps.slice(0, MAX_NAMED).map((reference) => resolveUrl(reference, `${origin}/robots.txt`))
    const hosts = [hostOf(`${origin}/`)]
    const found = await this.#add(named, 0, hosts)
    if (this.#mode === 'all') found.push(...(await this.#add([normalizeUrl(`${origin}/sitemap.xml`)], 0, hosts, true)))
    return found
  }

  /** Told where an address redirects to: what a sitemap moved to is one, too. */
  async moved(from: string, to: string): Promise<void> {
    const role = this.#roles.get(from)
    if (role !== undefined) await this.#add([to], role.level, role.hosts, role.isGuess)
  }

  /**
   * The sitemaps that an index lists.
   * @param url address of the index
   */
  async ofIndex(url: string, list: UrlList): Promise<NewUrl[]> {
    const { level, hosts } = this.#role(url)
    if (level >= MAX_LEVEL) return []
    const listed = list.entries.map(({ reference }) => normalizeUrl(reference))
    return await this.#add(
      listed.filter((one) => one !== undefined && this.#isOwn(one, url)),
      level + 1,
      hosts,
    )
  }

  /**
   * The addresses that a sitemap or feed lists, canonical, each once, and what it says of when they were changed; foreign ones
   * are in `dropped`.
   * @param url address of the list
   */
  addresses(url: string, list: UrlList): { urls: string[]; dropped: string[]; lastModified: Map<string, number> } {
    const urls = new Set<string>()
    const dropped = new Set<string>()
    const dates = new Map<string, number>()
    for (const { reference, lastModified } of list.entries) {
      const address = resolveUrl(reference, url)
      if (address === undefined) continue
      if (lastModified !== undefined) dates.set(address, lastModified)
      // The items of a feed may be anywhere: a list of what others write is a common one.
      if (list.kind === 'feed' || this.#isOwn(address, url)) urls.add(address)
      else dropped.add(address)
    }
    return { urls: [...urls], dropped: [...dropped], lastModified: dates }
  }

  #role(url: string): SitemapRole {
    return this.#roles.get(url) ?? { level: 0, hosts: [] }
  }

  #isOwn(address: string, list: string): boolean {
    const host = hostOf(address)
    return host === hostOf(list) || this.#role(list).hosts.includes(host)
  }

  async #add(
    urls: readonly (string | undefined)[],
    level: number,
    hosts: readonly string[],
    isGuess = false,
  ): Promise<NewUrl[]> {
    const added: NewUrl[] = []
    let isChanged = false
    for (const url of urls) {
      if (url === undefined || !/^https?:/.test(url)) continue
      const known = this.#roles.get(url)
      if (known === undefined && this.#roles.size >= MAX_SITEMAPS) break
      const allHosts = [...new Set([...(known?.hosts ?? []), ...hosts])]
      const isStillGuess = isGuess && (known === undefined || known.isGuess === true)
      if (known === undefined || allHosts.length > known.hosts.length || (known.isGuess === true && !isStillGuess)) {
        const role = { level: Math.min(level, known?.level ?? level), hosts: allHosts }
        this.#roles.set(url, isStillGuess ? { ...role, isGuess: true } : role)
        isChanged = true
      }
      added.push({ url, depth: 0, redirects: 0 })
    }
    if (isChanged) await this.#workload.setMeta(META, JSON.stringify([...this.#roles]))
    return added
  }
}
