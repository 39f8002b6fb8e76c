/**
 * The commits of an index on disk: reads the newest, publishes the next in two phases, removes what nobody needs.
 * Prepared: pending_segments_N written, it and every file it names synced, the folder synced (all side by side).
 * Published: renamed to segments_N, folder synced. A file goes only when no kept commit, no held one and no work in
 * progress names it.
 */
import { randomBytes } from 'node:crypto'
import { commitFiles } from '../codec/commit-files.js'
import { type CommitPoint, latestGeneration, readCommitPoint, writeCommitPoint } from '../codec/commit-point.js'
import { commitFile, commitGeneration, isIndexFile, pendingCommitFile } from '../codec/segment-files.js'
import type { Directory, WriteLock } from '../store/directory.js'
import { ID_LENGTH } from '../store/file-header.js'
import { NEWEST_COMMIT_FILE, writeNewestCommit } from '../store/newest-commit.js'

/** A commit that is kept, or held, on disk. */
export interface KeptCommit {
  readonly generation: number
  /** Names of its files, its own included. */
  readonly files: ReadonlySet<string>
}

/** What must not be removed though no commit names it. */
export interface FilesInUse {
  readonly files: Iterable<string>
  /** Segments being written: all their files. */
  readonly segments: ReadonlySet<string>
}

const NOTHING: FilesInUse = { files: [], segments: new Set() }

/** The commits, held by the writer that has the lock. */
export class CommitLog {
  readonly #directory: Directory
  readonly #lock: WriteLock
  readonly #keep: number
  /** Newest last. */
  #kept: KeptCommit[] = []
  readonly #held = new Set<{ readonly commit: KeptCommit }>()
  #prepared: { readonly commit: KeptCommit; readonly pending: string } | null = null
  /** Whether the commits on disk are of an index that the next commit replaces. */
  #replacing = false
  #generation = 0
  #settled = true
  /** Whether the index has been published for readers over HTTP. */
  #hasPointer = false

  /** @param keep how many of the newest commits stay on disk, at least 1 */
  constructor(directory: Directory, lock: WriteLock, keep: number) {
    this.#directory = directory
    this.#lock = lock
    this.#keep = keep
  }

  /** Number of the newest commit, 0 where there is none. */
  get generation(): number {
    return this.#generation
  }

  /** False while it is unknown whether the rename of the last commit took place: then nothing may be removed. */
  get isSettled(): boolean {
    return this.#settled
  }

  /**
   * Reads the newest commit, and which files those before it name.
   * @param replace whether a new index is begun: the old one, whatever its state, stays until the first commit
   * @returns null where there is none, or it is to be replaced
   */
  async open(replace: boolean): Promise<CommitPoint | null> {
    const names = await this.#directory.list()
    this.#generation = latestGeneration(names)
    this.#hasPointer = names.includes(NEWEST_COMMIT_FILE)
    if (this.#generation === 0) return null
    if (replace) {
      this.#replacing = true
      this.#kept = [{ generation: this.#generation, files: new Set(names) }]
      return null
    }
    const newest = await readCommitPoint(this.#directory, this.#generation)
    this.#kept = [kept(newest)]
    const older = names.map((name) => commitGeneration(name) ?? 0).filter((one) => one > 0 && one < this.#generation)
    for (const generation of older.sort((a, b) => b - a).slice(0, this.#keep - 1)) {
      // A damaged one is of no use to anybody and does not stand in the way of the newest.
      const commit = await readCommitPoint(this.#directory, generation).catch(() => null)
      if (commit !== null) this.#kept.unshift(kept(commit))
    }
    return newest
  }

  /** Makes the next commit durable without showing it. @param unsynced files of it that may not be durable yet */
  async prepare(commit: CommitPoint, unsynced: readonly string[]): Promise<void> {
    const directory = this.#directory
    const pending = pendingCommitFile(commit.generation)
    this.#prepared = { commit: kept(commit), pending }
    await directory.delete(pending)
    await writeCommitPoint(directory, pending, randomBytes(ID_LENGTH), commit)
    // Nothing names these files before the rename, so their order does not matter: one journal commit for all of them.
    const done = await Promise.allSettled([directory.sync([...unsynced, pending]), directory.syncDirectory()])
    for (const result of done) if (result.status === 'rejected') throw result.reason
  }

  /** Shows the prepared commit. @returns its generation */
  async publish(): Promise<number> {
    const { commit, pending } = this.#prepared!
    await this.#lock.ensureValid()
    this.#settled = false
    await this.#directory.rename(pending, commitFile(commit.generation))
    await this.#directory.syncDirectory()
    this.#settled = true
    // Only readers over HTTP need it, and the next commit makes good what failed here: the commit itself is done.
    if (this.#hasPointer) await writeNewestCommit(this.#directory, commit.generation).catch(() => {})
    this.#prepared = null
    this.#generation = commit.generation
    this.#kept = this.#replacing ? [commit] : [...this.#kept, commit].slice(-this.#keep)
    this.#replacing = false
    return commit.generation
  }

  /** Forgets the prepared commit; its file is removed with the other unreferenced ones. */
  discardPrepared(): void {
    this.#prepared = null
  }

  /** Keeps the newest commit on disk until the function returned is called. @returns null where there is no commit */
  hold(): { readonly commit: KeptCommit; release(): boolean } | null {
    const commit = this.#kept.at(-1)
    if (commit === undefined || this.#replacing) return null
    const entry = { commit }
    this.#held.add(entry)
    return { commit, release: () => this.#held.delete(entry) }
  }

  /**
   * Removes index files that nothing names. A file that cannot be removed now (open on Windows) goes the next time.
   * @param inUse what the writer works on; nothing where it has ended
   */
  async removeUnreferenced(inUse: FilesInUse = NOTHING): Promise<void> {
    await this.#lock.ensureValid()
    const used = new Set(inUse.files)
    const commits = [...this.#kept, ...[...this.#held].map((one) => one.commit)]
    if (this.#prepared !== null) {
      commits.push(this.#prepared.commit)
      used.add(this.#prepared.pending)
    }
    for (const { files } of commits) for (const file of files) used.add(file)
    const names = await this.#directory.list()
    this.#hasPointer = names.includes(NEWEST_COMMIT_FILE)
    for (const name of names) {
      if (!isIndexFile(name) || used.has(name) || inUse.segments.has(/^_\d+/.exec(name)?.[0] ?? '')) continue
      await this.#directory.delete(name).catch(() => {})
    }
  }
}

function kept(commit: CommitPoint): KeptCommit {
  return { generation: commit.generation, files: new Set(commitFiles(commit)) }
}
