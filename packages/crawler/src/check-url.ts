/**
 * One address through everything that a crawl does with it – scope, robots.txt, fetch, redirects, charset, parse, links – and
 * what came of it, without storing anything.
 */
import { isHttpUrl, parseUrl } from '@spindle/core'
import type { DocumentReader } from './documents/document-reader.js'
import { DocumentError } from './documents/extracted-document.js'
import { readPage } from './documents/read-page.js'
import { FetchError } from './fetch/fetch-error.js'
import type { FetchResult } from './fetch/fetch-result.js'
import type { Fetcher } from './fetch/fetcher.js'
import type { SkippedUrl } from './frontier/workload.js'
import { detectLanguage } from './indexing/detect-language.js'
import { LinkSorter, MAX_REDIRECTS, type Scope, type SortedLinks } from './link-sorter.js'
import type { PageSelectors } from './parse/page-selectors.js'
import type { ParsedPage } from './parse/parsed-page.js'
import type { RobotsRules } from './robots/robots-rules.js'
import type { ScopeReason } from './scope/scope-rule.js'
import type { UrlNormalizer } from './scope/url-normalizer.js'
import { isUrlList, readUrlList, type UrlList } from './sources/url-list.js'

/** What a check needs. */
export interface CheckParts {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly robots: { rulesFor(origin: string): Promise<RobotsRules> }
  /** Asked for every address on the way and every link. */
  readonly scope: Scope & { checkHost?(url: string): Promise<ScopeReason | undefined> }
  /** Undefined where documents are not read. */
  readonly documents: Pick<DocumentReader, 'read'> | undefined
  /** Product token that meta robots may name. */
  readonly robotsToken: string
  /** Which parts of a site's pages are their text, by origin; all where left out. */
  readonly selectorsOf?: (origin: string) => PageSelectors | undefined
  /** Takes their noise out of links. */
  readonly normalizer: UrlNormalizer
}

/** What was asked for on the way; the first is the address itself, the others where redirects led. */
export interface CheckStep {
  readonly url: string
  /** Why it is out of scope. */
  readonly outOfScope?: string
  readonly robots?: {
    readonly status: RobotsRules['status']
    readonly allowed: boolean
    readonly crawlDelayMs?: number
    readonly sitemaps: readonly string[]
    readonly fault?: string
  }
  readonly status?: number
  readonly location?: string
  readonly contentType?: string
  readonly charsetLabel?: string
  /** Body bytes on the wire and after decoding. */
  readonly wireBytes?: number
  readonly bytes?: number
  readonly elapsedMs?: number
  readonly truncated?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** What a check found. */
export interface UrlCheck {
  readonly url: string
  /** True where a crawl would store the page and let it be found. */
  readonly indexed: boolean
  /** How the address ends: a word of the crawl report (`fetched`, `robots`, `http-404`, …). */
  readonly disposition: string
  /** What went wrong, for people. */
  readonly fault?: string
  readonly steps: readonly CheckStep[]
  readonly page?: Omit<ParsedPage, 'links'>
  /** The language that the index would have for the page: primary subtag, or empty. */
  readonly language?: string
  /** A sitemap or feed. */
  readonly list?: { readonly kind: UrlList['kind']; readonly entries: number; readonly truncated: boolean }
  /** Addresses found that a crawl would follow. */
  readonly links: readonly string[]
  readonly skipped: readonly SkippedUrl[]
}

/** Dispositions of pages that can be found. */
const INDEXED: ReadonlySet<string> = new Set(['fetched', 'feed', 'client-rendered'])

type Ending = Pick<UrlCheck, 'disposition' | 'fault' | 'page' | 'language' | 'list'> &
  Partial<Pick<UrlCheck, 'links' | 'skipped'>>

/** @param url canonical http(s) address */
export async function checkUrl(url: string, parts: CheckParts): Promise<UrlCheck> {
  const steps: CheckStep[] = []
  const done = ({ links = [], skipped = [], ...ending }: Ending): UrlCheck => {
    const disposition = steps[0]?.outOfScope ?? ending.disposition
    return {
      url,
      indexed: INDEXED.has(disposition),
      ...ending,
      disposition,
      steps,
      links,
      skipped,
    }
  }
  let next = url
  const seen = new Set<string>()
  for (let hop = 0; ; hop++) {
    if (seen.has(next)) return done({ disposition: 'redirect-loop' })
    if (hop > MAX_REDIRECTS) return done({ disposition: 'redirect-limit' })
    seen.add(next)
    const [step, result, fault] = await take(next, hop, parts)
    steps.push(step)
    if (step.outOfScope !== undefined && hop > 0) return done({ disposition: step.outOfScope })
    if (step.robots?.status === 'unavailable')
      return done({ disposition: 'robots-unavailable', ...optional(step.robots) })
    if (step.robots?.allowed === false) return done({ disposition: 'robots' })
    if (result === undefined)
      return done({ disposition: fault?.reason ?? 'network-error', ...optional({ fault: fault?.detail }) })
    const { status, location } = result
    if (status < 300 || status >= 400) return done(await read(next, result, parts))
    const target = location === undefined ? undefined : parseUrl(location)
    if (location === undefined || target === undefined) return done({ disposition: 'bad-redirect' })
    if (!isHttpUrl(target)) return done({ disposition: 'unsupported-scheme', fault: location })
    next = location
  }
}

function optional({ fault }: { fault?: string | undefined }): { fault?: string } {
  return fault === undefined ? {} : { fault }
}

async function take(
  url: string,
  hop: number,
  { scope, robots, fetcher }: CheckParts,
): Promise<[CheckStep, (FetchResult | undefined)?, FetchError?]> {
  const verdict = scope.check({ url, depth: 0 })
  const outOfScope = verdict.inScope ? await scope.checkHost?.(url) : verdict.reason
  const start = outOfScope === undefined ? { url } : { url, outOfScope }
  // The address asked about is looked at all the same.
  if (outOfScope !== undefined && hop > 0) return [start]
  const rules = await robots.rulesFor(new URL(url).origin)
  const { status, crawlDelayMs, sitemaps, fault } = rules
  const allowed = rules.isAllowed(url)
  const said = {
    status,
    allowed,
    ...(crawlDelayMs === undefined ? {} : { crawlDelayMs }),
    sitemaps,
    ...(fault === undefined ? {} : { fault }),
  }
  if (!allowed) return [{ ...start, robots: said }]
  try {
    const result = await fetcher.fetch(url)
    return [{ ...start, robots: said, ...facts(result) }, result]
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    return [{ ...start, robots: said }, undefined, error]
  }
}

function facts(result: FetchResult): Partial<CheckStep> {
  const { status, location, contentType, charsetLabel, wireBytes, elapsedMs, truncated } = result
  return {
    status,
    ...(location === undefined ? {} : { location }),
    contentType,
    ...(charsetLabel === undefined ? {} : { charsetLabel }),
    wireBytes,
    bytes: result.body.length,
    elapsedMs: Math.round(elapsedMs),
    truncated,
    headers: Object.fromEntries(result.headers),
  }
}

async function read(url: string, result: FetchResult, parts: CheckParts): Promise<Ending> {
  const { scope, normalizer } = parts
  const { status, body } = result
  if (status < 200 || status >= 300) return { disposition: `http-${status}` }
  const from = { url, depth: 0, redirects: 0 }
  const sorter = new LinkSorter(scope, {}, normalizer)
  const list = isUrlList(body) ? await readUrlList(body, false) : undefined
  if (list === undefined) return readBody(url, result, parts, (parsed) => sorter.sortPage(from, parsed))
  const { kind, entries, truncated } = list
  const listed = entries.map(({ reference }) => parseUrl(reference, url)?.href).filter((one) => one !== undefined)
  const sorted = sorter.sortListed(from, listed)
  const found = { links: sorted.links.map((link) => link.url), skipped: sorted.skipped }
  const told = { list: { kind, entries: entries.length, truncated }, ...found }
  if (kind !== 'feed') return { disposition: 'sitemap', ...told }
  const ending = await readBody(url, result, parts, () => sorted)
  return { ...ending, disposition: ending.disposition === 'fetched' ? 'feed' : ending.disposition, ...told }
}

async function readBody(
  url: string,
  { contentType, charsetLabel, body, headers }: FetchResult,
  { robotsToken, documents, selectorsOf }: CheckParts,
  sort: (page: ParsedPage) => SortedLinks,
): Promise<Ending> {
  let parsed: ParsedPage | null
  try {
    const selectors = selectorsOf?.(new URL(url).origin)
    const xRobotsTag = headers.get('x-robots-tag')
    const input = { url, contentType, charsetLabel, body, xRobotsTag, robotsToken, selectors }
    parsed = await readPage(input, { documents })
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    return { disposition: error.fault, fault: error.message }
  }
  if (parsed === null) return { disposition: 'non-text' }
  const { links: _, ...page } = parsed
  const { links, skipped } = sort(parsed)
  const fetched = parsed.clientRendered === true ? 'client-rendered' : 'fetched'
  const disposition = parsed.robots.index ? fetched : 'noindex'
  const language = await detectLanguage(parsed.text, parsed.lang)
  return { disposition, page, language, links: links.map((link) => link.url), skipped }
}
