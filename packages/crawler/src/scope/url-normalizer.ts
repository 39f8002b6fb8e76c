/**
 * What distinguishes addresses and not pages is taken out of them before they are compared: session ids, tracking
 * parameters, the order of parameters, and what the configuration says. The address that is left is fetched, stored and shown.
 *
 * Only what cannot change a page is taken. Whether `www.`, `https`, `/index.html`, a last slash, upper case or an unknown
 * parameter makes a difference only the answer tells: those addresses are compared by content (`frontier/page-variants.ts`).
 * Escapes, dots, default ports and fragments are the business of `canonicalUrl` of core.
 */
import { normalizeUrl } from '@spindle/core'
import { WildcardPattern } from '../robots/wildcard-pattern.js'

/** Settings of a {@link UrlNormalizer}; everything that is taken out can be kept. */
export interface NormalizerOptions {
  /** take session ids out of path and query; default true */
  readonly sessionIds?: boolean | undefined
  /** take tracking parameters out (`utm_source`, `gclid`, …); default true */
  readonly trackingParameters?: boolean | undefined
  /** put parameters in the order of their names; those of one name keep theirs; default true */
  readonly sortParameters?: boolean | undefined
  /** names of parameters taken out as well; `*` is any run of characters, upper and lower case are one */
  readonly removeParameters?: readonly string[] | undefined
  /** names of parameters that stay, whatever the other rules say */
  readonly keepParameters?: readonly string[] | undefined
  /** take the whole query out; default false */
  readonly removeQuery?: boolean | undefined
}

/** Parameters whose value is always a session's. */
const SESSION =
  'phpsessid jsessionid aspsessionid* sessionid session_id sess_id zenid oscsid cfid cftoken sessid'.split(' ')
/** Parameters whose value is a session's where it looks like a random number. */
const SESSION_IF_RANDOM = new Set(['sid', 'session', 'sess'])
/** Long, of letters and digits mixed; or a UUID. */
const RANDOM = /^(?:(?=[^&]*\d)(?=[^&]*[a-z])[a-z0-9]{16,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/** A cheap sign of one of these. */
const MAYBE_ID = /[?&]sess?(?:ion)?=|[?&]sid=/i
/** Paths remembered whose parameter names documents. */
const MAX_ID_PATHS = 10_000

/** Parameters that advertising, mailing and analytics programs add to links. */
const TRACKING = (
  'utm_* gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _gl _ga fbclid msclkid yclid ysclid _openstat twclid ' +
  'ttclid li_fat_id igsh igshid epik mc_cid mc_eid _hsenc _hsmi __hstc __hssc __hsfp hsctatracking vero_id vero_conv ' +
  'oly_anon_id oly_enc_id rb_clickid s_cid mkt_tok ml_subscriber ml_subscriber_hash wickedid pk_campaign pk_kwd pk_source ' +
  'pk_medium mtm_* matomo_* spm bd_vid qhclickid'
).split(' ')

/** `;jsessionid=…` and the like behind a segment of the path. */
const PATH_PARAMETER = /;(?:jsessionid|phpsessid|sessionid|sid)=[^/;?]*/gi
/** A segment of its own: `/PHPSESSID=…/`, and what ASP.NET writes: `/(S(…))/`. */
const PATH_SEGMENT = /\/(?:(?:jsessionid|phpsessid)=[^/?]*|\((?:[A-Z]\([a-z0-9]{8,64}\))+\))(?=\/|$)/gi

/** Segments that are none. */
const DOTS = /\/\.{1,2}(?=\/|$)/

/** See the head of this file. */
export class UrlNormalizer {
  readonly #sessionIds: boolean
  readonly #sort: boolean
  readonly #removeQuery: boolean
  readonly #remove: NameList
  readonly #keep: NameList
  /** Paths with the name of a parameter that looks like a session's and is none. */
  readonly #ids = new Set<string>()

  constructor(options: NormalizerOptions = {}) {
    this.#sessionIds = options.sessionIds !== false
    this.#sort = options.sortParameters !== false
    this.#removeQuery = options.removeQuery === true
    this.#remove = new NameList([
      ...(this.#sessionIds ? SESSION : []),
      ...(options.trackingParameters === false ? [] : TRACKING),
      ...(options.removeParameters ?? []),
    ])
    this.#keep = new NameList(options.keepParameters ?? [])
  }

  /**
   * Told the addresses of one page before they are normalised: a visit has one session, so where they differ in its id alone, it
   * is the name of a document (`/doc?sid=…`), and stays.
   */
  observe(urls: Iterable<string>): void {
    if (!this.#sessionIds) return
    let seen: Map<string, string> | undefined
    for (const url of urls) {
      const query = url.indexOf('?')
      if (query < 0 || !MAYBE_ID.test(url)) continue
      for (const part of url.slice(query + 1).split('&')) {
        const name = nameOf(part).toLowerCase()
        if (!SESSION_IF_RANDOM.has(name)) continue
        seen ??= new Map()
        const place = `${url.slice(0, query)}?${name}`
        const before = seen.get(place)
        if (before === undefined) seen.set(place, part)
        else if (before !== part && this.#ids.size < MAX_ID_PATHS) this.#ids.add(place)
      }
    }
  }

  /** @param url canonical http(s) address @returns canonical address */
  normalize(url: string): string {
    const query = url.indexOf('?')
    const path = this.#path(query < 0 ? url : url.slice(0, query))
    if (query < 0) return path
    const rest = this.#removeQuery ? '' : this.#query(url.slice(query + 1), url.slice(0, query))
    return rest === '' ? path : `${path}?${rest}`
  }

  #path(path: string): string {
    if (!this.#sessionIds) return path
    // Cheap signs that there is something to do: most addresses have none.
    const hasParameter = path.includes(';')
    if (!hasParameter && !path.includes('(') && !path.includes('=')) return path
    const start = path.indexOf('/', path.indexOf('//') + 2)
    const cleaned = path.slice(start).replace(PATH_PARAMETER, '').replace(PATH_SEGMENT, '')
    const address = path.slice(0, start) + (cleaned === '' ? '/' : cleaned)
    // What was `/..;sid=1` is `/..` now, and means another folder.
    return DOTS.test(cleaned) ? (normalizeUrl(address) ?? address) : address
  }

  #query(query: string, address: string): string {
    const parts = query.split('&')
    const kept = parts.filter((part) => !this.#isRemoved(part, address))
    if (this.#sort && kept.length > 1) kept.sort(byName)
    return kept.length === parts.length && !this.#sort ? query : kept.join('&')
  }

  #isRemoved(part: string, address: string): boolean {
    if (part === '') return true
    const name = nameOf(part).toLowerCase()
    if (this.#keep.has(name)) return false
    if (this.#remove.has(name)) return true
    if (!this.#sessionIds || !SESSION_IF_RANDOM.has(name) || !RANDOM.test(part.slice(name.length + 1))) return false
    return this.#ids.size === 0 || !this.#ids.has(`${address}?${name}`)
  }
}

/** Names, some of them with wildcards, in lower case. */
class NameList {
  readonly #names = new Set<string>()
  readonly #patterns: readonly WildcardPattern[]

  constructor(names: readonly string[]) {
    const patterns: WildcardPattern[] = []
    for (const name of names) {
      const lower = name.toLowerCase()
      if (lower.includes('*')) patterns.push(new WildcardPattern(lower.split(/\*+/), true))
      else this.#names.add(lower)
    }
    this.#patterns = patterns
  }

  has(name: string): boolean {
    return this.#names.has(name) || this.#patterns.some((pattern) => pattern.matches(name))
  }
}

function nameOf(part: string): string {
  const equals = part.indexOf('=')
  return equals < 0 ? part : part.slice(0, equals)
}

function byName(a: string, b: string): number {
  const x = nameOf(a)
  const y = nameOf(b)
  return x < y ? -1 : x > y ? 1 : 0
}
