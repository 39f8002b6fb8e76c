/** Builds the addresses of our own pages, so that every link keeps the query, the limits and the chosen language. */
import type { SearchFilters } from './search-backend.js'
import { DEFAULT_SIZE } from './search-request.js'

/** What a link to the result page carries. */
export interface SearchAddress {
  readonly query: string
  readonly page?: number
  readonly size?: number
  readonly filters?: SearchFilters
  /** Only where the visitor chose a language by the address. */
  readonly hl?: string | undefined
}

/** A relative address, percent-encoded; URLSearchParams turns lone surrogates into U+FFFD. */
export function searchAddress({ query, page = 1, size = DEFAULT_SIZE, filters, hl }: SearchAddress): string {
  const fields = new URLSearchParams()
  fields.set('q', query)
  if (page !== 1) fields.set('page', String(page))
  if (size !== DEFAULT_SIZE) fields.set('size', String(size))
  if (filters !== undefined) {
    for (const name of ['site', 'type', 'lang'] as const) {
      for (const value of filters[name]) fields.append(name, value)
    }
  }
  if (hl !== undefined) fields.set('hl', hl)
  return `/search?${fields}`
}

/** The home page, in the chosen language. */
export function homeAddress(hl: string | undefined): string {
  return hl === undefined ? '/' : `/?${new URLSearchParams({ hl })}`
}
