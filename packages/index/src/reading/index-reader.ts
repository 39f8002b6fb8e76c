/** A point-in-time snapshot of an index (signatures; the bodies follow). */
import type { Analyzer } from '../analysis/analyzer.js'
import type { Document } from '../document/document.js'
import type { Directory } from '../store/directory.js'
import type { SegmentReader } from './segment-reader.js'

/** Sums over all segments of one field. */
export interface CollectionStats {
  /** Documents with the field. */
  readonly docCount: number
  /** Tokens in the field. */
  readonly sumTotalTermFreq: number
  /** Postings in the field. */
  readonly sumDocFreq: number
  /** Documents of the whole index, deleted ones included. */
  readonly maxDoc: number
}

/** The analyzers that wrote the index. */
export interface ReaderAnalyzers {
  readonly default: Analyzer
  /** The field's own analyzer, or the default one. */
  forField(name: string): Analyzer
}

export declare class IndexReader {
  static open(path: string | Directory): Promise<IndexReader>
  readonly segments: readonly SegmentReader[]
  /** Index-wide id of document 0 of each segment. */
  readonly docBases: Int32Array
  readonly maxDoc: number
  readonly numDocs: number
  readonly generation: number
  readonly userData: Readonly<Record<string, string>>
  readonly analyzers: ReaderAnalyzers
  isCurrent(): Promise<boolean>
  /** The newest commit: this object where nothing is new; otherwise a new reader (close both). */
  refresh(): Promise<IndexReader>
  /** Stored fields. */
  document(docId: number): Promise<Document>
  docFreq(field: string, term: string): Promise<number>
  collectionStats(field: string): CollectionStats
  close(): Promise<void>
}
