/** What the result page shows of an answer: texts in the visitor's language, links, and what is safe to print raw. */
import type { Translator } from '../i18n/translator.js'
import { type DisplayAddress, displayAddress } from './display-address.js'
import { type FilterView, filterViews, type NarrowingView, narrowingView, typeName } from './narrowing-view.js'
import { type ResultPages, resultPages } from './result-pages.js'
import { searchAddress } from './search-address.js'
import type { HitSection, QueryNotice, SearchHit, SearchRequest, SearchResponse } from './search-backend.js'
import { MAX_QUERY_LENGTH, MAX_WINDOW } from './search-request.js'

/** A hit on the page. `titleHtml` and `snippetHtml` are printed raw. */
export interface HitView {
  readonly address: DisplayAddress
  readonly titleHtml: string
  readonly snippetHtml: string
  /** For the `lang` attribute; undefined where it is unknown or no language tag. */
  readonly lang: string | undefined
  /** Date, kind of file and language, as far as they say something. */
  readonly facts: readonly { readonly text: string; readonly datetime?: string }[]
  /** Parts of the page that answer. `headingHtml` and `snippetHtml` are printed raw. */
  readonly sections: readonly HitSection[]
  /** Other addresses of the same page; undefined where there are none. */
  readonly alsoAt: AlsoAtView | undefined
  /** Words of the query that the page does not have. */
  readonly missing: readonly string[]
}

/** Hits one after the other, those from a place on with a label. */
export interface HitGroup {
  readonly label: string | undefined
  /** Rank of the first of them. */
  readonly start: number
  readonly hits: readonly HitView[]
}

/** Other addresses of a page, the first ones by name. */
export interface AlsoAtView {
  readonly label: string
  readonly addresses: readonly { readonly href: string; readonly text: string }[]
}

/** A search offered instead of one that found nothing. */
export interface AlternativeView {
  readonly label: string
  readonly query: string
  readonly href: string
  readonly count: string
}

/** Everything of the result page but its frame. */
export interface ResultView {
  readonly query: string
  readonly total: number
  readonly count: string
  readonly time: string
  readonly pageText: string
  /** One, or those with all words and those without. */
  readonly groups: readonly HitGroup[]
  readonly notices: readonly string[]
  readonly warnings: readonly string[]
  readonly filters: readonly FilterView[]
  readonly narrowing: NarrowingView
  /** A query that may have been meant; undefined where there is none. */
  readonly didYouMean: { readonly query: string; readonly href: string } | undefined
  /** Chinese words that the letters may stand for. */
  readonly pinyin: readonly Omit<AlternativeView, 'label'>[]
  readonly alternatives: readonly AlternativeView[]
  readonly pages: ResultPages
  /** Address of a page of this result. */
  readonly pageAddress: (page: number) => string
  readonly windowText: string
}

/** Other addresses of a page that are shown. */
const MAX_ALSO_AT = 10
const LANGUAGE_TAG = /^[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}$/i

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
}

function alsoAtView({ alsoAt }: SearchHit, t: Translator): AlsoAtView | undefined {
  if (alsoAt.length === 0) return undefined
  const addresses = alsoAt.slice(0, MAX_ALSO_AT).map((url) => {
    const { href, host, steps } = displayAddress(url)
    return { href, text: [host, ...steps].join(' › ') }
  })
  return { label: t.plural('results.alsoAt', alsoAt.length), addresses }
}

function hitView(hit: SearchHit, t: Translator): HitView {
  const address = displayAddress(hit.url)
  const title = hit.titleHtml.trim() === '' ? escapeHtml(address.steps.at(-1) ?? address.host) : hit.titleHtml
  const lang = hit.lang !== null && LANGUAGE_TAG.test(hit.lang) ? hit.lang : undefined
  const facts: { text: string; datetime?: string }[] = []
  if (hit.pinned) facts.push({ text: t.text('results.pinned') })
  const day = hit.date === null ? '' : t.date(hit.date)
  if (hit.date !== null && day !== '') facts.push({ text: day, datetime: hit.date.slice(0, 10) })
  const type = typeName(hit.type, t)
  if (type !== undefined && hit.type !== 'html') facts.push({ text: type })
  if (lang !== undefined && lang.split('-', 1)[0] !== t.language) facts.push({ text: t.languageName(lang) })
  // Where the page itself is no link, its parts are none.
  const sections = address.href === '' ? [] : hit.sections
  return {
    address,
    titleHtml: title,
    snippetHtml: hit.snippetHtml,
    lang,
    facts,
    sections,
    alsoAt: alsoAtView(hit, t),
    missing: hit.missing,
  }
}

/** Where the last hits of a page, in the order of how well they match, lack a word each, that is told above them. */
function hitGroups(response: SearchResponse, byDate: boolean, firstRank: number, t: Translator): HitGroup[] {
  const hits = response.hits.map((hit) => hitView(hit, t))
  let loose = hits.length
  while (!byDate && loose > 0 && hits[loose - 1]!.missing.length > 0) loose--
  const groups: HitGroup[] = []
  if (loose > 0) groups.push({ label: undefined, start: firstRank, hits: hits.slice(0, loose) })
  if (loose < hits.length) {
    groups.push({ label: looseText(response.withAllWords, t), start: firstRank + loose, hits: hits.slice(loose) })
  }
  return groups
}

function looseText(withAll: number | undefined, t: Translator): string {
  if (withAll === undefined) return t.text('results.loose')
  return withAll === 0 ? t.text('results.loose.none') : t.plural('results.withAll', withAll)
}

/** The sentence for a notice. */
export function noticeText(notice: QueryNotice, t: Translator): string {
  if (notice.kind === 'too-long') return t.text('notices.tooLong', { max: t.number(MAX_QUERY_LENGTH) })
  if (notice.kind === 'bad-date') return t.text('notices.badDate', { text: notice.text })
  if (notice.kind === 'too-complex') return t.text('notices.tooComplex')
  if (notice.kind === 'only-exclusions') return t.text('notices.onlyExclusions')
  if (notice.kind === 'unknown-field') return t.text('notices.unknownField', { text: notice.text })
  return t.text(notice.kind === 'bad-page' ? 'notices.badPage' : 'notices.ignored', { text: notice.text })
}

/** @param hl the language that the address names, for the links */
export function resultView(
  request: SearchRequest,
  response: SearchResponse,
  notices: readonly QueryNotice[],
  t: Translator,
  hl: string | undefined,
): ResultView {
  const { query, page, size, filters, sort } = request
  const { didYouMean } = response
  const pages = resultPages(response.total, page, size)
  const warnings: string[] = []
  if (response.timedOut) warnings.push(t.text('results.timedOut'))
  else if (response.partial) warnings.push(t.text('results.partial'))
  return {
    query,
    total: response.total,
    count:
      response.totalRelation === 'eq'
        ? t.plural('results.count', response.total)
        : t.text('results.atLeast', { n: t.number(response.total) }),
    time: t.text('results.time', { seconds: t.seconds(response.tookMs) }),
    pageText:
      pages.last > 1 && page <= pages.last
        ? t.text('results.page', { page: t.number(page), pages: t.number(pages.last) })
        : '',
    groups: hitGroups(response, (response.sort ?? sort) === 'date', (page - 1) * size + 1, t),
    notices: [...notices, ...response.notices].map((notice) => noticeText(notice, t)),
    warnings,
    filters: filterViews(request, t, hl),
    narrowing: narrowingView(request, response, t, hl),
    didYouMean:
      didYouMean === undefined
        ? undefined
        : { query: didYouMean, href: searchAddress({ query: didYouMean, size, filters, sort, hl }) },
    pinyin: response.pinyin.map(({ query, total }) => ({
      query,
      href: searchAddress({ query, size, filters, sort, hl }),
      count: t.plural('results.count', total),
    })),
    alternatives: response.alternatives.map((alternative) => ({
      label: t.text(`none.${alternative.kind}`),
      query: alternative.query,
      href: searchAddress({
        query: alternative.query,
        size,
        ...(alternative.kind === 'without-filters' ? {} : { filters }),
        sort,
        hl,
      }),
      count: t.plural('results.count', alternative.total),
    })),
    pages,
    pageAddress: (n) => searchAddress({ query, page: n, size, filters, sort, hl }),
    windowText: pages.windowEnds ? t.text('pages.end', { n: t.number(Math.floor(MAX_WINDOW / size) * size) }) : '',
  }
}
