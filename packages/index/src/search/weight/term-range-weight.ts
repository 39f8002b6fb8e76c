/** The documents of a range of terms in one search. */
import { hasOrdinals } from '../../document/field-type.js'
import type { SegmentReader } from '../../reading/segment-reader.js'
import type { TermBounds } from '../automaton/term-bounds.js'
import { walkTermRange } from '../automaton/term-walk.js'
import { BitSetScorer } from '../scorer/bit-set-scorer.js'
import { DocValuesRangeScorer } from '../scorer/doc-values-range-scorer.js'
import type { SearchContext } from '../search-context.js'
import { expansionWeight } from './expansion-weight.js'
import { SetWeight } from './set-weight.js'
import { TermUnion } from './term-union.js'
import type { Weight } from './weight.js'

/** From so many terms on, ordinals are compared instead of reading lists. */
const MANY_TERMS = 16

/**
 * The range in one search: ordinals are compared where the field has any and the range many terms; otherwise the lists
 * of its terms become one bit set.
 * @param bounds the same object whenever the query is bound again
 * @param name printed, for explanations
 */
export function termRangeWeight(
  context: SearchContext,
  bounds: TermBounds,
  field: string,
  name: string,
  boost: number,
): Weight {
  const withOrdinals = context.segments.some((segment) => {
    const type = segment.fieldInfo(field)?.type
    return type !== undefined && hasOrdinals(type)
  })
  if (!withOrdinals) {
    return expansionWeight(context, bounds, field, name, boost, (segment, union) =>
      walkTermRange(segment.data, field, bounds, context.limits, union),
    )
  }
  let cost = 0
  for (const segment of context.segments) cost += costOf(segment, field, bounds)
  return SetWeight.create(context, name, boost, cost, async (leaf) => {
    const segment = context.segments[leaf]
    await segment.data.loadTerms()
    const { from, to } = termsOf(segment, field, bounds)
    if (from >= to) return null
    if (to - from >= MANY_TERMS) {
      const values = await segment.docValues(field)
      return values === null ? null : () => new DocValuesRangeScorer(values, from, to - 1, context.limits)
    }
    const { docs, count } = await new TermUnion(segment, field, context.limits).of((union) =>
      walkTermRange(segment.data, field, bounds, context.limits, union),
    )
    return () => new BitSetScorer(docs.words, segment.maxDoc, count)
  })
}

/** Distinct terms in the range, summed over the segments; Infinity where some segment's terms are not in memory. */
export function countTerms(context: SearchContext, field: string, bounds: TermBounds): number {
  let count = 0
  for (const segment of context.segments) {
    if (!segment.hasResidentTerms) return Number.POSITIVE_INFINITY
    const { from, to } = termsOf(segment, field, bounds)
    count += to - from
  }
  return count
}

/** Documents with a term in the range, at most: counted for a few terms, so that a narrow range can lead an AND. */
function costOf(segment: SegmentReader, field: string, bounds: TermBounds): number {
  if (!segment.hasResidentTerms) return segment.maxDoc
  const { from, to } = termsOf(segment, field, bounds)
  if (to - from >= MANY_TERMS) return segment.maxDoc
  let cost = 0
  const cursor = segment.data.terms.terms(field, from)
  for (let n = from; n < to && cursor?.next() === true; n++) cost += cursor.entry.docFreq
  return Math.min(cost, segment.maxDoc)
}

/** Places of the terms in the range: from `from` to before `to`. */
function termsOf({ data }: SegmentReader, field: string, bounds: TermBounds): { from: number; to: number } {
  const count = data.terms.termCount(field)
  if (count === 0) return { from: 0, to: 0 }
  const placeOf = (bytes: Uint8Array): number => {
    const place = data.terms.ordinal(field, bytes, bytes.length)
    return place < 0 ? -1 - place : place
  }
  const from = bounds.from === null ? 0 : placeOf(bounds.from)
  const to = bounds.end === null ? count : placeOf(bounds.end)
  return { from, to: Math.max(from, to) }
}
