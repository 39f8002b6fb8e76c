/**
 * What the addresses of two pages say about whether they can be the same page: the print view of a page, its copy on another site;
 * and which of several addresses stands for a page.
 */
import { hostKey } from '@spindle/core'
import { hostnameOf, registrableDomain } from '../scope/registrable-domain.js'

/** Another view of the same page, as a path segment, the name or the value of a parameter, or the first part of a host name. */
const VIEW = /^(?:amp|lite|mobile|plain|print(?:able|er|[-_]?version|[-_]?view|er[-_]?friendly)?|text[-_]?only|m)$/i
/** … or the end of a file's name. */
const VIEW_SUFFIX = /[-_.](?:amp|mobile|print(?:able|er)?)(?=\.\w+$|$)/i
const SWITCHED = /^(?:1|true|yes|on|y)?$/i
const INDEX_FILE = /^(?:index|default)\.(?:[xs]?html?|php|aspx?|jsp)$/i
const HOST_PREFIX = /^(?:www|m|mobile|amp|print)\./i

/** The address without what asks for another view: equal for the print view of a page and the page itself. */
export function viewKey(url: string): string {
  const { host, segments, parameters } = split(url)
  const path = segments.filter((segment) => !VIEW.test(segment)).map((segment) => segment.replace(VIEW_SUFFIX, ''))
  const rest = parameters.filter((parameter) => {
    const [name = '', value = ''] = parameter.split('=', 2)
    return !(VIEW.test(value) || (VIEW.test(name) && SWITCHED.test(value)))
  })
  return `${host.replace(HOST_PREFIX, '')}/${path.join('/')}?${rest.join('&')}`
}

/** The end of the path, with the query: equal for a page and its copy in a folder of another site. */
export function tailOf(url: string): string {
  const { segments, parameters } = split(url)
  const named = segments.filter((segment) => segment !== '' && !INDEX_FILE.test(segment))
  return `${named.at(-1) ?? ''}?${parameters.join('&')}`
}

/** True for addresses of sites that have nothing to do with each other as far as their names tell. */
export function isOtherSite(a: string, b: string): boolean {
  const [one, other] = [hostKey(a), hostKey(b)]
  return one !== '' && other !== '' && one !== other && siteName(a, one) !== siteName(b, other)
}

function siteName(url: string, host: string): string {
  const name = hostnameOf(url)
  const domain = registrableDomain(name)
  // What has no domain (an IP address, localhost) is told apart by the port as well.
  return domain === name ? host : domain
}

/** True where two titles name the same page, perhaps with the names of two sites. */
export function sameTitle(a: string, b: string): boolean {
  const [one, other] = [partsOf(a), partsOf(b)]
  if (one.length === 0 || other.length === 0) return one.length === other.length
  return one.some((part) => other.includes(part))
}

function partsOf(title: string): string[] {
  return title
    .toLowerCase()
    .split(/\s+[-–—|·•»:]+\s+|:\s+/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '')
}

/** How much an address is wanted for its page, the less the more: without a query before with one, https before http. */
export function addressRank(url: string): number {
  return (url.includes('?') ? 2 : 0) + (url.startsWith('http:') ? 1 : 0)
}

/** True for an address in the folder of a language, or of a file that ends with one. @param language primary subtag, or '' */
export function isInLanguage(url: string, language: string): boolean {
  if (language === '') return false
  return split(url).segments.some((segment) => segment.toLowerCase().split(/[-_.]/).includes(language))
}

/** Orders addresses of the same rank: the shorter, then the lesser. */
export function byAddress(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** True where of two addresses of a page the first is wanted more. */
export function isPreferred(url: string, other: string): boolean {
  return (addressRank(url) - addressRank(other) || byAddress(url, other)) < 0
}

function split(url: string) {
  const query = url.indexOf('?')
  const address = query < 0 ? url : url.slice(0, query)
  const start = address.indexOf('//') + 2
  const slash = address.indexOf('/', start)
  const host = slash < 0 ? address.slice(start) : address.slice(start, slash)
  const path = slash < 0 ? '' : address.slice(slash + 1)
  const parameters = query < 0 ? [] : url.slice(query + 1).split('&')
  return { host, segments: path.split('/'), parameters: parameters.filter((part) => part !== '') }
}
