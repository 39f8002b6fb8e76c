/**
 * From query fields to a search within the limits: strict for programs (a wrong value is an error), forgiving for people
 * (a wrong value is put right and told on the page).
 */
import { SpindleError } from '@spindle/core'
import { periodOf } from '@spindle/index'
import type { QueryFields } from '../http/query-fields.js'
import { primaryTag } from './field-words.js'
import type { QueryNotice, SearchFilters, SearchRequest } from './search-backend.js'

/** Longest query in UTF-16 units. */
export const MAX_QUERY_LENGTH = 1000
/** Most hits a page. */
export const MAX_SIZE = 100
/** How deep paging goes: page × size. */
export const MAX_WINDOW = 10_000
/** Hits a page where nothing is said. */
export const DEFAULT_SIZE = 10

/** Characters of a wrong value that are shown. */
const MAX_SHOWN = 40
const SORTS = new Set(['', 'relevance', 'date'])

/** A request within the limits, and what had to be changed to bring it there. */
export interface CheckedRequest {
  readonly request: SearchRequest
  readonly notices: readonly QueryNotice[]
}

function wholeNumber(text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}

/** Cuts to at most `length` UTF-16 units and never inside a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/**
 * @param lenient puts wrong values right instead of throwing
 * @throws SpindleError `QUERY_TOO_LONG`, `BAD_PAGE`, `BAD_PARAMETER`
 */
export function searchRequest(fields: QueryFields, lenient: boolean): CheckedRequest {
  const notices: QueryNotice[] = []
  let query = fields.q ?? ''
  if (query.length > MAX_QUERY_LENGTH) {
    if (!lenient) {
      throw new SpindleError(
        'QUERY_TOO_LONG',
        `The query has ${query.length} characters: send at most ${MAX_QUERY_LENGTH} in "q".`,
      )
    }
    query = cutText(query, MAX_QUERY_LENGTH).trim()
    notices.push({ kind: 'too-long', text: '' })
  }
  let size = wholeNumber(fields.size, DEFAULT_SIZE)
  let page = wholeNumber(fields.page, 1)
  if (!(size >= 1 && size <= MAX_SIZE)) {
    if (!lenient) throw badPage('size', fields.size, `a whole number from 1 to ${MAX_SIZE}`)
    notices.push({ kind: 'bad-page', text: fields.size ?? '' })
    size = size > MAX_SIZE ? MAX_SIZE : DEFAULT_SIZE
  }
  if (!(page >= 1 && page * size <= MAX_WINDOW)) {
    const last = Math.floor(MAX_WINDOW / size)
    if (!lenient) throw badPage('page', fields.page, `a whole number from 1 to ${last} at ${size} hits a page`)
    notices.push({ kind: 'bad-page', text: fields.page ?? '' })
    page = page > last ? last : 1
  }
  const values = {
    site: fields.site ?? [],
    type: fields.type ?? [],
    lang: [...new Set((fields.lang ?? []).map(primaryTag))],
  }
  const filters = { ...values, ...dateLimits(fields, lenient, notices) }
  if (!lenient && !SORTS.has(fields.sort ?? '')) {
    throw badValue('sort', fields.sort, '"relevance" or "date"')
  }
  const sort = fields.sort === 'date' ? 'date' : 'relevance'
  const leniency = lenient ? 'all' : fields.strict === '1' ? 'none' : 'syntax'
  return { request: { query, page, size, filters, sort, facets: true, leniency }, notices }
}

/** `from` and `to`; for people, what is no date is left out and dates in the wrong order change places. */
function dateLimits(fields: QueryFields, lenient: boolean, notices: QueryNotice[]): Pick<SearchFilters, 'from' | 'to'> {
  const limits: { from?: string; to?: string } = {}
  for (const name of ['from', 'to'] as const) {
    const text = fields[name] ?? ''
    if (text === '') continue
    if (periodOf(text) !== undefined) limits[name] = text
    else if (lenient) notices.push({ kind: 'bad-date', text: cutText(text, MAX_SHOWN) })
    else throw badValue(name, text, 'a day, month or year such as 2024-05-06, 2024-05 or 2024')
  }
  const { from, to } = limits
  if (from === undefined || to === undefined || periodOf(from)!.start < periodOf(to)!.end) return limits
  if (!lenient) throw badValue('to', to, `a date that is not before "from", ${from}`)
  return { from: to, to: from }
}

function badValue(name: string, value: string | undefined, wanted: string): SpindleError {
  return new SpindleError(
    'BAD_PARAMETER',
    `"${cutText(value ?? '', MAX_SHOWN)}" is no valid "${name}": send ${wanted}.`,
  )
}

function badPage(name: string, value: string | undefined, wanted: string): SpindleError {
  return new SpindleError('BAD_PAGE', `"${cutText(value ?? '', MAX_SHOWN)}" is no valid "${name}": send ${wanted}.`)
}
