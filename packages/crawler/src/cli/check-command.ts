/** `spindle check URL`: what a crawl would do with one address, told without storing anything. */
import { isHttpUrl, loadConfig, parseUrl, SpindleError } from '@spindle/core'
import { type CheckStep, checkUrl, type UrlCheck } from '../check-url.js'
import { CrawlScope } from '../crawl-scope.js'
import { DocumentReader } from '../documents/document-reader.js'
import { Fetcher } from '../fetch/fetcher.js'
import { MemoryWorkload } from '../frontier/memory-workload.js'
import { primaryLanguage } from '../indexing/detect-language.js'
import { doubtText } from '../parse/charset-doubt.js'
import { dispositionOf } from '../report/dispositions.js'
import { RobotsCache } from '../robots/robots-cache.js'
import { UrlNormalizer } from '../scope/url-normalizer.js'
import { checkSeed } from '../spider.js'
import { type CrawlConfig, crawlOptions } from './crawl-config.js'
import { toFetchOptions } from './fetch-config.js'
import { toScopeSettings } from './scope-config.js'

/** What the command line says. */
export interface CheckFlags {
  readonly config?: string
  readonly json?: boolean
  readonly [option: string]: unknown
}

/** Links shown of each kind. */
const MAX_SHOWN = 20
const BEGINNING = 300
const WIDTH = 11

/** @returns the exit code: 0 where a crawl would store the page and let it be found, 1 where not */
export async function checkCommand(address: string, flags: CheckFlags): Promise<number> {
  const { config: file, json = false, ...rest } = flags
  const config = await loadConfig<CrawlConfig>(crawlOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    flags: rest,
    section: 'crawl',
  })
  const url = checkSeed(address)
  const parsed = parseUrl(url)
  if (parsed === undefined || !isHttpUrl(parsed)) {
    throw new SpindleError(
      'SEED_INVALID',
      `"${address}" cannot be checked: give an address that begins with http:// or https://.`,
    )
  }
  const { userAgent } = config
  const settings = toScopeSettings(config)
  const scope = new CrawlScope(new MemoryWorkload(), settings)
  // Of the configured start addresses, or of this one alone.
  await scope.addSeeds(config.seeds.length > 0 ? config.seeds.map(checkSeed) : [url])
  const fetcher = new Fetcher({
    ...toFetchOptions(config),
    mayBePrivate: (host) => scope.isNamed(host) || host === parsed.host,
    refusesAddress: (one) => scope.refusesAddress(one),
    ...(userAgent === undefined ? {} : { userAgent }),
  })
  const documents = config.documents ? new DocumentReader() : undefined
  try {
    const robots = new RobotsCache({ fetcher, userAgent: fetcher.userAgent })
    const robotsToken = fetcher.userAgent.split(/[/\s]/, 1)[0]!
    const check = await checkUrl(url, {
      fetcher,
      robots,
      scope,
      robotsToken,
      selectorsOf: (origin) => config.sites?.get(origin)?.selectors,
      documents,
      normalizer: new UrlNormalizer(settings.normalize),
    })
    process.stdout.write(json ? `${JSON.stringify(check)}\n` : formatCheck(check))
    return check.indexed ? 0 : 1
  } finally {
    await documents?.close()
    await fetcher.close()
  }
}

/** For people. */
export function formatCheck(check: UrlCheck): string {
  const lines: string[] = []
  const say = (name: string, text: string): void => void lines.push(`${name.padEnd(WIDTH)} ${text}`)
  for (const [i, step] of check.steps.entries()) sayStep(step, i === 0 ? 'address' : 'leads to', say)
  const { page, list } = check
  if (page !== undefined) {
    say('charset', `${page.charset} (by ${page.charsetSource})`)
    if (page.charsetDoubt !== undefined) say('', `in doubt: ${doubtText(page.charset, page.charsetDoubt)}`)
    say('title', page.title === '' ? '(none)' : page.title)
    sayLanguage(check.language ?? '', page.lang, say)
    sayFacts(page, say)
    if (page.canonical !== undefined) say('canonical', page.canonical)
    if (page.description !== '') say('description', short(page.description))
    say('robots', `${page.robots.index ? 'index' : 'noindex'}, ${page.robots.follow ? 'follow' : 'nofollow'}`)
    say('text', `${page.text.length} characters${page.text === '' ? '' : `: ${short(page.text)}`}`)
  }
  if (list !== undefined) say('list', `${list.kind} with ${list.entries} addresses${list.truncated ? ', cut' : ''}`)
  if (page !== undefined || list !== undefined) sayLinks(check, say)
  const { meaning } = dispositionOf(check.disposition)
  const fault = check.fault === undefined ? '' : ` (${check.fault})`
  const isPlain = check.disposition === 'fetched' || check.disposition === 'feed'
  const indexed = isPlain ? 'a crawl stores and indexes it' : `a crawl takes it as ${check.disposition}: ${meaning}`
  say('verdict', `${check.indexed ? indexed : `not indexed: ${check.disposition}, ${meaning}`}${fault}`)
  return `${lines.join('\n')}\n`
}

/** What the page says of itself. */
function sayFacts(page: NonNullable<UrlCheck['page']>, say: (name: string, text: string) => void): void {
  const { published, publishedFrom = '', modified, modifiedFrom = '', author, keywords = [], sections = [] } = page
  if (published !== undefined) say('published', `${published} (by ${publishedFrom || 'document'})`)
  if (modified !== undefined) say('modified', `${modified} (by ${modifiedFrom || 'document'})`)
  if (author !== undefined) say('author', author)
  if (keywords.length > 0) say('keywords', short(keywords.join(', ')))
  if (page.schemaTypes !== undefined) say('kind', page.schemaTypes.join(', '))
  if (page.breadcrumb !== undefined) say('breadcrumb', page.breadcrumb.join(' › '))
  if (page.images !== undefined) say('pictures', `${page.images.length}, as “${page.images[0]!.alt}”`)
  for (const filter of page.filters ?? []) say('filter', filter)
  const named = sections.filter(({ anchor }) => anchor !== undefined)
  if (sections.length > 0) say('sections', `${sections.length}, ${named.length} with a link of their own`)
}

function sayStep(step: CheckStep, name: string, say: (name: string, text: string) => void): void {
  say(name, step.url)
  if (step.outOfScope !== undefined) say('scope', `out of scope: ${step.outOfScope}`)
  const { robots } = step
  if (robots !== undefined) {
    const delay = robots.crawlDelayMs === undefined ? '' : `, crawl delay ${robots.crawlDelayMs / 1000} s`
    const fault = robots.fault === undefined ? '' : ` (${robots.fault})`
    say('robots.txt', `${robots.status}: ${robots.allowed ? 'allowed' : 'forbidden'}${delay}${fault}`)
    for (const sitemap of robots.sitemaps.slice(0, MAX_SHOWN)) say('sitemap', sitemap)
  }
  if (step.status === undefined) return
  const type =
    step.contentType === ''
      ? 'no type'
      : `${step.contentType}${step.charsetLabel === undefined ? '' : `; charset=${step.charsetLabel}`}`
  const cut = step.truncated === true ? ', cut at the limit' : ''
  say(
    'answer',
    `${step.status}, ${type}, ${step.bytes} bytes (${step.wireBytes} on the wire)${cut}, ${step.elapsedMs} ms`,
  )
}

function sayLanguage(found: string, declared: string, say: (name: string, text: string) => void): void {
  if (found === '' && declared === '') return
  const isSame = found === primaryLanguage(declared)
  const told = declared === '' ? 'by its text' : `by its text; the page says ${declared}`
  say('language', isSame ? declared : `${found === '' ? 'unknown' : found} (${told})`)
}

function sayLinks({ links, skipped }: UrlCheck, say: (name: string, text: string) => void): void {
  say('links', `${links.length} to follow, ${skipped.length} not`)
  for (const link of links.slice(0, MAX_SHOWN)) say('', link)
  if (links.length > MAX_SHOWN) say('', `… and ${links.length - MAX_SHOWN} more: --json has all`)
  const reasons = new Map<string, { count: number; first: string }>()
  for (const { url, reason } of skipped) {
    const known = reasons.get(reason)
    if (known === undefined) reasons.set(reason, { count: 1, first: url })
    else known.count++
  }
  for (const [reason, { count, first }] of reasons) say('', `${reason}: ${count}, as ${first}`)
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > BEGINNING ? `${line.slice(0, BEGINNING)}…` : line
}
