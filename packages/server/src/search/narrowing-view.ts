/** What narrows and orders a result, for the page: limits in force, values to choose with their counts, dates, order. */
import { periodOf } from '@spindle/index'
import type { MessageKey } from '../i18n/messages-en.js'
import type { Translator } from '../i18n/translator.js'
import { displayAddress } from './display-address.js'
import { keptFields, searchAddress } from './search-address.js'
import {
  FACET_FIELDS,
  type FacetField,
  type SearchFilters,
  type SearchRequest,
  type SearchResponse,
} from './search-backend.js'

/** A limit in force, and the same search without it. */
export interface FilterView {
  readonly label: string
  readonly href: string
}

/** A value to choose, or to take back where it is chosen. */
export interface FacetValueView {
  /** The name of the value, in pieces between which a line may break. */
  readonly label: readonly string[]
  readonly count: string
  /** The count with its noun, for those who do not see the page. */
  readonly countText: string
  readonly chosen: boolean
  readonly href: string
}

/** The values of one field. */
export interface FacetView {
  readonly name: FacetField
  readonly title: string
  readonly values: readonly FacetValueView[]
}

/** The panel beside the results. */
export interface NarrowingView {
  /** Fields that have something to choose from. */
  readonly facets: readonly FacetView[]
  readonly sorts: readonly { readonly label: string; readonly href: string; readonly current: boolean }[]
  /** Days, ISO 8601, or empty. */
  readonly from: string
  readonly to: string
  /** Hidden fields of the form of dates. */
  readonly kept: readonly { readonly name: string; readonly value: string }[]
}

const TYPES = new Set(['html', 'pdf', 'office', 'image', 'feed', 'text'])

/** The name of a kind of page, or undefined where it is none of ours. */
export function typeName(type: string, t: Translator): string | undefined {
  return TYPES.has(type) ? t.text(`results.type.${type}` as MessageKey) : undefined
}

function valueName(name: FacetField, value: string, t: Translator): string {
  if (name === 'lang') return t.languageName(value)
  if (name === 'type') return typeName(value, t) ?? value
  return displayAddress(`http://${value}/`).host || value
}

function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

/** Values are stored in lower case. */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function without(filters: SearchFilters, name: FacetField, value: string): SearchFilters {
  return { ...filters, [name]: filters[name].filter((other) => !isSame(other, value)) }
}

/** @param hl the language that the address names, for the links */
export function filterViews(request: SearchRequest, t: Translator, hl: string | undefined): FilterView[] {
  const { query, size, filters, sort } = request
  const address = (other: SearchFilters): string => searchAddress({ query, size, filters: other, sort, hl })
  const views: FilterView[] = []
  for (const name of FACET_FIELDS) {
    for (const value of filters[name]) {
      const label = t.text(`filters.${name}`, { value: valueName(name, value, t) })
      views.push({ label, href: address(without(filters, name, value)) })
    }
  }
  const { from, to, ...values } = filters
  if (from !== undefined) {
    views.push({
      label: t.text('filters.from', { value: from }),
      href: address({ ...values, ...(to === undefined ? {} : { to }) }),
    })
  }
  if (to !== undefined) {
    views.push({
      label: t.text('filters.to', { value: to }),
      href: address({ ...values, ...(from === undefined ? {} : { from }) }),
    })
  }
  return views
}

/** @param hl the language that the address names, for the links */
export function narrowingView(
  request: SearchRequest,
  { facets, sort: asked }: SearchResponse,
  t: Translator,
  hl: string | undefined,
): NarrowingView {
  const { query, size, filters, sort = 'relevance' } = request
  const views: FacetView[] = []
  for (const name of FACET_FIELDS) {
    const counts = facets?.[name] ?? []
    // one value for all is no choice
    if (counts.length < 2 && filters[name].length === 0) continue
    const values = counts.map(({ value, count }) => {
      const chosen = filters[name].some((other) => isSame(other, value))
      const next = chosen ? without(filters, name, value) : { ...filters, [name]: [...filters[name], value] }
      return {
        label: valueName(name, value, t).split(/(?=[.:])/),
        count: t.number(count),
        countText: t.plural('narrow.pages', count),
        chosen,
        href: searchAddress({ query, size, filters: next, sort, hl }),
      }
    })
    if (values.length > 0) views.push({ name, title: t.text(`narrow.${name}`), values })
  }
  const { from, to, ...values } = filters
  const first = from === undefined ? undefined : periodOf(from)?.start
  const end = to === undefined ? undefined : periodOf(to)?.end
  return {
    facets: views,
    sorts: (['relevance', 'date'] as const).map((one) => ({
      label: t.text(`narrow.sort.${one}`),
      href: searchAddress({ query: asked === undefined ? query : withoutSort(query), size, filters, sort: one, hl }),
      current: one === (asked ?? sort),
    })),
    from: first === undefined ? '' : dayOf(first),
    to: end === undefined ? '' : dayOf(end - 1),
    kept: keptFields({ size, filters: values, sort, hl }).map(([name, value]) => ({ name, value })),
  }
}

/** The query without its own words on the order, which would go before that of the address. */
function withoutSort(query: string): string {
  return query
    .replace(/"(?:\\.|[^"\\])*"|(?<=^|\s)sort[:：]\S*/gi, (part) => (part.startsWith('"') ? part : ''))
    .replace(/^\s+|\s+$/g, '')
}
