/**
 * Finished addresses on their way to disk: one transaction per {@link BATCH_PAGES} addresses or {@link BATCH_MS} milliseconds.
 * Pages are made durable before the frontier says that they are there.
 */
import type { EncodedPage } from '../pages/page-codec.js'
import type { PageStore } from '../pages/page-store.js'
import type { PageRemoval, PageStoreState, StoredRecord } from '../pages/stored-page.js'
import type { Added, FinishedUrl, Workload } from './workload.js'

/** Most addresses that have ended and are not on disk: with the fetches in flight, what a crash repeats. */
export const MAX_UNWRITTEN = 64
/** Addresses at which a transaction begins. */
export const BATCH_PAGES = 32
/** Longest wait of a finished address. */
export const BATCH_MS = 200
/** Loss of power takes at most what was written since: the frontier is made durable at least this often. */
export const SYNC_MS = 10_000
/** Bytes of encoded pages that end a batch. */
export const BATCH_BYTES = 8 * 1024 * 1024

/** Names under which the state of the page store is kept in the workload. */
export const PAGES_SEQUENCE = 'pages.sequence'
export const PAGES_END = 'pages.end'

/** The state of the page store that a workload knows of. */
export function pageStoreState(workload: Workload): PageStoreState {
  return { sequence: Number(workload.meta(PAGES_SEQUENCE) ?? 0), end: Number(workload.meta(PAGES_END) ?? 0) }
}

/** Told what a write added, the state of the page store, and what was stored (no long pages, and without links). */
export type OnWritten = (added: Added, state: PageStoreState | undefined, stored: readonly StoredRecord[]) => void

/** What to store of an address that has ended: its page, or that the page of an earlier generation is gone. */
export interface ToStore {
  readonly page?: EncodedPage | undefined
  readonly removal?: PageRemoval | undefined
}

interface Item extends ToStore {
  readonly finished: FinishedUrl
}

/** See the head of this file. */
export class Batch {
  readonly #workload: Workload
  readonly #pages: PageStore | undefined
  readonly #onWritten: OnWritten
  readonly #onError: (error: unknown) => void
  #items: Item[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #itemsInWriting = 0
  #syncedAt = performance.now()

  constructor(
    workload: Workload,
    pages: PageStore | undefined,
    onWritten: OnWritten,
    onError: (error: unknown) => void,
  ) {
    this.#workload = workload
    this.#pages = pages
    this.#onWritten = onWritten
    this.#onError = onError
  }

  /** True while something is not yet on disk. */
  get isBusy(): boolean {
    return this.#items.length > 0 || this.#writing !== undefined
  }

  /** True where the disk does not keep up: no new work should begin. */
  get isFull(): boolean {
    return this.#items.length + this.#itemsInWriting >= MAX_UNWRITTEN || this.#bytes >= 2 * BATCH_BYTES
  }

  add(finished: FinishedUrl, { page, removal }: ToStore): void {
    this.#items.push({ finished, page, removal })
    this.#bytes += page === undefined ? 0 : page.body.length + page.parsed.length + 2 * (page.content?.text.length ?? 0)
    if (this.#items.length >= BATCH_PAGES || this.#bytes >= BATCH_BYTES) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS)
  }

  /** Begins to write what there is, unless a write is under way: then what there is goes with the next one. */
  flush(): void {
    if (this.#writing !== undefined || this.#items.length === 0) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#itemsInWriting = this.#items.length
    this.#writing = this.#write().then(
      ([added, state, pages]) => {
        this.#written()
        this.#onWritten(added, state, pages)
      },
      (error) => {
        this.#written()
        this.#onError(error)
      },
    )
  }

  /** Resolves when all that was added so far is written, or has failed. */
  async flushed(): Promise<void> {
    await this.#writing
    this.flush()
    await this.#writing
  }

  /** Stores that pages are gone, and says so to the workload. While nothing else is written. */
  async drop(removals: readonly PageRemoval[]): Promise<void> {
    const stored: StoredRecord[] = []
    for (const removal of removals) {
      if (this.#pages !== undefined) stored.push({ ...removal, ...this.#pages.remove(removal) })
    }
    const state = this.#pages?.state
    await this.#pages?.sync()
    const urls = removals.map(({ url }) => url)
    await this.#workload.dropPages(urls, toMeta(state))
    this.#onWritten({ added: 0, hosts: new Set(), urls: [] }, state, stored)
  }

  #written(): void {
    this.#writing = undefined
    this.#itemsInWriting = 0
    if (this.#items.length > 0) this.#timer ??= setTimeout(() => this.flush(), BATCH_MS)
  }

  async #write(): Promise<Parameters<OnWritten>> {
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    const stored: StoredRecord[] = []
    const finished = items.map(({ finished, page, removal }) => {
      if (this.#pages === undefined) return finished
      if (removal !== undefined) stored.push({ ...removal, ...this.#pages.remove(removal) })
      if (page === undefined) return finished
      const position = this.#pages.append(page)
      if (page.content !== undefined) stored.push({ ...page.head, parsed: page.content, ...position })
      return { ...finished, page: position.offset }
    })
    const state = this.#pages?.state
    await this.#pages?.sync()
    const added = await this.#workload.finish(finished, toMeta(state))
    if (performance.now() - this.#syncedAt >= SYNC_MS) {
      await this.#workload.sync()
      this.#syncedAt = performance.now()
    }
    return [added, state, stored]
  }
}

function toMeta(state: PageStoreState | undefined): Map<string, string> {
  const meta = new Map<string, string>()
  if (state !== undefined) meta.set(PAGES_SEQUENCE, String(state.sequence)).set(PAGES_END, String(state.end))
  return meta
}
