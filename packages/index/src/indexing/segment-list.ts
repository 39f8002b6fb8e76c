/** The segments of an index that is being written, in the order of their documents, and what the next commit has to do for them. */
import type { SegmentCommit } from '../codec/commit-point.js'
import type { IndexReader } from '../reading/index-reader.js'
import type { ReadingMemory } from '../reading/reading-memory.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import type { BufferedDeletes } from './buffered-deletes.js'
import type { WriterSegment } from './writer-segment.js'
import type { Yielder } from './yielder.js'

/** Segments, and which of their files are not durable yet. */
export class SegmentList {
  #segments: WriterSegment[]
  readonly #unsynced = new Set<string>()
  /** Whether there are other segments than in the last commit. */
  #changed = false

  constructor(segments: WriterSegment[]) {
    this.#segments = segments
  }

  get all(): readonly WriterSegment[] {
    return this.#segments
  }

  /** Whether a commit would name other segments or live documents than the last one. */
  get changed(): boolean {
    return this.#changed || this.#segments.some((segment) => segment.isChanged)
  }

  get numDocs(): number {
    let sum = 0
    for (const segment of this.#segments) sum += segment.numDocs
    return sum
  }

  get maxDoc(): number {
    let sum = 0
    for (const segment of this.#segments) sum += segment.info.maxDoc
    return sum
  }

  /** Names of all their files. */
  get files(): string[] {
    return this.#segments.flatMap((segment) => segment.files)
  }

  /** What a commit says of them; valid after {@link writeLive}. */
  get commits(): SegmentCommit[] {
    return this.#segments.map((segment) => segment.commit)
  }

  /** Appends a new segment. */
  add(segment: WriterSegment): void {
    this.#insert(segment, this.#segments.length, false)
  }

  /**
   * Puts the result of a merge in the place of the segments it was made of.
   * @param result null where no document is left
   * @param isSynced whether its files are durable already
   */
  async replace(merged: readonly WriterSegment[], result: WriterSegment | null, isSynced: boolean): Promise<void> {
    if (result !== null) this.#insert(result, this.#segments.indexOf(merged[0]!), isSynced)
    for (const segment of merged) await this.#drop(segment)
  }

  /** Carries out the deletes in all segments. */
  async applyDeletes(deletes: BufferedDeletes, yielder: Yielder): Promise<void> {
    for (const segment of this.#segments) {
      await segment.updateNumbers(deletes.updates, yielder)
      await segment.deleteTerms(deletes, yielder)
      for (const { query } of deletes.queries) await segment.deleteQuery(query, segment.info.maxDoc)
    }
  }

  /** Leaves out segments without documents. @param except those that are being merged: the merge ends them */
  async dropEmpty(except: (segment: WriterSegment) => boolean): Promise<void> {
    for (const segment of this.#segments) if (segment.numDocs === 0 && !except(segment)) await this.#drop(segment)
  }

  /** Whether the reader sees these segments and their live documents. */
  isShownBy(reader: IndexReader): boolean {
    const shown = reader.segments
    if (shown.length !== this.#segments.length) return false
    return this.#segments.every((segment, i) => segment.isShownBy(shown[i]!))
  }

  /** Readers of the segments as they are now, which are the caller's. @param previous what it has open is shared */
  async openReaders(previous: IndexReader | null, memory: ReadingMemory): Promise<SegmentReader[]> {
    const known = new Map(previous?.segments.map((segment) => [segment.name, segment]))
    const opened: SegmentReader[] = []
    try {
      for (const segment of this.#segments) {
        opened.push(await segment.openReader(known.get(segment.info.name), memory))
      }
      return opened
    } catch (error) {
      for (const segment of opened) await segment.release()
      throw error
    }
  }

  /** Writes changed live documents and doc values. */
  async writeLive(): Promise<void> {
    for (const segment of this.#segments) {
      for (const file of await segment.writeChanges()) this.#unsynced.add(file)
    }
  }

  /** Files that the next commit has to make durable. */
  get unsynced(): string[] {
    return this.files.filter((file) => this.#unsynced.has(file))
  }

  /** Everything is in a commit. */
  settle(): void {
    this.#unsynced.clear()
    this.#changed = false
  }

  async close(): Promise<void> {
    for (const segment of this.#segments) await segment.close().catch(() => {})
  }

  #insert(segment: WriterSegment, at: number, isSynced: boolean): void {
    this.#segments = this.#segments.toSpliced(at, 0, segment)
    if (!isSynced) for (const file of segment.files) this.#unsynced.add(file)
    this.#changed = true
  }

  async #drop(segment: WriterSegment): Promise<void> {
    this.#segments = this.#segments.filter((one) => one !== segment)
    this.#changed = true
    for (const file of segment.files) this.#unsynced.delete(file)
    await segment.close()
  }
}
