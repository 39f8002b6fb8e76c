/**
 * Reads the rows of the frontier's database: for the process that writes it, and for one that looks on ({@link SqliteView}).
 *
 * A row is found by a hash of its address (see url-key.ts) and checked by the address itself.
 */
import type { SqlValue } from './sqlite.js'
import { type ReadingStatements, STATE } from './sqlite-schema.js'
import { nextKey } from './url-key.js'
import type { ListFilter, QueueName, SkippedState, UrlState } from './workload.js'

/** Place and state of an address in the table. */
export interface Located {
  /** Its key, or the first free one where it is not in the table. */
  readonly key: number
  readonly row: { readonly state: number; readonly depth: number; readonly priority: number } | undefined
}

/** See the head of this file. */
export class SqliteReader {
  readonly #sql: ReadingStatements
  readonly #keyOf: (url: string) => number
  readonly #running: () => ReadonlyMap<string, { readonly key: number }>

  /** @param running the running addresses as of now, in a fixed order */
  constructor(
    sql: ReadingStatements,
    keyOf: (url: string) => number,
    running: () => ReadonlyMap<string, { readonly key: number }>,
  ) {
    this.#sql = sql
    this.#keyOf = keyOf
    this.#running = running
  }

  locate(url: string): Located {
    for (let key = this.#keyOf(url); ; key = nextKey(key)) {
      const row = this.#sql.find.first(key)
      if (row === undefined) return { key, row }
      if (row[0] === url) {
        return { key, row: { state: Number(row[1]), depth: Number(row[2]), priority: Number(row[3]) } }
      }
    }
  }

  get(url: string): UrlState | undefined {
    const { key, row } = this.locate(url)
    return row === undefined ? undefined : this.#read(key, this.#running())
  }

  getSkipped(url: string): SkippedState | undefined {
    const row = this.#sql.skippedOf.first(url)
    return row === undefined ? undefined : toSkipped(row)
  }

  list(queue: QueueName, limit: number, after: string | undefined, { host, reason }: ListFilter): UrlState[] {
    const running = this.#running()
    if (queue === 'running') {
      const urls = [...running.keys()]
      return urls
        .slice(after === undefined ? 0 : urls.indexOf(after) + 1)
        .map((url) => this.#read(running.get(url)!.key, running))
        .filter((state) => (host ?? state.host) === state.host && (reason ?? state.disposition) === state.disposition)
        .slice(0, limit)
    }
    const last = after === undefined ? undefined : this.locate(after)
    const matches = [host ?? null, reason ?? null] as const
    if (queue !== 'waiting') {
      const rows = this.#sql.listEnded.all(...matches, last?.key ?? -1, STATE[queue], limit)
      return rows.map((row) => toState(row, running))
    }
    const from = last === undefined ? undefined : this.#read(last.key, running)
    const { priority = -Number.MAX_VALUE, sequence = 0 } = from ?? {}
    return this.#sql.listWaiting[host === undefined ? 0 : 1]![reason === undefined ? 0 : 1]!.all(
      ...matches,
      priority,
      sequence,
      limit + running.size,
    )
      .map((row) => toState(row, running))
      .filter((state) => state.queue === 'waiting')
      .slice(0, limit)
  }

  listSkipped(limit: number, after: string, { host, reason }: ListFilter): SkippedState[] {
    return this.#sql.listSkipped.all(host ?? null, reason ?? null, after, limit).map(toSkipped)
  }

  #read(key: number, running: ReadonlyMap<string, unknown>): UrlState {
    return toState(this.#sql.read.first(key)!, running)
  }
}

function toState(row: SqlValue[], running: ReadonlyMap<string, unknown>): UrlState {
  const [
    url,
    state,
    depth,
    sequence,
    redirects,
    priority,
    disposition,
    status,
    page,
    finished,
    misses,
    host,
    referrer,
    modified,
  ] = row
  const address = String(url)
  const waiting = running.has(address) ? 'running' : 'waiting'
  return {
    url: address,
    queue: state === STATE.complete ? 'complete' : state === STATE.error ? 'error' : waiting,
    host: String(host),
    depth: Number(depth),
    sequence: Number(sequence),
    redirects: Number(redirects),
    priority: Number(priority),
    referrer: referrer === null ? undefined : String(referrer),
    disposition: disposition === null ? undefined : String(disposition),
    status: Number(status),
    page: page === null ? undefined : Number(page),
    finishedAt: finished === null ? undefined : Number(finished),
    misses: Number(misses),
    lastModified: modified === null ? undefined : Number(modified),
  }
}

function toSkipped([url, reason, referrer]: SqlValue[]): SkippedState {
  return { url: String(url), reason: String(reason), referrer: referrer == null ? undefined : String(referrer) }
}
