/** What is in an index, for people and admin pages: its terms, fields, segments, and all that is known of a document. */
import type { SegmentComponent } from '../codec/segment-files.js'
import { MAX_TERM_BYTES } from '../codec/term-dictionary-writer.js'
import { encodeUtf8, MAX_UTF8_BYTES_PER_UNIT } from '../codec/utf8.js'
import type { Document } from '../document/document.js'
import { type CombinedSource, hasOffsets } from '../document/field-info.js'
import { type FieldType, hasOrdinals } from '../document/field-type.js'
import type { SegmentReader } from './segment-reader.js'

/** A term of the index; numbers are summed over the segments, deleted documents included. */
export interface TermView {
  readonly term: string
  readonly docFreq: number
  readonly totalTermFreq: number
}

/** Which terms to list. */
export interface TermsOptions {
  /** The first term is the least one that is not below this. */
  readonly from?: string
  /** At most so many; 100 where not given, 10,000 at most. */
  readonly limit?: number
}

/** A field as the segments have it. */
export interface FieldView {
  readonly name: string
  readonly type: FieldType
  readonly postings: 'none' | 'docs' | 'freqs' | 'positions'
  readonly norms: boolean
  /** Whether offsets are kept with positions. */
  readonly offsets: boolean
  /** Of a combined field, what it is made of; null for any other. */
  readonly sources: readonly CombinedSource[] | null
  /** Documents with a term, deleted ones included. */
  readonly docCount: number
  readonly sumTotalTermFreq: number
  readonly sumDocFreq: number
  /** Terms, summed over the segments: a term of several counts several times. */
  readonly termCount: number
  /** Bytes of its columns of doc values, without later generations. */
  readonly docValueBytes: number
}

/** A segment of the index. */
export interface SegmentView {
  readonly name: string
  readonly source: 'flush' | 'merge'
  readonly maxDoc: number
  readonly numDocs: number
  readonly deletedCount: number
  /** Bytes of all files but the description, live documents and later generations. */
  readonly bytes: number
  readonly bytesByComponent: ReadonlyMap<SegmentComponent, number>
  /** Bytes of later generations of doc values. */
  readonly updateBytes: number
}

/** All that is known of a document. */
export interface DocumentView {
  readonly segment: string
  /** Id within the segment. */
  readonly localDocId: number
  readonly isDeleted: boolean
  /** Its stored fields. */
  readonly document: Document
  /** Its doc values by field, ascending. */
  readonly docValues: ReadonlyMap<string, readonly (number | string)[]>
}

const MAX_LISTED = 10_000
const bytes = new Uint8Array(MAX_TERM_BYTES * MAX_UTF8_BYTES_PER_UNIT)

/** Terms of a field in the order of their bytes, over all segments. */
export async function listTerms(
  segments: readonly SegmentReader[],
  field: string,
  { from = '', limit = 100 }: TermsOptions = {},
): Promise<TermView[]> {
  const cursors = []
  for (const { data } of segments) {
    await data.loadTerms()
    if (data.terms.termCount(field) === 0) continue
    const place = data.terms.ordinal(field, bytes, encodeUtf8(from.slice(0, MAX_TERM_BYTES), bytes))
    const cursor = data.terms.terms(field, place < 0 ? -1 - place : place)
    if (cursor?.next() === true) cursors.push(cursor)
  }
  const views: TermView[] = []
  while (cursors.length > 0 && views.length < Math.min(limit, MAX_LISTED)) {
    let least = Buffer.from(cursors[0]!.bytes.subarray(0, cursors[0]!.length))
    for (const { bytes: term, length } of cursors) {
      if (Buffer.compare(term.subarray(0, length), least) < 0) least = Buffer.from(term.subarray(0, length))
    }
    let docFreq = 0
    let totalTermFreq = 0
    for (let i = cursors.length - 1; i >= 0; i--) {
      const cursor = cursors[i]!
      if (Buffer.compare(cursor.bytes.subarray(0, cursor.length), least) !== 0) continue
      docFreq += cursor.entry.docFreq
      totalTermFreq += cursor.entry.totalTermFreq
      if (!cursor.next()) cursors.splice(i, 1)
    }
    views.push({ term: least.toString(), docFreq, totalTermFreq })
  }
  return views
}

/** The fields that the segments have, by name. */
export function viewFields(segments: readonly SegmentReader[]): FieldView[] {
  const views = new Map<string, FieldView>()
  for (const { data, overlays } of segments) {
    const later = (overlays?.infos ?? []).filter((info) => !data.fieldInfos.has(info.number))
    for (const info of [...data.fieldInfos.values(), ...later]) {
      const known = views.get(info.name)
      views.set(info.name, {
        name: info.name,
        type: info.type,
        postings: info.options,
        norms: info.norms,
        offsets: hasOffsets(info),
        sources: info.sources ?? null,
        docCount: info.docCount + (known?.docCount ?? 0),
        sumTotalTermFreq: info.sumTotalTermFreq + (known?.sumTotalTermFreq ?? 0),
        sumDocFreq: info.sumDocFreq + (known?.sumDocFreq ?? 0),
        termCount: data.terms.termCount(info.name) + (known?.termCount ?? 0),
        docValueBytes: data.values.columnLength(info.number) + (known?.docValueBytes ?? 0),
      })
    }
  }
  return [...views.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The segments in the order of their documents. */
export function viewSegments(segments: readonly SegmentReader[]): SegmentView[] {
  return segments.map(({ name, maxDoc, numDocs, data, overlays }) => {
    const { source, files } = data.info
    let sum = 0
    for (const length of files.values()) sum += length
    const deletedCount = maxDoc - numDocs
    const updateBytes = overlays?.bytes ?? 0
    return { name, source, maxDoc, numDocs, deletedCount, bytes: sum, bytesByComponent: files, updateBytes }
  })
}

/** Everything of one document of a segment. */
export async function viewDocument(segment: SegmentReader, localDocId: number): Promise<DocumentView> {
  const docValues = new Map<string, (number | string)[]>()
  for (const { name, type } of viewFields([segment])) {
    // A layer has the type of its field and no values of its own.
    if (!type.docValues || name.includes('#')) continue
    const column = await segment.docValues(name)
    const values = column?.numbers(localDocId) ?? []
    if (values.length === 0) continue
    docValues.set(name, hasOrdinals(type) ? values.map((ordinal) => segment.data.terms.termAt(name, ordinal)) : values)
  }
  return {
    segment: segment.name,
    localDocId,
    isDeleted: segment.liveDocs?.get(localDocId) === false,
    document: await segment.document(localDocId),
    docValues,
  }
}
