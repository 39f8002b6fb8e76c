/** The rules that say what the site is: its domain, a folder of it, a range of addresses. (The host: `HostRule`.) */
import { hostKey } from '@spindle/core'
import type { AddressRanges } from './address-ranges.js'
import { hostnameOf, registrableDomain } from './registrable-domain.js'
import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'

/** Hosts whose domain is remembered. */
const MAX_HOSTS = 10_000

/** Only hosts of the registrable domains of the given addresses, on any port. An IP address is a domain of its own. */
export class DomainRule implements ScopeRule {
  readonly #domains = new Set<string>()
  readonly #hosts = new Map<string, boolean>()

  /** @param urls absolute http(s) addresses */
  constructor(urls: Iterable<string>) {
    for (const url of urls) this.#domains.add(registrableDomain(hostnameOf(url)))
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    const host = hostnameOf(url)
    let isIn = this.#hosts.get(host)
    if (isIn === undefined) {
      isIn = this.#domains.has(registrableDomain(host))
      if (this.#hosts.size >= MAX_HOSTS) this.#hosts.clear()
      this.#hosts.set(host, isIn)
    }
    return isIn ? undefined : 'off-domain'
  }
}

/** An ending as of a file. */
const FILE = /\.[a-z][a-z0-9]{0,5}$/i

/**
 * Only what lies in the folder of one of the given addresses, on its host. The folder of `/docs/guide.html` and of `/docs/`
 * is `/docs/`; `/docs` without an ending counts as a folder, too, and is itself in scope.
 */
export class PrefixRule implements ScopeRule {
  readonly #folders = new Map<string, string[]>()

  /** @param urls absolute http(s) addresses in canonical form */
  constructor(urls: Iterable<string>) {
    for (const url of urls) {
      const host = hostKey(url)
      const { pathname } = new URL(url)
      const name = pathname.slice(pathname.lastIndexOf('/') + 1)
      const folder = name === '' || FILE.test(name) ? pathname.slice(0, pathname.length - name.length) : `${pathname}/`
      const folders = this.#folders.get(host) ?? []
      if (!folders.includes(folder)) folders.push(folder)
      this.#folders.set(host, folders)
    }
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    const start = url.indexOf('//') + 2
    let end = start
    while (end < url.length && !'/?#'.includes(url[end]!)) end++
    const folders = this.#folders.get(url.slice(start, end))
    if (folders === undefined) return 'off-host'
    for (const folder of folders) {
      if (url.startsWith(folder, end)) return undefined
      // the folder itself without its slash
      const at = end + folder.length - 1
      if (url.startsWith(folder.slice(0, -1), end) && (at === url.length || url[at] === '?')) return undefined
    }
    return 'off-prefix'
  }
}

/** Only hosts in ranges of addresses. Names pass here; they are looked up before they are fetched ({@link AddressRanges}). */
export class AddressRangeRule implements ScopeRule {
  readonly #ranges: AddressRanges

  constructor(ranges: AddressRanges) {
    this.#ranges = ranges
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    return this.#ranges.containsLiteral(hostnameOf(url)) === false ? 'off-range' : undefined
  }
}
