/**
 * All fetched pages in one record log, in the order of fetching: the index can be built again from it without the network.
 * A page that was fetched again stands in it twice, the later one counts; a page that is gone is followed by a removal.
 * Nothing is kept in memory but the log's write buffer.
 *
 * What lies behind the end that the frontier knows of was fetched by a process that died before it could say so: it is cut
 * off when the store is opened, and those pages are fetched again.
 */
import { stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { RecordLogReader, RecordLogWriter, SpindleError } from '@spindle/core'
import {
  type EncodedPage,
  readBody,
  readHead,
  readRecord,
  readSequence,
  toRecord,
  toRemovalRecord,
} from './page-codec.js'
import {
  isRemoval,
  type PageHead,
  type PagePosition,
  type PageRemoval,
  type StoredPage,
  type StoredRecord,
} from './stored-page.js'

const FILE = 'pages.log'

/** What is known for certain of a store. */
export interface PageStoreState {
  /** Records in it. */
  readonly sequence: number
  /** Bytes of it; 0 for a new one. */
  readonly end: number
}

/** See the head of this file. */
export class PageStore {
  readonly #path: string
  readonly #writer: RecordLogWriter
  readonly #reader: RecordLogReader
  #sequence: number

  private constructor(path: string, writer: RecordLogWriter, reader: RecordLogReader, sequence: number) {
    this.#path = path
    this.#writer = writer
    this.#reader = reader
    this.#sequence = sequence
  }

  /**
   * Opens or creates the store of a folder; everything behind `state` is dropped.
   * @throws SpindleError `PAGE_STORE_CORRUPT` where there is less than `state` says
   */
  static async open(folder: string, state: PageStoreState): Promise<PageStore> {
    const path = join(folder, FILE)
    if (state.end === 0) await truncate(path, 0).catch(ignoreMissing)
    const opened = await RecordLogWriter.open(path, state.end)
    let writer = opened
    if (state.end > 0 && opened.end > state.end) {
      await opened.close()
      await truncate(path, state.end)
      writer = await RecordLogWriter.open(path, state.end)
    }
    return new PageStore(path, writer, await RecordLogReader.open(path), state.sequence)
  }

  /** True where the store of a folder holds anything. */
  static async hasPages(folder: string): Promise<boolean> {
    const file = await stat(join(folder, FILE)).catch(ignoreMissing)
    return file !== undefined && file.size > RecordLogReader.start
  }

  /** What {@link PageStore.open} must be given after everything appended so far. */
  get state(): PageStoreState {
    return { sequence: this.#sequence, end: this.#writer.end }
  }

  /** Adds a page; durable after {@link sync}. */
  append(page: EncodedPage): PagePosition {
    return this.#append((sequence) => toRecord(page, sequence))
  }

  /** Says that a page is gone; durable after {@link sync}. */
  remove(removal: PageRemoval): PagePosition {
    return this.#append((sequence) => toRemovalRecord(removal, sequence))
  }

  /** Makes all pages appended so far durable and readable. */
  sync(): Promise<void> {
    return this.#writer.sync()
  }

  /** A page by the offset of its record. @throws SpindleError `PAGE_STORE_CORRUPT` where there is none */
  async read(offset: number): Promise<StoredPage> {
    const { payload, end } = await this.#reader.read(offset)
    const record = await readRecord(payload, this.#path, offset, end)
    if (!isRemoval(record)) return record
    throw this.#isNoPage(offset)
  }

  /** What is known of a page without decompressing it, by the offset of its record. @throws as {@link read} */
  async readHead(offset: number): Promise<PageHead> {
    const { payload } = await this.#reader.read(offset)
    const head = readHead(payload, this.#path, offset)
    if (head !== undefined) return head
    throw this.#isNoPage(offset)
  }

  /** The body of a page by the offset of its record. */
  async readBody(offset: number): Promise<Buffer> {
    const { payload } = await this.#reader.read(offset)
    return readBody(payload, this.#path, offset)
  }

  /**
   * The records after a sequence number, in order, up to what is written now. One is in memory at a time.
   * @param hint where the record after `sequence` is thought to lie (the `end` of that page); a wrong one costs a scan
   */
  async *scan(sequence = 0, hint?: number): AsyncGenerator<StoredRecord, void, void> {
    const from = hint !== undefined && (await this.#isAt(hint, sequence + 1)) ? hint : RecordLogReader.start
    for await (const { payload, offset, end } of this.#reader.scan(from)) {
      if (readSequence(payload, this.#path, offset) > sequence) yield readRecord(payload, this.#path, offset, end)
    }
  }

  /** The error of a store in which pages that were written can no longer be read. */
  endsEarly(sequence: number, written: number): SpindleError {
    return new SpindleError(
      'PAGE_STORE_CORRUPT',
      `${written} pages were written to ${this.#path}, but the one after page ${sequence} is damaged: restore the file, or start over with --fresh.`,
    )
  }

  async close(): Promise<void> {
    try {
      await this.#writer.close()
    } finally {
      await this.#reader.close()
    }
  }

  #append(toPayload: (sequence: number) => Buffer): PagePosition {
    const sequence = ++this.#sequence
    const offset = this.#writer.append(toPayload(sequence))
    return { sequence, offset, end: this.#writer.end }
  }

  #isNoPage(offset: number): SpindleError {
    return new SpindleError(
      'PAGE_STORE_CORRUPT',
      `At byte ${offset} of ${this.#path} a page was expected and there is none: restore the file, or start over with --fresh.`,
    )
  }

  async #isAt(offset: number, sequence: number): Promise<boolean> {
    if (offset < RecordLogReader.start || offset >= this.#writer.end) return false
    for await (const { payload } of this.#reader.scan(offset)) {
      return readSequence(payload, this.#path, offset) === sequence
    }
    return false
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
