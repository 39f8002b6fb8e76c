/**
 * Patterns for addresses, written by the user.
 *
 * A glob: `*` is any run of characters, slashes included; all else stands for itself, and the whole text must fit. What text
 * that is depends on how the glob begins: with `http://` or `https://` the whole canonical address, with `/` its path and query,
 * else the address without its scheme. So `*.pdf`, `/private/*`, `*&print=1`, `docs.example.org/*` mean what they say.
 * Characters that addresses hold escaped (`/新闻/*`) may be written as they are.
 *
 * `/…/` or `/…/i`: a regular expression, found anywhere in the whole canonical address. It is matched by RE2's automata, in a
 * time linear in the address, whatever the expression: `/(a+)+$/` can hang no crawl. RE2 has no backreferences and no
 * look-around; who writes them is told so.
 */
import { createRequire } from 'node:module'
import { domainToASCII } from 'node:url'
import type { RE2JS as Re2 } from 're2js'
import { WildcardPattern } from '../robots/wildcard-pattern.js'

/** Most characters of a pattern. */
export const MAX_PATTERN = 1000

/** A pattern ready to match. */
export interface UrlPattern {
  /** @param url canonical address */
  matches(url: string): boolean
}

/**
 * Reads a pattern.
 * @throws Error that says what is wrong with it
 */
export function parseUrlPattern(text: string): UrlPattern {
  if (text.trim() === '') throw new Error('it is empty')
  if (text.length > MAX_PATTERN) throw new Error(`it is longer than ${MAX_PATTERN} characters`)
  const expression = /^\/(.+)\/(i?)$/s.exec(text)
  // “/*/” is a glob: an expression cannot begin with a star
  if (expression !== null && !expression[1]!.startsWith('*')) return parseExpression(expression[1]!, expression[2]!)
  if (/^https?:\/\//i.test(text)) {
    const start = text.indexOf('//') + 2
    return glob(text.slice(0, start).toLowerCase() + escapeGlob(text.slice(start)), (url) => url)
  }
  if (text.startsWith('/')) return glob(escapeText(text), pathAndQuery)
  return glob(escapeGlob(text), (url) => url.slice(url.indexOf('//') + 2))
}

function glob(text: string, part: (url: string) => string): UrlPattern {
  const pattern = new WildcardPattern(text.split(/\*+/), true)
  return { matches: (url) => pattern.matches(part(url)) }
}

function pathAndQuery(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash < 0 ? '/' : url.slice(slash)
}

/** A glob that begins with a host. */
function escapeGlob(text: string): string {
  const slash = text.indexOf('/')
  const host = slash < 0 ? text : text.slice(0, slash)
  if (host.includes('*')) return escapeText(text)
  const rest = slash < 0 ? '' : text.slice(slash)
  return (domainToASCII(host) || host.toLowerCase()) + escapeText(rest)
}

/** What a canonical address escapes in path and query. */
function escapeText(text: string): string {
  return text.replace(/[^\x21-\x7e]+|["<>]/g, (run) => encodeURIComponent(run.replace(/[\ud800-\udfff]/gu, '\ufffd')))
}

function parseExpression(source: string, flags: string): UrlPattern {
  const { RE2JS } = createRequire(import.meta.url)('re2js') as { RE2JS: typeof Re2 }
  const compiled = RE2JS.compile(source, flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0)
  return { matches: (url) => compiled.test(url) }
}
