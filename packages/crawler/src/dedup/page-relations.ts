/** How pages that may be one are ordered, and held against each other. */
import type { StoredPage } from '../pages/stored-page.js'
import type { NewPage, PageRow } from './duplicate-store.js'
import { byAddress, isInLanguage, isOtherSite, sameTitle } from './page-addresses.js'
import { pageTokens } from './page-tokens.js'
import { sharedCore } from './same-core.js'
import { hammingDistance, MAX_DISTANCE, resemblance } from './simhash.js'

/** Share of two views, or copies, that must be one run of lines … */
const CORE_SHARE = 0.9
/** … of a view: menus are left out of it. */
const VIEW_SHARE = 0.75
/** Tokens that a copy may have of its own. */
const MAX_FRAME = 60
/** Resemblance of a page to the one that it names as canonical. */
const ALIKE = 0.7
/** Pages of two groups that are held against each other. */
const MAX_PAIRED = 16
/** Pages in a row of which each names the next as canonical. */
const MAX_STEPS = 5

/** Bits of a relation. */
const AS_CANONICAL = 1
const AS_VIEW = 2
const AS_COPY = 4

/** Pages that are the same, the preferred one first. */
export interface Node {
  readonly key: string
  readonly pages: readonly PageRow[]
}

/** True where two pages may be copies of each other on two sites, by their addresses and fingerprints. */
export function mayBeCopies(a: NewPage, b: NewPage): boolean {
  if (a.tail !== b.tail || a.simhash === undefined || b.simhash === undefined) return false
  return hammingDistance(a.simhash, b.simhash) <= MAX_DISTANCE && isOtherSite(a.url, b.url)
}

/** Pages that are the same as one node each, in order. */
export function toNodes(pages: Iterable<PageRow>, order: (a: PageRow, b: PageRow) => number): Node[] {
  const byKey = new Map<string, PageRow[]>()
  for (const page of pages) {
    const same = byKey.get(page.key)
    if (same === undefined) byKey.set(page.key, [page])
    else same.push(page)
  }
  const nodes = [...byKey].map(([key, same]): Node => ({ key, pages: same.sort(order) }))
  return nodes.sort((a, b) => order(a.pages[0]!, b.pages[0]!))
}

/** A page that others name, and that names none, comes first; then that whose address is wanted most. */
export function byStanding(pages: ReadonlyMap<string, PageRow>, language = ''): (a: PageRow, b: PageRow) => number {
  const named = new Set<string>()
  for (const page of pages.values()) named.add(canonicalOf(page, pages))
  const standing = ({ url, canonical }: PageRow) => (canonical === undefined && named.has(url) ? 0 : 1)
  const outside = ({ url }: PageRow) => (isInLanguage(url, language) ? 0 : 1)
  return (a, b) => standing(a) - standing(b) || a.rank - b.rank || outside(a) - outside(b) || byAddress(a.url, b.url)
}

/** The address that a page names, directly or by way of others. */
function canonicalOf(page: PageRow, pages: ReadonlyMap<string, PageRow>): string {
  let at = page
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const next = at.canonical === undefined ? undefined : pages.get(at.canonical)
    if (next === undefined) return at === page ? '' : at.url
    at = next
  }
  return ''
}

function names(page: PageRow, other: PageRow, pages: ReadonlyMap<string, PageRow>): boolean {
  return page.canonical === other.url || (page.canonical !== undefined && canonicalOf(page, pages) === other.url)
}

/** In which ways two groups of same pages may be one, by their addresses. */
export function linksBetween(a: Node, b: Node, pages: ReadonlyMap<string, PageRow>): number {
  let links = 0
  for (const one of a.pages.slice(0, MAX_PAIRED)) {
    for (const other of b.pages.slice(0, MAX_PAIRED)) {
      if (names(one, other, pages) || names(other, one, pages)) links |= AS_CANONICAL
      if (one.view !== 0 && one.view === other.view) links |= AS_VIEW
      if (mayBeCopies(one, other)) links |= AS_COPY
    }
  }
  return links
}

/** In which ways two texts are alike. */
export function compareTexts(a: StoredPage, b: StoredPage): number {
  if (a.parsed.kind !== b.parsed.kind) return 0
  const [one, other] = [pageTokens(a.parsed.text), pageTokens(b.parsed.text)]
  const alike = resemblance(one, other)
  const canonical = alike >= ALIKE ? AS_CANONICAL : 0
  const core = sharedCore(one, other)
  if (core === undefined || !sameTitle(a.parsed.title, b.parsed.title)) return canonical
  const view = core.share >= VIEW_SHARE ? AS_VIEW : 0
  const copy = core.share >= CORE_SHARE && core.outside <= MAX_FRAME && core.sameNumbers ? AS_COPY : 0
  return canonical | view | copy
}
