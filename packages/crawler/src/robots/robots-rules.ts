/**
 * robots.txt (RFC 9309), read as Google's open parser reads it: forgiving names, agent names cut at their first odd
 * character, groups that unknown lines do not split, escapes in one form; and bounded, so that no file makes a check expensive.
 */

import { isUtf8 } from 'node:buffer'
import { type RobotsRule, RuleSet } from './rule-set.js'

/** What one origin's robots.txt says to one user agent. */
export interface RobotsRules {
  /** Only path and query are looked at: ask the rules of the address's own origin. */
  isAllowed(url: string): boolean
  /** milliseconds, clamped to 0–120,000; undefined where none is asked for */
  readonly crawlDelayMs: number | undefined
  /** as given in the file, at most 1,000 */
  readonly sitemaps: readonly string[]
  /** `none`: there is no robots.txt, all is allowed; `unavailable`: it could not be had, nothing is allowed */
  readonly status: 'found' | 'none' | 'unavailable'
  /** `unavailable`: what happened, for people */
  readonly fault?: string
  /** `unavailable`: true where no connection could be made */
  readonly hasNoServer?: boolean
  /** `unavailable`: milliseconds after which the server asks to be asked again */
  readonly retryAfterMs?: number
}

/** Bytes of a robots.txt that are read (RFC 9309 §2.5 asks for at least this many). */
export const MAX_ROBOTS_BYTES = 500 * 1024
/** Characters of a line that are read: Google's limit, eight times the longest address. */
const MAX_LINE = 2083 * 8 - 1
const MAX_SITEMAPS = 1000
const MAX_CRAWL_DELAY_MS = 120_000
/** An agent name that nobody has; keeps a group with an unusable name apart from its neighbours. */
const NOBODY = '?'

const NAMES = new Map<string, 'agent' | 'allow' | 'disallow' | 'delay' | 'sitemap'>([
  ['user-agent', 'agent'],
  ['useragent', 'agent'],
  ['user agent', 'agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'delay'],
  ['crawldelay', 'delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
])

/** No robots.txt: everything is allowed. */
export const NO_RULES: RobotsRules = Object.freeze({
  isAllowed: () => true,
  crawlDelayMs: undefined,
  sitemaps: Object.freeze([]),
  status: 'none',
})

/**
 * robots.txt could not be had: nothing is allowed but robots.txt itself.
 * @param fault what happened
 */
export function unavailableRules(fault: string, retryAfterMs?: number): RobotsRules {
  const rules: RobotsRules = {
    isAllowed: isRobotsTxt,
    crawlDelayMs: undefined,
    sitemaps: [],
    status: 'unavailable',
    fault,
  }
  return retryAfterMs === undefined ? rules : { ...rules, retryAfterMs }
}

function isRobotsTxt(url: string): boolean {
  return robotsPath(url) === '/robots.txt'
}

/** The part of a User-Agent that robots.txt goes by: what stands before `/`. */
export function productToken(userAgent: string): string {
  const slash = userAgent.indexOf('/')
  return (slash < 0 ? userAgent : userAgent.slice(0, slash)).trim().toLowerCase()
}

/**
 * Reads a robots.txt.
 * @param contents the file; only its first 500 KiB, cut at a full line, are read
 * @param userAgent product token or whole User-Agent
 */
export function parseRobotsTxt(contents: Buffer | string, userAgent: string): RobotsRules {
  const text = typeof contents === 'string' ? contents : decode(contents)
  return new ParsedRules(read(text, productToken(userAgent)))
}

interface Group {
  readonly rules: RobotsRule[]
  delaySeconds: number | undefined
}

class ParsedRules implements RobotsRules {
  readonly crawlDelayMs: number | undefined
  readonly sitemaps: readonly string[]
  readonly status = 'found'
  readonly #rules: RuleSet

  constructor({ group, sitemaps }: { group: Group; sitemaps: readonly string[] }) {
    this.#rules = new RuleSet(group.rules)
    this.sitemaps = sitemaps
    const { delaySeconds } = group
    this.crawlDelayMs =
      delaySeconds === undefined ? undefined : Math.min(Math.max(delaySeconds * 1000, 0), MAX_CRAWL_DELAY_MS)
  }

  isAllowed(url: string): boolean {
    const path = robotsPath(url)
    return path === '/robots.txt' || this.#rules.isAllowed(normalizeRobotsPath(escapeRaw(path)))
  }
}

/** Path and query of an address as written, `/` where there is none. */
export function robotsPath(url: string): string {
  const scheme = url.indexOf('://')
  const query = url.search(/[?#]/)
  const hostStart = scheme >= 0 && (query < 0 || scheme < query) ? scheme + 3 : url.startsWith('//') ? 2 : 0
  let start = hostStart
  while (start < url.length && !'/?#'.includes(url[start]!)) start++
  let end = url.indexOf('#', start)
  if (end < 0) end = url.length
  const path = url.slice(start, end)
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * Characters beyond ASCII are escaped in any canonical address and in the rules; an address that has them raw is not canonical
 * and, as with Google's matcher, equals no escaped rule.
 */
function escapeRaw(path: string): string {
  return path.replace(/[^\x21-\x7e]/g, (char) => `%u${char.charCodeAt(0).toString(16)}`)
}

/** Needs no change: printable, nothing that one writer escapes and another does not. */
const NORMAL = /^[\x21\x23-\x24\x26-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*$/

/**
 * One form for rules and addresses: characters that may not stand in an address are escaped as UTF-8, escapes are in upper
 * case, and the marks that need none (`~ - . _`) have none.
 */
export function normalizeRobotsPath(path: string): string {
  if (NORMAL.test(path)) return path
  return path
    .replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (char) =>
      Buffer.from(char, 'utf8').reduce((escaped, byte) => `${escaped}%${byte.toString(16).padStart(2, '0')}`, ''),
    )
    .replace(/%[0-9a-f]{2}/gi, (triplet) => MARKS.get(triplet.toLowerCase()) ?? triplet.toUpperCase())
}

const MARKS = new Map([
  ['%7e', '~'],
  ['%2d', '-'],
  ['%2e', '.'],
  ['%5f', '_'],
])

function decode(bytes: Buffer): string {
  let body = bytes
  if (bytes.length > MAX_ROBOTS_BYTES) {
    const lineEnd = Math.max(
      bytes.lastIndexOf(0x0a, MAX_ROBOTS_BYTES - 1),
      bytes.lastIndexOf(0x0d, MAX_ROBOTS_BYTES - 1),
    )
    body = bytes.subarray(0, lineEnd < 0 ? MAX_ROBOTS_BYTES : lineEnd)
  }
  if (body[0] === 0xff && body[1] === 0xfe) return body.toString('utf16le', 2)
  if (body[0] === 0xfe && body[1] === 0xff) {
    return Buffer.from(body.subarray(2, body.length & ~1))
      .swap16()
      .toString('utf16le')
  }
  // a UTF-8 mark, or what a broken tool left of it
  let start = 0
  for (const byte of [0xef, 0xbb, 0xbf]) {
    if (body[start] !== byte) break
    start++
  }
  body = body.subarray(start)
  return isUtf8(body) ? body.toString('utf8') : body.toString('latin1')
}

/** The rules for one agent: those of all groups that name it, else those for `*`. */
function read(contents: string, token: string): { group: Group; sitemaps: string[] } {
  const own: Group = { rules: [], delaySeconds: undefined }
  const general: Group = { rules: [], delaySeconds: undefined }
  const sitemaps: string[] = []
  let isNamed = false
  let groups: Group[] = []
  let inRules = false
  for (const raw of contents.slice(0, MAX_ROBOTS_BYTES).split(/\r\n|\r|\n/)) {
    const line = splitLine(raw)
    if (line === undefined) continue
    const [name, value] = line
    if (name === 'agent') {
      if (inRules) groups = []
      inRules = false
      const agent = agentName(value)
      if (agent === token) {
        isNamed = true
        groups.push(own)
      } else if (agent === '*') groups.push(general)
    } else if (name === 'sitemap') {
      if (sitemaps.length < MAX_SITEMAPS && value !== '') sitemaps.push(value)
    } else if (name === 'delay') {
      // a delay is no rule and does not end the list of agents (RFC 9309 §2.2.4)
      const seconds = Number.parseFloat(value)
      if (Number.isNaN(seconds)) continue
      for (const group of groups) group.delaySeconds = Math.max(group.delaySeconds ?? seconds, seconds)
    } else {
      inRules = true
      for (const group of groups) addRule(group.rules, name === 'allow', value)
    }
  }
  return { group: isNamed ? own : general, sitemaps }
}

function addRule(rules: RobotsRule[], allow: boolean, value: string): void {
  const pattern = normalizeRobotsPath(value)
  rules.push({ allow, pattern })
  if (!allow) return
  // “/dir/index.html” allowed means that “/dir/” is allowed as well
  const slash = pattern.lastIndexOf('/')
  if (slash >= 0 && pattern.startsWith('/index.htm', slash)) {
    rules.push({ allow, pattern: `${pattern.slice(0, slash + 1)}$` })
  }
}

function splitLine(raw: string): [name: NonNullable<ReturnType<typeof NAMES.get>>, value: string] | undefined {
  const cut = raw.length > MAX_LINE ? raw.slice(0, MAX_LINE) : raw
  const comment = cut.indexOf('#')
  const line = (comment < 0 ? cut : cut.slice(0, comment)).trim()
  if (line === '') return undefined
  let colon = line.indexOf(':')
  if (colon < 0) {
    // a forgotten colon is forgiven where the line is two words
    const words = line.split(/\s+/)
    if (words.length !== 2) return undefined
    colon = words[0]!.length
  }
  const name = NAMES.get(line.slice(0, colon).trim().toLowerCase())
  return name === undefined ? undefined : [name, line.slice(colon + 1).trim()]
}

/** In lower case, cut at the first character that no agent name has. */
function agentName(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*'
  return /^[A-Za-z0-9_.-]+/.exec(value)?.[0].toLowerCase() ?? NOBODY
}
