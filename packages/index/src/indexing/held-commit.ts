/** A commit whose files stay on disk until it is released: what a backup copies while writing goes on. */
import { SpindleError } from '@spindle/core'
import type { Directory } from '../store/directory.js'
import type { KeptCommit } from './commit-log.js'
import { copyCommit } from './copy-commit.js'

/** A commit held by its writer. */
export class HeldCommit {
  readonly generation: number
  /** Names of its files, the commit point `segments_N` included. */
  readonly files: readonly string[]
  readonly #directory: Directory
  readonly #release: () => Promise<void>
  #held = true

  constructor(directory: Directory, commit: KeptCommit, release: () => Promise<void>) {
    this.generation = commit.generation
    this.files = [...commit.files]
    this.#directory = directory
    this.#release = release
  }

  /**
   * Makes a durable copy of the commit in another folder: an index like any other. All or nothing.
   * @throws SpindleError BACKUP_TARGET_USED, INDEX_CLOSED after the release, DISK_FULL, INDEX_WRITE_FAILED
   */
  async copyTo(target: string | Directory): Promise<void> {
    if (!this.#held) throw new SpindleError('INDEX_CLOSED', 'The held commit was released: take another snapshot.')
    await copyCommit(this.#directory, this.files, this.generation, target)
  }

  /** Lets go: files that no other commit names are removed. */
  async release(): Promise<void> {
    if (!this.#held) return
    this.#held = false
    await this.#release()
  }
}
