/**
 * How many of the matching documents have each value of a field: exact, by one pass over the ordinals (or numbers) of
 * the documents that match. About 8 ns a matching document and field, and .3 µs a distinct value.
 */

import type { BitSet } from '@spindle/core'
import { type DocValues, popCount } from '../codec/doc-values.js'
import { VALUES_PER_GROUP } from '../codec/doc-values-sequence.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import type { IndexSearcher, SegmentMatches } from '../search/index-searcher.js'
import type { Query } from '../search/query/query.js'
import type { SearchStop } from '../search/scorer/search-limits.js'
import { requireDocValues } from '../search/without-doc-values.js'

/** Where fewer than one document of so many matches, its value is read alone. */
const SPARSE = 16
/** So few values are looked for one by one. */
const FEW = 100
/** VALUES_PER_GROUP is 2 to this power. */
const GROUP_BITS = 7

/** A value and the number of matching documents that have it. */
export interface FacetCount {
  /** A keyword, or a number of a numeric field. */
  readonly value: string | number
  readonly count: number
}

/** Counts of one field. */
export interface FacetCounts {
  /** The most frequent values; of equal counts the lesser value (keywords by code unit). Then those asked for by name. */
  readonly counts: readonly FacetCount[]
  /** Distinct values among the matching documents. */
  readonly distinct: number
  /** Matching documents without a value. */
  readonly missing: number
}

/** What is counted of one field. */
export interface FacetRequest {
  readonly field: string
  /** Values that are given at most; 10 where not given. */
  readonly limit?: number
  /** Values that are given in any case, behind the most frequent ones; of those that no document has, 0. */
  readonly values?: readonly (string | number)[]
}

/**
 * Counts the values of a field among the documents that match a query.
 * @param limit values that are given at most
 * @throws SpindleError FIELD_WITHOUT_DOC_VALUES, and what a search throws
 */
export async function facetCounts(
  searcher: IndexSearcher,
  query: Query,
  field: string,
  limit = 10,
  stop: SearchStop = {},
): Promise<FacetCounts> {
  const [counts] = await allFacetCounts(searcher, query, [{ field, limit }], stop)
  return counts!
}

/**
 * Counts the values of several fields among the documents that match a query, which is run once.
 * @returns one entry a request, in their order
 * @throws SpindleError FIELD_WITHOUT_DOC_VALUES, and what a search throws
 */
export function allFacetCounts(
  searcher: IndexSearcher,
  query: Query,
  requests: readonly FacetRequest[],
  stop: SearchStop = {},
): Promise<FacetCounts[]> {
  return searcher.useMatches(
    query,
    async (matches) => {
      const found: FacetCounts[] = []
      for (const request of requests) found.push(await countField(matches, request))
      return found
    },
    stop,
  )
}

async function countField(
  matches: readonly SegmentMatches[],
  { field, limit = 10, values: wanted = [] }: FacetRequest,
): Promise<FacetCounts> {
  const all = new Map<string | number, number>()
  let missing = 0
  for (const { segment, docs } of matches) {
    const values = await requireDocValues(segment, field)
    if (values === null) {
      missing += docs.count()
      continue
    }
    if (values.kind === 'number') {
      missing += countNumbers(values, docs, all)
      continue
    }
    const counts = new Int32Array(values.termCount)
    missing += countOrdinals(values, docs, counts)
    for (const [text, count] of namedCounts(segment, field, counts)) all.set(text, (all.get(text) ?? 0) + count)
  }
  const counts = mostFrequent(all, limit)
  const given = new Set(counts.map(({ value }) => value))
  for (const value of wanted) {
    if (!given.has(value)) counts.push({ value, count: all.get(value) ?? 0 })
    given.add(value)
  }
  return { counts, distinct: all.size, missing }
}

/** The first ones of all; a few of many are found in one pass, for sorting a million hosts would take a second. */
function mostFrequent(all: ReadonlyMap<string | number, number>, limit: number): FacetCount[] {
  if (limit > FEW) {
    const sorted = [...all].map(([value, count]) => ({ value, count })).sort((a, b) => (isBehind(a, b) ? 1 : -1))
    return sorted.slice(0, limit)
  }
  const best: FacetCount[] = []
  for (const [value, count] of all) {
    const next = { value, count }
    let place = best.length
    while (place > 0 && isBehind(best[place - 1]!, next)) place--
    if (place === limit) continue
    best.splice(place, 0, next)
    if (best.length > limit) best.pop()
  }
  return best
}

function isBehind(one: FacetCount, other: FacetCount): boolean {
  return one.count < other.count || (one.count === other.count && one.value > other.value)
}

/** The terms of the ordinals that were counted; of many, by walking through the dictionary. */
function* namedCounts(segment: SegmentReader, field: string, counts: Int32Array): Generator<[string, number]> {
  const { terms } = segment.data
  let counted = 0
  for (let ordinal = 0; ordinal < counts.length; ordinal++) if (counts[ordinal] !== 0) counted++
  const cursor = counted * SPARSE >= counts.length ? terms.terms(field) : undefined
  for (let ordinal = 0; ordinal < counts.length; ordinal++) {
    const walked = cursor?.next() === true
    const count = counts[ordinal]!
    if (count === 0) continue
    const text = walked
      ? Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset, cursor.length).toString()
      : undefined
    yield [text ?? terms.termAt(field, ordinal), count]
  }
}

/** @returns documents without a value */
function countOrdinals(values: DocValues, docs: BitSet, counts: Int32Array): number {
  if (values.starts === null && docs.count() * SPARSE >= docs.length) return countInGroups(values, docs, counts)
  let missing = 0
  for (let doc = docs.nextSetBit(0); doc >= 0; doc = docs.nextSetBit(doc + 1)) {
    if (!values.has(doc)) {
      missing++
      continue
    }
    const rank = values.rank(doc)
    const end = values.start(rank + 1)
    for (let i = values.start(rank); i < end; i++) counts[values.code(i)]!++
  }
  return missing
}

/**
 * The same for one value a document, of many documents: groups of values are decoded at once.
 * @returns documents without a value
 */
function countInGroups(values: DocValues, { words }: BitSet, counts: Int32Array): number {
  const { presence } = values
  const codes = new Float64Array(VALUES_PER_GROUP)
  let group = -1
  let missing = 0
  for (let w = 0; w < words.length; w++) {
    let word = words[w]! | 0
    if (word === 0) continue
    const present = presence === null ? -1 : presence[w]! | 0
    missing += popCount(word & ~present)
    word &= present
    const rank = values.rank(w << 5)
    while (word !== 0) {
      const lowest = word & -word
      const i = rank + popCount(present & (lowest - 1))
      if (i >>> GROUP_BITS !== group) {
        group = i >>> GROUP_BITS
        values.decode(group, codes)
      }
      counts[codes[i & (VALUES_PER_GROUP - 1)]!]!++
      word ^= lowest
    }
  }
  return missing
}

/** @returns documents without a value */
function countNumbers(values: DocValues, docs: BitSet, counts: Map<string | number, number>): number {
  let missing = 0
  for (let doc = docs.nextSetBit(0); doc >= 0; doc = docs.nextSetBit(doc + 1)) {
    if (!values.has(doc)) missing++
    // A document counts once for a value, however often it has it.
    for (const value of new Set(values.numbers(doc))) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return missing
}
