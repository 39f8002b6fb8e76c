/** What a site is called: the domain that somebody registered (`example.co.uk` of `www.example.co.uk`). */
import { createRequire } from 'node:module'
import type { getDomain as GetDomain } from 'tldts'

let getDomain: typeof GetDomain | undefined

/**
 * The registrable domain of a host name, by the public suffix list; suffixes under which a company lets its users have names
 * (`github.io`) count as such. Undefined for what has none: an IP address, `localhost`, a suffix itself.
 */
export function siteOf(host: string): string | undefined {
  // Loaded where it is needed: the list costs 50 ms and 7 MB.
  getDomain ??= (createRequire(import.meta.url)('tldts') as { getDomain: typeof GetDomain }).getDomain
  return getDomain(host, { allowPrivateDomains: true }) ?? undefined
}

/** {@link siteOf}, where a host without a domain is its own. */
export function registrableDomain(host: string): string {
  return siteOf(host) ?? host
}

/** The host name in a canonical http(s) address, without port; an IPv6 address without its brackets. */
export function hostnameOf(url: string): string {
  const start = url.indexOf('//') + 2
  let end = start
  if (url[start] === '[') {
    end = url.indexOf(']', start)
    return url.slice(start + 1, end)
  }
  while (end < url.length && !HOST_END.includes(url[end]!)) end++
  return url.slice(start, end)
}

const HOST_END = ':/?#'
