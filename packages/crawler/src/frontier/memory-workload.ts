/** The four queues in memory: for tests and small crawls that need not survive the process. About 400 bytes an address. */
import { PriorityQueue } from '@spindle/core'
import { directoryOf } from './directory-twins.js'
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

type Entry = { -readonly [K in keyof UrlState]: UrlState[K] }

/** Place of an entry in a host's queue; stale once the entry has another depth or queue. */
interface Place {
  readonly depth: number
  readonly sequence: number
  readonly entry: Entry
}

/** See {@link Workload}. */
export class MemoryWorkload implements Workload {
  readonly #entries = new Map<string, Entry>()
  readonly #waiting = new Map<string, PriorityQueue<Place>>()
  readonly #skipped = new Map<string, SkippedState>()
  readonly #meta = new Map<string, string>()
  readonly #twins = new Map<string, string>()
  readonly #counts: Record<QueueName, number> = { waiting: 0, running: 0, error: 0, complete: 0 }
  readonly #tally = {
    complete: new Map<string, number>(),
    error: new Map<string, number>(),
    skipped: new Map<string, number>(),
  }
  #sequence = 0

  counts(): QueueCounts {
    return { ...this.#counts }
  }

  tally(): Tally {
    const { complete, error, skipped } = this.#tally
    return { complete: new Map(complete), error: new Map(error), skipped: new Map(skipped) }
  }

  async add(urls: readonly NewUrl[]): Promise<Added> {
    return this.#addAll(urls, undefined, new Set())
  }

  async claim(host?: string, except?: ReadonlySet<string>): Promise<ClaimedUrl | undefined> {
    const entry = host === undefined ? this.#firstOfAll(except) : this.#first(host)
    if (entry === undefined) return undefined
    this.#waiting.get(entry.host)!.pop()
    this.#move(entry, 'running')
    return toClaimed(entry)
  }

  async release(url: string): Promise<void> {
    const entry = this.#running(url)
    this.#move(entry, 'waiting')
    this.#enqueue(entry)
  }

  async finish(batch: readonly FinishedUrl[], meta: ReadonlyMap<string, string> = new Map()): Promise<Added> {
    const seen = new Set<string>()
    for (const { url } of batch) {
      this.#running(url)
      if (seen.has(url)) throw new Error(`${url} is finished twice in one batch`)
      seen.add(url)
    }
    const hosts = new Set<string>()
    let added = 0
    for (const finished of batch) {
      const entry = this.#running(finished.url)
      this.#move(entry, finished.queue)
      entry.disposition = finished.disposition
      entry.status = finished.status
      entry.page = finished.page
      entry.finishedAt = finished.finishedAt
      const twin = twinKey(finished.url, finished.content)
      if (twin !== undefined && !this.#twins.has(twin)) this.#twins.set(twin, finished.url)
      count(this.#tally[finished.queue], finished.disposition, 1)
      added += this.#addAll(finished.links, finished.url, hosts).added
      for (const skipped of finished.skipped) this.#skip(skipped, finished.url)
    }
    for (const [name, value] of meta) this.#meta.set(name, value)
    return { added, hosts }
  }

  async waitingHosts(): Promise<string[]> {
    return [...this.#waiting.keys()].filter((host) => this.#first(host) !== undefined)
  }

  async get(url: string): Promise<UrlState | undefined> {
    const entry = this.#entries.get(url)
    return entry === undefined ? undefined : { ...entry }
  }

  async findTwin(url: string, content: number): Promise<string | undefined> {
    const twin = this.#twins.get(twinKey(url, content) ?? '')
    return twin === url ? undefined : twin
  }

  async getSkipped(url: string): Promise<SkippedState | undefined> {
    return this.#skipped.get(url)
  }

  async list(queue: QueueName, limit: number, after?: string): Promise<UrlState[]> {
    const entries = [...this.#entries.values()].filter((entry) => entry.queue === queue)
    if (queue === 'waiting') entries.sort((a, b) => (isBefore(a, b) ? -1 : 1))
    const start = after === undefined ? 0 : entries.findIndex((entry) => entry.url === after) + 1
    return entries.slice(start, start + limit).map((entry) => ({ ...entry }))
  }

  async listSkipped(limit: number, after = ''): Promise<SkippedState[]> {
    return [...this.#skipped.values()]
      .filter(({ url }) => url > after)
      .sort((a, b) => (a.url < b.url ? -1 : 1))
      .slice(0, limit)
  }

  meta(name: string): string | undefined {
    return this.#meta.get(name)
  }

  async setMeta(name: string, value: string): Promise<void> {
    this.#meta.set(name, value)
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {}

  #addAll(urls: readonly NewUrl[], referrer: string | undefined, hosts: Set<string>): Added {
    let added = 0
    for (const { url, depth, redirects } of urls) {
      const known = this.#entries.get(url)
      if (known !== undefined) {
        if (known.queue === 'waiting' && depth < known.depth) {
          known.depth = depth
          this.#enqueue(known)
        }
        continue
      }
      const skipped = this.#skipped.get(url)
      if (skipped !== undefined) {
        this.#skipped.delete(url)
        count(this.#tally.skipped, skipped.reason, -1)
      }
      const entry: Entry = {
        url,
        depth,
        redirects,
        host: hostOf(url),
        sequence: ++this.#sequence,
        queue: 'waiting',
        referrer,
        disposition: undefined,
        status: 0,
        page: undefined,
        finishedAt: undefined,
      }
      this.#entries.set(url, entry)
      this.#counts.waiting++
      this.#enqueue(entry)
      hosts.add(entry.host)
      added++
    }
    return { added, hosts }
  }

  #skip({ url, reason }: SkippedUrl, referrer: string): void {
    if (this.#entries.has(url) || this.#skipped.has(url)) return
    count(this.#tally.skipped, reason, 1)
    if (this.#skipped.size < MAX_SKIPPED) this.#skipped.set(url, { url, reason, referrer })
  }

  #enqueue(entry: Entry): void {
    let queue = this.#waiting.get(entry.host)
    if (queue === undefined) {
      queue = new PriorityQueue<Place>((a, b) => (a.depth !== b.depth ? a.depth < b.depth : a.sequence < b.sequence))
      this.#waiting.set(entry.host, queue)
    }
    queue.push({ depth: entry.depth, sequence: entry.sequence, entry })
  }

  /** First waiting entry of a host; stale places before it are dropped. */
  #first(host: string): Entry | undefined {
    const queue = this.#waiting.get(host)
    for (;;) {
      const place = queue?.peek()
      if (place === undefined) return undefined
      if (place.entry.queue === 'waiting' && place.entry.depth === place.depth) return place.entry
      queue?.pop()
    }
  }

  #firstOfAll(except?: ReadonlySet<string>): Entry | undefined {
    let best: Entry | undefined
    for (const host of this.#waiting.keys()) {
      if (except?.has(host)) continue
      const entry = this.#first(host)
      if (entry !== undefined && (best === undefined || isBefore(entry, best))) best = entry
    }
    return best
  }

  #running(url: string): Entry {
    const entry = this.#entries.get(url)
    if (entry === undefined || entry.queue !== 'running') throw new Error(`${url} is not running`)
    return entry
  }

  #move(entry: Entry, queue: QueueName): void {
    this.#counts[entry.queue]--
    this.#counts[queue]++
    entry.queue = queue
  }
}

function twinKey(url: string, content: number | undefined): string | undefined {
  const directory = content === undefined ? undefined : directoryOf(url)
  return directory === undefined ? undefined : `${content} ${directory}`
}

function toClaimed({ url, host, depth, sequence, redirects }: Entry): ClaimedUrl {
  return { url, host, depth, sequence, redirects }
}

function count(tally: Map<string, number>, reason: string, by: number): void {
  const value = (tally.get(reason) ?? 0) + by
  if (value === 0) tally.delete(reason)
  else tally.set(reason, value)
}
