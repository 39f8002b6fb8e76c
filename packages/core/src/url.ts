/**
 * Addresses: one canonical form for each, so that a page is met once.
 * Parsing is the WHATWG URL of Node.js; what is added is what RFC 3986 §6.2.2 calls syntax-based normalisation.
 */

const UNRESERVED = /%([0-9a-fA-F]{2})/g
const HEX = /[0-9a-fA-F]/

/** Decodes percent-encoded unreserved characters and puts the other escapes in upper case (RFC 3986 §6.2.2.1–2). */
function normalizeEscapes(part: string): string {
  if (!part.includes('%')) return part
  return part.replace(UNRESERVED, (triplet, hex: string, at: number) => {
    // Behind a percent sign that escapes nothing it would begin or end a new escape: %%330 is not %30.
    if (part[at - 1] === '%' || (part[at - 2] === '%' && HEX.test(part[at - 1]!))) return triplet.toUpperCase()
    const code = Number.parseInt(hex, 16)
    const unreserved =
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      (code >= 0x30 && code <= 0x39) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f ||
      code === 0x7e
    return unreserved ? String.fromCharCode(code) : triplet.toUpperCase()
  })
}

/** True for the two schemes that a spider fetches. */
export function isHttpUrl(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:'
}

/**
 * The canonical form of a parsed address: no fragment, no credentials, escapes normalised, an empty query dropped.
 * The URL given is changed.
 */
export function canonicalUrl(url: URL): string {
  // Each change costs as much as parsing the address once more.
  if (url.href.includes('#')) url.hash = ''
  // Of any scheme: what is not fetched is listed.
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  if (isHttpUrl(url)) {
    const path = normalizeEscapes(url.pathname)
    if (path !== url.pathname) url.pathname = path
    if (url.search === '') url.search = ''
    else {
      const search = normalizeEscapes(url.search)
      if (search !== url.search) url.search = search
    }
  }
  if (url.protocol === 'file:') {
    const path = normalizeEscapes(url.pathname)
    if (path !== url.pathname) url.pathname = path
    // Files have no query; a folder's listing has pages.
    if (url.search !== '' && !path.endsWith('/')) url.search = ''
  }
  return url.href
}

/** The canonical form of an absolute address, or undefined where it cannot be parsed. */
export function normalizeUrl(text: string): string | undefined {
  const url = parseUrl(text)
  return url === undefined ? undefined : canonicalUrl(url)
}

/** The canonical form of a reference as found in a page at `base`, or undefined where it cannot be parsed. */
export function resolveUrl(reference: string, base: string): string | undefined {
  const url = parseUrl(reference, base)
  return url === undefined ? undefined : canonicalUrl(url)
}

/** `new URL` without the throw. */
export function parseUrl(text: string, base?: string): URL | undefined {
  if (!URL.canParse(text, base)) return undefined
  return new URL(text, base)
}

/** What politeness and scope count as one host: host name and port as in the address (`example.org`, `example.org:8080`). */
export function hostKey(url: string): string {
  return new URL(url).host
}
