/** Builds the addresses of our own pages, so that every link keeps the query, the limits and the chosen language. */
import { FACET_FIELDS, type SearchFilters, type SearchSort } from './search-backend.js'
import { DEFAULT_SIZE } from './search-request.js'

/** What a link to the result page carries. */
export interface SearchAddress {
  readonly query: string
  readonly page?: number
  readonly size?: number
  readonly filters?: SearchFilters
  readonly sort?: SearchSort | undefined
  /** Only where the visitor chose a language by the address. */
  readonly hl?: string | undefined
}

/** The fields of a search besides the query and the page, as names and values; what is as usual is left out. */
export function keptFields({
  size = DEFAULT_SIZE,
  filters,
  sort,
  hl,
}: Omit<SearchAddress, 'query'>): [string, string][] {
  const fields: [string, string][] = []
  if (size !== DEFAULT_SIZE) fields.push(['size', String(size)])
  if (filters !== undefined) {
    for (const name of FACET_FIELDS) for (const value of filters[name]) fields.push([name, value])
    if (filters.from !== undefined) fields.push(['from', filters.from])
    if (filters.to !== undefined) fields.push(['to', filters.to])
  }
  if (sort === 'date') fields.push(['sort', sort])
  if (hl !== undefined) fields.push(['hl', hl])
  return fields
}

/** A relative address, percent-encoded; URLSearchParams turns lone surrogates into U+FFFD. */
export function searchAddress(address: SearchAddress): string {
  const { query, page = 1 } = address
  const fields = new URLSearchParams()
  fields.set('q', query)
  if (page !== 1) fields.set('page', String(page))
  for (const [name, value] of keptFields(address)) fields.append(name, value)
  return `/search?${fields}`
}

/** The home page, in the chosen language. */
export function homeAddress(hl: string | undefined): string {
  return hl === undefined ? '/' : `/?${new URLSearchParams({ hl })}`
}

/** The advanced form, in the chosen language. */
export function advancedAddress(hl: string | undefined): string {
  return hl === undefined ? '/advanced' : `/advanced?${new URLSearchParams({ hl })}`
}
