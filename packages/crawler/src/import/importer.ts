/**
 * Takes local files and records into the page store and the index of a data folder, as a crawl takes pages. A process killed at any
 * moment loses nothing that was told, and what it did not get to is read by the next run.
 */

import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { normalizeUrl } from '@spindle/core'
import type { DocumentReader } from '../documents/document-reader.js'
import { DocumentError, type DocumentFault } from '../documents/extracted-document.js'
import { readPage } from '../documents/read-page.js'
import { FetchError } from '../fetch/fetch-error.js'
import { FileFetcher } from '../fetch/file-fetcher.js'
import { folderOf } from '../fetch/local-address.js'
import type { PageRecord } from '../pages/stored-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import { ImportBatch, type ImportBatchParts } from './import-batch.js'
import type { LedgerEntry } from './import-ledger.js'
import { filesOf, type LocalFile, type LocalRoot } from './local-files.js'
import { readRecords } from './record-file.js'
import { type RecordMapping, toDocument } from './record-mapping.js'

/** What happens, one thing at a time. */
export type ImportEvent =
  | { readonly type: 'indexed'; readonly url: string }
  | { readonly type: 'failed'; readonly url: string; readonly reason: string; readonly detail: string }
  | { readonly type: 'removed'; readonly url: string }
  /** nothing is left of what was taken in from here; it stays, for the disk may only be away */
  | { readonly type: 'empty'; readonly url: string }

/** Figures of an importer so far. */
export interface ImportReport {
  /** Documents new or changed. */
  readonly indexed: number
  readonly unchanged: number
  readonly removed: number
  /** Files and records without a document, by reason. */
  readonly failed: Readonly<Record<string, number>>
}

/** What an importer works on. */
export interface ImporterParts extends ImportBatchParts {
  readonly documents: Pick<DocumentReader, 'read'>
}

/** Settings of an importer. */
export interface ImportOptions {
  readonly roots: readonly LocalRoot[]
  readonly mapping: RecordMapping
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: (event: ImportEvent) => void
}

/** Raised where what is read in a file is another thing than before: then all files are read again. */
const READER_VERSION = 1
/** Faults that may not come again. */
const PASSING: ReadonlySet<DocumentFault> = new Set<DocumentFault>(['document-timeout', 'document-failed'])
/** Bytes of a file that are read. */
const MAX_FILE = 32 * 1024 * 1024
/** Unchanged entries written in one transaction. */
const MAX_SEEN = 1000
/** Entries removed in one transaction. */
const STALE = 500

type FileResult = Awaited<ReturnType<FileFetcher['fetch']>>

/** See the head of this file. */
export class Importer {
  readonly #parts: ImporterParts
  readonly #options: ImportOptions
  readonly #files: FileFetcher
  readonly #emit: (event: ImportEvent) => void
  readonly #failed = new Map<string, number>()
  readonly #batch: ImportBatch
  #unchanged = 0
  #removed = 0

  constructor(parts: ImporterParts, options: ImportOptions) {
    this.#parts = parts
    this.#options = options
    this.#emit = options.onEvent ?? (() => {})
    const folders = options.roots.map(({ url, isFolder }) => (isFolder ? url : folderOf(url)))
    this.#files = new FileFetcher(() => folders)
    this.#batch = new ImportBatch(parts, (url) => this.#emit({ type: 'indexed', url }))
  }

  get report(): ImportReport {
    const failed = Object.fromEntries([...this.#failed].sort((a, b) => b[1] - a[1]))
    return { indexed: this.#batch.stored, unchanged: this.#unchanged, removed: this.#removed, failed }
  }

  /** Takes in what is new or changed of all roots, and removes what is gone. Resolves when it is durable and can be found. */
  async run(): Promise<void> {
    this.#parts.ledger.beginRun()
    for (const root of this.#options.roots) {
      let files = 0
      for await (const file of filesOf(root)) {
        if (this.#isStopped) break
        files++
        await this.#take(file)
      }
      if (this.#isStopped) break
      await this.#batch.flush()
      if (files > 0 || !root.isFolder) await this.#removeStale(root.url)
      else if (this.#parts.ledger.has(root.url)) this.#emit({ type: 'empty', url: root.url })
    }
    await this.#settle()
  }

  /** Takes in single files that have come, changed or gone, and removes all that was in folders that have gone. */
  async update(files: readonly LocalFile[], folders: readonly string[] = []): Promise<void> {
    this.#parts.ledger.beginRun()
    for (const file of files) {
      if (this.#isStopped) break
      await this.#take(file)
      await this.#batch.flush()
      if (!this.#isStopped) await this.#removeStale(file.url)
    }
    if (!this.#isStopped) for (const folder of folders) await this.#removeStale(folder)
    await this.#settle()
  }

  get #isStopped(): boolean {
    return this.#options.signal?.aborted === true
  }

  async #settle(): Promise<void> {
    await this.#batch.flush()
    await this.#parts.feed?.drain()
  }

  async #take(file: LocalFile): Promise<void> {
    try {
      await (file.isRecords ? this.#takeRecords(file) : this.#takeFile(file))
    } catch (error) {
      if (this.#isStopped) return
      const [reason, detail] = reasonOf(error)
      if (reason === undefined) throw error
      // What was read of it before stays: it is there, it only cannot be read now.
      this.#parts.ledger.seeAllOf(file.url)
      this.#fail(file.url, reason, detail)
    }
    if (this.#batch.seen >= MAX_SEEN) await this.#batch.flush()
    // Timers and signals come in between files, too.
    await nextTurn()
  }

  async #takeFile({ url }: LocalFile): Promise<void> {
    const known = this.#parts.ledger.find(url)
    const etag = known?.version.startsWith(`${READER_VERSION} `) ? known.version.split(' ', 2)[1] : undefined
    const headers = etag !== undefined && (await this.#isStored(known!)) ? { 'if-none-match': etag } : {}
    const result = await this.#files.fetch(new URL(url), { maxBody: MAX_FILE, headers })
    if (result.status === 304) return this.#see(known!)
    // Gone since it was listed, or a link to something else.
    if (result.status === 404 || result.status === 301) return
    if (result.status !== 200) return this.#fail(url, 'file-unreadable', `the system does not let it be read`, known)
    const version = `${READER_VERSION} ${result.headers.get('etag')}`
    const entry = { url, source: url, version }
    let parsed: ParsedPage | null
    try {
      parsed = await this.#read(result)
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      const again = PASSING.has(error.fault) ? { version: 'again' } : {}
      return this.#save({ ...entry, ...again, fault: error.fault }, undefined, error.message)
    }
    if (parsed === null)
      return this.#save({ ...entry, fault: 'non-text' }, undefined, 'it holds no text that can be read')
    await this.#save(entry, toRecord(result, parsed))
  }

  #read({ url, contentType, charsetLabel, body }: FileResult): Promise<ParsedPage | null> {
    const { documents } = this.#parts
    return readPage({ url, contentType, charsetLabel, body }, { documents, signal: this.#options.signal })
  }

  /** A file of records is read where it has changed; of its records, those that have changed are documents anew. */
  async #takeRecords({ path, url }: LocalFile): Promise<void> {
    const { ledger } = this.#parts
    const { mapping } = this.#options
    const { size, mtimeMs, isFile } = await statOf(path)
    if (!isFile) return
    const version = `${READER_VERSION} ${size}-${mtimeMs} ${hash('md5', JSON.stringify(mapping))}`
    const known = ledger.find(url)
    if (known?.version === version) {
      ledger.seeAllOf(url)
      this.#unchanged++
      return
    }
    let broken = 0
    for await (const read of readRecords(path)) {
      if (this.#isStopped) return
      if ('fault' in read) {
        broken++
        this.#fail(`${url}#${read.number}`, 'record-broken', `the record ${read.fault}`)
        continue
      }
      const { url: address, parsed } = toDocument(read.record, mapping, { source: url, number: read.number })
      const body = Buffer.from(JSON.stringify(read.record))
      const digest = hash('sha256', body)
      const entry = { url: address, source: url, version: `${READER_VERSION} ${digest}` }
      const before = ledger.find(address)
      if (before?.version === entry.version && before.source === url && (await this.#isStored(before)))
        this.#see(before)
      else await this.#save(entry, recordOf(address, body, digest, parsed))
      if (read.number % 100 === 0) await nextTurn()
    }
    await this.#batch.flush()
    // Whatever was broken is told again next time.
    ledger.write([{ url, source: url, version: broken === 0 ? version : `${version} ${broken} broken` }], [], [])
  }

  /** Whether the page that an entry speaks of is in the store: after a loss of power the ledger may know more than is there. */
  async #isStored({ url, page, fault }: LedgerEntry): Promise<boolean> {
    if (page === undefined) return fault !== undefined
    const head = await this.#parts.pages.readHead(page).catch(() => undefined)
    return head?.url === url
  }

  #see({ url, fault }: LedgerEntry): void {
    this.#batch.see(url)
    if (fault !== undefined) this.#count(fault)
    else this.#unchanged++
  }

  /** @param record undefined where there is no document */
  async #save(entry: LedgerEntry, record: PageRecord | undefined, detail = ''): Promise<void> {
    if (record !== undefined) return this.#batch.save(entry, record)
    this.#fail(entry.url, entry.fault ?? '', detail)
    const before = this.#parts.ledger.find(entry.url)
    if (before?.page !== undefined) await this.#remove([before])
    await this.#batch.add(entry)
  }

  async #removeStale(root: string): Promise<void> {
    const { ledger } = this.#parts
    for (let stale = ledger.stale(root, STALE); stale.length > 0; stale = ledger.stale(root, STALE)) {
      await this.#remove(stale)
    }
  }

  async #remove(entries: readonly LedgerEntry[]): Promise<void> {
    const removed = await this.#batch.remove(entries, 'file-gone')
    this.#removed += removed.length
    for (const url of removed) this.#emit({ type: 'removed', url })
  }

  /** @param known what stays as it was read before */
  #fail(url: string, reason: string, detail: string, known?: LedgerEntry): void {
    if (known !== undefined) this.#batch.see(known.url)
    this.#count(reason)
    this.#emit({ type: 'failed', url, reason, detail })
  }

  #count(reason: string): void {
    this.#failed.set(reason, (this.#failed.get(reason) ?? 0) + 1)
  }
}

/** Reason and detail of an error that costs only its file; no reason for one of the data folder. */
function reasonOf(error: unknown): [reason: string | undefined, detail: string] {
  if (error instanceof FetchError) return ['file-unreadable', error.detail]
  const { syscall, message } = error as NodeJS.ErrnoException
  const isOfFile = syscall === 'open' || syscall === 'read' || syscall === 'stat' || syscall === 'lstat'
  return [isOfFile ? 'file-unreadable' : undefined, message]
}

async function statOf(
  path: string,
): Promise<{ readonly size: number; readonly mtimeMs: number; readonly isFile: boolean }> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  return { size: stats?.size ?? 0, mtimeMs: stats?.mtimeMs ?? 0, isFile: stats?.isFile() === true }
}

function toRecord(result: FileResult, parsed: ParsedPage): PageRecord {
  const { url, status, fetchedAt, contentType, truncated, body, headers } = result
  const kept = Object.fromEntries([...headers].filter(([name]) => name === 'etag' || name === 'last-modified'))
  const digest = hash('sha256', body)
  return {
    url: normalizeUrl(url) ?? url,
    status,
    fetchedAt,
    contentType,
    headers: kept,
    truncated,
    hash: digest,
    depth: 0,
    body,
    parsed,
  }
}

function recordOf(url: string, body: Buffer, digest: string, parsed: ParsedPage): PageRecord {
  const facts = { status: 200, fetchedAt: Date.now(), contentType: 'application/json', headers: {}, truncated: false }
  return { url, ...facts, hash: digest, depth: 0, body, parsed }
}
