/**
 * Cookies of this run, a jar an origin (scheme, name, port): what one sets never goes to another one. They are in memory alone; a
 * crawl that goes on later begins without them, like a visitor whose browser was closed.
 * What a cookie is, its domain, path, lifetime and `Secure`, is the business of tough-cookie with its list of public suffixes,
 * which is loaded when the first cookie comes (20 ms, 7 MB). Here are the limits.
 */

import type { CookieJar as OriginJar } from 'tough-cookie'

/** Most cookies of an origin; the oldest one goes. */
export const MAX_COOKIES = 50
/** Most characters of a Set-Cookie header. */
export const MAX_COOKIE_LENGTH = 4096
/** Most origins with cookies; the one that was longest without a new one goes. */
const MAX_ORIGINS = 1000

/** See the head of this file. */
export class CookieJar {
  readonly #origins = new Map<string, OriginJar>()

  /**
   * Keeps the cookies of an answer, a byte a character; those that are too long, for another domain or for all of a public suffix are refused.
   */
  async store(url: URL, setCookies: readonly string[]): Promise<void> {
    const { CookieJar } = await import('tough-cookie')
    const jar = this.#origins.get(url.origin) ?? new CookieJar(undefined, { rejectPublicSuffixes: true })
    let stored = 0
    for (const line of setCookies) {
      if (line.length > MAX_COOKIE_LENGTH) continue
      if (setCookie(jar, line, url)) stored++
    }
    if (stored === 0) return
    this.#origins.delete(url.origin)
    this.#origins.set(url.origin, jar)
    await dropOldest(jar)
    if (this.#origins.size <= MAX_ORIGINS) return
    for (const origin of this.#origins.keys()) {
      this.#origins.delete(origin)
      break
    }
  }

  /**
   * The Cookie header for an address, or undefined where there is none to send.
   * @param login origin whose cookies for the common domain go along: where the address' site has its login there
   */
  header(url: URL, login?: string): string | undefined {
    if (this.#origins.size === 0) return undefined
    const own = cookiesFor(url, this.#origins.get(url.origin))
    const shared = login === undefined || login === url.origin ? '' : cookiesFor(url, this.#origins.get(login))
    if (own === '' || shared === '') return own + shared || undefined
    return `${own}; ${shared}`
  }
}

/** @returns whether it was kept. Some refusals of tough-cookie are errors, such as for a host called `test`. */
function setCookie(jar: OriginJar, line: string, url: URL): boolean {
  try {
    return jar.setCookieSync(line, url.href, { ignoreError: true }) !== undefined
  } catch {
    return false
  }
}

function cookiesFor(url: URL, jar: OriginJar | undefined): string {
  try {
    return jar?.getCookieStringSync(url.href) ?? ''
  } catch {
    return ''
  }
}

async function dropOldest(jar: OriginJar): Promise<void> {
  // In the order of their creation.
  const cookies = await jar.store.getAllCookies()
  for (const { domain, path, key } of cookies.slice(0, Math.max(0, cookies.length - MAX_COOKIES))) {
    await jar.store.removeCookie(domain, path, key)
  }
}
