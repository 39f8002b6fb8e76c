/**
 * robots.txt (RFC 9309) around robots-parser, which does the grouping by agent and the matching.
 * What is added here is what real files and the cases of Google's parser need before it: a clean copy of the file with one
 * spelling of every line, agent names cut at their first odd character, groups that unknown lines do not split, escapes in one
 * form, and bounds, so that no file makes a check expensive.
 */

import { isUtf8 } from 'node:buffer'
import { createMatcher, type RobotsMatcher } from './robots-parser-adapter.js'

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
}

/** Bytes of a robots.txt that are read (RFC 9309 §2.5 asks for at least this many). */
export const MAX_ROBOTS_BYTES = 500 * 1024
/** Characters of a line that are read: Google's limit, eight times the longest address. */
const MAX_LINE = 2083 * 8 - 1
const MAX_SITEMAPS = 1000
const MAX_CRAWL_DELAY_MS = 120_000
/** Wildcards a file may use in all: matching takes wildcards × address length steps. */
const MAX_WILDCARDS = 2000
/** Any origin will do: the matcher is only asked about paths. */
const ORIGIN = 'http://origin.invalid'
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
export function unavailableRules(fault: string): RobotsRules {
  return { isAllowed: isRobotsTxt, crawlDelayMs: undefined, sitemaps: [], status: 'unavailable', fault }
}

function isRobotsTxt(url: string): boolean {
  return pathOf(url) === '/robots.txt'
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
  const token = productToken(userAgent)
  const { text, sitemaps } = clean(typeof contents === 'string' ? contents : decode(contents))
  const matcher = createMatcher(`${ORIGIN}/robots.txt`, text)
  return new ParsedRules(matcher, token, sitemaps)
}

class ParsedRules implements RobotsRules {
  readonly crawlDelayMs: number | undefined
  readonly sitemaps: readonly string[]
  readonly status = 'found'
  readonly #matcher: RobotsMatcher
  readonly #token: string

  constructor(matcher: RobotsMatcher, token: string, sitemaps: readonly string[]) {
    this.#matcher = matcher
    this.#token = token
    this.sitemaps = sitemaps
    const delay = matcher.getCrawlDelay(token)
    this.crawlDelayMs = delay === undefined ? undefined : Math.min(Math.max(delay * 1000, 0), MAX_CRAWL_DELAY_MS)
  }

  isAllowed(url: string): boolean {
    const path = pathOf(url)
    if (path === '/robots.txt') return true
    return this.#matcher.isAllowed(ORIGIN + unescapeMarks(escapeRaw(path)), this.#token) !== false
  }
}

/** Path and query of an address as written, `/` where there is none. */
function pathOf(url: string): string {
  const scheme = url.indexOf('://')
  const hostStart = scheme >= 0 ? scheme + 3 : url.startsWith('//') ? 2 : 0
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
  return path.replace(/[^\u0021-\u007e]/g, (char) => `%u${char.charCodeAt(0).toString(16)}`)
}

/** The marks that need no escape (`~ - . _`) unescaped: canonical addresses have them so, files often do not. */
function unescapeMarks(path: string): string {
  return path.includes('%') ? path.replace(/%(?:7E|2D|2E|5F)/gi, (mark) => decodeURIComponent(mark)) : path
}

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

/** The same rules in the one spelling that robots-parser reads as meant. */
function clean(contents: string): { text: string; sitemaps: string[] } {
  const out: string[] = []
  const delays: string[] = []
  const sitemaps: string[] = []
  let agents: string[] = []
  let inRules = false
  let wildcards = 0
  for (const raw of contents.slice(0, MAX_ROBOTS_BYTES).split(/\r\n|\r|\n/)) {
    const line = splitLine(raw)
    if (line === undefined) continue
    const [name, value] = line
    if (name === 'agent') {
      if (inRules) agents = []
      inRules = false
      const agent = agentName(value)
      agents.push(agent)
      out.push(`User-agent: ${agent}`)
    } else if (name === 'sitemap') {
      if (sitemaps.length < MAX_SITEMAPS && value !== '') sitemaps.push(value)
    } else if (name === 'delay') {
      // a delay is no rule and must not end the list of agents (RFC 9309 §2.2.4), so it goes into a group of its own
      if (agents.length > 0) for (const agent of agents) delays.push(`User-agent: ${agent}\nCrawl-delay: ${value}`)
    } else {
      inRules = true
      wildcards += value.split('*').length - 1
      pushRule(out, name === 'allow', value, wildcards > MAX_WILDCARDS)
    }
  }
  out.push(...delays)
  return { text: out.join('\n'), sitemaps }
}

function pushRule(out: string[], allow: boolean, value: string, overBudget: boolean): void {
  let pattern = unescapeMarks(value)
  if (overBudget && pattern.includes('*')) {
    // what is too costly to match is taken by its beginning where it forbids and left out where it allows
    if (allow) return
    pattern = pattern.slice(0, pattern.indexOf('*'))
  }
  pattern = pattern.replace(/\*{2,}/g, '*')
  out.push(`${allow ? 'Allow' : 'Disallow'}: ${pattern}`)
  if (!allow) return
  // “/dir/index.html” allowed means that “/dir/” is allowed as well
  const slash = pattern.lastIndexOf('/')
  if (slash >= 0 && pattern.startsWith('/index.htm', slash)) out.push(`Allow: ${pattern.slice(0, slash + 1)}$`)
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

function agentName(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*'
  return /^[A-Za-z0-9_.-]+/.exec(value)?.[0] ?? NOBODY
}
