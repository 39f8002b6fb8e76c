/**
 * Decides when merges are done, and where. Small ones are done at once, by the caller's thread, before a commit: they
 * take a fraction of a second, and a short crawl leaves a tidy index. Larger ones run in a worker while documents are
 * added and committed, one at a time; deletes that came meanwhile are carried over to the result. Where merges wait, they
 * are done faster (merge-rate.ts); where more wait than allowed, the writer waits for one merge at each flush, so that
 * segments never grow many without bound.
 *
 * A merge changes no document: when it fails the segments stay as they were, the failure is told, and merging pauses.
 */
import { BitSet, isSpindleError, largeInt32Array } from '@spindle/core'
import type { SegmentInfo } from '../codec/segment-info.js'
import type { SegmentData } from '../reading/segment-data.js'
import type { Directory } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { type MergeJob, runMergeJob } from './merge-job.js'
import { MergeAborted, MergePacer } from './merge-pacer.js'
import {
  findDeletesMerge,
  findForcedMerge,
  findMerge,
  type MergeCandidate,
  type MergePolicySettings,
} from './merge-policy.js'
import { fixedRate, MergeRate } from './merge-rate.js'
import { MergeCounter, type MergeStats } from './merge-stats.js'
import { MergeThread } from './merge-thread.js'
import type { SegmentList } from './segment-list.js'
import { WriterSegment } from './writer-segment.js'

/** Settings of merging. */
export interface MergeSettings extends MergePolicySettings {
  /** Merges of at least so many bytes run in a worker. */
  readonly backgroundMergeBytes: number
  /** Merges that may wait for the worker before the writer waits for it. */
  readonly maxMergeBacklog: number
  /** Bytes a second that merges never exceed. */
  readonly maxMergeBytesPerSecond: number
  readonly onMergeError: (error: Error) => void
}

/** What the scheduler needs of its writer. */
export interface MergeOwner {
  readonly directory: Directory
  readonly segments: SegmentList
  /** Name of the next segment. */
  nextName(): string
  removeUnreferenced(): Promise<void>
  /** A merge in the worker has ended: {@link MergeScheduler.mergeWhereDue} is to be called. */
  onFinished(): void
}

interface Merge {
  readonly sources: readonly WriterSegment[]
  /** Live documents of each when the merge began, null where all were. */
  readonly live: readonly (BitSet | null)[]
  readonly job: MergeJob
}

interface RunningMerge extends Merge {
  /** Resolves, never rejects, when `outcome` is set. */
  readonly ended: Promise<void>
  outcome: SegmentInfo | Error | null
}

/** How long automatic merges pause after a failure. */
const PAUSE_MS = 60_000
/** Memory of a merge in a worker: its thread and windows of the files, and what it keeps of each document. */
const MERGE_BYTES = 24 * 2 ** 20
const MERGE_BYTES_PER_DOC = 12
/** Of the budget, the part that a merge has before it runs, at most. */
const PART_BEFORE = 3 / 8
/** An idle worker takes merges of this share of the size for which one is started. */
const IDLE_SHARE = 1 / 8

/** Merges of one writer. All methods but `giveUp` are called one after the other. */
export class MergeScheduler {
  readonly #owner: MergeOwner
  readonly #settings: MergeSettings
  readonly #thread: MergeThread | null
  readonly #aborted = new Int32Array(new SharedArrayBuffer(4))
  readonly #rate: MergeRate
  readonly #counter = new MergeCounter()
  /** Merges that waited for the worker when they were last counted. */
  #waiting = 0
  #running: RunningMerge | null = null
  /** Name of the segment that this thread is writing. */
  #writing: string | null = null
  /** Segments whose files are damaged. */
  readonly #damaged = new WeakSet<WriterSegment>()
  /** Segments that are to stay as they are, by how many want them so. */
  readonly #held = new Map<WriterSegment, number>()
  #pausedUntil = 0

  constructor(owner: MergeOwner, settings: MergeSettings) {
    this.#owner = owner
    this.#settings = settings
    this.#rate = new MergeRate(settings.maxMergeBytesPerSecond)
    // Only plain folders can be opened a second time, by a worker.
    this.#thread = owner.directory.constructor === FsDirectory ? new MergeThread() : null
  }

  /** Names of the segments being written. */
  get writing(): string[] {
    return [this.#writing, this.#running?.job.name].filter((name) => typeof name === 'string')
  }

  /** Whether a worker is merging. */
  get isRunning(): boolean {
    return this.#running !== null
  }

  /**
   * The part of a memory budget that is a merge's, half of it at most. One that runs in the worker takes about so much;
   * before one runs a part is left for it, because the memory of documents is not given back when it begins.
   */
  partOf(budget: number): number {
    if (this.#thread === null) return 0
    if (this.#running === null) return Math.min(MERGE_BYTES, budget * PART_BEFORE)
    let docs = 0
    for (const { info } of this.#running.sources) docs += info.maxDoc
    return Math.min(MERGE_BYTES + docs * MERGE_BYTES_PER_DOC, budget / 2)
  }

  get stats(): MergeStats {
    const { isRunning } = this
    const { bytesPerSecond } = this.#rate
    return { ...this.#counter.sums, isRunning, waiting: this.#waiting, bytesPerSecond }
  }

  /** Whether the segment is being merged by the worker. */
  isMerging(segment: WriterSegment): boolean {
    return this.#running?.sources.includes(segment) === true
  }

  /** Keeps segments, none of which is being merged, out of all merges until they are released as often. */
  hold(segments: Iterable<WriterSegment>): void {
    for (const segment of segments) this.#held.set(segment, (this.#held.get(segment) ?? 0) + 1)
  }

  /** See {@link hold}. */
  release(segments: Iterable<WriterSegment>): void {
    for (const segment of segments) {
      const count = this.#held.get(segment) ?? 0
      if (count > 1) this.#held.set(segment, count - 1)
      else this.#held.delete(segment)
    }
  }

  /** Puts finished merges in place, does or begins those that are due. */
  async mergeWhereDue(): Promise<void> {
    if (this.#running !== null && this.#running.outcome !== null) await this.finishRunning()
    /** Segments of merges that wait for the worker. */
    const waiting = new Set<WriterSegment>()
    let hasStalled = false
    this.#waiting = 0
    while (!this.#isStopping && performance.now() >= this.#pausedUntil) {
      const free = this.#owner.segments.all.filter(
        (segment) =>
          !(waiting.has(segment) || this.isMerging(segment) || this.#damaged.has(segment) || this.#held.has(segment)),
      )
      const indexes = findMerge(free, this.#settings)
      if (indexes === undefined) break
      const sources = indexes.map((i) => free[i]!)
      if (!this.#isLarge(sources)) {
        await this.#mergeNow(sources).catch((error) => this.#tell(error, sources))
      } else if (this.#running === null) {
        this.#running = this.#start(await this.#begin(sources, true))
      } else if (++this.#waiting > this.#settings.maxMergeBacklog && !hasStalled) {
        hasStalled = true
        await this.#counter.stalled(() => this.finishRunning())
        waiting.clear()
        this.#waiting = 0
      } else {
        for (const segment of sources) waiting.add(segment)
      }
    }
    if (this.#running !== null) this.#rate.adapt(this.#waiting)
  }

  /** Merges down to so many segments without deleted documents, of any size. @throws what makes a merge fail */
  forceMerge(count: number): Promise<void> {
    return this.#mergeUntil((segments) => findForcedMerge(segments, count, this.#settings.mergeFactor))
  }

  /** Writes anew the segments with many deleted documents. @throws what makes a merge fail */
  forceMergeDeletes(): Promise<void> {
    return this.#mergeUntil(findDeletesMerge)
  }

  /** Waits for the merge in the worker, if there is one, and puts its result in place. */
  async finishRunning(): Promise<void> {
    const sources = this.#running?.sources
    const error = await this.#rate.hurry(() => this.#finish())
    if (error !== null) this.#tell(error, sources!)
  }

  /** Makes all merges end as soon as they can. May be called at any time. */
  giveUp(): void {
    Atomics.store(this.#aborted, 0, 1)
  }

  /** Gives up the merge in the worker and ends the worker. */
  async stop(): Promise<void> {
    this.giveUp()
    await this.#running?.ended
    this.#running = null
    await this.#thread?.stop()
  }

  /** Does merges until none is found. */
  async #mergeUntil(find: (segments: readonly MergeCandidate[]) => number[] | undefined): Promise<void> {
    await this.finishRunning()
    for (;;) {
      const all = this.#owner.segments.all.filter((segment) => !this.#held.has(segment))
      const indexes = find(all)
      if (indexes === undefined) return
      const sources = indexes.map((i) => all[i]!)
      if (!this.#isLarge(sources)) {
        await this.#mergeNow(sources)
        continue
      }
      this.#running = this.#start(await this.#begin(sources, true))
      const error = await this.#rate.hurry(() => this.#finish())
      if (error !== null) throw error
    }
  }

  get #isStopping(): boolean {
    return Atomics.load(this.#aborted, 0) !== 0
  }

  #isLarge(sources: readonly WriterSegment[]): boolean {
    let bytes = 0
    for (const segment of sources) bytes += segment.liveBytes
    if (this.#thread === null) return false
    // A worker that is there and idle takes smaller ones as well.
    const isFree = this.#thread.isRunning && this.#running === null
    return bytes >= this.#settings.backgroundMergeBytes * (isFree ? IDLE_SHARE : 1)
  }

  async #begin(sources: readonly WriterSegment[], sync: boolean): Promise<Merge> {
    const live: (BitSet | null)[] = []
    for (const segment of sources) {
      live.push((await segment.live())?.clone() ?? null)
      await segment.writeNumbers()
      segment.numbers.beginMerge()
    }
    const job: MergeJob = {
      name: this.#owner.nextName(),
      sources: sources.map((segment, i) => ({ commit: segment.commit, live: live[i]?.words ?? null })),
      sync,
    }
    return { sources, live, job }
  }

  #start(merge: Merge): RunningMerge {
    const aborted = this.#aborted.buffer as SharedArrayBuffer
    const rate = this.#rate.word.buffer as SharedArrayBuffer
    const request = { path: this.#owner.directory.path, job: merge.job, aborted, rate }
    const ended = this.#thread!.run(request)
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((outcome) => {
        running.outcome = outcome
        this.#owner.onFinished()
      })
    const running: RunningMerge = { ...merge, ended, outcome: null }
    return running
  }

  /** @returns the error of the merge in the worker */
  async #finish(): Promise<Error | null> {
    const running = this.#running
    if (running === null) return null
    await running.ended
    const { outcome } = running
    if (outcome instanceof Error) {
      this.#running = null
      await this.#owner.removeUnreferenced()
      return outcome
    }
    await this.#install(running, outcome!, true)
    this.#running = null
    await this.#owner.removeUnreferenced()
    return null
  }

  async #mergeNow(sources: readonly WriterSegment[]): Promise<void> {
    if (sources.every((segment) => segment.numDocs === 0)) {
      await this.#owner.segments.replace(sources, null, true)
      return
    }
    const merge = await this.#begin(sources, false)
    this.#writing = merge.job.name
    try {
      const pacer = new MergePacer(this.#aborted, fixedRate(this.#settings.maxMergeBytesPerSecond))
      const opened: SegmentData[] = []
      for (const segment of sources) opened.push(await segment.data())
      const info = await runMergeJob(this.#owner.directory, merge.job, pacer, opened)
      await this.#install(merge, info, false)
    } finally {
      this.#writing = null
      await this.#owner.removeUnreferenced()
    }
  }

  /** Puts the new segment in the place of its sources, without what was deleted since the merge began. */
  async #install(merge: Merge, info: SegmentInfo, isSynced: boolean): Promise<void> {
    let live: BitSet | null = null
    let doc = 0
    for (let i = 0; i < merge.sources.length; i++) {
      const source = merge.sources[i]!
      const before = merge.live[i]!
      const now = await source.live()
      const count = before === null ? source.info.maxDoc : before.count()
      if (now !== null && now.count() !== count) {
        live ??= BitSet.full(info.maxDoc)
        let to = doc
        for (let from = 0; from < source.info.maxDoc; from++) {
          if (before !== null && !before.get(from)) continue
          if (!now.get(from)) live.clear(to)
          to++
        }
      }
      doc += count
    }
    const result = new WriterSegment(this.#owner.directory, info, null, live)
    carryNumbers(merge, result)
    await this.#owner.segments.replace(merge.sources, result.numDocs === 0 ? null : result, isSynced)
    let bytes = 0
    for (const length of info.files.values()) bytes += length
    this.#counter.merged(bytes)
  }

  /** Tells of a failure. Merging goes on later: the reason, such as a full disk, may pass. */
  #tell(error: unknown, sources: readonly WriterSegment[]): void {
    for (const { numbers } of sources) numbers.endMerge()
    if (error instanceof MergeAborted) return
    // Without the lock nothing goes on.
    if (isSpindleError(error, 'LOCK_LOST')) throw error
    this.#pausedUntil = performance.now() + PAUSE_MS
    if (isSpindleError(error, 'INDEX_CORRUPT')) for (const segment of sources) this.#damaged.add(segment)
    this.#settings.onMergeError(error instanceof Error ? error : new Error(String(error)))
  }
}

/** Gives the result what was changed in the doc values of its sources since the merge began. */
function carryNumbers({ sources, live }: Merge, result: WriterSegment): void {
  let to = 0
  for (let i = 0; i < sources.length; i++) {
    const { numbers, info } = sources[i]!
    const before = live[i]!
    if (numbers.hasCarryOver) {
      const docMap = largeInt32Array(info.maxDoc)
      let next = to
      for (let doc = 0; doc < info.maxDoc; doc++) docMap[doc] = before === null || before.get(doc) ? next++ : -1
      numbers.carryOver(result.numbers, docMap)
    }
    numbers.endMerge()
    to += before === null ? info.maxDoc : before.count()
  }
}
