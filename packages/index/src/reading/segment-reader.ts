/** One segment as a commit shows it: its files and the documents that are still live. Document ids are the segment's own. */
import type { BitSet } from '@spindle/core'
import type { SegmentCommit } from '../codec/commit-point.js'
import type { DocValues } from '../codec/doc-values.js'
import { readLiveDocs } from '../codec/live-docs.js'
import type { Postings } from '../codec/postings.js'
import { TermEntry } from '../codec/term-entry.js'
import type { TermStats } from '../codec/term-stats.js'
import type { Document } from '../document/document.js'
import type { FieldInfo } from '../document/field-info.js'
import type { Directory } from '../store/directory.js'
import { loadDocValues } from './doc-values-loader.js'
import type { ReadingMemory } from './reading-memory.js'
import { type PostingsWant, SegmentData } from './segment-data.js'
import { ValueOverlays } from './value-overlays.js'

const scratchEntry = new TermEntry()

/** A segment, open for searching. Counted: who keeps it calls `retain` and `release`. */
export class SegmentReader {
  readonly name: string
  /** Documents, deleted ones included; ids run from 0 to `maxDoc − 1`. */
  readonly maxDoc: number
  readonly numDocs: number
  /** null: no deletes. Not to be changed. */
  readonly liveDocs: BitSet | null
  /** What the commit says of the segment. */
  readonly commit: SegmentCommit
  /** The open files; shared by the readers of several commits. */
  readonly data: SegmentData
  /** Later generations of doc values; null: none. */
  readonly overlays: ValueOverlays | null
  #references = 1

  constructor(
    commit: SegmentCommit,
    data: SegmentData,
    liveDocs: BitSet | null,
    overlays: ValueOverlays | null = null,
  ) {
    this.name = commit.name
    this.maxDoc = commit.maxDoc
    this.numDocs = commit.maxDoc - commit.deletedCount
    this.liveDocs = liveDocs
    this.commit = commit
    this.data = data
    this.overlays = overlays
  }

  /**
   * Opens a segment.
   * @param shared open files of the same segment, which are used again; null: open them
   * @param resident see {@link SegmentData.open}
   */
  static async open(
    directory: Directory,
    commit: SegmentCommit,
    shared: SegmentData | null = null,
    resident: boolean | ReadingMemory = true,
  ): Promise<SegmentReader> {
    const { name, id, maxDoc, liveGeneration, deletedCount } = commit
    const live =
      liveGeneration === 0 ? null : await readLiveDocs(directory, name, id, liveGeneration, maxDoc, deletedCount)
    shared?.retain()
    const data = shared ?? (await SegmentData.open(directory, name, id, maxDoc, resident))
    try {
      return new SegmentReader(commit, data, live, await ValueOverlays.open(directory, commit, data.fieldInfos))
    } catch (error) {
      await data.release()
      throw error
    }
  }

  /** Facts of a field, or undefined where no document of the segment has it. */
  fieldInfo(field: string): FieldInfo | undefined {
    return this.data.fieldInfo(field) ?? this.overlays?.fieldInfo(field)
  }

  /** One byte4-coded length a document (small-float.ts), 0 where it has no such field; null where the field keeps none. */
  norms(field: string): Uint8Array | null {
    return this.data.norms.get(field) ?? null
  }

  /** Whether terms are found at once; otherwise only the methods that return promises find them. */
  get hasResidentTerms(): boolean {
    return this.data.terms.isResident
  }

  /** null where the segment has no such term; wherever the terms are. */
  async loadTermStats(field: string, term: string): Promise<TermStats | null> {
    const entry = new TermEntry()
    if (!(await this.data.load(field, term, entry))) return null
    return { docFreq: entry.docFreq, totalTermFreq: entry.totalTermFreq }
  }

  /** Entry of the dictionary, null where the segment has no such term. @throws Error where its terms are not in memory */
  findTerm(field: string, term: string): TermEntry | null {
    const entry = new TermEntry()
    return this.data.find(field, term, entry) ? entry : null
  }

  /** What is wanted of the list of an entry that was found here, where all of it is in memory; undefined otherwise. */
  residentPostings(field: string, entry: TermEntry, want: PostingsWant): Postings | undefined {
    const info = this.data.fieldInfo(field)
    return info === undefined ? undefined : this.data.residentPostings(info, entry, want)
  }

  /** null where the segment has no such term. @throws Error where its terms are not in memory */
  termStats(field: string, term: string): TermStats | null {
    if (!this.data.find(field, term, scratchEntry)) return null
    return { docFreq: scratchEntry.docFreq, totalTermFreq: scratchEntry.totalTermFreq }
  }

  /**
   * The postings of a term, null where the segment has no such term. Deleted documents are in it. Positions come only
   * where they are wanted and the field keeps them.
   */
  loadPostings(field: string, term: string, want: PostingsWant): Promise<Postings | null> {
    return this.data.loadPostings(field, term, want)
  }

  /**
   * Doc values of a field, null where no document of the segment has one. Loaded at the first call; deleted documents
   * are in them.
   */
  docValues(field: string): Promise<DocValues | null> {
    return this.overlays?.load(field) ?? loadDocValues(this.data, field)
  }

  /** Stored fields of a document, also of a deleted one. */
  document(localDocId: number): Promise<Document> {
    return this.data.stored.document(localDocId)
  }

  retain(): this {
    this.#references++
    return this
  }

  async release(): Promise<void> {
    if (--this.#references > 0) return
    await this.overlays?.release()
    await this.data.release()
  }
}
