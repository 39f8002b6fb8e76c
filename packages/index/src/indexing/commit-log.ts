/**
 * The commits of an index on disk: reads the newest, publishes the next, removes what no commit names. Publishing is
 * atomic: files synced → pending_segments_N written and synced → folder synced → renamed to segments_N → folder synced.
 */
import { randomBytes } from 'node:crypto'
import { type CommitPoint, latestGeneration, readCommitPoint, writeCommitPoint } from '../codec/commit-point.js'
import { commitFile, isIndexFile, pendingCommitFile } from '../codec/segment-files.js'
import type { Directory, WriteLock } from '../store/directory.js'
import { ID_LENGTH } from '../store/file-header.js'

/** The commits, held by the writer that has the lock. */
export class CommitLog {
  readonly #directory: Directory
  readonly #lock: WriteLock
  /** Files that the newest commit names, its own included. */
  #committed: ReadonlySet<string> = new Set()
  #generation = 0
  #published = true

  constructor(directory: Directory, lock: WriteLock) {
    this.#directory = directory
    this.#lock = lock
  }

  /** Number of the newest commit, 0 where there is none. */
  get generation(): number {
    return this.#generation
  }

  /** False while it is unknown whether the rename of the last commit took place: then nothing may be removed. */
  get isSettled(): boolean {
    return this.#published
  }

  /**
   * Reads the newest commit.
   * @param replace whether a new index is begun: the old one, whatever its state, stays until the first commit
   * @returns null where there is none, or it is to be replaced
   */
  async open(replace: boolean): Promise<CommitPoint | null> {
    const names = await this.#directory.list()
    this.#generation = latestGeneration(names)
    if (this.#generation === 0) return null
    if (replace) {
      this.#committed = new Set(names)
      return null
    }
    return readCommitPoint(this.#directory, this.#generation)
  }

  /** Tells which files the newest commit names. */
  setCommitted(files: Iterable<string>): void {
    this.#committed = new Set([...files, commitFile(this.#generation)])
  }

  /**
   * Publishes the next commit.
   * @param unsynced files that it names and that may not be durable yet
   * @param files all files that it names
   */
  async publish(commit: CommitPoint, unsynced: readonly string[], files: readonly string[]): Promise<void> {
    const directory = this.#directory
    const pending = pendingCommitFile(commit.generation)
    await directory.sync(unsynced)
    await directory.delete(pending)
    await writeCommitPoint(directory, pending, randomBytes(ID_LENGTH), commit)
    await directory.sync([pending])
    await directory.syncDirectory()
    await this.#lock.ensureValid()
    this.#published = false
    await directory.rename(pending, commitFile(commit.generation))
    await directory.syncDirectory()
    this.#published = true
    this.#generation = commit.generation
    this.setCommitted(files)
  }

  /**
   * Removes index files that neither the newest commit nor `inUse` names. A file that cannot be removed now (open on
   * Windows) goes the next time.
   */
  async removeUnreferenced(inUse: Iterable<string>): Promise<void> {
    await this.#lock.ensureValid()
    const used = new Set(inUse)
    for (const name of await this.#directory.list()) {
      if (!isIndexFile(name) || used.has(name) || this.#committed.has(name)) continue
      await this.#directory.delete(name).catch(() => {})
    }
  }
}
