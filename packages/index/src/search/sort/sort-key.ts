/** What results are sorted by, and the same for one segment: keys as numbers of which the smaller one comes first. */
import type { DocValues } from '../../codec/doc-values.js'
import { MAX_TERM_BYTES } from '../../codec/term-dictionary-writer.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../../codec/utf8.js'
import type { SegmentReader } from '../../reading/segment-reader.js'
import { requireDocValues } from '../without-doc-values.js'

/** Sorts by a field with doc values. Of several values of a document the one counts that brings it further ahead. */
export interface FieldSortKey {
  readonly field: string
  /** Least first where not given. Keywords sort by code point. */
  readonly order?: 'asc' | 'desc'
  /** Where documents without a value go, whatever the order; last where not given. */
  readonly missing?: 'first' | 'last'
}

/** One of the keys of a sort: a field, or the score (best first), or the place in the index. */
export type SortKey = FieldSortKey | { readonly by: 'score' | 'doc'; readonly order?: 'asc' | 'desc' }

/** Value of a document in a sort: a number, a keyword, or null where it has none. */
export type SortValue = number | string | null

/** A place in results: what comes behind it can be asked for. */
export interface SortCursor {
  /** Value for each key; the score where results go by it. */
  readonly values: readonly SortValue[]
  /** Index-wide id, by which ties are broken; only meaningful in the state of the index that it comes from. */
  readonly docId: number
}

const bytes = new Uint8Array(MAX_TERM_BYTES * MAX_UTF8_BYTES_PER_UNIT)

/** A key in one segment. */
export class SegmentSortKey {
  readonly #segment: SegmentReader
  readonly #field: string
  readonly #source: 'score' | 'doc' | 'values'
  readonly #values: DocValues | null
  readonly #sign: 1 | -1
  readonly #missing: number
  readonly #docBase: number

  private constructor(segment: SegmentReader, docBase: number, key: SortKey, values: DocValues | null) {
    this.#segment = segment
    this.#docBase = docBase
    this.#values = values
    this.#field = 'field' in key ? key.field : ''
    this.#source = 'field' in key ? 'values' : key.by
    const descending = key.order === undefined ? 'by' in key && key.by === 'score' : key.order === 'desc'
    this.#sign = descending ? -1 : 1
    const first = 'field' in key && key.missing === 'first'
    this.#missing = first ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  /** Loads what the key needs. @throws SpindleError FIELD_WITHOUT_DOC_VALUES */
  static async open(segment: SegmentReader, docBase: number, key: SortKey): Promise<SegmentSortKey> {
    const values = 'field' in key ? await requireDocValues(segment, key.field) : null
    return new SegmentSortKey(segment, docBase, key, values)
  }

  /** The key of a document of the segment. */
  key(doc: number, score: number): number {
    if (this.#source === 'score') return score * this.#sign
    if (this.#source === 'doc') return (this.#docBase + doc) * this.#sign
    const values = this.#values
    if (values === null || !values.has(doc)) return this.#missing
    return values.value(this.#sign === 1 ? values.first(doc) : values.last(doc)) * this.#sign
  }

  /** What a key of this segment stands for. */
  valueOf(key: number): SortValue {
    if (this.#source !== 'values') return key * this.#sign + 0
    if (key === this.#missing || this.#values === null) return null
    const value = key * this.#sign + 0
    return this.#values.kind === 'number' ? value : this.#segment.data.terms.termAt(this.#field, value)
  }

  /** The key that a value would have here; a keyword that the segment lacks lies between its neighbours. */
  keyOf(value: SortValue): number {
    if (this.#source !== 'values') return Number(value) * this.#sign
    if (value === null) return this.#missing
    // Without a column all documents of the segment are missing: every value is on the same side of them.
    if (this.#values === null) return 0
    if (typeof value === 'number') return value * this.#sign
    const text = value.slice(0, MAX_TERM_BYTES)
    const place = this.#segment.data.terms.ordinal(this.#field, bytes, encodeUtf8(text, bytes))
    return (place < 0 ? -1 - place - 0.5 : place) * this.#sign
  }
}

/** Whether a sort needs scores. */
export function needsScores(keys: readonly SortKey[]): boolean {
  return keys.some((key) => 'by' in key && key.by === 'score')
}
