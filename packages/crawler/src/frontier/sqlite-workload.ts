/**
 * The four queues in one SQLite file: for crawls of any size that survive the process.
 *
 * A row is found by a hash of its address (see url-key.ts) and checked by the address itself. On disk an address is
 * waiting, complete or error; *running* is kept in memory only, so after a crash nothing waits for a dead process: what was
 * running is waiting again. One partial index over the waiting rows gives the next one of a host in O(log n), and a
 * window of {@link WINDOW} rows a host makes that one query for many claims. Counters are kept, never recounted.
 */
import { randomInt } from 'node:crypto'
import { SpindleError } from '@spindle/core'
import { directoryOf } from './directory-twins.js'
import { KnownUrls } from './known-urls.js'
import { openSqlite, type SqliteDatabase, type SqlValue, sqliteErrorCode } from './sqlite.js'
import { prepareStatements, SCHEMA, SCHEMA_VERSION, type Statements } from './sqlite-schema.js'
import { nextKey, urlKey } from './url-key.js'
import {
  type Added,
  type ClaimedUrl,
  type FinishedUrl,
  hostOf,
  isBefore,
  MAX_SKIPPED,
  type NewUrl,
  type QueueCounts,
  type QueueName,
  type SkippedState,
  type SkippedUrl,
  type Tally,
  type UrlState,
  type Workload,
} from './workload.js'

/** Waiting rows of a host read at once. */
const WINDOW = 64
const WAITING = 0
const STATE = { complete: 1, error: 2 } as const

/** What is kept in memory of a host. */
interface Host {
  readonly id: number
  readonly name: string
  /** Rows that are waiting on disk: waiting or running. */
  pending: number
  running: number
  /** The next waiting rows in order; reset whenever an earlier one appears. */
  window: Waiting[]
  head: number
  changed: boolean
}

interface Waiting extends ClaimedUrl {
  readonly key: number
}

/** How to open a workload. */
export interface SqliteWorkloadOptions {
  /** Hash of an address, 0 … 2^53 − 1; for tests of collisions. */
  readonly keyOf?: (url: string) => number
}

/** See {@link Workload}. */
export class SqliteWorkload implements Workload {
  readonly #path: string
  readonly #db: SqliteDatabase
  readonly #sql: Statements
  readonly #keyOf: (url: string) => number
  readonly #running = new Map<string, Waiting>()
  readonly #known = new KnownUrls()
  readonly #knownSkipped = new KnownUrls()
  readonly #hosts = new Map<string, Host>()
  readonly #hostNames = new Map<number, Host>()
  readonly #meta = new Map<string, string>()
  readonly #counters = new Map<string, number>()
  readonly #changedCounters = new Set<string>()
  #skippedRows = 0
  #sequence = 0

  private constructor(path: string, db: SqliteDatabase, options: SqliteWorkloadOptions) {
    this.#path = path
    this.#db = db
    this.#sql = prepareStatements(db)
    this.#load()
    const salt = this.#salt()
    this.#keyOf = options.keyOf ?? ((url) => urlKey(url, salt))
  }

  /**
   * Opens or creates the database file. The caller holds the lock of the data folder.
   * @throws SpindleError `FRONTIER_CORRUPT`, `DATA_DIR_UNUSABLE`
   */
  static async open(path: string, options: SqliteWorkloadOptions = {}): Promise<SqliteWorkload> {
    let db: SqliteDatabase
    try {
      db = openSqlite(path)
    } catch (cause) {
      throw new SpindleError(
        'DATA_DIR_UNUSABLE',
        `Cannot open the crawl frontier ${path} (${(cause as Error).message}): check the folder and its rights.`,
        { cause },
      )
    }
    try {
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 20000')
      const version = db.prepare('PRAGMA user_version').first()?.[0]
      if (version === 0) db.exec(`BEGIN; ${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
      else if (version !== SCHEMA_VERSION) {
        throw new SpindleError(
          'FRONTIER_CORRUPT',
          `The crawl frontier ${path} has version ${version}, and this program reads version ${SCHEMA_VERSION}: use the program that wrote it, or start over with --fresh.`,
        )
      }
      return new SqliteWorkload(path, db, options)
    } catch (error) {
      db.close()
      throw translate(error, path)
    }
  }

  counts(): QueueCounts {
    const running = this.#running.size
    return {
      waiting: this.#counter('pending') - running,
      running,
      error: this.#counter('error'),
      complete: this.#counter('complete'),
    }
  }

  tally(): Tally {
    const tally = { complete: new Map<string, number>(), error: new Map<string, number>(), skipped: new Map() }
    for (const [name, value] of this.#counters) {
      const slash = name.indexOf('/')
      if (slash > 0 && value !== 0) tally[name.slice(0, slash) as keyof Tally].set(name.slice(slash + 1), value)
    }
    return tally
  }

  async add(urls: readonly NewUrl[]): Promise<Added> {
    const result = { added: 0, hosts: new Set<string>() }
    this.#transaction(() => {
      for (const url of urls) this.#addUrl(url, null, result)
    })
    return result
  }

  async claim(host?: string, except?: ReadonlySet<string>): Promise<ClaimedUrl | undefined> {
    return this.#guard(() => {
      const from = host === undefined ? this.#firstHost(except) : this.#hosts.get(host)
      if (from === undefined) return undefined
      const row = this.#head(from)
      if (row === undefined) return undefined
      from.head++
      from.running++
      this.#running.set(row.url, row)
      return row
    })
  }

  async release(url: string): Promise<void> {
    const host = this.#hosts.get(this.#runningRow(url).host)!
    this.#running.delete(url)
    host.running--
    resetWindow(host)
  }

  async finish(batch: readonly FinishedUrl[], meta: ReadonlyMap<string, string> = new Map()): Promise<Added> {
    const rows = batch.map(({ url }) => this.#runningRow(url))
    if (new Set(rows).size < rows.length) throw new Error('an address is finished twice in one batch')
    const result = { added: 0, hosts: new Set<string>() }
    this.#transaction(() => {
      for (const [i, finished] of batch.entries()) {
        const { key, host } = rows[i]!
        const { queue, disposition, status, page, finishedAt, content = null } = finished
        const directory = content === null ? undefined : directoryOf(finished.url)
        const twins = directory === undefined ? null : this.#keyOf(directory)
        this.#sql.end.run(STATE[queue], disposition, status, page ?? null, finishedAt, content, twins, key)
        const from = this.#hosts.get(host)!
        from.pending--
        from.changed = true
        this.#count('pending', -1)
        this.#count(queue, 1)
        this.#count(`${queue}/${disposition}`, 1)
        for (const link of finished.links) this.#addUrl(link, key, result)
        for (const skipped of finished.skipped) this.#skip(skipped, key)
      }
      for (const [name, value] of meta) this.#sql.setMeta.run(name, value)
    })
    for (const row of rows) {
      this.#running.delete(row.url)
      this.#hosts.get(row.host)!.running--
    }
    for (const [name, value] of meta) this.#meta.set(name, value)
    return result
  }

  async waitingHosts(): Promise<string[]> {
    const names = []
    for (const host of this.#hosts.values()) if (host.pending > host.running) names.push(host.name)
    return names
  }

  async get(url: string): Promise<UrlState | undefined> {
    return this.#guard(() => {
      const { key, depth } = this.#locate(url)
      return depth === undefined ? undefined : this.#toState(this.#sql.read.first(key)!)
    })
  }

  async findTwin(url: string, content: number): Promise<string | undefined> {
    return this.#guard(() => {
      const directory = directoryOf(url)
      if (directory === undefined) return undefined
      for (const [twin] of this.#sql.twins.all(this.#keyOf(directory), content)) {
        // Keys may collide.
        if (twin !== url && directoryOf(String(twin)) === directory) return String(twin)
      }
      return undefined
    })
  }

  async getSkipped(url: string): Promise<SkippedState | undefined> {
    return this.#guard(() => {
      const row = this.#sql.skippedOf.first(url)
      return row === undefined ? undefined : toSkipped(row)
    })
  }

  async list(queue: QueueName, limit: number, after?: string): Promise<UrlState[]> {
    return this.#guard(() => {
      if (queue === 'running') {
        const urls = [...this.#running.values()]
        const start = after === undefined ? 0 : urls.findIndex(({ url }) => url === after) + 1
        return urls.slice(start, start + limit).map(({ key }) => this.#toState(this.#sql.read.first(key)!))
      }
      const last = after === undefined ? undefined : this.#locate(after)
      if (queue !== 'waiting') {
        const rows = this.#sql.listEnded.all(last?.key ?? -1, STATE[queue], limit)
        return rows.map((row) => this.#toState(row))
      }
      const from = last === undefined ? undefined : this.#sql.read.first(last.key)
      const rows = this.#sql.listWaiting.all(from?.[2] ?? -1, from?.[3] ?? -1, limit + this.#running.size)
      return rows
        .map((row) => this.#toState(row))
        .filter((state) => state.queue === 'waiting')
        .slice(0, limit)
    })
  }

  async listSkipped(limit: number, after = ''): Promise<SkippedState[]> {
    return this.#guard(() => this.#sql.listSkipped.all(after, limit).map(toSkipped))
  }

  meta(name: string): string | undefined {
    return this.#meta.get(name)
  }

  async setMeta(name: string, value: string): Promise<void> {
    this.#guard(() => void this.#sql.setMeta.run(name, value))
    this.#meta.set(name, value)
  }

  async sync(): Promise<void> {
    this.#guard(() => void this.#sql.checkpoint.all())
  }

  async close(): Promise<void> {
    try {
      // The connection itself may live on until its statements are collected, and the log beside the file with it.
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      this.#db.close()
    }
  }

  /** Reads everything that is kept in memory; also after a transaction that was rolled back. */
  #load(): void {
    this.#hosts.clear()
    this.#hostNames.clear()
    this.#counters.clear()
    this.#changedCounters.clear()
    this.#known.clear()
    this.#knownSkipped.clear()
    for (const [name, value] of this.#sql.counters.all()) this.#counters.set(String(name), Number(value))
    for (const [name, value] of this.#sql.metas.all()) this.#meta.set(String(name), String(value))
    for (const [id, name, pending] of this.#sql.hosts.all()) {
      this.#keepHost(newHost(Number(id), String(name), Number(pending)))
    }
    for (const { host } of this.#running.values()) this.#hosts.get(host)!.running++
    this.#sequence = this.#counter('sequence')
    this.#skippedRows = this.#counter('skippedRows')
  }

  #salt(): number {
    const kept = this.#meta.get('salt')
    if (kept !== undefined) return Number(kept)
    const salt = randomInt(2 ** 32)
    this.#sql.setMeta.run('salt', String(salt))
    this.#meta.set('salt', String(salt))
    return salt
  }

  #keepHost(host: Host): Host {
    this.#hosts.set(host.name, host)
    this.#hostNames.set(host.id, host)
    return host
  }

  #counter(name: string): number {
    return this.#counters.get(name) ?? 0
  }

  #count(name: string, by: number): void {
    this.#counters.set(name, this.#counter(name) + by)
    this.#changedCounters.add(name)
  }

  #runningRow(url: string): Waiting {
    const row = this.#running.get(url)
    if (row === undefined) throw new Error(`${url} is not running`)
    return row
  }

  /** The key of an address, and its state and depth where it is in the table; else the first free key. */
  #locate(url: string): { key: number; state?: number; depth?: number } {
    for (let key = this.#keyOf(url); ; key = nextKey(key)) {
      const row = this.#sql.find.first(key)
      if (row === undefined) return { key }
      if (row[0] === url) return { key, state: Number(row[1]), depth: Number(row[2]) }
    }
  }

  #addUrl({ url, depth, redirects }: NewUrl, referrer: number | null, result: { added: number; hosts: Set<string> }) {
    if (this.#known.has(url, depth)) return
    const found = this.#locate(url)
    this.#known.set(url, depth)
    if (found.depth !== undefined) {
      if (found.state === WAITING && depth < found.depth && !this.#running.has(url)) {
        this.#sql.setDepth.run(depth, found.key)
        resetWindow(this.#hosts.get(hostOf(url))!)
      }
      return
    }
    if (this.#skippedRows > 0) this.#unskip(url)
    const host = this.#hostOf(url)
    const sequence = ++this.#sequence
    this.#sql.insert.run(found.key, url, host.id, depth, sequence, redirects, referrer)
    host.pending++
    host.changed = true
    this.#count('pending', 1)
    const last = host.window[host.window.length - 1]
    if (last !== undefined && depth < last.depth) resetWindow(host)
    result.added++
    result.hosts.add(host.name)
  }

  #hostOf(url: string): Host {
    const name = hostOf(url)
    const known = this.#hosts.get(name)
    if (known !== undefined) return known
    const id = this.#hosts.size + 1
    this.#sql.addHost.run(id, name)
    return this.#keepHost(newHost(id, name, 0))
  }

  #skip({ url, reason }: SkippedUrl, referrer: number): void {
    if (this.#known.has(url, Number.MAX_SAFE_INTEGER) || this.#knownSkipped.has(url, 0)) return
    this.#knownSkipped.set(url, 0)
    if (this.#locate(url).depth !== undefined) return
    if (this.#skippedRows < MAX_SKIPPED) {
      if (this.#sql.skip.run(url, reason, referrer) === 0) return
      this.#skippedRows++
      this.#count('skippedRows', 1)
    } else if (this.#sql.skippedOf.first(url) !== undefined) return
    this.#count(`skipped/${reason}`, 1)
  }

  #unskip(url: string): void {
    const row = this.#sql.skippedOf.first(url)
    if (row === undefined) return
    this.#sql.unskip.run(url)
    this.#skippedRows--
    this.#count('skippedRows', -1)
    this.#count(`skipped/${row[1]}`, -1)
  }

  /** First waiting row of a host that is not running. */
  #head(host: Host): Waiting | undefined {
    if (host.pending <= host.running) return undefined
    if (host.head >= host.window.length) {
      const rows = this.#sql.waiting.all(host.id, WINDOW + host.running)
      host.window = []
      host.head = 0
      for (const [key, url, depth, sequence, redirects] of rows) {
        if (this.#running.has(String(url))) continue
        host.window.push({
          key: Number(key),
          url: String(url),
          host: host.name,
          depth: Number(depth),
          sequence: Number(sequence),
          redirects: Number(redirects),
        })
      }
    }
    return host.window[host.head]
  }

  #firstHost(except?: ReadonlySet<string>): Host | undefined {
    let best: Host | undefined
    for (const host of this.#hosts.values()) {
      if (except?.has(host.name)) continue
      const row = this.#head(host)
      if (row !== undefined && (best === undefined || isBefore(row, this.#head(best)!))) best = host
    }
    return best
  }

  /** Runs changes as one transaction; on failure memory is set back to what is on disk. */
  #transaction(change: () => void): void {
    this.#guard(() => {
      this.#db.exec('BEGIN IMMEDIATE')
      try {
        change()
        this.#count('sequence', this.#sequence - this.#counter('sequence'))
        for (const name of this.#changedCounters) this.#sql.setCounter.run(name, this.#counter(name))
        this.#changedCounters.clear()
        for (const host of this.#hosts.values()) {
          if (!host.changed) continue
          this.#sql.setHost.run(host.pending, host.id)
          host.changed = false
        }
        this.#db.exec('COMMIT')
      } catch (error) {
        try {
          this.#db.exec('ROLLBACK')
        } catch {
          // SQLite has rolled back by itself (disk full, I/O error).
        }
        this.#load()
        throw error
      }
    })
  }

  #guard<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      throw translate(error, this.#path)
    }
  }

  #toState(row: SqlValue[]): UrlState {
    const [url, state, depth, sequence, redirects, disposition, status, page, finishedAt, host, referrer] = row
    const address = String(url)
    const waiting = this.#running.has(address) ? 'running' : 'waiting'
    return {
      url: address,
      queue: state === STATE.complete ? 'complete' : state === STATE.error ? 'error' : waiting,
      host: this.#hostNames.get(Number(host))!.name,
      depth: Number(depth),
      sequence: Number(sequence),
      redirects: Number(redirects),
      referrer: referrer === null ? undefined : String(referrer),
      disposition: disposition === null ? undefined : String(disposition),
      status: Number(status),
      page: page === null ? undefined : Number(page),
      finishedAt: finishedAt === null ? undefined : Number(finishedAt),
    }
  }
}

function newHost(id: number, name: string, pending: number): Host {
  return { id, name, pending, running: 0, window: [], head: 0, changed: false }
}

function resetWindow(host: Host): void {
  host.window = []
  host.head = 0
}

function toSkipped([url, reason, referrer]: SqlValue[]): SkippedState {
  return { url: String(url), reason: String(reason), referrer: referrer == null ? undefined : String(referrer) }
}

function translate(error: unknown, path: string): unknown {
  const code = sqliteErrorCode(error)
  if (code === undefined) return error
  const message = (error as Error).message
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_ERROR') {
    return new SpindleError(
      'FRONTIER_CORRUPT',
      `The crawl frontier ${path} cannot be read (${message}): restore it, or start over with --fresh.`,
      { cause: error },
    )
  }
  return new SpindleError(
    code === 'SQLITE_FULL' ? 'DISK_FULL' : 'DATA_DIR_UNUSABLE',
    `The crawl frontier ${path} cannot be written (${message}): make room or correct its rights, then start again.`,
    { cause: error },
  )
}
