/**
 * Keeps the newest commit of an index folder open. It looks at the folder twice a second, which costs one directory
 * read, works on every file system and needs no word from the writer. Whatever is wrong with the folder, it goes on
 * looking: an index that appears or is repaired is served without a restart, and a commit once open goes on serving.
 */
import { stat } from 'node:fs/promises'
import { type ErrorCode, isSpindleError, type Logger, SpindleError } from '@spindle/core'
import { IndexSnapshot, type LimitQuery } from './index-snapshot.js'
import { RepeatedLook } from './repeated-look.js'
import type { BackendState, BackendStatus } from './search-backend.js'

/** Milliseconds between two looks. */
const INTERVAL = 500
/** After failures the pause doubles up to this. */
const MAX_INTERVAL = 5_000

/** What {@link IndexFollower.open} takes. */
export interface FollowerOptions {
  readonly logger: Logger
  /** Bytes for answers and documents of the open commit; 0: none are kept. */
  readonly cacheBytes: number
  /** Leaves pages out of the completions. */
  readonly limitQuery?: LimitQuery
  /** Milliseconds between two looks at the folder. */
  readonly interval?: number
  /** Told after every change of the status. */
  readonly onChange?: (status: BackendStatus) => void
  /** Given each commit before searches use it. */
  readonly prepare?: (snapshot: IndexSnapshot) => void
}

/** The newest commit of a folder, and what keeps it from being newer. */
export class IndexFollower {
  readonly #path: string
  readonly #logger: Logger
  readonly #interval: number
  readonly #cacheBytes: number
  readonly #limitQuery: LimitQuery | undefined
  readonly #onChange: ((status: BackendStatus) => void) | undefined
  readonly #prepare: ((snapshot: IndexSnapshot) => void) | undefined
  #snapshot: IndexSnapshot | undefined
  #since = 0
  #failure: { code: ErrorCode; detail: string } | undefined
  #failures = 0
  /** The open commit may not be what the folder holds: the next look opens the folder anew, which checks it. */
  #suspect = false
  /** Tells the folder from another one of the same name. */
  #folder = ''
  readonly #repeated: RepeatedLook

  private constructor(path: string, options: FollowerOptions) {
    this.#path = path
    this.#logger = options.logger
    this.#interval = options.interval ?? INTERVAL
    this.#repeated = new RepeatedLook(
      () => this.#look(),
      () => Math.min(MAX_INTERVAL, this.#interval * 2 ** Math.min(this.#failures, 10)),
    )
    this.#cacheBytes = options.cacheBytes
    this.#limitQuery = options.limitQuery
    this.#onChange = options.onChange
    this.#prepare = options.prepare
  }

  /** Never fails: what is wrong is in the status. */
  static async open(path: string, options: FollowerOptions): Promise<IndexFollower> {
    const follower = new IndexFollower(path, options)
    await follower.#look()
    follower.#repeated.start()
    return follower
  }

  status(): BackendStatus {
    const reader = this.#snapshot?.reader
    const failure = this.#failure
    let state: BackendState
    if (reader === undefined) state = failure === undefined || isAbsence(failure.code) ? 'waiting' : 'failed'
    else if (reader.numDocs === 0) state = 'waiting'
    else state = failure === undefined ? 'ready' : 'degraded'
    return {
      state,
      reason: failure?.code ?? (state === 'waiting' ? 'INDEX_NOT_READY' : null),
      detail: failure?.detail ?? (state === 'waiting' ? 'The index holds no page yet: start a crawl.' : ''),
      numDocs: reader?.numDocs ?? 0,
      generation: reader?.generation ?? 0,
      since: this.#since,
    }
  }

  /**
   * The open commit, to be released by the caller.
   * @throws SpindleError `INDEX_NOT_READY`
   */
  acquire(): IndexSnapshot {
    const snapshot = this.#snapshot
    if (snapshot === undefined || this.#repeated.isClosed) {
      throw new SpindleError('INDEX_NOT_READY', 'There is no index to search yet: start a crawl, or wait for it.')
    }
    snapshot.acquire()
    return snapshot
  }

  /** The open commit, to be looked at and not kept; undefined where there is none. */
  get current(): IndexSnapshot | undefined {
    return this.#snapshot
  }

  /** Says that a search could not read a commit. */
  suspect(snapshot: IndexSnapshot, error: unknown): void {
    if (snapshot !== this.#snapshot) return
    this.#suspect = true
    this.#fail(error)
  }

  /** Looks at the folder now, after the look that may be under way. */
  lookNow(): Promise<void> {
    return this.#repeated.now()
  }

  async close(): Promise<void> {
    await this.#repeated.close()
    await this.#snapshot?.release()
    this.#snapshot = undefined
  }

  async #look(): Promise<void> {
    try {
      const next = await this.#newest()
      if (next !== this.#snapshot) await this.#replace(next)
      this.#suspect = false
      this.#failures = 0
      if (this.#failure !== undefined) {
        this.#failure = undefined
        this.#changed()
      }
    } catch (error) {
      // waiting for an index is no failure: it is looked for at full pace
      if (this.#snapshot !== undefined || !isAbsence(codeOf(error))) this.#failures++
      this.#suspect = true
      this.#fail(error)
    }
  }

  async #newest(): Promise<IndexSnapshot> {
    const folder = await folderIdentity(this.#path)
    // a folder made anew holds another index, whose commits are numbered from 1 again
    const refreshable = this.#snapshot !== undefined && !this.#suspect && folder === this.#folder
    const next = refreshable
      ? await this.#snapshot!.refresh()
      : await IndexSnapshot.open(this.#path, this.#cacheBytes, this.#limitQuery)
    this.#folder = folder
    return next
  }

  async #replace(next: IndexSnapshot): Promise<void> {
    this.#prepare?.(next)
    const previous = this.#snapshot
    this.#snapshot = next
    this.#since = Date.now()
    this.#failure = undefined
    this.#logger.log('info', 'index opened', { generation: next.reader.generation, numDocs: next.reader.numDocs })
    this.#changed()
    await previous?.release()
  }

  #fail(error: unknown): void {
    const code = codeOf(error)
    const detail = error instanceof Error ? error.message : String(error)
    if (this.#failure?.code === code && this.#failure.detail === detail) return
    this.#failure = { code, detail }
    if (!isAbsence(code) || this.#snapshot !== undefined) {
      this.#logger.log('error', 'index cannot be read', { code, detail })
    }
    this.#changed()
  }

  #changed(): void {
    this.#onChange?.(this.status())
  }
}

function codeOf(error: unknown): ErrorCode {
  return isSpindleError(error) ? error.code : 'SEARCH_FAILED'
}

/** '' where there is no such folder: opening it tells why. */
async function folderIdentity(path: string): Promise<string> {
  try {
    const { ino, birthtimeMs } = await stat(path)
    return `${ino} ${birthtimeMs}`
  } catch {
    return ''
  }
}

function isAbsence(code: ErrorCode): boolean {
  return code === 'INDEX_NOT_FOUND'
}
