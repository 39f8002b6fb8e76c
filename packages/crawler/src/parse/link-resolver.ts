/**
 * From a reference in a page to a canonical address. Four of five links of a documentation site are plain relative paths, those of
 * a forum have a plain query: they are put together as strings, which costs a tenth of `new URL` and gives the same (held so by a
 * property test).
 */

import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js'
import { canonicalUrl, parseUrl } from '@spindle/core'

/** Characters that an address keeps as they are in a path: letters, digits and some marks, but no dot, slash or escape. */
const PLAIN = new Uint8Array(128)
for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~!$&()*+,;=@')
  PLAIN[char.charCodeAt(0)] = 1
/** … and in a query. */
const PLAIN_IN_QUERY = PLAIN.slice()
for (const char of '/.:?') PLAIN_IN_QUERY[char.charCodeAt(0)] = 1

const QUESTION_MARK = 0x3f
const ABSOLUTE = /^https?:\/\//
/** What absolute references came to: those of a site's frame are the same on each of its pages. */
const known = new Map<string, string | undefined>()
const MAX_KNOWN = 4096
/** UTF-16 units of a reference that is kept. */
const MAX_KNOWN_LENGTH = 256

/** Resolves references of one page. */
export class LinkResolver {
  readonly base: string
  /** scheme and host, as `https://example.org`; empty where paths cannot be put together as strings */
  readonly #origin: string
  /** path of the base up to and with its last slash */
  readonly #directory: string
  readonly #charset: string

  /**
   * @param base canonical base address
   * @param charset the page's encoding: characters beyond ASCII in a query are escaped in it (WHATWG URL, “query encoding”)
   */
  constructor(base: string, charset: string) {
    this.base = base
    this.#charset = charset.startsWith('utf-') ? 'utf-8' : charset
    // What is canonical need not be parsed again.
    const isWeb = base.startsWith('http://') || base.startsWith('https://')
    const slash = isWeb ? base.indexOf('/', base.indexOf('//') + 2) : -1
    const path = base.lastIndexOf('@', slash) < 0 ? slash : -1
    const query = base.indexOf('?')
    this.#origin = path < 0 ? '' : base.slice(0, path)
    this.#directory = path < 0 ? '' : base.slice(path, base.lastIndexOf('/', query < 0 ? base.length : query) + 1)
  }

  /** The canonical address, or undefined where the reference is none. */
  resolve(reference: string): string | undefined {
    if (this.#origin !== '') {
      const plain = this.#resolvePlain(reference)
      if (plain !== undefined) return plain
    }
    if (reference.length > MAX_KNOWN_LENGTH || !ABSOLUTE.test(reference)) return this.#parse(reference)
    if (this.#charset !== 'utf-8' && reference.includes('?')) return this.#parse(reference)
    const before = known.get(reference)
    if (before !== undefined || known.has(reference)) return before
    const url = this.#parse(reference)
    if (known.size >= MAX_KNOWN) known.clear()
    // A copy, for a string cut out of a page keeps the whole page in memory.
    known.set(Buffer.from(reference, 'utf16le').toString('utf16le'), url)
    return url
  }

  #parse(reference: string): string | undefined {
    const url = parseUrl(this.#encodeQuery(reference), this.base)
    return url === undefined ? undefined : canonicalUrl(url)
  }

  /** `a/b.html`, `../a.html`, `/a/b/`, `a?b=c` of plain characters; undefined asks for the long way. */
  #resolvePlain(reference: string): string | undefined {
    const length = reference.length
    if (length === 0) return undefined
    let start = 0
    let directory = this.#directory
    if (reference.charCodeAt(0) === 0x2f) {
      start = 1
      directory = '/'
    } else {
      while (reference.startsWith('../', start)) {
        start += 3
        if (directory.length > 1) directory = directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1)
      }
      if (start === 0 && reference.startsWith('./')) start = 2
    }
    // within the rest, a segment must not begin with a dot or be empty: those are special
    let atStart = true
    for (let i = start; i < length; i++) {
      const code = reference.charCodeAt(i)
      if (code === 0x2f || code === 0x2e) {
        if (atStart) return undefined
        atStart = code === 0x2f
      } else if (code < 128 && PLAIN[code] === 1) atStart = false
      else if (code === QUESTION_MARK && i > 0 && isPlainQuery(reference, i + 1)) break
      else return undefined
    }
    return this.#origin + directory + reference.slice(start)
  }

  #encodeQuery(reference: string): string {
    if (this.#charset === 'utf-8') return reference
    const start = reference.indexOf('?')
    if (start < 0 || !/[^\p{ASCII}]/u.test(reference.slice(start))) return reference
    const hash = reference.indexOf('#', start)
    const end = hash < 0 ? reference.length : hash
    const query = percentEncodeAfterEncoding(this.#charset, reference.slice(start + 1, end), ' "#\'<>')
    return `${reference.slice(0, start + 1)}${query}${reference.slice(end)}`
  }
}

/** Not an empty one, which an address loses. */
function isPlainQuery(reference: string, start: number): boolean {
  for (let i = start; i < reference.length; i++) {
    const code = reference.charCodeAt(i)
    if (code >= 128 || PLAIN_IN_QUERY[code] === 0) return false
  }
  return start < reference.length
}
