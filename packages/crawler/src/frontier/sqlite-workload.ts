/**
 * The four queues in one SQLite file: for crawls of any size that survive the process.
 *
 * On disk an address is waiting, complete or error; *running* is kept in memory only, so after a crash nothing waits for a
 * dead process: what was running is waiting again. Memory does not grow with the addresses: see sqlite-hosts.ts for the next
 * ones, sqlite-reader.ts for finding one, sqlite-counters.ts for sizes, sqlite-open.ts for what is durable when.
 */
import { randomInt } from 'node:crypto'
import { breadthFirst } from './crawl-order.js'
import { KnownUrls } from './known-urls.js'
import { queryShapeKey } from './query-shape.js'
import type { SqliteDatabase } from './sqlite.js'
import { SqliteCounters } from './sqlite-counters.js'
import { type SqliteHost, SqliteHosts, type WaitingRow } from './sqlite-hosts.js'
import { openFrontier, translateSqliteError } from './sqlite-open.js'
import { SqliteReader } from './sqlite-reader.js'
import {
  prepareReading,
  prepareWriting,
  type ReadingStatements,
  STATE,
  WAITING,
  type WritingStatements,
} from './sqlite-schema.js'
import { SqliteTwins } from './sqlite-twins.js'
import { SqliteVanished } from './sqlite-vanished.js'
import type { ShownRunning } from './sqlite-view.js'
import { urlKey } from './url-key.js'
import {
  type Added,
  type Admission,
  type Alias,
  type ClaimedUrl,
  type CrawlOrder,
  type FinishedUrl,
  type FoundUrl,
  type HostTimes,
  hostOf,
  type ListFilter,
  MAX_SKIPPED,
  type NewUrl,
  type QueueCounts,
  type QueueName,
  type SkippedState,
  type SkippedUrl,
  type Tally,
  toAdded,
  type UrlState,
  type Vanished,
  type VanishedPage,
  type Workload,
} from './workload.js'

/** How often the running addresses are written down for readers, milliseconds. */
const SHOW_RUNNING_MS = 500
/** Rows numbered anew at a time. */
const RENUMBERED = 1000
const ORDER = 'order'

/** How to open a workload. */
export interface SqliteWorkloadOptions {
  /** Hash of an address, 0 … 2^53 − 1; for tests of collisions. */
  readonly keyOf?: (url: string) => number
}

/** See {@link Workload}. */
export class SqliteWorkload implements Workload {
  readonly #path: string
  readonly #db: SqliteDatabase
  readonly #sql: ReadingStatements & WritingStatements
  readonly #running = new Map<string, WaitingRow>()
  readonly #known = new KnownUrls()
  readonly #knownSkipped = new KnownUrls()
  readonly #hosts: SqliteHosts
  readonly #reader: SqliteReader
  readonly #vanished: SqliteVanished
  readonly #twins: SqliteTwins
  readonly #counters = new SqliteCounters()
  readonly #meta = new Map<string, string>()
  #order: CrawlOrder = breadthFirst
  #admission: Admission | undefined
  #sequence = 0
  #runningTimer: NodeJS.Timeout | undefined

  private constructor(path: string, db: SqliteDatabase, options: SqliteWorkloadOptions) {
    this.#path = path
    this.#db = db
    this.#sql = { ...prepareReading(db), ...prepareWriting(db) }
    this.#hosts = new SqliteHosts(this.#sql, this.#running, () => this.generation())
    for (const [name, value] of this.#sql.metas.all()) this.#meta.set(String(name), String(value))
    this.#load()
    const salt = this.#salt()
    const keyOf = options.keyOf ?? ((url: string) => urlKey(url, salt))
    this.#reader = new SqliteReader(this.#sql, keyOf, () => this.#running)
    this.#vanished = new SqliteVanished(this.#sql, this.#reader)
    this.#twins = new SqliteTwins(this.#sql, keyOf, () => this.pageCount())
    this.#showRunning()
  }

  /**
   * Opens or creates the database file. The caller holds the lock of the data folder.
   * @throws SpindleError `FRONTIER_CORRUPT`, `DATA_DIR_UNUSABLE`
   */
  static async open(path: string, options: SqliteWorkloadOptions = {}): Promise<SqliteWorkload> {
    const db = openFrontier(path)
    try {
      return new SqliteWorkload(path, db, options)
    } catch (error) {
      db.close()
      throw translateSqliteError(error, path)
    }
  }

  counts(): QueueCounts {
    const running = this.#running.size
    return {
      waiting: this.#counters.get('pending') - running,
      running,
      error: this.#counters.get('error'),
      complete: this.#counters.get('complete'),
    }
  }

  tally(): Tally {
    return this.#counters.tally()
  }

  generation(): number {
    return this.#counters.get('generation') + 1
  }

  pageCount(): number {
    return this.#counters.get('pages')
  }

  async useOrder(order: CrawlOrder): Promise<void> {
    const isOther = order.name !== (this.#meta.get(ORDER) ?? breadthFirst.name)
    if (isOther) {
      this.#transaction(() => {
        this.#renumberAll(order)
        this.#sql.setMeta.run(ORDER, order.name)
      })
      this.#meta.set(ORDER, order.name)
      for (const [url, row] of this.#running) this.#running.set(url, { ...row, priority: order.priority(row) })
      this.#known.clear()
      this.#hosts.resetAll()
    }
    this.#order = order
  }

  async useAdmission(admission: Admission): Promise<void> {
    for (const { name } of this.#hosts.all()) admission.addHost(name)
    this.#admission = admission
  }

  async prioritize(priorities: ReadonlyMap<string, number>): Promise<void> {
    this.#transaction(() => {
      for (const [url, priority] of priorities) {
        const { key, row } = this.#reader.locate(url)
        if (row !== undefined) this.#sql.setPlace.run(row.depth, priority, key)
      }
    })
    for (const [url, priority] of priorities) {
      const running = this.#running.get(url)
      if (running !== undefined) this.#running.set(url, { ...running, priority })
      this.#known.forget(url)
      const host = this.#hosts.get(hostOf(url))
      if (host !== undefined) this.#hosts.reset(host)
    }
  }

  async add(urls: readonly NewUrl[]): Promise<Added> {
    const found: FoundUrl[] = []
    this.#transaction(() => {
      for (const url of urls) this.#addUrl(url, undefined, found)
    })
    return toAdded(found)
  }

  async claim(host?: string, except?: ReadonlySet<string>): Promise<ClaimedUrl | undefined> {
    return this.#guard(() => {
      const from = host === undefined ? this.#hosts.first(except) : this.#hosts.get(host)
      const row = from === undefined ? undefined : this.#hosts.head(from)
      if (from === undefined || row === undefined) return undefined
      this.#hosts.take(from)
      this.#running.set(row.url, row)
      this.#runningTimer ??= setTimeout(() => this.#showRunning(), SHOW_RUNNING_MS).unref()
      return row
    })
  }

  async release(url: string): Promise<void> {
    const row = this.#runningRow(url)
    const host = this.#hosts.get(row.host)!
    this.#running.delete(url)
    host.running--
    this.#hosts.insert(host, row)
  }

  async finish(batch: readonly FinishedUrl[], meta: ReadonlyMap<string, string> = new Map()): Promise<Added> {
    const rows = batch.map(({ url }) => this.#runningRow(url))
    if (new Set(rows).size < rows.length) throw new Error('an address is finished twice in one batch')
    const found: FoundUrl[] = []
    this.#transaction(() => {
      for (const [i, finished] of batch.entries()) {
        this.#end(rows[i]!, finished)
        for (const link of finished.links) this.#addUrl(link, rows[i], found)
        for (const skipped of finished.skipped) this.#skip(skipped, rows[i]!.key)
      }
      for (const [name, value] of meta) this.#sql.setMeta.run(name, value)
    })
    for (const row of rows) {
      this.#running.delete(row.url)
      this.#hosts.get(row.host)!.running--
    }
    for (const [name, value] of meta) this.#meta.set(name, value)
    return toAdded(found)
  }

  async beginGeneration(endedBefore: number): Promise<number> {
    if (this.#running.size > 0) throw new Error('a generation begins when no address is running')
    let due = 0
    this.#transaction(() => {
      due = this.#sql.wait.run(endedBefore)
      this.#sql.countWaiting.run()
      this.#sql.clearEndings.run()
      const ended = { complete: 0, error: 0 }
      for (const [state, disposition, count] of this.#sql.endings.all()) {
        const queue = state === STATE.complete ? 'complete' : 'error'
        ended[queue] += Number(count)
        this.#sql.setCounter.run(`${queue}/${disposition}`, Number(count))
      }
      for (const [queue, count] of Object.entries(ended)) this.#sql.setCounter.run(queue, count)
      this.#sql.setCounter.run('pending', this.#counters.get('pending') + due)
      this.#sql.setCounter.run('generation', this.generation())
    })
    this.#load()
    return due
  }

  async waitingHosts(): Promise<string[]> {
    return this.#hosts.waiting()
  }

  async get(url: string): Promise<UrlState | undefined> {
    return this.#guard(() => this.#reader.get(url))
  }

  async findTwin(url: string, content: number): Promise<string | undefined> {
    return this.#guard(() => this.#twins.find(url, content))
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

  async aliases(limit: number, after?: string): Promise<Alias[]> {
    return this.#guard(() => {
      const last = after === undefined ? -1 : this.#reader.locate(after).key
      return this.#sql.aliases.all(last, limit).map(([url, target]) => ({ url: String(url), target: String(target) }))
    })
  }

  async vanished(): Promise<Vanished[]> {
    return this.#guard(() => this.#vanished.byHost())
  }

  async vanishedOf(host: string, limit: number): Promise<VanishedPage[]> {
    return this.#guard(() => this.#vanished.of(host, limit))
  }

  async dropPages(urls: readonly string[], meta: ReadonlyMap<string, string>): Promise<void> {
    this.#transaction(() => {
      this.#counters.add('pages', -this.#vanished.drop(urls))
      for (const [name, value] of meta) this.#sql.setMeta.run(name, value)
    })
    for (const [name, value] of meta) this.#meta.set(name, value)
  }

  async setHostTimes(host: string, { delayMs, pausedUntil }: HostTimes): Promise<void> {
    this.#transaction(() => {
      const { id } = this.#hosts.get(host) ?? this.#hosts.add(host)
      this.#sql.setHostTimes.run(Math.round(delayMs), Math.round(pausedUntil), id)
    })
  }

  async hostTimes(): Promise<ReadonlyMap<string, HostTimes>> {
    const times = new Map<string, HostTimes>()
    this.#guard(() => {
      for (const [name, delay, paused] of this.#sql.hostTimes.all()) {
        times.set(String(name), { delayMs: Number(delay), pausedUntil: Number(paused) })
      }
    })
    return times
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
    clearTimeout(this.#runningTimer)
    try {
      this.#running.clear()
      this.#showRunning()
      // The connection itself may live on until its statements are collected, and the log beside the file with it.
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } finally {
      this.#db.close()
    }
  }

  /** Reads everything that is kept in memory; also after a transaction that was rolled back. */
  #load(): void {
    this.#known.clear()
    this.#knownSkipped.clear()
    this.#counters.load(this.#sql.counters.all())
    this.#hosts.load()
    this.#sequence = this.#counters.get('sequence')
  }

  #salt(): number {
    const kept = this.#meta.get('salt')
    if (kept !== undefined) return Number(kept)
    const salt = randomInt(2 ** 32)
    this.#sql.setMeta.run('salt', String(salt))
    this.#meta.set('salt', String(salt))
    return salt
  }

  #runningRow(url: string): WaitingRow {
    const row = this.#running.get(url)
    if (row === undefined) throw new Error(`${url} is not running`)
    return row
  }

  /** Writes down what is running, for those who look on; the queues do not depend on it. */
  #showRunning(): void {
    this.#runningTimer = undefined
    try {
      const shown: ShownRunning = { pid: process.pid, keys: [...this.#running.values()].map(({ key }) => key) }
      this.#sql.setMeta.run('running', JSON.stringify(shown))
    } catch {
      // The next transaction tells.
    }
  }

  #end({ key, host, previous }: WaitingRow, finished: FinishedUrl): void {
    const { queue, disposition, status, finishedAt, misses = 0 } = finished
    const vanished = finished.isVanished === true ? 1 : 0
    const result = [STATE[queue], disposition, status, finishedAt, misses, vanished] as const
    if (finished.keepsPage === true) this.#sql.endWithPage.run(...result, key)
    else {
      const { page = null, content = null } = finished
      const variant = content === null ? null : this.#twins.add(finished.url)
      this.#sql.end.run(...result, page, content, variant, key)
      this.#counters.add('pages', (page === null ? 0 : 1) - (previous?.page === undefined ? 0 : 1))
    }
    if (finished.location !== undefined) this.#sql.setAlias.run(key, finished.location)
    else if (previous !== undefined) this.#sql.dropAlias.run(key)
    this.#hosts.addPending(this.#hosts.get(host)!, -1)
    this.#counters.add('pending', -1)
    this.#counters.add(queue, 1)
    this.#counters.add(`${queue}/${disposition}`, 1)
  }

  #addUrl(offered: NewUrl, from: WaitingRow | undefined, found: FoundUrl[]): void {
    const { url, depth, redirects } = offered
    const priority = offered.priority ?? this.#order.priority(offered)
    const isKnown = this.#known.has(url, depth, priority)
    if (isKnown && offered.lastModified === undefined) return
    const { key, row } = this.#reader.locate(url)
    this.#known.set(url, Math.min(depth, row?.depth ?? depth), Math.min(priority, row?.priority ?? priority))
    if (row !== undefined) {
      const isWaiting = row.state === WAITING && !this.#running.has(url)
      this.#setModified(key, offered, isWaiting ? this.#hosts.get(hostOf(url)) : undefined)
      if (!isWaiting || (depth >= row.depth && priority >= row.priority)) return
      this.#sql.setPlace.run(Math.min(depth, row.depth), Math.min(priority, row.priority), key)
      this.#hosts.reset(this.#hosts.get(hostOf(url))!)
      return
    }
    const name = hostOf(url)
    const knownHost = this.#hosts.get(name)
    const shape = queryShapeKey(url)
    const refused = this.#admission?.admit(url, {
      host: knownHost?.urls,
      shape: shape === undefined ? 0 : Number(this.#sql.shape.first(shape)?.[0] ?? 0),
    })
    if (refused !== undefined && from !== undefined) {
      this.#known.forget(url)
      this.#skip({ url, reason: refused }, from.key)
      return
    }
    if (this.#counters.get('skippedRows') > 0) this.#unskip(url)
    if (shape !== undefined) this.#sql.countShape.run(shape)
    if (knownHost === undefined) this.#admission?.addHost(name)
    const host = knownHost ?? this.#hosts.add(name)
    const sequence = ++this.#sequence
    this.#sql.insert.run(key, url, host.id, depth, sequence, redirects, priority, from?.key ?? null)
    this.#setModified(key, offered)
    this.#hosts.addUrl(host)
    this.#hosts.insert(host, { key, url, host: host.name, depth, sequence, redirects, priority, previous: undefined })
    this.#counters.add('pending', 1)
    found.push({ url, depth, referrer: from?.url })
  }

  /** @param host where the address waits there, whose rows in memory are older then */
  #setModified(key: number, { lastModified, isVouched }: NewUrl, host?: SqliteHost): void {
    if (lastModified === undefined) return
    this.#sql.setModified.run(lastModified, key, lastModified)
    if (isVouched !== true) return
    this.#sql.setVouched.run(this.generation(), key)
    if (host !== undefined) this.#hosts.reset(host)
  }

  #skip({ url, reason }: SkippedUrl, referrer: number): void {
    if (this.#known.has(url, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE) || this.#knownSkipped.has(url, 0, 0)) return
    this.#knownSkipped.set(url, 0, 0)
    if (this.#reader.locate(url).row !== undefined) return
    if (this.#counters.get('skippedRows') < MAX_SKIPPED) {
      if (this.#sql.skip.run(url, reason, referrer) === 0) return
      this.#counters.add('skippedRows', 1)
    } else if (this.#sql.skippedOf.first(url) !== undefined) return
    this.#counters.add(`skipped/${reason}`, 1)
  }

  #unskip(url: string): void {
    const row = this.#sql.skippedOf.first(url)
    if (row === undefined) return
    this.#sql.unskip.run(url)
    this.#counters.add('skippedRows', -1)
    this.#counters.add(`skipped/${row[1]}`, -1)
  }

  #renumberAll(order: CrawlOrder): void {
    for (let last = -1; ; ) {
      const rows = this.#sql.all.all(last, RENUMBERED)
      if (rows.length === 0) return
      for (const [key, address, depth, redirects] of rows) {
        const url = { url: String(address), depth: Number(depth), redirects: Number(redirects) }
        this.#sql.setPlace.run(url.depth, order.priority(url), Number(key))
      }
      last = Number(rows[rows.length - 1]![0])
    }
  }

  /** Runs changes as one transaction; on failure memory is set back to what is on disk. */
  #transaction(change: () => void): void {
    this.#guard(() => {
      this.#db.exec('BEGIN IMMEDIATE')
      try {
        change()
        this.#counters.add('sequence', this.#sequence - this.#counters.get('sequence'))
        this.#counters.write((name, value) => this.#sql.setCounter.run(name, value))
        this.#hosts.write()
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
      throw translateSqliteError(error, this.#path)
    }
  }
}
