/**
 * A point-in-time snapshot of an index. Opening reads the newest commit point and loads its segments; `refresh` opens
 * what is new and shares the rest. A writer, also of another process, never changes what a reader sees.
 */
import { SpindleError, systemCode } from '@spindle/core'
import type { Analyzer } from '../analysis/analyzer.js'
import {
  type AnalyzerRecord,
  type CommitPoint,
  type IndexField,
  latestGeneration,
  readCommitId,
  readCommitPoint,
  type SegmentCommit,
} from '../codec/commit-point.js'
import { commitFile, commitGeneration, isIndexFile } from '../codec/segment-files.js'
import type { Document } from '../document/document.js'
import type { Directory } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import {
  type DocumentView,
  type FieldView,
  listTerms,
  type SegmentView,
  type TermsOptions,
  type TermView,
  viewDocument,
  viewFields,
  viewSegments,
} from './index-views.js'
import { ReadingMemory } from './reading-memory.js'
import { RecordedAnalyzers } from './recorded-analyzers.js'
import { verifySegmentFiles } from './segment-data.js'
import { SegmentReader } from './segment-reader.js'
import { type TermOccurrence, termOccurrences } from './term-occurrences.js'

/** Sums of one field over all segments; deleted documents count until they are merged away. */
export interface CollectionStats {
  readonly field: string
  /** Documents with at least one term in the field. */
  readonly docCount: number
  /** Tokens in the field. */
  readonly sumTotalTermFreq: number
  /** Postings in the field. */
  readonly sumDocFreq: number
  /** Documents of the whole index. */
  readonly maxDoc: number
}

/** The analyzers that wrote the index. */
export interface ReaderAnalyzers {
  readonly default: Analyzer
  /** The field's own analyzer, or the default one. */
  forField(name: string): Analyzer
  /** What the index records of it: known also where the analyzer is not registered in this process. */
  recordFor(name: string): AnalyzerRecord
}

/** One commit of an index, as {@link IndexReader.listCommits} tells of it. */
export interface CommitInfo {
  readonly generation: number
  /** Documents without the deleted ones. */
  readonly numDocs: number
  readonly segmentCount: number
  readonly userData: Readonly<Record<string, string>>
}

/** Something that makes readers of what is not committed yet: an IndexWriter. */
export interface ReaderSource {
  /** Where its files are. */
  readonly directory: Directory
  /**
   * @param previous a reader made here: unchanged segments are shared, and it is returned where nothing is new
   * @param memory of the reader and those made of it
   */
  openReader(previous: IndexReader | null, memory: ReadingMemory): Promise<IndexReader>
  /** Whether the reader sees everything. */
  isCurrent(reader: IndexReader): boolean
}

/** What to open. */
export interface OpenReaderOptions {
  /** Number of the commit; the newest where not given. Older ones exist where the writer keeps them (`keepCommits`). */
  readonly generation?: number
  /**
   * Bytes for terms, postings, positions, norms and doc values. Segments are loaded whole as long as they fit; of the
   * others the terms, as long as they fit, and what searches need is read when they need it, through a cache that has what
   * is left, at least a sixteenth. 1 GiB where not given; over HTTP nothing is loaded whole, and the cache has 64 MiB.
   * Norms and doc values that were used come on top, and the terms (3 to 6 % of the text) once a search needs them all:
   * ranges of keywords, sorts and facets by them.
   */
  readonly memoryBudget?: number
}

/** How the memory budget is used; shared by a reader and those that `refresh` made of it. */
export interface MemoryUse {
  /** Bytes of segments, and of terms, that are in memory whole. */
  readonly resident: number
  /** Bytes in the cache of blocks. */
  readonly cached: number
  /** Blocks found in the cache, and blocks that had to be read. */
  readonly hits: number
  readonly misses: number
}

/** What a reader knows of its commit. */
type ReaderState = Pick<CommitPoint, 'generation' | 'userData' | 'fields'>

/** How often opening starts anew because a writer replaced the commit meanwhile. */
const MAX_RACES = 50
const RACE_DELAY_MS = 10

/** A snapshot of an index, open until `close`. */
export class IndexReader {
  readonly segments: readonly SegmentReader[]
  /** Index-wide id of document 0 of each segment. */
  readonly docBases: Int32Array
  /** Documents, deleted ones included; ids run from 0 to `maxDoc − 1`. */
  readonly maxDoc: number
  readonly numDocs: number
  /** Number of the commit. */
  readonly generation: number
  /** What the writer's caller left with the commit. */
  readonly userData: Readonly<Record<string, string>>
  readonly analyzers: ReaderAnalyzers
  /** The fields of the index by number. */
  readonly fields: readonly IndexField[]
  readonly #directory: Directory
  readonly #memory: ReadingMemory
  /** Id of the commit, or the writer whose state this is. */
  readonly #origin: Uint8Array | ReaderSource
  #open = true

  private constructor(
    directory: Directory,
    commit: ReaderState,
    origin: Uint8Array | ReaderSource,
    segments: readonly SegmentReader[],
    analyzers: ReaderAnalyzers,
    memory: ReadingMemory,
  ) {
    this.#directory = directory
    this.#memory = memory
    memory.begin()
    this.#origin = origin
    this.fields = commit.fields
    this.segments = segments
    this.docBases = new Int32Array(segments.length)
    let maxDoc = 0
    let numDocs = 0
    for (let i = 0; i < segments.length; i++) {
      this.docBases[i] = maxDoc
      maxDoc += segments[i].maxDoc
      numDocs += segments[i].numDocs
    }
    this.maxDoc = maxDoc
    this.numDocs = numDocs
    this.generation = commit.generation
    this.userData = commit.userData
    this.analyzers = analyzers
  }

  /**
   * Opens a commit of an index, the newest where no other is asked for.
   * @param from a folder, a directory, or a writer: then the reader sees also what is not committed
   * @throws SpindleError INDEX_NOT_FOUND, INDEX_CORRUPT, INDEX_FORMAT_TOO_NEW, ANALYZER_MISMATCH
   */
  static async open(from: string | Directory | ReaderSource, options: OpenReaderOptions = {}): Promise<IndexReader> {
    if (typeof from === 'object' && 'openReader' in from) {
      return from.openReader(null, new ReadingMemory(from.directory, options.memoryBudget))
    }
    const directory = typeof from === 'string' ? new FsDirectory(from) : from
    const { generation } = options
    const memory = new ReadingMemory(directory, options.memoryBudget)
    if (generation === undefined) return IndexReader.#openNewest(directory, null, memory)
    try {
      return await IndexReader.#openCommit(directory, generation, null, memory)
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
      if ((await directory.list()).includes(commitFile(generation))) {
        throw indexCorrupt(
          (error as { path?: string }).path ?? directory.path,
          0,
          'the file, which the commit names',
          'none',
          error,
        )
      }
      throw new SpindleError(
        'INDEX_NOT_FOUND',
        `There is no commit ${generation} of the index in ${directory.path}: see which ones the writer has kept.`,
        { cause: error },
      )
    }
  }

  /**
   * The commits of an index, oldest first; those whose commit point is damaged are left out.
   * @throws SpindleError INDEX_NOT_FOUND where there is none, INDEX_CORRUPT where all are damaged
   */
  static async listCommits(path: string | Directory): Promise<CommitInfo[]> {
    const directory = typeof path === 'string' ? new FsDirectory(path) : path
    const found: CommitInfo[] = []
    let damage: unknown
    const generations = (await directory.list()).map((name) => commitGeneration(name) ?? 0).filter((one) => one > 0)
    for (const generation of generations.sort((a, b) => a - b)) {
      try {
        const { segments, userData } = await readCommitPoint(directory, generation)
        let numDocs = 0
        for (const { maxDoc, deletedCount } of segments) numDocs += maxDoc - deletedCount
        found.push({ generation, numDocs, segmentCount: segments.length, userData })
      } catch (error) {
        // A writer may have removed it since the folder was listed.
        if (systemCode(error) !== 'ENOENT') damage = error
      }
    }
    if (found.length > 0) return found
    if (damage !== undefined) throw damage
    throw new SpindleError('INDEX_NOT_FOUND', `There is no index in ${directory.path}: index something first.`)
  }

  /**
   * A reader of a writer's state; for the writer itself.
   * @param segments are the reader's from now on
   */
  static ofWriter(
    source: ReaderSource,
    directory: Directory,
    state: ReaderState,
    analyzers: ReaderAnalyzers,
    segments: readonly SegmentReader[],
    memory: ReadingMemory,
  ): IndexReader {
    return new IndexReader(directory, state, source, segments, analyzers, memory)
  }

  static async #openNewest(
    directory: Directory,
    previous: IndexReader | null,
    memory: ReadingMemory,
  ): Promise<IndexReader> {
    for (let race = 0; ; race++) {
      const names = await directory.list()
      const generation = latestGeneration(names)
      if (generation === 0) {
        // A folder may be listed in the middle of a commit: neither the old commit point seen nor the new one.
        if (race < 3 && names.some(isIndexFile)) {
          await new Promise((resolve) => setTimeout(resolve, RACE_DELAY_MS))
          continue
        }
        throw new SpindleError(
          'INDEX_NOT_FOUND',
          `There is no index in ${directory.path}: index something first, or check the path.`,
        )
      }
      try {
        if (previous !== null && (await previous.#isNewest(generation))) return previous
        return await IndexReader.#openCommit(directory, generation, previous, memory)
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw error
        // A writer may have committed and deleted since the folder was listed. Otherwise the file really is missing.
        if (race < MAX_RACES && latestGeneration(await directory.list()) !== generation) continue
        const file = (error as { path?: string }).path ?? directory.path
        throw indexCorrupt(file, 0, 'the file, which the commit names', 'none', error)
      }
    }
  }

  static async #openCommit(
    directory: Directory,
    generation: number,
    previous: IndexReader | null,
    memory: ReadingMemory,
  ): Promise<IndexReader> {
    const commitId = await readCommitId(directory, generation)
    const commit = await readCommitPoint(directory, generation)
    const analyzers = new RecordedAnalyzers(directory.path, commit)
    const known = new Map<string, SegmentReader>()
    for (const segment of previous?.segments ?? []) known.set(idKey(segment.commit.id), segment)
    const opening: Promise<SegmentReader>[] = []
    for (const named of commit.segments) {
      const old = known.get(idKey(named.id))
      const segment =
        old !== undefined && isSameState(old.commit, named)
          ? Promise.resolve(old.retain())
          : SegmentReader.open(directory, named, old?.data ?? null, memory)
      opening.push(segment)
      // Over a network side by side; otherwise in order, so that the first ones, mostly the largest, get the memory.
      if (!memory.isRemote && (await Promise.allSettled([segment]))[0].status === 'rejected') break
    }
    const segments: SegmentReader[] = []
    let failure: PromiseRejectedResult | undefined
    for (const result of await Promise.allSettled(opening)) {
      if (result.status === 'fulfilled') segments.push(result.value)
      else failure ??= result
    }
    if (failure === undefined) return new IndexReader(directory, commit, commitId, segments, analyzers, memory)
    for (const segment of segments) await segment.release()
    throw failure.reason
  }

  /** False where a newer commit exists; for the reader of a writer, where anything was done since. */
  async isCurrent(): Promise<boolean> {
    this.#ensureOpen()
    if ('isCurrent' in this.#origin) return this.#origin.isCurrent(this)
    try {
      return await this.#isNewest(latestGeneration(await this.#directory.list()))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /**
   * The newest commit, or state of the writer: this very object where nothing is new, otherwise a new reader that shares the unchanged segments.
   * Both have to be closed.
   */
  async refresh(): Promise<IndexReader> {
    this.#ensureOpen()
    // Kept while the new reader opens, also when this one is closed meanwhile.
    for (const segment of this.segments) segment.retain()
    try {
      if ('openReader' in this.#origin) return await this.#origin.openReader(this, this.#memory)
      return await IndexReader.#openNewest(this.#directory, this, this.#memory)
    } finally {
      for (const segment of this.segments) await segment.release()
    }
  }

  /** Stored fields of a document. @param docId 0 to `maxDoc − 1` */
  async document(docId: number): Promise<Document> {
    this.#ensureOpen()
    const i = this.#leafOf(docId)
    return this.segments[i].document(docId - this.docBases[i])
  }

  /** Terms of a field in the order of their bytes, with their frequencies over all segments. */
  terms(field: string, options: TermsOptions = {}): Promise<TermView[]> {
    this.#ensureOpen()
    return listTerms(this.segments, field, options)
  }

  /** What the segments hold of each field, by name. */
  fieldViews(): FieldView[] {
    return viewFields(this.segments)
  }

  /** Documents, deletes and bytes of each segment. */
  segmentViews(): SegmentView[] {
    return viewSegments(this.segments)
  }

  /** Stored fields, doc values and state of a document. @param docId 0 to `maxDoc − 1` */
  async documentView(docId: number): Promise<DocumentView> {
    this.#ensureOpen()
    const i = this.#leafOf(docId)
    return viewDocument(this.segments[i], docId - this.docBases[i])
  }

  /**
   * Where a term, as it is in the index, stands in a document: its positions, and its places in the text where the field
   * keeps offsets. @param docId 0 to `maxDoc − 1`
   * @throws SpindleError FIELD_WITHOUT_POSITIONS
   */
  async occurrences(docId: number, field: string, term: string): Promise<TermOccurrence[]> {
    this.#ensureOpen()
    const i = this.#leafOf(docId)
    return termOccurrences(this.segments[i], docId - this.docBases[i], field, term)
  }

  /**
   * Waits until all that fits into the memory budget is in memory. Searches need not wait for it: until then they read
   * what they need.
   */
  loaded(): Promise<void> {
    return this.#memory.settled()
  }

  /** Bytes in memory of what the budget is for. */
  get memoryUse(): MemoryUse {
    const { residentBytes, cacheStats } = this.#memory
    return { resident: residentBytes, cached: cacheStats.bytes, hits: cacheStats.hits, misses: cacheStats.misses }
  }

  /** Documents that hold the term, over all segments. */
  async docFreq(field: string, term: string): Promise<number> {
    this.#ensureOpen()
    let sum = 0
    for (const segment of this.segments) sum += (await segment.loadTermStats(field, term))?.docFreq ?? 0
    return sum
  }

  /** Sums of a field over all segments. */
  collectionStats(field: string): CollectionStats {
    let docCount = 0
    let sumTotalTermFreq = 0
    let sumDocFreq = 0
    for (const segment of this.segments) {
      const info = segment.fieldInfo(field)
      if (info === undefined) continue
      docCount += info.docCount
      sumTotalTermFreq += info.sumTotalTermFreq
      sumDocFreq += info.sumDocFreq
    }
    return { field, docCount, sumTotalTermFreq, sumDocFreq, maxDoc: this.maxDoc }
  }

  /** Compares the checksum of every file of every segment: reads them all. @throws SpindleError INDEX_CORRUPT */
  async verifyChecksums(): Promise<void> {
    this.#ensureOpen()
    for (const segment of this.segments) await verifySegmentFiles(this.#directory, segment.name, segment.commit.id)
  }

  async close(): Promise<void> {
    if (!this.#open) return
    this.#open = false
    for (const segment of this.segments) await segment.release()
  }

  /** Whether the newest commit, of the generation given, is this reader's. */
  async #isNewest(generation: number): Promise<boolean> {
    if (generation !== this.generation || !(this.#origin instanceof Uint8Array)) return false
    const id = await readCommitId(this.#directory, generation)
    return idKey(id) === idKey(this.#origin)
  }

  /** Index of the segment of a document. */
  #leafOf(docId: number): number {
    if (!(Number.isInteger(docId) && docId >= 0 && docId < this.maxDoc)) {
      throw new RangeError(`there is no document ${docId}: ids run from 0 to ${this.maxDoc - 1}`)
    }
    let i = this.segments.length - 1
    while (this.docBases[i] > docId) i--
    return i
  }

  #ensureOpen(): void {
    if (!this.#open) {
      throw new SpindleError('INDEX_CLOSED', `The reader of ${this.#directory.path} is closed: open a new one.`)
    }
  }
}

function idKey(id: Uint8Array): string {
  return Buffer.from(id).toString('latin1')
}

/** Whether live documents and doc values are the same. */
function isSameState(a: SegmentCommit, b: SegmentCommit): boolean {
  if (a.liveGeneration !== b.liveGeneration) return false
  if ((a.valueGenerations?.size ?? 0) !== (b.valueGenerations?.size ?? 0)) return false
  for (const [field, generation] of a.valueGenerations ?? []) {
    if (b.valueGenerations!.get(field) !== generation) return false
  }
  return true
}
