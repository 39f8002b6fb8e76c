/**
 * The hosts of a SQLite frontier in memory: how many addresses wait and run, and the next waiting rows of each.
 *
 * A partial index over the waiting rows gives the next ones of a host in O(log n); a window of up to {@link MAX_WINDOW} rows makes
 * that one query for many claims. Windows of all hosts together hold at most {@link MAX_ROWS} rows, so memory grows with the hosts
 * (about 250 bytes each) and not with what waits.
 */
import { FirstOfHosts } from './first-of-hosts.js'
import type { SqlValue } from './sqlite.js'
import type { WritingStatements } from './sqlite-schema.js'
import { type ClaimedUrl, isBefore } from './workload.js'

/** Most rows of a host read at once. */
const MAX_WINDOW = 64
const MIN_WINDOW = 4
const MAX_ROWS = 16_384

/** A waiting or running row. */
export interface WaitingRow extends ClaimedUrl {
  readonly key: number
}

/** What is kept of a host. */
export interface SqliteHost {
  readonly id: number
  readonly name: string
  /** Rows that are waiting on disk: waiting or running. */
  pending: number
  /** All its rows. */
  urls: number
  running: number
  /** The first waiting rows in order, from `head` on; empty where they are to be read. */
  window: WaitingRow[]
  head: number
  /** Rows to read next time: twice as many after a window that was used up. */
  size: number
}

/** See the head of this file. */
export class SqliteHosts {
  readonly #sql: WritingStatements
  readonly #running: ReadonlyMap<string, WaitingRow>
  readonly #generation: () => number
  readonly #byName = new Map<string, SqliteHost>()
  readonly #changed = new Set<SqliteHost>()
  readonly #first = new FirstOfHosts<SqliteHost>((host) => this.head(host))
  #rows = 0

  /**
   * @param running the running rows as of now
   * @param generation the one of now
   */
  constructor(sql: WritingStatements, running: ReadonlyMap<string, WaitingRow>, generation: () => number) {
    this.#sql = sql
    this.#running = running
    this.#generation = generation
  }

  /** Reads the table; what was not written is given up. */
  load(): void {
    this.#byName.clear()
    this.#changed.clear()
    this.#first.clear()
    this.#rows = 0
    for (const [id, name, pending, urls] of this.#sql.hosts.all()) {
      this.#keep(Number(id), String(name), Number(pending), Number(urls))
    }
    for (const { host } of this.#running.values()) this.#byName.get(host)!.running++
  }

  get(name: string): SqliteHost | undefined {
    return this.#byName.get(name)
  }

  /** A new host gets a row. */
  add(name: string): SqliteHost {
    const id = this.#byName.size + 1
    this.#sql.addHost.run(id, name)
    return this.#keep(id, name, 0, 0)
  }

  all(): Iterable<SqliteHost> {
    return this.#byName.values()
  }

  /** Names of those with waiting addresses. */
  waiting(): string[] {
    const names = []
    for (const host of this.#byName.values()) if (host.pending > host.running) names.push(host.name)
    return names
  }

  /** The first waiting row of a host that is not running. */
  head(host: SqliteHost): WaitingRow | undefined {
    if (host.pending <= host.running) return undefined
    if (host.head >= host.window.length) this.#fill(host)
    return host.window[host.head]
  }

  /** Takes the row that {@link head} gave. */
  take(host: SqliteHost): void {
    host.head++
    host.running++
    this.#first.changed(host)
  }

  /** The host whose first row comes before those of the others. */
  first(except: ReadonlySet<string> | undefined): SqliteHost | undefined {
    return this.#first.first(({ name }) => except?.has(name) === true)
  }

  /** A row waits now: it takes its place in the window where that reaches as far. */
  insert(host: SqliteHost, row: WaitingRow): void {
    this.#first.changed(host)
    const { window } = host
    const last = window[window.length - 1]
    if (host.head >= window.length || last === undefined || isBefore(last, row)) return
    let at = window.length
    while (at > host.head && isBefore(row, window[at - 1]!)) at--
    // A copy: a string cut from a page would keep the whole page in memory.
    window.splice(at, 0, { ...row, url: Buffer.from(row.url, 'utf8').toString('utf8') })
    this.#rows++
    if (window.length - host.head <= 2 * MAX_WINDOW) return
    this.#rows -= MAX_WINDOW
    window.length -= MAX_WINDOW
  }

  /** Rows of a host have other places now: they are read anew. */
  reset(host: SqliteHost): void {
    this.#drop(host)
    this.#first.changed(host)
  }

  resetAll(): void {
    for (const host of this.#byName.values()) this.reset(host)
  }

  /** The number of rows that are waiting on disk changes. */
  addPending(host: SqliteHost, by: number): void {
    host.pending += by
    this.#changed.add(host)
  }

  /** A host has a new row, which waits. */
  addUrl(host: SqliteHost): void {
    host.urls++
    this.addPending(host, 1)
  }

  /** Writes the numbers that have changed. */
  write(): void {
    for (const { pending, urls, id } of this.#changed) this.#sql.setHost.run(pending, urls, id)
    this.#changed.clear()
  }

  #fill(host: SqliteHost): void {
    if (host.window.length > 0) host.size = Math.min(MAX_WINDOW, 2 * host.size)
    this.#drop(host)
    if (this.#rows + host.size > MAX_ROWS) for (const other of this.#byName.values()) this.#drop(other)
    for (const row of this.#sql.waiting.all(host.id, host.size + host.running)) {
      if (!this.#running.has(String(row[1]))) host.window.push(toWaiting(row, host.name, this.#generation()))
    }
    this.#rows += host.window.length
  }

  #drop(host: SqliteHost): void {
    this.#rows -= host.window.length
    host.window = []
    host.head = 0
  }

  #keep(id: number, name: string, pending: number, urls: number): SqliteHost {
    const host = { id, name, pending, urls, running: 0, window: [], head: 0, size: MIN_WINDOW }
    this.#byName.set(name, host)
    this.#first.changed(host)
    return host
  }
}

function toWaiting(row: SqlValue[], host: string, generation: number): WaitingRow {
  const [key, url, depth, sequence, redirects, priority, page, finished, misses, modified, vouched] = row
  const previous = {
    page: page === null ? undefined : Number(page),
    misses: Number(misses),
    vouched: vouched === generation ? Number(modified) : undefined,
  }
  return {
    key: Number(key),
    url: String(url),
    host,
    depth: Number(depth),
    sequence: Number(sequence),
    redirects: Number(redirects),
    priority: Number(priority),
    previous: finished === null ? undefined : previous,
  }
}
