/**
 * Follows the page store and fills a sink, while the crawl runs and after a crash alike: always from the last page that the
 * sink has committed. Reads one page at a time, so a sink that is slower than the crawl costs time at the end, no memory.
 * A sink that keeps up is given the pages that were just written as they are, without reading them back (a twentieth of the
 * CPU of a crawl); at most {@link MAX_RECENT} characters of them are kept for it.
 *
 * Commits on time: the first {@link COMMIT_INTERVALS}[0] after the first page, then at growing distances, for a commit
 * costs fsyncs and a segment. Before each one the frontier is made durable: the index lags behind it, never leads.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { PageStore } from '../pages/page-store.js'
import { isRemoval, type PageStoreState, type StoredRecord } from '../pages/stored-page.js'
import type { PageSink, SinkPosition } from './page-sink.js'

/** Milliseconds from the first uncommitted page to each commit; the last one is repeated. */
export const COMMIT_INTERVALS: readonly number[] = [1500, 3000, 5000, 10_000, 15_000, 20_000, 30_000]

/** Characters of text of the pages that are kept in memory for the sink. */
export const MAX_RECENT = 2 ** 21

/** Settings of a {@link PageFeed}. */
export interface PageFeedOptions {
  readonly pages: PageStore
  readonly sink: PageSink
  /** Called before each commit: makes the frontier durable up to what the pages say. */
  readonly beforeCommit: () => Promise<void>
  /** Called after each commit with the number of the last page and the documents in the sink. */
  readonly onCommit?: (sequence: number, documents: number) => void
  readonly intervals?: readonly number[]
}

/** See the head of this file. */
export class PageFeed {
  readonly #options: PageFeedOptions
  readonly #intervals: readonly number[]
  #position: SinkPosition
  #available: PageStoreState
  /** Pages just written, in order and without gaps. */
  #recent: StoredRecord[] = []
  #recentSize = 0
  #commits = 0
  #dueAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  /** The sink was changed otherwise than by pages. */
  #isTouched = false
  #draining = false
  #closed = false
  #error: { error: unknown } | undefined
  #onError: (error: unknown) => void = () => {}

  constructor(options: PageFeedOptions) {
    this.#options = options
    this.#intervals = options.intervals ?? COMMIT_INTERVALS
    this.#position = options.sink.position
    this.#available = { sequence: 0, end: 0 }
  }

  /** Pages in the sink that are not committed, and pages of the store that are not in the sink. */
  get lag(): number {
    return this.#available.sequence - this.#options.sink.position.sequence
  }

  /**
   * Tells that the pages up to here are durable; also the start of catching up.
   * @param recent the last of them, in order, where they are at hand
   */
  available(state: PageStoreState, recent: readonly StoredRecord[] = []): void {
    this.#available = state
    for (const page of recent) this.#keep(page)
    this.#start()
  }

  /** Tells that the sink was changed otherwise than by pages, so that there is something to commit, in time. */
  touched(): void {
    this.#isTouched = true
    if (this.#dueAt === Number.POSITIVE_INFINITY) this.#dueAt = performance.now() + this.#interval()
    if (this.#running === undefined) this.#schedule()
  }

  /** Ends it as a failure of the sink does. */
  fail(error: unknown): void {
    if (this.#error !== undefined) return
    this.#error = { error }
    this.#onError(error)
  }

  /** Who is told when the sink fails; a second failure is not told. */
  onError(handler: (error: unknown) => void): void {
    this.#onError = handler
    if (this.#error !== undefined) handler(this.#error.error)
  }

  /** Resolves when all pages are in the sink and committed. @throws what the sink threw */
  async drain(): Promise<void> {
    this.#draining = true
    while (this.#error === undefined && (this.#running !== undefined || this.#isBehind() || this.#isUncommitted())) {
      this.#start()
      await this.#running
    }
    this.#draining = false
    if (this.#error !== undefined) throw this.#error.error
  }

  /** Commits the pages that are in the sink; those that are not stay in the page store for the next start. */
  async settle(): Promise<void> {
    this.#available = { ...this.#available, sequence: this.#position.sequence }
    await this.drain()
  }

  /** Ends after the page in hand; nothing more is committed. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #isBehind(): boolean {
    return this.#position.sequence < this.#available.sequence
  }

  #isUncommitted(): boolean {
    return this.#isTouched || this.#position.sequence > this.#options.sink.position.sequence
  }

  #start(): void {
    if (this.#running !== undefined || this.#closed || this.#error !== undefined) return
    clearTimeout(this.#timer)
    this.#running = this.#follow()
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.#running = undefined
        this.#schedule()
      })
  }

  /** Wakes for the next commit, or at once where pages came while the last one ended. */
  #schedule(): void {
    if (this.#closed || this.#error !== undefined) return
    if (this.#isBehind()) this.#start()
    else if (this.#isUncommitted()) {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#start(), Math.max(0, this.#dueAt - performance.now()))
    }
  }

  async #follow(): Promise<void> {
    const { pages } = this.#options
    while (this.#isBehind() && !this.#closed) {
      const until = this.#available.sequence
      const { sequence, offset } = this.#position
      const recent = this.#nextRecent()
      if (recent !== undefined) {
        await this.#put(recent)
        continue
      }
      for await (const page of pages.scan(sequence, offset)) {
        if (this.#closed) return
        await this.#put(page)
        // Asked anew for each page, for a stop takes it back.
        if (!this.#isBehind() || this.#recent[0]?.sequence === this.#position.sequence + 1) break
      }
      if (this.#position.sequence === sequence) throw pages.endsEarly(sequence, until)
    }
    if (this.#closed || !this.#isUncommitted()) return
    if (this.#draining || performance.now() >= this.#dueAt) await this.#commit()
  }

  async #put(page: StoredRecord): Promise<void> {
    const { sink } = this.#options
    await (isRemoval(page) ? sink.remove(page.url) : sink.put(page))
    if (this.#dueAt === Number.POSITIVE_INFINITY) this.#dueAt = performance.now() + this.#interval()
    this.#position = { sequence: page.sequence, offset: page.end }
    if (performance.now() >= this.#dueAt) await this.#commit()
    // The crawl's own sockets and timers come first.
    await nextTurn()
  }

  #keep(page: StoredRecord): void {
    const last = this.#recent[this.#recent.length - 1]
    if (this.#recentSize >= MAX_RECENT || (last !== undefined && last.sequence + 1 !== page.sequence)) return
    this.#recent.push(page)
    this.#recentSize += sizeOf(page)
  }

  /** The page after the last one that the sink has, where it is in memory. */
  #nextRecent(): StoredRecord | undefined {
    for (let page = this.#recent.shift(); page !== undefined; page = this.#recent.shift()) {
      this.#recentSize -= sizeOf(page)
      if (page.sequence === this.#position.sequence + 1) return page
      if (page.sequence > this.#position.sequence) {
        this.#recent.unshift(page)
        this.#recentSize += sizeOf(page)
        return undefined
      }
    }
    return undefined
  }

  async #commit(): Promise<void> {
    const { sink, beforeCommit, onCommit } = this.#options
    const position = this.#position
    await beforeCommit()
    this.#isTouched = false
    await sink.commit(position)
    this.#commits++
    // What was changed during the commit may not be in it.
    this.#dueAt = this.#isTouched ? performance.now() + this.#interval() : Number.POSITIVE_INFINITY
    onCommit?.(position.sequence, sink.documents)
  }

  #interval(): number {
    return this.#intervals[Math.min(this.#commits, this.#intervals.length - 1)]!
  }
}

function sizeOf(record: StoredRecord): number {
  return isRemoval(record) ? record.url.length : record.parsed.text.length
}
