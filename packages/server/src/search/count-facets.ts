/** How many pages of a result are of each site, type and language. */
import { allFacetCounts, type IndexSearcher, type Query, type SearchStop } from '@spindle/index'
import { filteredQuery } from './filtered-query.js'
import { FACET_FIELDS, type FacetField, type Facets, type SearchFilters } from './search-backend.js'

/** Values told of one field. */
export const MAX_FACET_VALUES = 10

/**
 * Counts, exactly, over the whole result. A field that is limited itself is counted without its own limit, which costs a
 * further run of the query.
 * @throws SpindleError QUERY_TIMEOUT, and what a search throws
 */
export async function countFacets(
  searcher: IndexSearcher,
  query: Query,
  filters: SearchFilters,
  stop: () => SearchStop,
): Promise<Facets> {
  const facets: Partial<Record<FacetField, { value: string; count: number }[]>> = {}
  const count = async (fields: readonly FacetField[], limited: Query): Promise<void> => {
    const requests = fields.map((field) => ({
      field,
      limit: MAX_FACET_VALUES,
      values: filters[field].map((value) => value.toLowerCase()),
    }))
    const found = await allFacetCounts(searcher, limited, requests, stop())
    for (const [i, field] of fields.entries()) {
      facets[field] = found[i]!.counts.map(({ value, count: n }) => ({ value: String(value), count: n }))
    }
  }
  const free = FACET_FIELDS.filter((field) => filters[field].length === 0)
  if (free.length > 0) await count(free, filteredQuery(query, filters))
  for (const field of FACET_FIELDS) {
    if (filters[field].length > 0) await count([field], filteredQuery(query, filters, field))
  }
  return facets as Facets
}
