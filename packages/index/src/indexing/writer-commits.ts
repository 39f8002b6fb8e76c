/** The two halves of a commit: what is published is what was prepared, whatever was added in between. */
import { SpindleError } from '@spindle/core'
import type { CommitPoint } from '../codec/commit-point.js'
import type { CommitLog } from './commit-log.js'
import type { SegmentList } from './segment-list.js'
import type { CommitOptions } from './writer-options.js'

/** What a commit says besides its segments. */
export type CommitContents = Omit<CommitPoint, 'generation' | 'segments' | 'userData'>

interface PreparedCommit {
  /** Whether there is anything to publish. */
  readonly isNew: boolean
  readonly userData: Readonly<Record<string, string>>
}

/** The commits of one writer. */
export class WriterCommits {
  readonly #path: string
  readonly #log: CommitLog
  readonly #segments: SegmentList
  #userData: Readonly<Record<string, string>>
  /** Whether the next commit begins the index, or begins it anew. */
  #isFirst: boolean
  #prepared: PreparedCommit | null = null

  /** @param last the commit that the writer goes on from, null where it begins an index */
  constructor(path: string, log: CommitLog, segments: SegmentList, last: CommitPoint | null) {
    this.#path = path
    this.#log = log
    this.#segments = segments
    this.#userData = last?.userData ?? {}
    this.#isFirst = last === null
  }

  /** What went with the last commit. */
  get userData(): Readonly<Record<string, string>> {
    return this.#userData
  }

  /** Whether a commit is prepared. */
  get isPrepared(): boolean {
    return this.#prepared !== null
  }

  /** @throws SpindleError COMMIT_PENDING */
  ensureNonePrepared(wish: string): void {
    if (this.#prepared === null) return
    throw new SpindleError(
      'COMMIT_PENDING',
      `A commit of the index in ${this.#path} is prepared: commit or roll it back before you ${wish}.`,
    )
  }

  /** Makes the segments as they are durable, without showing them. */
  async prepare({ userData }: CommitOptions, contents: () => CommitContents): Promise<void> {
    const isNew =
      this.#isFirst || this.#segments.changed || (userData !== undefined && !sameEntries(userData, this.#userData))
    const kept = userData === undefined ? this.#userData : { ...userData }
    if (isNew) {
      await this.#segments.writeLive()
      const generation = this.#log.generation + 1
      const commit = { ...contents(), generation, segments: this.#segments.commits, userData: kept }
      await this.#log.prepare(commit, this.#segments.unsynced)
      this.#segments.settle()
    }
    this.#prepared = { isNew, userData: kept }
  }

  /** Shows what was prepared. @returns whether there was anything new */
  async publish(): Promise<boolean> {
    const { isNew, userData } = this.#prepared!
    this.#prepared = null
    if (!isNew) return false
    await this.#log.publish()
    this.#userData = userData
    this.#isFirst = false
    return true
  }
}

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
}
