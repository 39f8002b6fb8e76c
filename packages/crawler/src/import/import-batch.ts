/**
 * What is taken in, on its way to the disk: page record (fsync), then the frontier's word on how far the store goes, then the
 * ledger, then the index. A process killed at any moment loses nothing that was told.
 */
import { BATCH_BYTES, BATCH_PAGES, PAGES_END, PAGES_SEQUENCE } from '../frontier/batch.js'
import type { Workload } from '../frontier/workload.js'
import type { PageFeed } from '../indexing/page-feed.js'
import { type EncodedPage, encodePage } from '../pages/page-codec.js'
import type { PageStore } from '../pages/page-store.js'
import type { PageRecord, StoredRecord } from '../pages/stored-page.js'
import type { ImportLedger, LedgerEntry } from './import-ledger.js'

/** UTF-16 units of an address under which a page is taken in: no server need answer longer ones (RFC 9110, §4.1). */
export const MAX_ADDRESS = 8000

/** Where pages go. */
export interface ImportBatchParts {
  readonly workload: Pick<Workload, 'finish'>
  readonly pages: PageStore
  readonly feed: PageFeed | undefined
  readonly ledger: ImportLedger
}

/** See the head of this file. */
export class ImportBatch {
  readonly #parts: ImportBatchParts
  readonly #onStored: (url: string) => void
  #pages: { readonly entry: LedgerEntry; readonly page: EncodedPage }[] = []
  #entries: LedgerEntry[] = []
  #seen: string[] = []
  #bytes = 0
  #stored = 0

  /** @param onStored told of each page that is durable */
  constructor(parts: ImportBatchParts, onStored: (url: string) => void) {
    this.#parts = parts
    this.#onStored = onStored
  }

  /** Pages stored so far. */
  get stored(): number {
    return this.#stored
  }

  /** Entries that were seen as they were and are not yet written. */
  get seen(): number {
    return this.#seen.length
  }

  /** An entry is as it was. */
  see(url: string): void {
    this.#seen.push(url)
  }

  /** An entry that has no page. */
  async add(entry: LedgerEntry): Promise<void> {
    this.#entries.push(entry)
    await this.#flushIfFull()
  }

  /** A page, new or changed. */
  async save(entry: LedgerEntry, record: PageRecord): Promise<void> {
    const page = await encodePage(record)
    this.#pages.push({ entry, page })
    this.#bytes += page.body.length + page.parsed.length + 2 * record.parsed.text.length
    await this.#flushIfFull()
  }

  /** Writes everything so far. */
  async flush(): Promise<void> {
    const { pages: store, ledger } = this.#parts
    const pages = this.#pages
    const entries = this.#entries
    const seen = this.#seen
    this.#pages = []
    this.#entries = []
    this.#seen = []
    this.#bytes = 0
    if (pages.length + entries.length + seen.length === 0) return
    const stored: StoredRecord[] = []
    for (const { entry, page } of pages) {
      const position = store.append(page)
      entries.push({ ...entry, page: position.offset })
      if (page.content !== undefined) stored.push({ ...page.head, parsed: page.content, ...position })
    }
    if (pages.length > 0) await this.#tell(stored)
    ledger.write(entries, seen, [])
    this.#stored += pages.length
    for (const { entry } of pages) this.#onStored(entry.url)
  }

  /** Takes out entries, and their pages. @returns the addresses of those that had one */
  async remove(entries: readonly LedgerEntry[], reason: string): Promise<readonly string[]> {
    const { pages, ledger } = this.#parts
    const stored: StoredRecord[] = []
    for (const { url, page } of entries) {
      if (page === undefined) continue
      const removal = { url, removedAt: Date.now(), reason }
      stored.push({ ...removal, ...pages.remove(removal) })
    }
    if (stored.length > 0) await this.#tell(stored)
    ledger.write(
      [],
      [],
      entries.map(({ url }) => url),
    )
    return stored.map(({ url }) => url)
  }

  async #flushIfFull(): Promise<void> {
    if (this.#pages.length + this.#entries.length >= BATCH_PAGES || this.#bytes >= BATCH_BYTES) await this.flush()
  }

  /** Makes durable what was appended to the page store, and gives it to the index. */
  async #tell(stored: readonly StoredRecord[]): Promise<void> {
    const { pages, workload, feed } = this.#parts
    await pages.sync()
    const { state } = pages
    const meta = new Map([
      [PAGES_SEQUENCE, String(state.sequence)],
      [PAGES_END, String(state.end)],
    ])
    await workload.finish([], meta)
    feed?.available(state, stored)
  }
}
