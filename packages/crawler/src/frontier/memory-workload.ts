/** The four queues in memory: for tests and small crawls that need not survive the process. About 400 bytes an address. */
import { PriorityQueue } from '@spindle/core'
import { breadthFirst } from './crawl-order.js'
import { FirstOfHosts } from './first-of-hosts.js'
import { variantOf } from './page-variants.js'
import { queryShapeKey } from './query-shape.js'
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
  isBefore,
  type ListFilter,
  MAX_SKIPPED,
  type NewUrl,
  type Place,
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

type Entry = { -readonly [K in keyof UrlState]: UrlState[K] } & {
  twin: string | undefined
  location: string | undefined
  isVanished: boolean
  /** The last generation in which a sitemap told when it was changed. */
  vouchedIn: number
}

/** Place of an entry in a host's queue; stale once the entry has another number or queue. */
interface EntryPlace extends Place {
  readonly entry: Entry
}

/** See {@link Workload}. */
export class MemoryWorkload implements Workload {
  readonly #entries = new Map<string, Entry>()
  readonly #waiting = new Map<string, PriorityQueue<EntryPlace>>()
  readonly #firstOfHosts = new FirstOfHosts<string>((host) => this.#first(host))
  readonly #skipped = new Map<string, SkippedState>()
  readonly #meta = new Map<string, string>()
  readonly #twins = new Map<string, string>()
  readonly #counts: Record<QueueName, number> = { waiting: 0, running: 0, error: 0, complete: 0 }
  readonly #hostTimes = new Map<string, HostTimes>()
  readonly #hostSizes = new Map<string, number>()
  readonly #shapes = new Map<number, number>()
  readonly #tally = {
    complete: new Map<string, number>(),
    error: new Map<string, number>(),
    skipped: new Map<string, number>(),
  }
  #order: CrawlOrder = breadthFirst
  #admission: Admission | undefined
  #sequence = 0
  #generation = 1

  counts(): QueueCounts {
    return { ...this.#counts }
  }

  tally(): Tally {
    const { complete, error, skipped } = this.#tally
    return { complete: new Map(complete), error: new Map(error), skipped: new Map(skipped) }
  }

  generation(): number {
    return this.#generation
  }

  pageCount(): number {
    let count = 0
    for (const { page } of this.#entries.values()) if (page !== undefined) count++
    return count
  }

  async useOrder(order: CrawlOrder): Promise<void> {
    const isOther = order.name !== this.#order.name
    this.#order = order
    if (!isOther) return
    for (const entry of this.#entries.values()) this.#renumber(entry, order.priority(entry))
  }

  async useAdmission(admission: Admission): Promise<void> {
    for (const host of this.#hostSizes.keys()) admission.addHost(host)
    this.#admission = admission
  }

  async prioritize(priorities: ReadonlyMap<string, number>): Promise<void> {
    for (const [url, priority] of priorities) {
      const entry = this.#entries.get(url)
      if (entry !== undefined) this.#renumber(entry, priority)
    }
  }

  async add(urls: readonly NewUrl[]): Promise<Added> {
    const found: FoundUrl[] = []
    this.#addAll(urls, undefined, found)
    return toAdded(found)
  }

  async claim(host?: string, except?: ReadonlySet<string>): Promise<ClaimedUrl | undefined> {
    const from = host ?? this.#firstOfHosts.first((host) => except?.has(host) === true)
    const entry = from === undefined ? undefined : this.#first(from)
    if (entry === undefined) return undefined
    this.#waiting.get(entry.host)!.pop()
    this.#firstOfHosts.changed(entry.host)
    this.#move(entry, 'running')
    return toClaimed(entry, this.#generation)
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
    const found: FoundUrl[] = []
    for (const finished of batch) {
      const entry = this.#running(finished.url)
      this.#move(entry, finished.queue)
      entry.disposition = finished.disposition
      entry.status = finished.status
      entry.finishedAt = finished.finishedAt
      entry.misses = finished.misses ?? 0
      entry.location = finished.location
      entry.isVanished = finished.isVanished === true
      if (finished.keepsPage !== true) this.#setPage(entry, finished)
      count(this.#tally[finished.queue], finished.disposition, 1)
      this.#addAll(finished.links, finished.url, found)
      for (const skipped of finished.skipped) this.#skip(skipped, finished.url)
    }
    for (const [name, value] of meta) this.#meta.set(name, value)
    return toAdded(found)
  }

  async beginGeneration(endedBefore: number): Promise<number> {
    if (this.#counts.running > 0) throw new Error('a generation begins when no address is running')
    let due = 0
    for (const entry of this.#entries.values()) {
      const { queue, disposition, finishedAt } = entry
      if ((queue !== 'complete' && queue !== 'error') || finishedAt! >= endedBefore) continue
      count(this.#tally[queue], disposition!, -1)
      this.#move(entry, 'waiting')
      this.#enqueue(entry)
      due++
    }
    this.#generation++
    return due
  }

  async waitingHosts(): Promise<string[]> {
    return [...this.#waiting.keys()].filter((host) => this.#first(host) !== undefined)
  }

  async get(url: string): Promise<UrlState | undefined> {
    const entry = this.#entries.get(url)
    return entry === undefined ? undefined : toState(entry)
  }

  async findTwin(url: string, content: number): Promise<string | undefined> {
    const twin = this.#twins.get(twinKey(url, content) ?? '')
    return twin === undefined || twin === url || this.#entries.get(twin)!.isVanished ? undefined : twin
  }

  async getSkipped(url: string): Promise<SkippedState | undefined> {
    return this.#skipped.get(url)
  }

  async list(queue: QueueName, limit: number, after?: string, filter: ListFilter = {}): Promise<UrlState[]> {
    const { host, reason } = filter
    const entries = [...this.#entries.values()].filter(
      (entry) =>
        entry.queue === queue &&
        (host === undefined || entry.host === host) &&
        (reason === undefined || entry.disposition === reason),
    )
    if (queue === 'waiting') entries.sort((a, b) => (isBefore(a, b) ? -1 : 1))
    const start = after === undefined ? 0 : entries.findIndex((entry) => entry.url === after) + 1
    return entries.slice(start, start + limit).map(toState)
  }

  async listSkipped(limit: number, after = '', { host, reason }: ListFilter = {}): Promise<SkippedState[]> {
    return [...this.#skipped.values()]
      .filter(
        (state) =>
          state.url > after &&
          (host === undefined || hostOf(state.url) === host) &&
          (reason === undefined || state.reason === reason),
      )
      .sort((a, b) => (a.url < b.url ? -1 : 1))
      .slice(0, limit)
  }

  async aliases(limit: number, after?: string): Promise<Alias[]> {
    const found: Alias[] = []
    for (const { url, page, location } of this.#entries.values()) {
      if (location !== undefined && page === undefined) found.push({ url, target: location })
    }
    const start = after === undefined ? 0 : found.findIndex(({ url }) => url === after) + 1
    return found.slice(start, start + limit)
  }

  async vanished(): Promise<Vanished[]> {
    const hosts = new Map<string, { vanished: number; pages: number }>()
    for (const entry of this.#entries.values()) {
      const counts = hosts.get(entry.host) ?? { vanished: 0, pages: 0 }
      hosts.set(entry.host, counts)
      if (entry.page !== undefined) counts.pages++
      if (hasVanished(entry)) counts.vanished++
    }
    return [...hosts].filter(([, { vanished }]) => vanished > 0).map(([host, counts]) => ({ host, ...counts }))
  }

  async vanishedOf(host: string, limit: number): Promise<VanishedPage[]> {
    return [...this.#entries.values()]
      .filter((entry) => entry.host === host && hasVanished(entry))
      .slice(0, limit)
      .map(({ url, disposition }) => ({ url, disposition: disposition! }))
  }

  async dropPages(urls: readonly string[], meta: ReadonlyMap<string, string>): Promise<void> {
    for (const url of urls) {
      const entry = this.#entries.get(url)!
      entry.isVanished = false
      this.#setPage(entry, { page: undefined, content: undefined })
    }
    for (const [name, value] of meta) this.#meta.set(name, value)
  }

  async setHostTimes(host: string, times: HostTimes): Promise<void> {
    this.#hostTimes.set(host, times)
  }

  async hostTimes(): Promise<ReadonlyMap<string, HostTimes>> {
    return new Map(this.#hostTimes)
  }

  meta(name: string): string | undefined {
    return this.#meta.get(name)
  }

  async setMeta(name: string, value: string): Promise<void> {
    this.#meta.set(name, value)
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {}

  #addAll(urls: readonly NewUrl[], referrer: string | undefined, found: FoundUrl[]): void {
    for (const offered of urls) {
      const { url, depth, redirects } = offered
      const priority = offered.priority ?? this.#order.priority(offered)
      const known = this.#entries.get(url)
      if (known !== undefined) {
        known.lastModified = later(known.lastModified, offered.lastModified)
        if (offered.isVouched === true) known.vouchedIn = this.#generation
        if (known.queue !== 'waiting') continue
        known.depth = Math.min(known.depth, depth)
        if (priority < known.priority) this.#renumber(known, priority)
        continue
      }
      const host = hostOf(url)
      const shape = queryShapeKey(url)
      const size = this.#hostSizes.get(host)
      const likeIt = shape === undefined ? 0 : (this.#shapes.get(shape) ?? 0)
      const refused = this.#admission?.admit(url, { host: size, shape: likeIt })
      if (refused !== undefined && referrer !== undefined) {
        this.#skip({ url, reason: refused }, referrer)
        continue
      }
      const skipped = this.#skipped.get(url)
      if (skipped !== undefined) {
        this.#skipped.delete(url)
        count(this.#tally.skipped, skipped.reason, -1)
      }
      if (size === undefined) this.#admission?.addHost(host)
      this.#hostSizes.set(host, (size ?? 0) + 1)
      if (shape !== undefined) this.#shapes.set(shape, likeIt + 1)
      const entry: Entry = {
        url,
        depth,
        redirects,
        priority,
        host,
        sequence: ++this.#sequence,
        queue: 'waiting',
        referrer,
        disposition: undefined,
        status: 0,
        page: undefined,
        finishedAt: undefined,
        misses: 0,
        lastModified: offered.lastModified,
        twin: undefined,
        location: undefined,
        isVanished: false,
        vouchedIn: offered.isVouched === true ? this.#generation : 0,
      }
      this.#entries.set(url, entry)
      this.#counts.waiting++
      this.#enqueue(entry)
      found.push({ url, depth, referrer })
    }
  }

  #skip({ url, reason }: SkippedUrl, referrer: string): void {
    if (this.#entries.has(url) || this.#skipped.has(url)) return
    count(this.#tally.skipped, reason, 1)
    if (this.#skipped.size < MAX_SKIPPED) this.#skipped.set(url, { url, reason, referrer })
  }

  #renumber(entry: Entry, priority: number): void {
    entry.priority = priority
    if (entry.queue === 'waiting') this.#enqueue(entry)
  }

  #enqueue(entry: Entry): void {
    let queue = this.#waiting.get(entry.host)
    if (queue === undefined) {
      queue = new PriorityQueue<EntryPlace>(isBefore)
      this.#waiting.set(entry.host, queue)
    }
    queue.push({ priority: entry.priority, sequence: entry.sequence, entry })
    this.#firstOfHosts.changed(entry.host)
  }

  /** First waiting entry of a host; stale places before it are dropped. */
  #first(host: string): Entry | undefined {
    const queue = this.#waiting.get(host)
    for (;;) {
      const place = queue?.peek()
      if (place === undefined) return undefined
      if (place.entry.queue === 'waiting' && place.entry.priority === place.priority) return place.entry
      queue?.pop()
    }
  }

  #setPage(entry: Entry, { page, content }: Pick<FinishedUrl, 'page' | 'content'>): void {
    entry.page = page
    if (entry.twin !== undefined && this.#twins.get(entry.twin) === entry.url) this.#twins.delete(entry.twin)
    entry.twin = twinKey(entry.url, content)
    if (entry.twin !== undefined && !this.#twins.has(entry.twin)) this.#twins.set(entry.twin, entry.url)
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
  return content === undefined ? undefined : `${content} ${variantOf(url)}`
}

function toState({ twin: _, location: __, isVanished: ___, vouchedIn: ____, ...state }: Entry): UrlState {
  return state
}

function hasVanished({ isVanished, queue }: Entry): boolean {
  return isVanished && (queue === 'complete' || queue === 'error')
}

function toClaimed(entry: Entry, generation: number): ClaimedUrl {
  const { url, host, depth, sequence, redirects, priority, page, misses } = entry
  const vouched = entry.vouchedIn === generation ? entry.lastModified : undefined
  const previous = entry.finishedAt === undefined ? undefined : { page, misses, vouched }
  return { url, host, depth, sequence, redirects, priority, previous }
}

function later(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

function count(tally: Map<string, number>, reason: string, by: number): void {
  const value = (tally.get(reason) ?? 0) + by
  if (value === 0) tally.delete(reason)
  else tally.set(reason, value)
}
