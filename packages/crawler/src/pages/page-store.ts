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
import { type EncodedPage, toRecord, toRemovalRecord } from './page-codec.js'
import { PAGE_LOG, PageReader } from './page-reader.js'
import { dropRewrite, type RewriteOptions, rewriteLog } from './rewrite-log.js'
import type { PageHead, PagePosition, PageRemoval, PageStoreState, StoredPage, StoredRecord } from './stored-page.js'

/** See the head of this file. */
export class PageStore {
  readonly #folder: string
  readonly #path: string
  #writer: RecordLogWriter
  #reader: PageReader
  #sequence: number

  private constructor(folder: string, writer: RecordLogWriter, reader: PageReader, sequence: number) {
    this.#folder = folder
    this.#path = join(folder, PAGE_LOG)
    this.#writer = writer
    this.#reader = reader
    this.#sequence = sequence
  }

  /**
   * Opens or creates the store of a folder; everything behind `state` is dropped.
   * @throws SpindleError `PAGE_STORE_CORRUPT` where there is less than `state` says
   */
  static async open(folder: string, state: PageStoreState): Promise<PageStore> {
    const path = join(folder, PAGE_LOG)
    if (state.end === 0) {
      await truncate(path, 0).catch(ignoreMissing)
      await dropRewrite(folder)
    }
    const { writer, reader } = await openLog(folder, state)
    return new PageStore(folder, writer, reader, state.sequence)
  }

  /** True where the store of a folder holds anything. */
  static async hasPages(folder: string): Promise<boolean> {
    const file = await stat(join(folder, PAGE_LOG)).catch(ignoreMissing)
    return file !== undefined && file.size > RecordLogReader.start
  }

  /** What {@link PageStore.open} must be given after everything appended so far. */
  get state(): PageStoreState {
    return { sequence: this.#sequence, end: this.#reader.map.toOffset(this.#writer.end)! }
  }

  /** Bytes of the file. */
  get size(): number {
    return this.#writer.end
  }

  /** Records in the file. */
  get records(): number {
    return this.#reader.map.kept + this.#sequence - this.rewrittenUpTo
  }

  /** Raised whenever records say something else than they did: an index of an earlier epoch must be filled anew. */
  get epoch(): number {
    return this.#reader.epoch
  }

  /** Records up to this one may have been left out: an index that has not come so far must be filled anew. */
  get rewrittenUpTo(): number {
    return this.#reader.map.head?.sequence ?? 0
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

  /** @see PageReader.read */
  read(offset: number): Promise<StoredPage> {
    return this.#reader.read(offset)
  }

  /** @see PageReader.readHead */
  readHead(offset: number): Promise<PageHead | undefined> {
    return this.#reader.readHead(offset)
  }

  /** @see PageReader.readBody */
  readBody(offset: number): Promise<Buffer> {
    return this.#reader.readBody(offset)
  }

  /** @see PageReader.scan */
  scan(sequence = 0, hint?: number): AsyncGenerator<StoredRecord, void, void> {
    return this.#reader.scan(sequence, hint)
  }

  /**
   * Writes the log anew, without what was superseded. Nothing else may be asked of the store meanwhile. Offsets and sequence numbers
   * stay as they are.
   * @returns false where it was stopped; then nothing has changed
   * @throws SpindleError `PAGE_STORE_CORRUPT`
   */
  async rewrite(options: RewriteOptions): Promise<boolean> {
    await this.sync()
    const { state } = this
    if (!(await rewriteLog(this.#folder, this.#reader, state, options))) return false
    await this.close()
    const { writer, reader } = await openLog(this.#folder, state)
    this.#writer = writer
    this.#reader = reader
    return true
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
    const { map } = this.#reader
    const sequence = ++this.#sequence
    const place = this.#writer.append(toPayload(sequence))
    return { sequence, offset: map.toOffset(place)!, end: map.toOffset(this.#writer.end)! }
  }
}

/** Opens the log of a folder; everything behind `state` is dropped. */
async function openLog(
  folder: string,
  { end }: PageStoreState,
): Promise<{ readonly writer: RecordLogWriter; readonly reader: PageReader }> {
  const path = join(folder, PAGE_LOG)
  // A new one gets its beginning.
  if (end === 0) await (await RecordLogWriter.open(path)).close()
  const reader = await PageReader.open(folder)
  try {
    // Where the log was compacted since, a record may have stayed at that end, but not all before it.
    const isEarlier = end < (reader.map.head?.end ?? 0)
    const known = end === 0 ? 0 : isEarlier ? undefined : reader.map.toPlace(end)
    if (known === undefined) {
      throw new SpindleError(
        'PAGE_STORE_CORRUPT',
        `The page store ${path} was compacted when it had more pages than the crawl frontier knows of: restore both from one backup, or start over with --fresh.`,
      )
    }
    let writer = await RecordLogWriter.open(path, known)
    if (known > 0 && writer.end > known) {
      await writer.close()
      await truncate(path, known)
      writer = await RecordLogWriter.open(path, known)
    }
    return { writer, reader }
  } catch (error) {
    await reader.close()
    throw error
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
