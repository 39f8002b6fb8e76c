/** The queues of a SQLite frontier to look at from another process, while the crawl runs or after it. Changes nothing. */
import type { SqliteDatabase } from './sqlite.js'
import { SqliteCounters } from './sqlite-counters.js'
import { openFrontierToRead, translateSqliteError } from './sqlite-open.js'
import { SqliteReader } from './sqlite-reader.js'
import { prepareReading, type ReadingStatements } from './sqlite-schema.js'
import { urlKey } from './url-key.js'
import type { FrontierView, ListFilter, QueueCounts, QueueName, SkippedState, Tally, UrlState } from './workload.js'

/** See the head of this file. Each call sees the queues as of the last transaction of the crawl. */
export class SqliteView implements FrontierView {
  readonly #path: string
  readonly #db: SqliteDatabase
  readonly #sql: ReadingStatements
  readonly #reader: SqliteReader

  private constructor(path: string, db: SqliteDatabase) {
    this.#path = path
    this.#db = db
    this.#sql = prepareReading(db)
    const salt = Number(this.meta('salt') ?? 0)
    this.#reader = new SqliteReader(
      this.#sql,
      (url) => urlKey(url, salt),
      () => this.#running(),
    )
  }

  /** @throws SpindleError `FRONTIER_CORRUPT`, `DATA_DIR_UNUSABLE` */
  static async open(path: string): Promise<SqliteView> {
    const db = openFrontierToRead(path)
    try {
      return new SqliteView(path, db)
    } catch (error) {
      db.close()
      throw translateSqliteError(error, path)
    }
  }

  counts(): QueueCounts {
    const counters = this.#counters()
    const running = this.#running().size
    return {
      waiting: counters.get('pending') - running,
      running,
      error: counters.get('error'),
      complete: counters.get('complete'),
    }
  }

  tally(): Tally {
    return this.#counters().tally()
  }

  generation(): number {
    return this.#counters().get('generation') + 1
  }

  pageCount(): number {
    return this.#counters().get('pages')
  }

  async get(url: string): Promise<UrlState | undefined> {
    return this.#guard(() => this.#reader.get(url))
  }

  async getSkipped(url: string): Promise<SkippedState | undefined> {
    return this.#guard(() => this.#reader.getSkipped(url))
  }

  async list(queue: QueueName, limit: number, after?: string, filter: ListFilter = {}): Promise<UrlState[]> {
    return this.#guard(() => this.#reader.list(queue, limit, after, filter))
  }

  async listSkipped(limit: number, after = '', filter: ListFilter = {}): Promise<SkippedState[]> {
    return this.#guard(() => this.#reader.listSkipped(limit, after, filter))
  }

  meta(name: string): string | undefined {
    return this.#guard(() => this.#sql.metas.all())
      .find(([key]) => key === name)?.[1]
      ?.toString()
  }

  async close(): Promise<void> {
    this.#db.close()
  }

  #counters(): SqliteCounters {
    const counters = new SqliteCounters()
    counters.load(this.#guard(() => this.#sql.counters.all()))
    return counters
  }

  /** What the crawl said last that it fetches; nothing where its process has ended. */
  #running(): ReadonlyMap<string, { readonly key: number }> {
    return this.#guard(() => {
      const { pid, keys } = JSON.parse(String(this.#sql.running.first()?.[0] ?? '{"pid":0,"keys":[]}')) as ShownRunning
      const running = new Map<string, { readonly key: number }>()
      if (!isAlive(pid)) return running
      for (const key of keys) {
        const row = this.#sql.find.first(key)
        // It may have ended since.
        if (row !== undefined && row[1] === 0) running.set(String(row[0]), { key })
      }
      return running
    })
  }

  #guard<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      throw translateSqliteError(error, this.#path)
    }
  }
}

/** The running addresses as the process that fetches them writes them down. */
export interface ShownRunning {
  readonly pid: number
  readonly keys: readonly number[]
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
