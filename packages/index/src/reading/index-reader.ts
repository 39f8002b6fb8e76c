/**
 * A point-in-time snapshot of an index. Opening reads the newest commit point and loads its segments; `refresh` opens
 * what is new and shares the rest. A writer, also of another process, never changes what a reader sees.
 */
import { SpindleError, systemCode } from '@spindle/core'
import type { Analyzer } from '../analysis/analyzer.js'
import { type CommitPoint, latestGeneration, readCommitId, readCommitPoint } from '../codec/commit-point.js'
import { isIndexFile } from '../codec/segment-files.js'
import type { Document } from '../document/document.js'
import type { Directory } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { RecordedAnalyzers } from './recorded-analyzers.js'
import { verifySegmentFiles } from './segment-data.js'
import { SegmentReader } from './segment-reader.js'

/** Sums of one field over all segments; deleted documents count until they are merged away. */
export interface CollectionStats {
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
}

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
  readonly #directory: Directory
  readonly #commitId: Uint8Array
  #open = true

  private constructor(
    directory: Directory,
    commit: CommitPoint,
    commitId: Uint8Array,
    segments: readonly SegmentReader[],
    analyzers: ReaderAnalyzers,
  ) {
    this.#directory = directory
    this.#commitId = commitId
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
   * Opens the newest commit of an index.
   * @param path a folder, or a directory
   * @throws SpindleError INDEX_NOT_FOUND, INDEX_CORRUPT, INDEX_FORMAT_TOO_NEW, ANALYZER_MISMATCH
   */
  static open(path: string | Directory): Promise<IndexReader> {
    return IndexReader.#openNewest(typeof path === 'string' ? new FsDirectory(path) : path, null)
  }

  static async #openNewest(directory: Directory, previous: IndexReader | null): Promise<IndexReader> {
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
        return await IndexReader.#openCommit(directory, generation, previous)
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
  ): Promise<IndexReader> {
    const commitId = await readCommitId(directory, generation)
    const commit = await readCommitPoint(directory, generation)
    const analyzers = new RecordedAnalyzers(directory.path, commit)
    const known = new Map<string, SegmentReader>()
    for (const segment of previous?.segments ?? []) known.set(idKey(segment.commit.id), segment)
    const segments: SegmentReader[] = []
    try {
      for (const named of commit.segments) {
        const old = known.get(idKey(named.id))
        if (old !== undefined && old.commit.liveGeneration === named.liveGeneration) segments.push(old.retain())
        else segments.push(await SegmentReader.open(directory, named, old?.data ?? null))
      }
      return new IndexReader(directory, commit, commitId, segments, analyzers)
    } catch (error) {
      for (const segment of segments) await segment.release()
      throw error
    }
  }

  /** False where a newer commit exists. */
  async isCurrent(): Promise<boolean> {
    this.#ensureOpen()
    try {
      return await this.#isNewest(latestGeneration(await this.#directory.list()))
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return false
      throw error
    }
  }

  /**
   * The newest commit: this very object where nothing is new, otherwise a new reader that shares the unchanged segments.
   * Both have to be closed.
   */
  async refresh(): Promise<IndexReader> {
    this.#ensureOpen()
    // Kept while the new reader opens, also when this one is closed meanwhile.
    for (const segment of this.segments) segment.retain()
    try {
      return await IndexReader.#openNewest(this.#directory, this)
    } finally {
      for (const segment of this.segments) await segment.release()
    }
  }

  /** Stored fields of a document. @param docId 0 to `maxDoc − 1` */
  async document(docId: number): Promise<Document> {
    this.#ensureOpen()
    if (!(Number.isInteger(docId) && docId >= 0 && docId < this.maxDoc)) {
      throw new RangeError(`there is no document ${docId}: ids run from 0 to ${this.maxDoc - 1}`)
    }
    let i = this.segments.length - 1
    while (this.docBases[i] > docId) i--
    return this.segments[i].document(docId - this.docBases[i])
  }

  /** Documents that hold the term, over all segments. */
  async docFreq(field: string, term: string): Promise<number> {
    this.#ensureOpen()
    let sum = 0
    for (const segment of this.segments) sum += segment.termStats(field, term)?.docFreq ?? 0
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
    return { docCount, sumTotalTermFreq, sumDocFreq, maxDoc: this.maxDoc }
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
    if (generation !== this.generation) return false
    const id = await readCommitId(this.#directory, generation)
    return idKey(id) === idKey(this.#commitId)
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
