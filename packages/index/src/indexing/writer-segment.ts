/** A segment as the writer sees it: what the next commit will say of it. Its files are opened when deletes or a merge need them. */
import { BitSet } from '@spindle/core'
import { segmentCommitFiles } from '../codec/commit-files.js'
import type { SegmentCommit } from '../codec/commit-point.js'
import { readLiveDocs, writeLiveDocs } from '../codec/live-docs.js'
import type { SegmentInfo } from '../codec/segment-info.js'
import { TermEntry } from '../codec/term-entry.js'
import type { ReadingMemory } from '../reading/reading-memory.js'
import { SegmentData } from '../reading/segment-data.js'
import { SegmentReader } from '../reading/segment-reader.js'
import { ValueOverlays } from '../reading/value-overlays.js'
import type { Directory } from '../store/directory.js'
import type { BufferedDeletes, DeleteQuery } from './buffered-deletes.js'
import type { BufferedUpdates } from './buffered-updates.js'
import { SegmentNumbers } from './segment-numbers.js'
import type { Yielder } from './yielder.js'

/** One segment of an index that is being written. */
export class WriterSegment {
  readonly info: SegmentInfo
  /** Doc values that are changed. */
  readonly numbers: SegmentNumbers
  readonly #directory: Directory
  #live: BitSet | null = null
  #liveLoaded: boolean
  #liveGeneration: number
  /** Last generation of live docs that was begun, finished or not. */
  #liveTried = 0
  #deletedCount: number
  #dirty = false
  #data: SegmentData | null = null

  /** @param commit what the last commit says, or null for a new segment. @param live of a new segment */
  constructor(directory: Directory, info: SegmentInfo, commit: SegmentCommit | null, live: BitSet | null) {
    this.#directory = directory
    this.info = info
    this.numbers = new SegmentNumbers(commit)
    this.#live = live
    this.#liveGeneration = commit?.liveGeneration ?? 0
    this.#liveLoaded = this.#liveGeneration === 0
    this.#deletedCount = commit?.deletedCount ?? (live === null ? 0 : info.maxDoc - live.count())
    this.#dirty = live !== null
  }

  get numDocs(): number {
    return this.info.maxDoc - this.#deletedCount
  }

  /** Takes no generation whose file is there, whoever left it. @param names files of the folder */
  avoid(names: readonly string[]): void {
    for (const name of names) {
      if (!name.startsWith(`${this.info.name}_`)) continue
      const [first = 0, second] = [...name.slice(this.info.name.length).matchAll(/_(\d+)/g)].map((match) =>
        Number(match[1]),
      )
      if (name.endsWith('.live')) this.#liveTried = Math.max(this.#liveTried, first)
      else if (second !== undefined) this.numbers.avoid(first, second)
    }
  }

  /** Whether its live documents or doc values differ from those that the last commit names. */
  get isChanged(): boolean {
    return this.#dirty || this.numbers.isChanged
  }

  get deletedCount(): number {
    return this.#deletedCount
  }

  /** Bytes of its files, deleted documents taken off by their share. */
  get liveBytes(): number {
    let bytes = 0
    for (const length of this.info.files.values()) bytes += length
    return (bytes * this.numDocs) / this.info.maxDoc
  }

  /** What a commit says of it; valid after {@link writeChanges}. */
  get commit(): SegmentCommit {
    const { name, id, maxDoc } = this.info
    const live = { liveGeneration: this.#liveGeneration, deletedCount: this.#deletedCount }
    return { name, id, maxDoc, ...live, ...this.numbers.commitPart }
  }

  /** Names of its files, that of the current live docs included. */
  get files(): string[] {
    return [...segmentCommitFiles(this.commit), ...this.numbers.mergingFiles(this.info.name)]
  }

  /** Its files; what is asked of them is read then. */
  async data(): Promise<SegmentData> {
    const { name, id, maxDoc } = this.info
    this.#data ??= await SegmentData.open(this.#directory, name, id, maxDoc, 'nothing')
    return this.#data
  }

  /**
   * A reader of the segment as it is now, also where deletes are not on disk yet.
   * @param previous an older reader of the segment: its open files are shared, or it is used itself
   */
  async openReader(previous: SegmentReader | undefined, memory: ReadingMemory): Promise<SegmentReader> {
    if (previous !== undefined && this.isShownBy(previous)) return previous.retain()
    await this.writeNumbers()
    const live = (await this.live())?.clone() ?? null
    const { name, id, maxDoc } = this.info
    const data = previous?.data ?? (await SegmentData.open(this.#directory, name, id, maxDoc, memory))
    if (previous !== undefined) data.retain()
    const overlays = await ValueOverlays.open(this.#directory, this.commit, data.fieldInfos)
    return new SegmentReader(this.commit, data, live, overlays)
  }

  /** The live documents, null where all are. Not to be changed. */
  async live(): Promise<BitSet | null> {
    if (!this.#liveLoaded) {
      const { name, id, maxDoc } = this.info
      this.#live = await readLiveDocs(this.#directory, name, id, this.#liveGeneration, maxDoc, this.#deletedCount)
      this.#liveLoaded = true
      // The set read is shared memory of the file; changes need their own.
      this.#live = this.#live.clone()
    }
    return this.#live
  }

  /** Notes the buffered changes of doc values. */
  async updateNumbers(updates: BufferedUpdates, yielder: Yielder): Promise<void> {
    if (!updates.isEmpty) await updates.applyTo(await this.data(), this.numbers, yielder)
  }

  /** Writes the changed doc values as new generations. */
  async writeNumbers(): Promise<void> {
    if (this.numbers.isDirty) await this.numbers.write(this.#directory, this.commit, await this.data())
  }

  /** Whether the reader sees the segment as it is now. */
  isShownBy(reader: SegmentReader): boolean {
    return reader.name === this.info.name && reader.numDocs === this.numDocs && this.numbers.isShownBy(reader.commit)
  }

  /** Deletes all documents that match one of the buffered terms. */
  async deleteTerms(deletes: BufferedDeletes, yielder: Yielder): Promise<void> {
    if (deletes.terms.size === 0) return
    const data = await this.data()
    await this.live()
    const entry = new TermEntry()
    const docs = new Int32Array(128)
    for (const [field, texts] of deletes.terms) {
      if (data.fieldInfo(field) === undefined) continue
      let count = 0
      // In the order of the dictionary, so that each piece of it is read once.
      for (const text of [...texts.keys()].sort()) {
        if ((++count & 63) === 0) await yielder.maybeYield()
        if (!(await data.load(field, text, entry))) continue
        if (entry.singleDoc >= 0) {
          this.#delete(entry.singleDoc)
          continue
        }
        const postings = await data.loadPostings(field, text, 'docs')
        for (let b = 0; postings !== null && b < postings.blockCount; b++) {
          const length = postings.decodeDocs(b, docs)
          for (let i = 0; i < length; i++) this.#delete(docs[i])
        }
      }
    }
  }

  /** Deletes the documents below `limit` that match. */
  async deleteQuery(query: DeleteQuery, limit: number): Promise<void> {
    const matching = await this.read((reader) => query.matchingDocs(reader))
    for (let doc = matching.nextSetBit(0); doc >= 0 && doc < limit; doc = matching.nextSetBit(doc + 1))
      this.#delete(doc)
  }

  /** Deletes a document; valid after {@link live}. */
  deleteDoc(doc: number): void {
    this.#delete(doc)
  }

  /** Lets `work` read the segment as it is now, with as little of it in memory as can be. */
  async read<T>(work: (reader: SegmentReader) => Promise<T>): Promise<T> {
    const data = await this.data()
    const live = await this.live()
    await this.writeNumbers()
    const overlays = await ValueOverlays.open(this.#directory, this.commit, data.fieldInfos)
    try {
      return await work(new SegmentReader(this.commit, data, live, overlays))
    } finally {
      await overlays?.release()
    }
  }

  /** Writes live docs and doc values that changed. @returns the names of the files */
  async writeChanges(): Promise<string[]> {
    await this.writeNumbers()
    const files = this.numbers.takeWritten()
    const live = await this.writeLive()
    if (live !== undefined) files.push(live)
    return files
  }

  /** Writes the live docs as a new generation where they changed. @returns the file's name, or undefined */
  async writeLive(): Promise<string | undefined> {
    if (!this.#dirty || this.#live === null) return undefined
    const { name, id } = this.info
    // A file that could not be finished may still be there, so its name is not taken again.
    const generation = Math.max(this.#liveGeneration, this.#liveTried) + 1
    this.#liveTried = generation
    const file = await writeLiveDocs(this.#directory, name, id, generation, this.#live)
    this.#liveGeneration = generation
    this.#dirty = false
    return file
  }

  async close(): Promise<void> {
    await this.#data?.release()
    this.#data = null
  }

  #delete(doc: number): void {
    this.#live ??= BitSet.full(this.info.maxDoc)
    if (!this.#live.get(doc)) return
    this.#live.clear(doc)
    this.#deletedCount++
    this.#dirty = true
  }
}
