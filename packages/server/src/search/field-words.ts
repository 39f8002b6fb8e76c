/** The words before a colon that the search box understands beside names of fields: `site:`, `filetype:`, `before:` … */
import { PageField } from '@spindle/core'
import {
  BooleanQuery,
  type FieldWord,
  NumberRangeQuery,
  type Period,
  PrefixQuery,
  periodOf,
  type Query,
  RegexpQuery,
  Term,
  TermQuery,
  WildcardQuery,
} from '@spindle/index'

/** Kinds of page that the index tells apart. */
const TYPES: ReadonlySet<string> = new Set(['html', 'pdf', 'office', 'image', 'feed', 'text'])
/** File names' ends that say no more than a kind. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['htm', 'html'],
  ['xhtml', 'html'],
  ['txt', 'text'],
  ['rss', 'feed'],
  ['atom', 'feed'],
])

/** Longest pattern that stands for a part of an address, UTF-16 units: some 240 letters. */
const MAX_PATTERN_LENGTH = 990

/** Pages are known by their primary language: `zh-TW` is `zh`. */
export function primaryTag(tag: string): string {
  return tag.replace(/^([a-z]{2,3})[-_][a-z0-9_-]+$/i, '$1')
}

/** What the words ask. */
export const FIELD_WORDS: Readonly<Record<string, FieldWord>> = {
  site: { field: PageField.site, toQuery: siteQuery },
  intitle: { field: PageField.title },
  inurl: { field: PageField.url, toQuery: inAddressQuery },
  filetype: { field: PageField.type, toQuery: fileTypeQuery },
  lang: { field: PageField.lang, toQuery: (value) => termQuery(PageField.lang, primaryTag(value)) },
  date: { field: PageField.published },
  before: periodWord(({ start }) => ({ lt: start })),
  after: periodWord(({ end }) => ({ gte: end })),
}

function termQuery(field: string, value: string): Query {
  return new TermQuery(new Term(field, value.toLowerCase()))
}

function anyOf(queries: readonly Query[]): Query {
  return queries.length === 1 ? queries[0]! : new BooleanQuery(queries.map((query) => ({ query, occur: 'should' })))
}

/** A host and those below it, perhaps only the addresses that begin with a path. */
function siteQuery(value: string): Query | null {
  const address = value.replace(/^[a-z]+:\/\//i, '').replace(/^\.+/, '')
  const slash = address.indexOf('/')
  const name = slash < 0 ? address : address.slice(0, slash)
  // An asterisk or the like makes a host of something else.
  if (name === '' || !URL.canParse(`http://${name}/`)) return null
  const { host } = new URL(`http://${name}/`)
  const path = slash < 0 ? '/' : address.slice(slash)
  if (path !== '/' && URL.canParse(`http://${host}${path}`)) {
    const { pathname, search } = new URL(`http://${host}${path}`)
    return anyOf(
      ['http', 'https'].map((scheme) => new PrefixQuery(PageField.url, `${scheme}://${host}${pathname}${search}`)),
    )
  }
  return anyOf([termQuery(PageField.site, host), new WildcardQuery(PageField.site, `*.${escapeWildcards(host)}`)])
}

/** A text anywhere in the address, in whatever case. */
function inAddressQuery(value: string): Query | null {
  const text = /^[!-~]*$/.test(value) ? value : encodeURI(value.toWellFormed().trim())
  if (text === '') return null
  const pattern = text
    .replace(/[^a-z0-9]/gi, '\\$&')
    .replace(/[a-z]/gi, (c) => `[${c.toLowerCase()}${c.toUpperCase()}]`)
  return pattern.length > MAX_PATTERN_LENGTH ? null : new RegexpQuery(PageField.url, `.*${pattern}.*`)
}

/** A kind of page, or an end of the address such as `docx`. */
function fileTypeQuery(value: string): Query | null {
  const type = value.toLowerCase().replace(/^\./, '')
  const kind = TYPE_NAMES.get(type) ?? type
  if (TYPES.has(kind)) return termQuery(PageField.type, kind)
  return /^[a-z0-9]{1,10}$/.test(type) ? new WildcardQuery(PageField.url, `*.${type}`) : null
}

/** Pages published before or after a day, month or year. */
function periodWord(range: (period: Period) => { lt: number } | { gte: number }): FieldWord {
  return {
    toQuery(value) {
      const period = periodOf(value)
      return period === undefined ? null : new NumberRangeQuery(PageField.published, range(period))
    },
  }
}

function escapeWildcards(text: string): string {
  return text.replace(/[*?\\]/g, '\\$&')
}
