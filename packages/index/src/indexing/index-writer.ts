/**
 * Adds, updates and deletes documents. Documents are gathered in memory, flushed as segments, merged as segments grow
 * many, and become visible all at once with `commit`. One writer an index, in one process; any number of readers.
 * Calls are done one after the other in the order they are made, so they need not be awaited one by one.
 */
import { SpindleError } from '@spindle/core'
import { segmentName } from '../codec/segment-files.js'
import type { SegmentInfo } from '../codec/segment-info.js'
import type { Document } from '../document/document.js'
import { checkNumber } from '../document/numeric-text.js'
import { IndexReader, type ReaderSource } from '../reading/index-reader.js'
import { ReadingMemory } from '../reading/reading-memory.js'
import type { Directory, WriteLock } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { type IndexSource, importSegments, openSources } from './add-indexes.js'
import { BufferedDeletes, type DeleteQuery, type DeleteTerm } from './buffered-deletes.js'
import { CallQueue } from './call-queue.js'
import type { CommitLog } from './commit-log.js'
import { DocumentBuffer } from './document-buffer.js'
import { FieldTable } from './field-table.js'
import { HeldCommit } from './held-commit.js'
import { MergeAborted } from './merge-pacer.js'
import { MergeScheduler, type MergeSettings } from './merge-scheduler.js'
import type { MergeStats } from './merge-stats.js'
import { type OpenedIndex, openForWriting } from './open-index.js'
import {
  isInScope,
  Reanalysis,
  type ReanalysisOptions,
  type ReanalysisQuery,
  type ReanalysisScope,
  type ReanalysisWriter,
} from './reanalysis.js'
import { SegmentList } from './segment-list.js'
import { SegmentWriter } from './segment-writer.js'
import { WriterAnalyzers } from './writer-analyzers.js'
import { WriterCommits } from './writer-commits.js'
import { type CloseOptions, type CommitOptions, type IndexWriterOptions, mergeSettings } from './writer-options.js'
import { WriterSegment } from './writer-segment.js'
import { Yielder } from './yielder.js'

export type { CloseOptions, CommitOptions, IndexWriterOptions } from './writer-options.js'

const DEFAULT_MEMORY_BUDGET = 64 * 1024 * 1024
const MAX_DOCS = 0x7fffff00

/** Writes an index. */
export class IndexWriter implements ReaderSource {
  readonly #directory: Directory
  readonly #lock: WriteLock
  readonly #log: CommitLog
  readonly #analyzers: WriterAnalyzers
  readonly #memoryBudget: number
  readonly #fields: FieldTable
  readonly #buffer: DocumentBuffer
  readonly #deletes = new BufferedDeletes()
  readonly #yielder = new Yielder()
  readonly #segments: SegmentList
  readonly #merges: MergeScheduler
  readonly #commits: WriterCommits
  #nextSegment: number
  /** Files of the buffered documents. */
  #segmentWriter: SegmentWriter | null = null
  readonly #calls: CallQueue

  private constructor(opened: OpenedIndex, options: IndexWriterOptions) {
    const { directory, lock, log, commit, segments } = opened
    this.#directory = directory
    this.#calls = new CallQueue(directory.path)
    this.#lock = lock
    this.#log = log
    this.#analyzers = new WriterAnalyzers(options.analyzer, options.analyzers)
    this.#memoryBudget = options.memoryBudget ?? DEFAULT_MEMORY_BUDGET
    this.#fields = new FieldTable(
      commit?.fields ?? [],
      (field) => this.#analyzers.forField(field),
      opened.combined,
      options.maxFields,
    )
    this.#buffer = new DocumentBuffer(this.#fields)
    this.#segments = new SegmentList(segments)
    this.#commits = new WriterCommits(directory.path, log, this.#segments, commit)
    this.#merges = this.#makeScheduler(mergeSettings(options, directory.path))
    this.#nextSegment = opened.nextSegment
  }

  /**
   * Opens an index for writing and takes its lock. Files that a killed writer left are removed.
   * @param path a folder, which is made where it is missing, or a directory
   * @throws SpindleError LOCK_HELD, INDEX_NOT_FOUND, INDEX_CORRUPT, ANALYZER_MISMATCH, COMBINED_FIELD_MISMATCH
   */
  static async open(path: string | Directory, options: IndexWriterOptions): Promise<IndexWriter> {
    const directory = typeof path === 'string' ? new FsDirectory(path) : path
    return new IndexWriter(await openForWriting(directory, options), options)
  }

  /** Where the index is. */
  get directory(): Directory {
    return this.#directory
  }

  /** Number of the newest commit, 0 before the first. */
  get generation(): number {
    return this.#log.generation
  }

  /** What went with the last commit. */
  get userData(): Readonly<Record<string, string>> {
    return this.#commits.userData
  }

  getCommitData(): Readonly<Record<string, string>> {
    return this.#commits.userData
  }

  /** Documents, added ones included; deletes count from the flush that carries them out. */
  get numDocs(): number {
    return this.#buffer.docCount - this.#buffer.deletedCount + this.#segments.numDocs
  }

  /** What merging has done and cost since the writer was opened. */
  get mergeStats(): MergeStats {
    return this.#merges.stats
  }

  /** Bytes of memory that buffered documents and deletes take. */
  get ramBytesUsed(): number {
    return this.#buffer.ramBytes + this.#deletes.ramBytes + (this.#segmentWriter?.stored.ramBytes ?? 0)
  }

  /** Adds a document. @throws SpindleError DOCUMENT_INVALID: the writer goes on without it */
  addDocument(document: Document): Promise<void> {
    return this.#calls.run(() => this.#add(document, null))
  }

  /** Adds documents one after the other. */
  async addDocuments(documents: Iterable<Document> | AsyncIterable<Document>): Promise<void> {
    for await (const document of documents) await this.addDocument(document)
  }

  /** Deletes the documents with the term and adds the new one, as one change: no commit holds one half of it. */
  updateDocument(term: DeleteTerm, document: Document): Promise<void> {
    return this.#calls.run(() => this.#add(document, term))
  }

  /** Deletes the documents that have the term, or match the query, among those added before. */
  deleteDocuments(what: DeleteTerm | DeleteQuery): Promise<void> {
    return this.#calls.run(async () => {
      if ('matchingDocs' in what) this.#deletes.addQuery(what, this.#buffer.docCount)
      else this.#deletes.addTerm(what, this.#buffer.docCount)
      await this.#flushWhenFull()
    })
  }

  /**
   * Gives the documents with the term, among those added before, a new number in a field, without touching anything else
   * of them; null takes it away. Becomes visible with the commit, like any change. The field must be a number, date or
   * boolean that is neither stored nor indexed; a new name becomes such a float.
   * @throws SpindleError DOCUMENT_INVALID
   */
  updateDocValues(term: DeleteTerm, field: string, value: number | null): Promise<void> {
    return this.#calls.run(async () => {
      const { name, number, type } = this.#fields.updatable(field)
      if (value !== null) checkNumber(name, type.kind, value)
      // Queries to delete by must not see numbers that came after them.
      if (this.#deletes.queries.length > 0) await this.#guard(() => this.#flush())
      this.#buffer.setNumber(term, number, value)
      this.#deletes.updates.add(term, { name, number, type }, value)
      await this.#flushWhenFull()
    })
  }

  /**
   * First half of a commit in two phases, for a caller that commits something else together with the index: everything
   * so far becomes durable, and no reader sees it. Then comes {@link commit} or {@link rollback}; documents added
   * meanwhile belong to the next commit. A kill in between is a rollback.
   * @throws SpindleError COMMIT_PENDING where one is prepared already
   */
  prepareCommit(options: CommitOptions = {}): Promise<void> {
    return this.#calls.run(async () => {
      this.#commits.ensureNonePrepared('prepare another one')
      await this.#guard(() => this.#prepare(options))
    })
  }

  /**
   * Makes everything so far, or what was prepared, visible to new readers and durable: when it returns, neither a kill
   * nor a power cut loses it.
   * @returns the generation
   * @throws SpindleError COMMIT_PENDING where a commit is prepared, and user data, which would come too late, are given
   */
  commit(options: CommitOptions = {}): Promise<number> {
    return this.#calls.run(async () => {
      if (options.userData !== undefined) this.#commits.ensureNonePrepared('commit with other user data')
      return this.#guard(() => this.#commit(options))
    })
  }

  /**
   * Keeps the files of the newest commit until it is released, whatever is committed and merged meanwhile.
   * @throws SpindleError INDEX_NOT_FOUND where nothing was committed yet
   */
  snapshot(): Promise<HeldCommit> {
    return this.#calls.run(async () => {
      const held = this.#log.hold()
      if (held !== null) {
        return new HeldCommit(this.#directory, held.commit, async () => {
          // After the writer has ended, the next one cleans up.
          if (held.release() && !this.#calls.hasEnded)
            await this.#calls.run(() => this.#removeUnreferenced()).catch(() => {})
        })
      }
      throw new SpindleError('INDEX_NOT_FOUND', `There is no commit in ${this.#directory.path} yet: commit first.`)
    })
  }

  /**
   * Copies the newest commit into another folder while writing goes on; by hard links where the file system allows.
   * @param target a folder without an index, made where it is missing, or a directory
   * @returns the generation copied
   * @throws SpindleError INDEX_NOT_FOUND, BACKUP_TARGET_USED, DISK_FULL, INDEX_WRITE_FAILED
   */
  async backup(target: string | Directory): Promise<number> {
    const held = await this.snapshot()
    try {
      await held.copyTo(target)
      return held.generation
    } finally {
      await held.release()
    }
  }

  /**
   * A reader that sees everything done so far, deletes included, without a commit: buffered documents are written as a
   * segment, but not made durable. Its `refresh` gives the next such reader. To be closed like any reader.
   * @param previous a reader of this writer: unchanged segments are shared, and it is returned where nothing is new
   * @param memory of the reader; as that of a reader of a folder where not given
   */
  openReader(
    previous: IndexReader | null = null,
    memory: ReadingMemory = new ReadingMemory(this.#directory),
  ): Promise<IndexReader> {
    return this.#calls.run(async () => {
      await this.#guard(() => this.#flush())
      if (previous?.generation === this.#log.generation && this.#segments.isShownBy(previous)) return previous
      const segments = await this.#segments.openReaders(previous, memory)
      const state = {
        generation: this.#log.generation,
        userData: this.#commits.userData,
        fields: this.#fields.fields.slice(),
      }
      return IndexReader.ofWriter(this, this.#directory, state, this.#analyzers, segments, memory)
    })
  }

  /** Whether a reader of this writer sees everything done so far. */
  isCurrent(reader: IndexReader): boolean {
    if (this.#buffer.docCount > 0 || !this.#deletes.isEmpty) return false
    return reader.generation === this.#log.generation && this.#segments.isShownBy(reader)
  }

  /**
   * Adds the documents of other indexes, deleted ones left out, all or none. To be committed like any change. The other
   * indexes may be in use; they are not changed.
   * @param sources folders, directories, or readers, which stay the caller's
   * @throws SpindleError ANALYZER_MISMATCH, INDEX_NOT_FOUND, INDEX_CORRUPT; DOCUMENT_INVALID where a
   * field has another type here; RangeError for this very index
   */
  addIndexes(...sources: readonly IndexSource[]): Promise<void> {
    return this.#calls.run(async () => {
      const { readers, close } = await openSources(sources, this.#directory)
      try {
        await this.#import(readers)
      } finally {
        await close()
      }
    })
  }

  /**
   * Merges down to so many segments without deleted documents. To be committed like any change. Later calls wait for it.
   * @throws what made a merge fail: then the writer goes on with the segments as they were
   */
  forceMerge(maxSegments: number): Promise<void> {
    return this.#merge(() => this.#merges.forceMerge(Math.max(1, maxSegments)))
  }

  /**
   * Analyzes documents again, from their stored fields, whose texts an analyzer cuts otherwise than when they were added:
   * `ChineseAnalyzer` after its dictionary was changed. Other calls come in between; what they change meanwhile is left
   * alone. To be committed like any change. Where all is to be found as before, the same queries are asked.
   * @returns how many documents
   * @throws SpindleError REANALYSIS_IMPOSSIBLE where a field is indexed and not stored; the reason of the signal
   */
  async reanalyze(query: ReanalysisQuery, { derived, signal, onProgress }: ReanalysisOptions = {}): Promise<number> {
    const reanalysis = await this.beginReanalysis(query, { derived })
    try {
      while (await reanalysis.next()) {
        signal?.throwIfAborted()
        onProgress?.(reanalysis.done)
      }
      return reanalysis.done
    } finally {
      if (!this.#calls.hasEnded) await reanalysis.end()
    }
  }

  /**
   * The same step by step, for who commits in between. Until it has ended, none of the segments that it is about is merged.
   * Waits for a merge that is running.
   * @throws SpindleError REANALYSIS_IMPOSSIBLE
   */
  beginReanalysis(query: ReanalysisQuery, { onHeld, derived, ...scope }: ReanalysisScope = {}): Promise<Reanalysis> {
    const writer: ReanalysisWriter = {
      run: (work) =>
        this.#calls.run(async () => {
          await this.#guard(() => this.#flushAndMerge())
          return work()
        }),
      hold: async () => {
        // No merge is begun in between: segments that were left by another writer would be lost in it.
        await this.#guard(() => this.#flush())
        await this.#guard(() => this.#merges.finishRunning())
        const held = this.#segments.all.filter(({ info }) => isInScope(info.name, scope))
        this.#merges.hold(held)
        onHeld?.()
        return held
      },
      release: (held) => this.#merges.release(held),
      add: (document) => this.#add(document, null),
    }
    return this.#calls.run(() => Reanalysis.begin(writer, query, derived))
  }

  /** Merges into one segment: the fastest index to search. */
  optimize(): Promise<void> {
    return this.forceMerge(1)
  }

  /** Writes every segment anew of which more than a tenth is deleted: frees their space without a full merge. */
  forceMergeDeletes(): Promise<void> {
    return this.#merge(() => this.#merges.forceMergeDeletes())
  }

  /** Closes the writer and forgets everything since the last commit. Merges are given up. */
  rollback(): Promise<void> {
    // At once: what is forgotten need not be merged before.
    this.#merges.giveUp()
    return this.#calls.run(() => this.#shutDown({}), true)
  }

  /** Commits and closes the writer. @throws SpindleError COMMIT_PENDING where a prepared commit waits for its end */
  close({ waitForMerges = false }: CloseOptions = {}): Promise<void> {
    return this.#calls.run(async () => {
      if (this.#calls.hasEnded) return
      this.#commits.ensureNonePrepared('close the writer')
      await this.#guard(async () => {
        if (waitForMerges) {
          await this.#flushAndMerge()
          while (this.#merges.isRunning) {
            await this.#merges.finishRunning()
            await this.#merges.mergeWhereDue()
          }
        }
        await this.#commit({})
      })
      await this.#shutDown({})
    }, true)
  }

  async #add(document: Document, replaces: DeleteTerm | null): Promise<void> {
    if (this.#buffer.docCount + this.#segments.maxDoc >= MAX_DOCS) {
      throw tooManyDocs()
    }
    if (this.#segmentWriter === null) {
      await this.#guard(async () => {
        this.#segmentWriter = await SegmentWriter.create(this.#directory, segmentName(this.#nextSegment++))
      })
    }
    const before = this.#buffer.docCount
    this.#buffer.add(document, this.#segmentWriter!)
    if (replaces !== null) this.#deletes.addTerm(replaces, before)
    if (this.#segmentWriter!.stored.needsDrain) await this.#guard(() => this.#segmentWriter!.stored.drain())
    await this.#flushWhenFull()
    await this.#yielder.maybeYield()
  }

  async #flushWhenFull(): Promise<void> {
    const budget = this.#memoryBudget - this.#merges.partOf(this.#memoryBudget)
    if (this.ramBytesUsed >= budget) await this.#guard(() => this.#flushAndMerge())
  }

  async #flushAndMerge(): Promise<void> {
    await this.#flush()
    await this.#merges.mergeWhereDue()
  }

  /** Carries out the deletes and writes the buffered documents as a segment. */
  async #flush(): Promise<void> {
    const buffer = this.#buffer
    const deletes = this.#deletes
    if (buffer.docCount === 0 && deletes.isEmpty && this.#segmentWriter === null) return
    for (const [field, texts] of deletes.terms) {
      for (const [text, limit] of texts) if (limit > 0) buffer.deleteTerm(field, text, limit)
    }
    await this.#segments.applyDeletes(deletes, this.#yielder)
    const writer = this.#segmentWriter
    if (writer !== null) {
      if (buffer.docCount > buffer.deletedCount) {
        const info = await buffer.flush(writer, this.#yielder)
        const segment = new WriterSegment(this.#directory, info, null, buffer.liveDocs())
        for (const { query, limit } of deletes.queries) if (limit > 0) await segment.deleteQuery(query, limit)
        this.#segments.add(segment)
      } else {
        await writer.abandon(true)
      }
      this.#segmentWriter = null
    }
    buffer.reset()
    deletes.clear()
    await this.#segments.dropEmpty((segment) => this.#merges.isMerging(segment))
  }

  async #import(readers: readonly IndexReader[]): Promise<void> {
    let docs = this.#buffer.docCount + this.#segments.maxDoc
    for (const reader of readers) docs += reader.numDocs
    if (docs > MAX_DOCS) throw tooManyDocs()
    // Deletes that wait are older than the documents that come.
    await this.#guard(() => this.#flush())
    let infos: SegmentInfo[]
    try {
      infos = await importSegments(readers, {
        directory: this.#directory,
        fields: this.#fields,
        yielder: this.#yielder,
        analyzerFor: (field) => this.#analyzers.forField(field),
        nextName: () => segmentName(this.#nextSegment++),
      })
    } catch (error) {
      await this.#guard(() => this.#removeUnreferenced())
      throw error
    }
    for (const info of infos) this.#segments.add(new WriterSegment(this.#directory, info, null, null))
    await this.#guard(() => this.#merges.mergeWhereDue())
  }

  #merge(work: () => Promise<void>): Promise<void> {
    return this.#calls.run(async () => {
      await this.#guard(() => this.#flush())
      try {
        await work()
      } catch (error) {
        if (!(error instanceof MergeAborted)) throw error
        throw new SpindleError(
          'INDEX_CLOSED',
          `The writer of ${this.#directory.path} was rolled back during a merge.`,
          {
            cause: error,
          },
        )
      }
    })
  }

  #makeScheduler(settings: MergeSettings): MergeScheduler {
    const directory = this.#directory
    return new MergeScheduler(
      {
        directory,
        segments: this.#segments,
        nextName: () => segmentName(this.#nextSegment++),
        removeUnreferenced: () => this.#removeUnreferenced(),
        onFinished: () => {
          const goOn = () => this.#guard(() => this.#merges.mergeWhereDue())
          // A failure ends the writer, which tells of it from then on.
          void this.#calls.run(async () => (this.#calls.hasEnded ? undefined : goOn()), true).catch(() => {})
        },
      },
      settings,
    )
  }

  async #commit(options: CommitOptions): Promise<number> {
    if (!this.#commits.isPrepared) await this.#prepare(options)
    if (await this.#commits.publish()) await this.#removeUnreferenced()
    return this.#log.generation
  }

  async #prepare(options: CommitOptions): Promise<void> {
    await this.#lock.ensureValid()
    await this.#flushAndMerge()
    await this.#commits.prepare(options, () => ({
      nextSegment: this.#nextSegment,
      fields: this.#fields.fields,
      analyzer: this.#analyzers.defaultRecord,
      analyzers: this.#analyzers.fieldRecords,
    }))
  }

  #removeUnreferenced(): Promise<void> {
    const segments = new Set(this.#merges.writing)
    if (this.#segmentWriter !== null) segments.add(this.#segmentWriter.name)
    return this.#log.removeUnreferenced({ files: this.#segments.files, segments })
  }

  /** Ends the writer after a failure: what is on disk is the last commit. */
  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      await this.#shutDown({ cause: error })
      throw error
    }
  }

  /** Lets go of everything. What was not committed is removed, unless it is unknown what was. */
  async #shutDown(reason: { readonly cause?: unknown }): Promise<void> {
    if (this.#calls.hasEnded) return
    this.#calls.end(reason)
    await this.#merges.stop()
    // Without the lock another writer may own files of the same names.
    await this.#segmentWriter?.abandon(await this.#isLocked())
    await this.#segments.close()
    this.#log.discardPrepared()
    if (this.#log.isSettled) await this.#log.removeUnreferenced().catch(() => {})
    await this.#lock.release()
  }

  async #isLocked(): Promise<boolean> {
    try {
      await this.#lock.ensureValid()
      return true
    } catch {
      return false
    }
  }
}

function tooManyDocs(): SpindleError {
  return new SpindleError('DOCUMENT_INVALID', `An index holds at most ${MAX_DOCS} documents: begin another one.`)
}
