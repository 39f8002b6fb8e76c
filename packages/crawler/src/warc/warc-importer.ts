/**
 * Takes the pages of a WARC file into the page store and the index of a data folder, with the times at which they were fetched.
 * Of several captures of an address the last one counts; what the crawl of this folder fetched itself is left as it is. A file that
 * was taken in before changes nothing.
 */
import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isHttpUrl, normalizeUrl, parseUrl } from '@spindle/core'
import { DocumentError } from '../documents/extracted-document.js'
import { readPage } from '../documents/read-page.js'
import { parseContentType } from '../fetch/content-type.js'
import type { Workload } from '../frontier/workload.js'
import { ImportBatch, MAX_ADDRESS } from '../import/import-batch.js'
import type { ImportEvent, ImporterParts, ImportReport } from '../import/importer.js'
import { keptHeaders } from '../pages/kept-headers.js'
import type { PageRecord } from '../pages/stored-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import { type HttpMessage, parseHttpMessage } from './http-message.js'
import { readWarc, type WarcRecord } from './warc-reader.js'
import { dateOf, MAX_BLOCK, targetOf, type WarcHead } from './warc-record.js'

/** What a {@link WarcImporter} works on. */
export interface WarcImporterParts extends ImporterParts {
  readonly workload: Pick<Workload, 'finish' | 'get'>
}

/** Settings of a {@link WarcImporter}. */
export interface WarcImportOptions {
  /** Path of the file. */
  readonly path: string
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: (event: ImportEvent) => void
}

/** Figures of a file. */
export interface WarcReport extends ImportReport {
  /** Records read, of any type. */
  readonly records: number
  /** Records that are no page, by reason. */
  readonly skipped: Readonly<Record<string, number>>
}

/** Record types that may hold a page. */
const PAGES = new Set(['response', 'resource', 'revisit'])
/** Addresses of which the last capture is remembered until it is surely in the ledger. */
const MAX_RECENT = 256

/** See the head of this file. */
export class WarcImporter {
  readonly #parts: WarcImporterParts
  readonly #options: WarcImportOptions
  readonly #batch: ImportBatch
  /** In the ledger: no file or folder that is looked through begins so. */
  readonly #source: string
  readonly #skipped = new Map<string, number>()
  readonly #failed = new Map<string, number>()
  readonly #recent = new Map<string, string>()
  #records = 0
  #unchanged = 0

  constructor(parts: WarcImporterParts, options: WarcImportOptions) {
    this.#parts = parts
    this.#options = options
    this.#source = `warc:${pathToFileURL(options.path).href}`
    this.#batch = new ImportBatch(parts, (url) => options.onEvent?.({ type: 'indexed', url }))
  }

  get report(): WarcReport {
    return {
      records: this.#records,
      indexed: this.#batch.stored,
      unchanged: this.#unchanged,
      removed: 0,
      failed: byCount(this.#failed),
      skipped: byCount(this.#skipped),
    }
  }

  /**
   * Resolves when all is durable and can be found; also where the file cannot be read to its end, and then throws.
   * @throws SpindleError `WARC_UNREADABLE`
   */
  async run(): Promise<void> {
    try {
      const { path, signal } = this.#options
      for await (const record of readWarc(path, ({ type }) => PAGES.has(type))) {
        if (signal?.aborted === true) break
        this.#records++
        await this.#take(record)
        await nextTurn()
      }
    } finally {
      await this.#batch.flush()
      await this.#parts.feed?.drain()
    }
  }

  async #take(record: WarcRecord): Promise<void> {
    const { type, block } = record
    if (block === undefined) return this.#skip(type === '' ? 'no-type' : type)
    const url = normalizeUrl(targetOf(record))
    const parsed = url === undefined ? undefined : parseUrl(url)
    if (url === undefined || parsed === undefined || !isHttpUrl(parsed)) return this.#skip('other-scheme')
    if (url.length > MAX_ADDRESS) return this.#skip('url-too-long')
    const answer = await this.#answerOf(record, block, url)
    if (typeof answer === 'string') return this.#skip(answer)
    if (answer.status < 200 || answer.status > 299 || answer.status === 206) return this.#skip(`http-${answer.status}`)
    const digest = hash('sha256', answer.body)
    const fetchedAt = dateOf(record) ?? 0
    const version = `${new Date(fetchedAt).toISOString()} ${digest}`
    const before = this.#recent.get(url) ?? this.#ledgerVersion(url)
    if (before === version) {
      this.#unchanged++
      return
    }
    if (before !== undefined && before > version) return this.#skip('older')
    if ((await this.#parts.workload.get(url))?.page !== undefined) return this.#skip('crawled')
    const head = { url, status: answer.status, fetchedAt, hash: digest, depth: 0, body: answer.body }
    await this.#store({ ...head, truncated: isTruncated(record, answer) }, answer, version)
  }

  async #store(
    head: Omit<PageRecord, 'contentType' | 'headers' | 'parsed'>,
    { headers }: HttpMessage,
    version: string,
  ): Promise<void> {
    const { url, body } = head
    const { essence: contentType, charset: charsetLabel } = parseContentType(headers.get('content-type'))
    const { documents } = this.#parts
    const entry = { url, source: this.#source, version }
    let parsed: ParsedPage | null
    try {
      const input = { url, contentType, charsetLabel, body, xRobotsTag: headers.get('x-robots-tag') }
      parsed = await readPage(input, { documents, signal: this.#options.signal })
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      this.#failed.set(error.fault, (this.#failed.get(error.fault) ?? 0) + 1)
      this.#options.onEvent?.({ type: 'failed', url, reason: error.fault, detail: error.message })
      return
    }
    if (parsed === null) return this.#skip('non-text')
    if (this.#recent.size >= MAX_RECENT) {
      await this.#batch.flush()
      this.#recent.clear()
    }
    this.#recent.set(url, version)
    await this.#batch.save(entry, { ...head, contentType, headers: keptHeaders(headers), parsed })
  }

  /** The answer that a record holds, or why there is none. */
  async #answerOf(record: WarcRecord, block: Buffer, url: string): Promise<HttpMessage | string> {
    if (record.type === 'resource') {
      const headers = new Map([['content-type', record.fields.get('content-type') ?? '']])
      return { status: 200, headers, body: block, truncated: false }
    }
    const answer = parseHttpMessage(block)
    if (record.type !== 'revisit') return answer ?? 'no-http'
    // The same address again, as it was.
    const original = normalizeUrl((record.fields.get('warc-refers-to-target-uri') ?? '').replace(/^<(.*)>$/, '$1'))
    if (original === undefined || original === url || answer === undefined) return 'revisit'
    await this.#batch.flush()
    const page = this.#parts.ledger.find(original)?.page
    if (page === undefined) return 'revisit'
    return { ...answer, body: await this.#parts.pages.readBody(page) }
  }

  #ledgerVersion(url: string): string | undefined {
    const entry = this.#parts.ledger.find(url)
    return entry?.source.startsWith('warc:') === true ? entry.version : undefined
  }

  #skip(reason: string): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1)
  }
}

function isTruncated({ length, fields }: WarcHead, answer: HttpMessage): boolean {
  const isCut = fields.has('warc-truncated') || answer.truncated
  return isCut || length > MAX_BLOCK
}

function byCount(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]))
}
