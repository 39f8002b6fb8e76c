/** Terms between two bounds, by the order of their UTF-8 bytes (that of code points). */
import { BitSet, SpindleError } from '@spindle/core'
import { MAX_TERM_BYTES } from '../../codec/term-dictionary-writer.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../../codec/utf8.js'
import { hasOrdinals } from '../../document/field-type.js'
import type { SegmentReader } from '../../reading/segment-reader.js'
import { BitSetScorer } from '../scorer/bit-set-scorer.js'
import { DocValuesRangeScorer } from '../scorer/doc-values-range-scorer.js'
import type { SearchContext } from '../search-context.js'
import { SetWeight } from '../weight/set-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/** Bounds of a range of terms; null: open. */
export interface TermRange {
  readonly lower: string | null
  readonly upper: string | null
  readonly includeLower: boolean
  readonly includeUpper: boolean
}

/** Terms of a segment whose lists are read for one range, at most. */
export const MAX_RANGE_TERMS = 65_536
/** From so many terms on, ordinals are compared instead of reading lists. */
const MANY_TERMS = 16

const bytes = new Uint8Array(MAX_TERM_BYTES * MAX_UTF8_BYTES_PER_UNIT)

/**
 * Documents with a term of a field in a range, all with a constant score. Where the field has ordinals, they are
 * compared; otherwise the lists of all terms in the range go into one bit set.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   TermRangeQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['amber', 'silk', 'tea']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new TermRangeQuery('body', 'b', 'tea'))) // 2
 * console.log(await searcher.count(new TermRangeQuery('body', 'b', 'tea', true, false))) // 1
 * console.log(await searcher.count(new TermRangeQuery('body', 'b', null))) // 2
 * ```
 */
export class TermRangeQuery extends Query {
  readonly field: string
  readonly range: TermRange

  /** Bounds count as inside where not told otherwise. */
  constructor(field: string, lower: string | null, upper: string | null, includeLower = true, includeUpper = true) {
    super()
    this.field = field
    this.range = { lower, upper, includeLower, includeUpper }
  }

  /** @throws (when the search loads) SpindleError QUERY_TOO_COMPLEX for more than 65,536 terms of a field without ordinals */
  createWeight(context: SearchContext, boost: number): Weight {
    return termRangeWeight(context, this.field, this.range, this.toString(), boost)
  }

  visit(_visitor: QueryVisitor): void {}

  toString(defaultField = ''): string {
    const { lower, upper, includeLower, includeUpper } = this.range
    const range = `${includeLower ? '[' : '{'}${lower ?? '*'} TO ${upper ?? '*'}${includeUpper ? ']' : '}'}`
    return this.field === defaultField ? range : `${this.field}:${range}`
  }
}

/** Distinct terms in the range, summed over the segments; Infinity where some segment's terms are not in memory. */
export function countTerms(context: SearchContext, field: string, range: TermRange): number {
  let count = 0
  for (const segment of context.segments) {
    if (!segment.hasResidentTerms) return Number.POSITIVE_INFINITY
    const { from, to } = termsOf(segment, field, range)
    count += to - from
  }
  return count
}

/** The range in one search. @param name printed, for explanations */
export function termRangeWeight(
  context: SearchContext,
  field: string,
  range: TermRange,
  name: string,
  boost: number,
): Weight {
  let cost = 0
  for (const segment of context.segments) {
    cost += costOf(segment, field, range)
  }
  return SetWeight.create(context, name, boost, cost, async (leaf) => {
    const segment = context.segments[leaf]!
    await segment.data.loadTerms()
    const { from, to } = termsOf(segment, field, range)
    if (from >= to) return null
    if (to - from >= MANY_TERMS && hasOrdinals(segment.fieldInfo(field)!.type)) {
      const values = await segment.docValues(field)
      return values === null ? null : () => new DocValuesRangeScorer(values, from, to - 1, context.limits)
    }
    const set = await unionOfTerms(context, leaf, field, from, to)
    const count = set.count()
    return () => new BitSetScorer(set.words, segment.maxDoc, count)
  })
}

/** Documents with a term in the range, at most: counted for a few terms, so that a narrow range can lead an AND. */
function costOf(segment: SegmentReader, field: string, range: TermRange): number {
  if (!segment.hasResidentTerms) return segment.maxDoc
  const { from, to } = termsOf(segment, field, range)
  if (to - from >= MANY_TERMS) return segment.maxDoc
  let cost = 0
  const cursor = segment.data.terms.terms(field, from)
  for (let n = from; n < to && cursor?.next() === true; n++) cost += cursor.entry.docFreq
  return Math.min(cost, segment.maxDoc)
}

/** Documents of the terms from place `from` to before `to`. @throws SpindleError QUERY_TOO_COMPLEX */
export async function unionOfTerms(
  context: SearchContext,
  leaf: number,
  field: string,
  from: number,
  to: number,
): Promise<BitSet> {
  const segment = context.segments[leaf]!
  if (to - from > MAX_RANGE_TERMS) {
    throw new SpindleError(
      'QUERY_TOO_COMPLEX',
      `The range covers ${to - from} terms of the field '${field}', and ${MAX_RANGE_TERMS} are allowed: narrow it, or ask a field with doc values.`,
    )
  }
  const set = new BitSet(segment.maxDoc)
  const docs = new Int32Array(128)
  await segment.data.loadTerms()
  const cursor = segment.data.terms.terms(field, from)
  for (let n = from; n < to && cursor?.next() === true; n++) {
    if (cursor.entry.singleDoc >= 0) {
      set.set(cursor.entry.singleDoc)
      continue
    }
    const text = Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset, cursor.length).toString()
    const postings = await segment.loadPostings(field, text, 'docs')
    for (let b = 0; postings !== null && b < postings.blockCount; b++) {
      const length = postings.decodeDocs(b, docs)
      for (let i = 0; i < length; i++) set.set(docs[i]!)
      context.limits.spend(length)
    }
    if (context.limits.sliceOver) await context.limits.yield()
  }
  return set
}

/** Places of the terms in the range: from `from` to before `to`. */
function termsOf(segment: SegmentReader, field: string, range: TermRange): { from: number; to: number } {
  const { terms } = segment.data
  const count = terms.termCount(field)
  if (count === 0) return { from: 0, to: 0 }
  const { lower, upper, includeLower, includeUpper } = range
  const from = lower === null ? 0 : placeOf(segment, field, lower, !includeLower)
  const to = upper === null ? count : placeOf(segment, field, upper, includeUpper)
  return { from, to: Math.max(from, to) }
}

/** Place of the first term that is not below the text; with `after`, of the first above it. */
function placeOf(segment: SegmentReader, field: string, text: string, after: boolean): number {
  // A longer text than any term sorts like its beginning, which no term equals.
  const cut = text.length > MAX_TERM_BYTES ? text.slice(0, MAX_TERM_BYTES) : text
  const place = segment.data.terms.ordinal(field, bytes, encodeUtf8(cut, bytes))
  return place < 0 ? -1 - place : place + (after || cut !== text ? 1 : 0)
}
