/** One address from robots.txt to the finished page: fetch, parse, and what became of it. Keeps no state. */
import { hash } from 'node:crypto'
import { isHttpUrl, parseUrl } from '@spindle/core'
import { isPreferred } from './dedup/page-addresses.js'
import type { DocumentReader } from './documents/document-reader.js'
import { DocumentError, type DocumentFault } from './documents/extracted-document.js'
import { readPage } from './documents/read-page.js'
import { isDocumentName } from './documents/sniff-document.js'
import type { ByteBudget } from './fetch/byte-budget.js'
import { FetchError } from './fetch/fetch-error.js'
import type { FetchResult } from './fetch/fetch-result.js'
import type { Fetcher } from './fetch/fetcher.js'
import type { PageVariants } from './frontier/page-variants.js'
import type { Job } from './frontier/retries.js'
import { parseRetryAfter } from './frontier/retry-after.js'
import { type ClaimedUrl, type FinishedUrl, type NewUrl, originOf, type UrlState } from './frontier/workload.js'
import type { Gatekeeper } from './gatekeeper.js'
import { type LinkSorter, MAX_REDIRECTS, type SortedLinks } from './link-sorter.js'
import { keptHeaders } from './pages/kept-headers.js'
import { type EncodedPage, encodePage } from './pages/page-codec.js'
import type { PageStore } from './pages/page-store.js'
import type { PageHead, PageRecord, StoredPage } from './pages/stored-page.js'
import type { PageSelectors } from './parse/page-selectors.js'
import type { ParsedPage } from './parse/parsed-page.js'
import type { DoubtfulPage } from './report/crawl-report.js'
import { conditionalHeaders, confirms, isStored, onNoPage } from './revisit.js'
import type { RobotsRules } from './robots/robots-rules.js'
import type { HostAliases } from './scope/host-aliases.js'
import type { LastmodTrust } from './sources/lastmod-trust.js'
import type { SiteLists } from './sources/site-lists.js'
import { isUrlList, MAX_LIST_BYTES, readUrlList } from './sources/url-list.js'
import type { SpiderCallbacks } from './spider-callbacks.js'
import type { SpiderAction } from './spider-events.js'

/** What a worker needs. */
export interface WorkerContext {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  /** Of large bodies in memory. */
  readonly budget: ByteBudget
  readonly robots: { rulesFor(origin: string, signal?: AbortSignal): Promise<RobotsRules> }
  readonly sorter: LinkSorter
  readonly callbacks: SpiderCallbacks
  /** Reads PDF, Office and the like; undefined where they are not read. */
  readonly documents: Pick<DocumentReader, 'read'> | undefined
  /** Product token that meta robots may name. */
  readonly robotsToken: string
  /** Which parts of a site's pages are their text, by origin; undefined for all. */
  readonly selectorsOf: (origin: string) => PageSelectors | undefined
  /** Where pages are kept; undefined where they are not: then they are not encoded. */
  readonly pages: Pick<PageStore, 'read' | 'readHead'> | undefined
  /** Whether an index follows the pages. */
  readonly hasIndex: boolean
  readonly signal: AbortSignal
  readonly now: () => number
  /** Told the rules before the page is asked for. @returns false where the page must wait its turn (again) */
  readonly mayFetch: (url: ClaimedUrl, rules: RobotsRules) => boolean
  readonly gatekeeper: Pick<Gatekeeper, 'refuse'>
  /** Another address that the page is stored under; see {@link PageVariants}. */
  readonly findTwin: PageVariants['find']
  /** Whether a page says that there is none; see {@link Soft404}. */
  readonly isNotFound: (url: ClaimedUrl, page: ParsedPage, content: number, rules: RobotsRules) => Promise<boolean>
  readonly lists: SiteLists
  /** Told redirects and pages: which hosts are one. */
  readonly aliases: Pick<HostAliases, 'redirected' | 'answered'>
  /** True for a start address that was made of a range. */
  readonly isScanned: (url: ClaimedUrl) => boolean
  /** What sitemaps say of when pages were changed. */
  readonly lastmod: LastmodTrust
  /** Told the robots.txt of a page that is about to be fetched. */
  readonly onRules: (origin: string, rules: RobotsRules) => Promise<void>
  /** Whether a stored page is left alone; undefined: none is. */
  readonly isSettled: ((page: StoredPage) => boolean) | undefined
  /** Told each step; undefined where nobody listens. */
  readonly onAction: ((action: SpiderAction) => void) | undefined
  readonly lookUp: (url: string) => Promise<UrlState | undefined>
}

/** What came of an address. */
export type WorkResult =
  /** it has ended */
  | {
      readonly kind: 'finished'
      readonly finished: FinishedUrl
      readonly page?: EncodedPage | undefined
      /** body bytes received */
      readonly bytes: number
      readonly elapsedMs: number
      /** the host is at fault: no connection, no answer, or a server error */
      readonly hostFault: boolean
      /** false where it was not asked for */
      readonly isAsked: boolean
      /** where a redirect leads, or the address that a duplicate is stored under */
      readonly location?: string
      /** a sitemap, which takes no scope along where it moves */
      readonly isList?: boolean
      /** the body or the number of its links is over the limit */
      readonly truncated?: boolean
      /** the page may have been read in the wrong encoding */
      readonly doubt?: Omit<DoubtfulPage, 'url'> | undefined
    }
  /** it may work later */
  | {
      readonly kind: 'retry'
      readonly reason: string
      readonly status: number
      /** what the server asked for */
      readonly waitMs: number | undefined
      /** true to ask without conditions from now on */
      readonly unconditional?: boolean
    }
  /** not fetched: the host's turn has not come */
  | { readonly kind: 'postponed' }
  /** not fetched: robots.txt could not be had or the login did not work, so nothing may be fetched now */
  | { readonly kind: 'unavailable'; readonly fault: string; readonly waitMs?: number | undefined }
  /** not fetched: told to stop */
  | { readonly kind: 'aborted' }

const RETRYABLE_STATUS = new Set([408, 429, 500, 502, 503, 504])
/** Hexadecimal digits of a SHA-256 that make a number without loss. */
const CONTENT_DIGITS = 13
/** Bytes of a document; most hold more pictures than text. */
const MAX_DOCUMENT = 32 * 1024 * 1024
/** Of a request whose answer must not be "not modified". */
const NO_CACHE = { 'cache-control': 'no-cache', pragma: 'no-cache' }

/**
 * Does one address.
 * @param lastTry true where a fault that could be tried again ends the address instead
 */
export async function work(
  { url, tries, unconditional }: Job,
  lastTry: boolean,
  context: WorkerContext,
): Promise<WorkResult> {
  const { signal } = context
  try {
    context.onAction?.({ type: 'verify', url: url.url })
    const refusal = await context.gatekeeper.refuse(url)
    if (refusal !== undefined) {
      const { queue, disposition, ...more } = refusal
      const links = disposition === 'redirect' ? context.sorter.sortRedirect(url, refusal.location!) : {}
      return ended(url, queue, disposition, context, { ...more, ...links, isAsked: false })
    }
    const origin = originOf(url.url)
    const rules = await context.robots.rulesFor(origin, signal)
    if (rules.status === 'unavailable') {
      if (rules.hasNoServer === true && context.isScanned(url)) return ended(url, 'error', 'no-server', context)
      return { kind: 'unavailable', fault: rules.fault ?? 'no answer', waitMs: rules.retryAfterMs }
    }
    if (!rules.isAllowed(url.url)) return ended(url, 'error', 'robots', context, { isAsked: false })
    await context.onRules(origin, rules)
    if (!context.mayFetch(url, rules)) return { kind: 'postponed' }
    context.onAction?.({ type: 'process', url: url.url, tries: tries + 1 })
    const stored = await storedHead(url, context)
    const isVouched = stored !== undefined && context.lastmod.vouches(url, stored)
    if (isVouched && context.lastmod.isEnough(url.url)) return await onUnchanged(url, { isAsked: false }, context)
    if (stored !== undefined && (await isSettled(url, context)))
      return await onUnchanged(url, { isAsked: false }, context)
    const conditions = stored === undefined || unconditional === true ? undefined : conditionalHeaders(stored)
    const headers = unconditional === true ? NO_CACHE : conditions
    const result = await context.fetcher.fetch(url.url, {
      signal,
      budget: context.budget,
      ...(headers === undefined ? {} : { headers }),
      ...(context.lists.roleOf(url.url) === undefined ? {} : { maxBody: MAX_LIST_BYTES }),
      ...(context.documents !== undefined && isDocumentName(url.url) ? { maxBody: MAX_DOCUMENT } : {}),
    })
    try {
      if (RETRYABLE_STATUS.has(result.status)) return onServerFault(url, result, lastTry, context)
      const answered =
        result.status === 304
          ? await onNotModified(url, result, conditions && stored, lastTry, context)
          : await onAnswer(url, result, { stored, rules }, context)
      if (isVouched) learn(url, answered, context)
      return answered
    } finally {
      result.release()
    }
  } catch (error) {
    if (signal.aborted) return { kind: 'aborted' }
    if (!(error instanceof FetchError)) throw error
    // Nothing of the site can be had before somebody mends its settings.
    if (error.reason === 'login-failed') return { kind: 'unavailable', fault: error.detail }
    if (error.retryable && !lastTry) return { kind: 'retry', reason: error.reason, status: 0, waitMs: undefined }
    return ended(url, 'error', error.reason, context, { hostFault: error.retryable })
  }
}

async function isSettled({ previous }: ClaimedUrl, { pages, isSettled }: WorkerContext): Promise<boolean> {
  return isSettled !== undefined && pages !== undefined && isSettled(await pages.read(previous!.page!))
}

type Ended = Extract<WorkResult, { kind: 'finished' }>
type More = Partial<Pick<FinishedUrl, 'status' | 'links' | 'skipped' | 'content'> & Omit<Ended, 'kind' | 'finished'>>

function ended(
  { url, previous }: ClaimedUrl,
  queue: 'complete' | 'error',
  disposition: string,
  context: WorkerContext,
  { status = 0, links = [], skipped = [], content, ...more }: More = {},
): Ended {
  const { bytes = 0, elapsedMs = 0, hostFault = false, isAsked = true, location } = more
  const kept = more.page !== undefined || previous === undefined ? {} : onNoPage(previous, { disposition, status })
  const finishedAt = context.now()
  const isGuess = queue === 'error' && isAsked && context.lists.roleOf(url)?.isGuess === true
  const word = isGuess ? 'no-sitemap' : disposition
  const finished = { url, queue, disposition: word, status, content, location, finishedAt, links, skipped, ...kept }
  return { kind: 'finished', ...more, finished, bytes, elapsedMs: Math.round(elapsedMs), hostFault, isAsked }
}

function onServerFault(url: ClaimedUrl, result: FetchResult, lastTry: boolean, context: WorkerContext): WorkResult {
  const { status, elapsedMs, body } = result
  const reason = `http-${status}`
  if (lastTry) return ended(url, 'error', reason, context, { status, elapsedMs, bytes: body.length, hostFault: true })
  const wait = status === 429 || status === 503 ? result.headers.get('retry-after') : undefined
  return { kind: 'retry', reason, status, waitMs: parseRetryAfter(wait, context.now()) }
}

/** The head of the page as it is stored, where it is. */
async function storedHead({ previous }: ClaimedUrl, { pages }: WorkerContext): Promise<PageHead | undefined> {
  return previous?.page === undefined ? undefined : pages?.readHead(previous.page)
}

/** @param asked the stored page that the request named; undefined where it named none */
async function onNotModified(
  url: ClaimedUrl,
  result: FetchResult,
  asked: PageHead | undefined,
  lastTry: boolean,
  context: WorkerContext,
): Promise<WorkResult> {
  const { status, elapsedMs } = result
  if (asked !== undefined && confirms(result, asked)) return onUnchanged(url, { status, elapsedMs }, context)
  if (lastTry) return ended(url, 'error', 'http-304', context, { status, elapsedMs })
  return { kind: 'retry', reason: 'http-304', status, waitMs: undefined, unconditional: true }
}

/** Whether the page is as its sitemap says. */
function learn({ url }: ClaimedUrl, result: WorkResult, { lastmod }: WorkerContext): void {
  if (result.kind !== 'finished') return
  if (result.page !== undefined) lastmod.learn(url, false)
  else if (result.finished.disposition === 'unchanged') lastmod.learn(url, true)
}

/** The page is as stored. Its links are offered again: scope and depth may be others than last time. */
async function onUnchanged(url: ClaimedUrl, facts: More, context: WorkerContext): Promise<WorkResult> {
  const { parsed } = await context.pages!.read(url.previous!.page!)
  let sorted: ReturnType<LinkSorter['sortPage']>
  try {
    sorted = context.sorter.sortPage(url, parsed)
  } catch {
    return ended(url, 'error', 'process-error', context, facts)
  }
  const disposition = facts.isAsked === false ? 'sitemap-unchanged' : 'unchanged'
  const result = ended(url, 'complete', disposition, context, { ...facts, ...sorted })
  return { ...result, finished: { ...result.finished, keepsPage: true, misses: 0 } }
}

async function onAnswer(
  url: ClaimedUrl,
  result: FetchResult,
  { stored, rules }: { readonly stored: PageHead | undefined; readonly rules: RobotsRules },
  context: WorkerContext,
): Promise<WorkResult> {
  const { status, elapsedMs } = result
  const facts = { status, elapsedMs, bytes: result.body.length }
  if (status >= 300 && status < 400) return onRedirect(url, result, context)
  if (status < 200 || status >= 300) return ended(url, 'error', `http-${status}`, context, facts)
  context.aliases.answered(url.url)
  const list = await onList(url, result, facts, context)
  if (list?.ended !== undefined) return list.ended
  if (list === undefined && context.lists.roleOf(url.url)?.isGuess === true) {
    return ended(url, 'complete', 'no-sitemap', context, facts)
  }
  const digest = hash('sha256', result.body)
  if (stored !== undefined && isStored(result, digest, stored)) return onUnchanged(url, facts, context)
  let parsed: ParsedPage | null
  try {
    parsed = await parse(url, result, context)
  } catch (error) {
    if (context.signal.aborted) throw error
    return ended(url, 'error', faultOf(error, result), context, { ...facts, ...list?.sorted })
  }
  if (parsed === null) return ended(url, 'complete', 'non-text', context, { ...facts, ...list?.sorted })
  const record = toRecord(url, result, digest, parsed)
  const content = Number.parseInt(record.hash.slice(0, CONTENT_DIGITS), 16)
  let sorted: SortedLinks
  try {
    const twin = parsed.robots.index ? await context.findTwin({ url: url.url, content }) : undefined
    if (twin !== undefined && !isPreferred(url.url, twin)) return onDuplicate(url, parsed, twin, context, facts)
    if (await context.isNotFound(url, parsed, content, rules)) return ended(url, 'complete', 'soft-404', context, facts)
    await context.callbacks.processPage?.(record)
    sorted = list?.sorted ?? context.sorter.sortPage(url, parsed)
  } catch {
    return ended(url, 'error', 'process-error', context, facts)
  }
  const page = context.pages === undefined ? {} : { page: await encodePage(record, context.hasIndex) }
  const isCut = result.truncated || parsed.textTruncated === true
  const taken = list !== undefined ? 'feed' : parsed.clientRendered === true ? 'client-rendered' : 'fetched'
  const disposition = !parsed.robots.index ? 'noindex' : isCut ? 'oversize' : taken
  const truncated = isCut || parsed.linksTruncated || list?.truncated === true
  const doubt = parsed.charsetDoubt && { charset: parsed.charset, ...parsed.charsetDoubt }
  return ended(url, 'complete', disposition, context, { ...facts, ...sorted, ...page, content, truncated, doubt })
}

function parse({ url }: ClaimedUrl, result: FetchResult, context: WorkerContext): Promise<ParsedPage | null> {
  const { contentType, charsetLabel, body, headers } = result
  const { robotsToken, documents, signal } = context
  const selectors = context.selectorsOf(originOf(url))
  const xRobotsTag = headers.get('x-robots-tag')
  const input = { url, contentType, charsetLabel, body, xRobotsTag, robotsToken, selectors }
  return readPage(input, { documents, signal })
}

function faultOf(error: unknown, { truncated }: FetchResult): DocumentFault | 'parse-error' {
  if (!(error instanceof DocumentError)) return 'parse-error'
  return truncated && error.fault === 'document-broken' ? 'document-too-large' : error.fault
}

/**
 * The addresses of a sitemap or feed are offered to the crawl. A sitemap is no page, and so ends here; a feed is one, unless it was
 * named as a sitemap. Undefined for anything else.
 */
async function onList(
  url: ClaimedUrl,
  { body }: FetchResult,
  facts: More,
  context: WorkerContext,
): Promise<{ readonly ended?: WorkResult; readonly sorted?: SortedLinks; readonly truncated?: boolean } | undefined> {
  const { lists, sorter } = context
  const isNamed = lists.roleOf(url.url) !== undefined
  const list = isNamed || isUrlList(body) ? await readUrlList(body, isNamed, context.now()) : undefined
  if (list === undefined) return undefined
  const { truncated } = list
  if (list.kind === 'sitemap-index') {
    const links = await lists.ofIndex(url.url, list)
    return { ended: ended(url, 'complete', 'sitemap', context, { ...facts, links, truncated }) }
  }
  const { urls, dropped, lastModified } = lists.addresses(url.url, list)
  try {
    const sorted = sorter.sortListed(url, urls, undefined, lastModified, list.kind === 'sitemap')
    for (const one of dropped) sorted.skipped.push({ url: one, reason: 'foreign-sitemap' })
    if (list.kind === 'feed' && !isNamed) return { sorted, truncated }
    return { ended: ended(url, 'complete', 'sitemap', context, { ...facts, ...sorted, truncated }) }
  } catch {
    return { ended: ended(url, 'error', 'process-error', context, facts) }
  }
}

/** The page is stored under `twin`. Its links are taken again only where they lead elsewhere, from another folder. */
function onDuplicate(
  url: ClaimedUrl,
  parsed: ParsedPage,
  twin: string,
  context: WorkerContext,
  facts: More,
): WorkResult {
  const sorted = folderOf(url.url) === folderOf(twin) ? {} : context.sorter.sortPage(url, parsed)
  return ended(url, 'complete', 'duplicate', context, { ...facts, ...sorted, location: twin })
}

/** What relative links start from. */
function folderOf(url: string): string {
  return url.slice(0, url.lastIndexOf('/'))
}

async function onRedirect(url: ClaimedUrl, result: FetchResult, context: WorkerContext): Promise<WorkResult> {
  const { status, elapsedMs, location } = result
  const facts = { status, elapsedMs, bytes: 0 }
  const target = location === undefined ? undefined : parseUrl(location)
  if (location === undefined || target === undefined) return ended(url, 'error', 'bad-redirect', context, facts)
  const isFile = target.protocol === 'file:' && url.url.startsWith('file:')
  if (!isHttpUrl(target) && !isFile) return ended(url, 'error', 'unsupported-scheme', context, facts)
  context.aliases.redirected(url.url, location)
  // What a sitemap moved to is one as well, and no start address.
  await context.lists.moved(url.url, location)
  if (await leadsBack(url, location, context)) return ended(url, 'error', 'redirect-loop', context, facts)
  if (url.redirects >= MAX_REDIRECTS) return ended(url, 'error', 'redirect-limit', context, facts)
  let sorted: ReturnType<LinkSorter['sortRedirect']>
  try {
    sorted = context.sorter.sortRedirect(url, location)
  } catch {
    return ended(url, 'error', 'process-error', context, facts)
  }
  const isList = context.lists.roleOf(url.url) !== undefined
  return ended(url, 'complete', 'redirect', context, { ...facts, ...sorted, location, isList })
}

/** True where a redirect's target is the address itself or one of those that led here by redirects. */
async function leadsBack(url: NewUrl, target: string, context: WorkerContext): Promise<boolean> {
  if (url.url === target) return true
  let state = await context.lookUp(url.url)
  for (let hops = url.redirects; hops > 0 && state?.referrer !== undefined; hops--) {
    if (state.referrer === target) return true
    state = await context.lookUp(state.referrer)
  }
  return false
}

function toRecord({ url, depth }: ClaimedUrl, result: FetchResult, digest: string, parsed: ParsedPage): PageRecord {
  const headers = keptHeaders(result.headers)
  const { status, fetchedAt, contentType, truncated, body } = result
  return { url, status, fetchedAt, contentType, headers, truncated, hash: digest, depth, body, parsed }
}
