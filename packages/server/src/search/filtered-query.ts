/** A query within the limits of a request. */
import { PageField } from '@spindle/core'
import { BooleanQuery, NumberRangeQuery, periodOf, type Query, Term, TermQuery } from '@spindle/index'
import { FACET_FIELDS, type FacetField, type SearchFilters } from './search-backend.js'

/** No limits. */
export const NO_FILTERS: SearchFilters = { site: [], type: [], lang: [] }

/** Whether hits are limited at all. */
export function hasFilters({ from, to, ...values }: SearchFilters): boolean {
  return from !== undefined || to !== undefined || FACET_FIELDS.some((field) => values[field].length > 0)
}

/**
 * The query limited by the filters; scores stay those of the query.
 * @param except a field whose own filter is left out
 */
export function filteredQuery(query: Query, filters: SearchFilters, except?: FacetField): Query {
  const limits: Query[] = []
  for (const field of FACET_FIELDS) {
    const values = field === except ? [] : filters[field]
    if (values.length > 0) limits.push(anyOf(field, values))
  }
  const { from, to } = filters
  if (from !== undefined || to !== undefined) limits.push(published(from, to))
  if (limits.length === 0) return query
  return new BooleanQuery([
    { query, occur: 'must' },
    ...limits.map((limit) => ({ query: limit, occur: 'filter' as const })),
  ])
}

/** Host names, types and languages are stored in lower case. */
function anyOf(field: FacetField, values: readonly string[]): Query {
  return new BooleanQuery(
    values.map((value) => ({ query: new TermQuery(new Term(field, value.toLowerCase())), occur: 'should' as const })),
  )
}

function published(from: string | undefined, to: string | undefined): Query {
  const first = from === undefined ? undefined : periodOf(from)
  const last = to === undefined ? undefined : periodOf(to)
  return new NumberRangeQuery(PageField.published, {
    ...(first === undefined ? {} : { gte: first.start }),
    ...(last === undefined ? {} : { lt: last.end }),
  })
}
