/**
 * The news that a page lists: the texts and addresses of those of its links that lead to articles. Sites tell articles from sections
 * and menus by nothing that all of them share, so both sides of a link must look the part: a text as long as a headline, and an address
 * with a date, a number, or words joined by hyphens. Costs a few comparisons a link.
 */
import type { StoredPage } from '../pages/stored-page.js'
import type { PageLink, ParsedPage } from '../parse/parsed-page.js'

/** A piece of news as a list has it. */
export interface NewsItem {
  readonly url: string
  /** The text of the link, without the date in it. */
  readonly title: string
  /** ISO 8601 date, by the link's text or else by its address, where either tells one. */
  readonly date: string | undefined
}

/** A piece of news and the list that names it. */
export interface FoundItem extends NewsItem {
  readonly page: string
}

/** Most items of a page. */
const MAX_ITEMS = 500
/** Links that look like articles make a list from this number on. */
const MIN_ITEMS = 3
const MAX_TITLE = 200
/** Letters of a headline; those of scripts without blanks count for three. */
const MIN_LETTERS = 15
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const LETTER = /\p{L}/gu
/** Kinds of schema.org whose pages are one piece of news. */
const ARTICLE = /(?:^|:|\/)(?:\w*NewsArticle|Article|BlogPosting|Report|LiveBlogPosting)$/
/** Where a page says its date of itself, and not of what it lists. */
const OWN_DATES = new Set(['mark', 'json-ld', 'meta', 'microdata'])

const DATE_IN_PATH = /\/(20\d{2})[-/_]?(0[1-9]|1[0-2])[-/_]?(0[1-9]|[12]\d|3[01])(?=\D|$)/
const NUMBER_IN_PATH = /\d{4,}/
const SLUG = /[\p{L}\d]+(?:[-_][\p{L}\d]+){3,}/u
const DATE_IN_TEXT =
  /[[(（【]?\s*(20\d{2})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?(?:\s+\d{1,2}:\d{2}(?::\d{2})?)?\s*[\])）】]?/

/** Whether a page is one piece of news, by what it says of itself. */
export function isArticle({ schemaTypes = [], published, publishedFrom }: ParsedPage): boolean {
  if (schemaTypes.some((type) => ARTICLE.test(type))) return true
  return published !== undefined && publishedFrom !== undefined && OWN_DATES.has(publishedFrom)
}

/** The news that a page lists, in its order; none where it is an article itself, or lists nothing. */
export function newsItems({ url, parsed }: Pick<StoredPage, 'url' | 'parsed'>): NewsItem[] {
  if (parsed.kind !== 'html' || isArticle(parsed)) return []
  const items: NewsItem[] = []
  for (const link of parsed.links) {
    if (items.length >= MAX_ITEMS) break
    const item = link.url === url ? undefined : itemOf(link)
    if (item !== undefined) items.push(item)
  }
  return items.length < MIN_ITEMS ? [] : items
}

function itemOf({ url, kind, text, scheme }: PageLink): NewsItem | undefined {
  if (kind !== 'a' || scheme !== 'http') return undefined
  const dated = DATE_IN_TEXT.exec(text)
  const title = (
    dated === null ? text : `${text.slice(0, dated.index)} ${text.slice(dated.index + dated[0].length)}`
  ).trim()
  if (title.length > MAX_TITLE || lettersOf(title) < MIN_LETTERS) return undefined
  const path = url.replace(/^[a-z]+:\/\/[^/]*|[?#].*$/gi, '')
  const query = url.slice(url.indexOf('?') < 0 ? url.length : url.indexOf('?'))
  const inPath = DATE_IN_PATH.exec(path)
  if (inPath === null && !NUMBER_IN_PATH.test(path + query) && !SLUG.test(lastOf(path))) return undefined
  return { url, title, date: dateOf(dated) ?? dateOf(inPath) }
}

function lettersOf(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return (text.match(LETTER)?.length ?? 0) + 2 * wide
}

/** The last segment of a path that is not empty. */
function lastOf(path: string): string {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

/** The date of a match with year, month and day; undefined for one that no calendar has. */
function dateOf(match: RegExpExecArray | null): string | undefined {
  if (match === null) return undefined
  const [, year, month, day] = match
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(date)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date) ? date : undefined
}
