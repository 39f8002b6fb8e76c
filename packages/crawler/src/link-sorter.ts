/** Sorts what was found on a page into new work and skipped addresses. */
import { type ClaimedUrl, hostOf, type NewUrl, type SkippedUrl } from './frontier/workload.js'
import type { ParsedPage } from './parse/parsed-page.js'
import { HostAliases } from './scope/host-aliases.js'
import { isExternal, type ScopeCandidate, type ScopeVerdict } from './scope/scope-rule.js'
import { UrlNormalizer } from './scope/url-normalizer.js'
import type { SpiderCallbacks } from './spider-callbacks.js'

/** Asked for every address found. */
export interface Scope {
  check(candidate: ScopeCandidate): ScopeVerdict
}

/** New work and what is none. */
export interface SortedLinks {
  readonly links: NewUrl[]
  readonly skipped: SkippedUrl[]
}

/** See the head of this file. */
export class LinkSorter {
  readonly #scope: Scope
  readonly #callbacks: SpiderCallbacks
  readonly #normalizer: UrlNormalizer
  readonly #aliases: Pick<HostAliases, 'resolve'>

  constructor(
    scope: Scope,
    callbacks: SpiderCallbacks,
    normalizer = new UrlNormalizer(),
    aliases: Pick<HostAliases, 'resolve'> = new HostAliases(),
  ) {
    this.#scope = scope
    this.#callbacks = callbacks
    this.#normalizer = normalizer
    this.#aliases = aliases
  }

  /** The links of a page, and its canonical address where that is on the same host. */
  sortPage(from: NewUrl, page: ParsedPage): SortedLinks {
    const sorted: SortedLinks = { links: [], skipped: [] }
    this.#normalizer.observe(addressesOf(page))
    for (const link of page.links) {
      if (link.scheme === 'other' && !(isFile(link.url) && isFile(from.url))) {
        if (this.#callbacks.foundOtherLink?.(link.url, from.url) !== false) {
          sorted.skipped.push({ url: link.url, reason: 'other-scheme' })
        }
      } else if (link.nofollow || !page.robots.follow) sorted.skipped.push({ url: link.url, reason: 'nofollow' })
      // A meta refresh is a redirect: no step away from the seed, and bounded like one.
      else if (link.kind === 'refresh') this.sortRedirect(from, link.url, sorted)
      else this.#sort({ url: link.url, depth: from.depth + 1, redirects: 0 }, from.url, sorted)
    }
    const { canonical, feeds } = page
    // What is new on a site its start page's feeds tell; those of every page would double the requests.
    if (from.depth === 0 && page.robots.follow) this.sortListed(from, feeds ?? [], sorted)
    if (canonical !== undefined && canonical !== from.url && isSameHost(canonical, from.url)) {
      this.#sort({ url: canonical, depth: from.depth + 1, redirects: 0 }, from.url, sorted)
    }
    return sorted
  }

  /**
   * Canonical addresses that a sitemap or feed lists.
   * @param lastModified what the list says of when they were changed
   * @param isVouched true where it says, too, that they have not changed since
   */
  sortListed(
    from: NewUrl,
    urls: readonly string[],
    sorted: SortedLinks = { links: [], skipped: [] },
    lastModified: ReadonlyMap<string, number> = new Map(),
    isVouched = false,
  ): SortedLinks {
    for (const url of urls) {
      const modified = lastModified.get(url)
      const more = modified === undefined ? {} : { lastModified: modified, ...(isVouched ? { isVouched } : {}) }
      this.#sort({ url, depth: from.depth + 1, redirects: 0, ...more }, from.url, sorted)
    }
    return sorted
  }

  /** The target of a redirect. */
  sortRedirect(from: NewUrl, target: string, sorted: SortedLinks = { links: [], skipped: [] }): SortedLinks {
    if (from.redirects >= MAX_REDIRECTS) sorted.skipped.push({ url: target, reason: 'redirect-limit' })
    else this.#sort({ url: target, depth: from.depth, redirects: from.redirects + 1 }, from.url, sorted)
    return sorted
  }

  /** Why an address that was work in an earlier generation is none any more; undefined where it still is. */
  refuses(known: ClaimedUrl): string | undefined {
    const verdict = this.#scope.check(known)
    if (verdict.inScope) return undefined
    // The callback let it in then, and may do so now; where it was found is not asked for again.
    if (isExternal(verdict.reason) && this.#callbacks.foundExternalLink?.(known.url, '') === true) return undefined
    return verdict.reason
  }

  #sort(found: NewUrl, page: string, sorted: SortedLinks): void {
    // A page of the web never leads to a file of this machine; a file may lead to another one.
    if (isFile(found.url) && !isFile(page)) {
      sorted.skipped.push({ url: found.url, reason: 'other-scheme' })
      return
    }
    const candidate = this.#normalize(found, page)
    const verdict = this.#scope.check(candidate)
    if (!verdict.inScope) {
      if (isExternal(verdict.reason) && this.#callbacks.foundExternalLink?.(candidate.url, page) === true) {
        sorted.links.push(this.#toWork(candidate))
      } else {
        const reason = verdict.reason === 'scheme' ? 'other-scheme' : verdict.reason
        sorted.skipped.push({ url: candidate.url, reason })
      }
    } else if (this.#callbacks.foundInternalLink?.(candidate.url, page) === false) {
      sorted.skipped.push({ url: candidate.url, reason: 'refused' })
    } else sorted.links.push(this.#toWork(candidate))
  }

  #normalize(found: NewUrl, page: string): NewUrl {
    if (!found.url.startsWith('http')) return found
    const url = this.#aliases.resolve(this.#normalizer.normalize(found.url))
    // A server that answers only with a session id in the address is taken at its word.
    return url === found.url || (url === page && found.redirects > 0) ? found : { ...found, url }
  }

  #toWork(candidate: NewUrl): NewUrl {
    const query = candidate.url.indexOf('?')
    if (query < 0 || this.#callbacks.getRemoveQuery?.() !== true) return candidate
    return { ...candidate, url: candidate.url.slice(0, query) }
  }
}

function* addressesOf({ links }: ParsedPage): Generator<string> {
  for (const { url } of links) yield url
}

/** Most redirects in a row. */
export const MAX_REDIRECTS = 10

function isFile(url: string): boolean {
  return url.startsWith('file:')
}

function isSameHost(url: string, other: string): boolean {
  return (url.startsWith('http://') || url.startsWith('https://')) && hostOf(url) === hostOf(other)
}
