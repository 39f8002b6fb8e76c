/** One segment, open for searching (signatures; the bodies follow). */
import type { BitSet } from '@spindle/core'
import type { Postings } from '../codec/postings.js'
import type { TermStats } from '../codec/term-stats.js'
import type { Document } from '../document/document.js'
import type { FieldInfo } from '../document/field-info.js'

export declare class SegmentReader {
  readonly name: string
  /** Documents, deleted ones included; ids run from 0 to `maxDoc − 1`. */
  readonly maxDoc: number
  readonly numDocs: number
  /** null: no deletes. */
  readonly liveDocs: BitSet | null
  fieldInfo(field: string): FieldInfo | undefined
  /** One byte4-coded length a document, 0 where it has no such field; null where the field keeps none. */
  norms(field: string): Uint8Array | null
  /** null where the segment has no such term. */
  termStats(field: string, term: string): TermStats | null
  /** Resolves at once when the postings are in memory; null where the segment has no such term. */
  loadPostings(field: string, term: string, want: 'docs' | 'freqs' | 'positions'): Promise<Postings | null>
  /** Stored fields of a document. */
  document(localDocId: number): Promise<Document>
}
