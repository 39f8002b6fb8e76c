/** The records of a page store to read, also while it is being written. */
import { join } from 'node:path'
import { type LogRecord, RecordLogReader, SpindleError } from '@spindle/core'
import { decodeHead, HEAD, OffsetMap, TABLE } from './offset-map.js'
import { readBody, readHead, readRecord, readSequence, readSummary } from './page-codec.js'
import { isRemoval, type PageHead, type RecordSummary, type StoredPage, type StoredRecord } from './stored-page.js'

/** Name of the log in the folder of a page store. */
export const PAGE_LOG = 'pages.log'

/** See the head of this file. Offsets are those that the records had when they were written. */
export class PageReader {
  readonly #path: string
  readonly #log: RecordLogReader
  readonly map: OffsetMap

  private constructor(path: string, log: RecordLogReader, map: OffsetMap) {
    this.#path = path
    this.#log = log
    this.map = map
  }

  /** @throws SpindleError `PAGE_STORE_CORRUPT` */
  static async open(folder: string): Promise<PageReader> {
    const path = join(folder, PAGE_LOG)
    const log = await RecordLogReader.open(path)
    try {
      return new PageReader(path, log, await readMap(log))
    } catch (error) {
      await log.close()
      throw error
    }
  }

  /** Raised whenever records say something else than they did. */
  get epoch(): number {
    return this.map.head?.epoch ?? 0
  }

  /** A page by the offset of its record. @throws SpindleError `PAGE_STORE_CORRUPT` where there is none */
  async read(offset: number): Promise<StoredPage> {
    const { payload, end } = await this.#at(offset)
    const record = await readRecord(payload, this.#path, offset, offset + end)
    if (!isRemoval(record)) return record
    throw this.#isNoPage(offset)
  }

  /**
   * What is known of a page without decompressing it, by the offset of its record; undefined where the page was replaced by a newer
   * one and its record was not kept.
   * @throws as {@link read}
   */
  async readHead(offset: number): Promise<PageHead | undefined> {
    const place = this.map.toPlace(offset)
    if (place === undefined) return undefined
    const { payload } = await this.#log.read(place)
    const head = readHead(payload, this.#path, offset)
    if (head !== undefined) return head
    throw this.#isNoPage(offset)
  }

  /** The body of a page by the offset of its record. */
  async readBody(offset: number): Promise<Buffer> {
    const { payload } = await this.#at(offset)
    return readBody(payload, this.#path, offset)
  }

  /**
   * The records after a sequence number, in order, up to what is written now. One is in memory at a time.
   * @param hint where the record after `sequence` is thought to lie (the `end` of that page); a wrong one costs a scan
   */
  async *scan(sequence = 0, hint?: number): AsyncGenerator<StoredRecord, void, void> {
    for await (const { payload, offset, end } of this.#records(sequence, hint)) {
      yield readRecord(payload, this.#path, offset, end)
    }
  }

  /** As {@link scan}, without decompressing anything; the payloads are those of the log. */
  async *scanSummaries(sequence = 0): AsyncGenerator<RecordSummary & { readonly payload: Buffer }, void, void> {
    for await (const { payload, offset, end } of this.#records(sequence)) {
      yield { ...readSummary(payload, this.#path, offset), offset, end, payload }
    }
  }

  async close(): Promise<void> {
    await this.#log.close()
  }

  async *#records(sequence: number, hint?: number): AsyncGenerator<LogRecord, void, void> {
    const from = hint === undefined ? undefined : await this.#placeOf(hint, sequence + 1)
    for await (const { payload, offset: place, end } of this.#log.scan(from)) {
      if (payload[0] === HEAD || payload[0] === TABLE) continue
      const offset = this.map.toOffset(place) ?? place
      if (readSequence(payload, this.#path, offset) > sequence) yield { payload, offset, end: offset + end - place }
    }
  }

  /** @returns the record; its `end` is its length */
  async #at(offset: number): Promise<{ readonly payload: Buffer; readonly end: number }> {
    const place = this.map.toPlace(offset)
    if (place === undefined) throw this.#isNoPage(offset)
    const { payload, end } = await this.#log.read(place)
    return { payload, end: end - place }
  }

  async #placeOf(offset: number, sequence: number): Promise<number | undefined> {
    const place = this.map.toPlace(offset)
    if (place === undefined || place < RecordLogReader.start) return undefined
    for await (const { payload } of this.#log.scan(place)) {
      return readSequence(payload, this.#path, offset) === sequence ? place : undefined
    }
    return undefined
  }

  #isNoPage(offset: number): SpindleError {
    return new SpindleError(
      'PAGE_STORE_CORRUPT',
      `At byte ${offset} of ${this.#path} a page was expected and there is none: restore the file, or start over with --fresh.`,
    )
  }
}

/** How the offsets of a log are to be read. */
async function readMap(log: RecordLogReader): Promise<OffsetMap> {
  for await (const { payload } of log.scan()) {
    const head = decodeHead(payload)
    if (head === undefined) break
    const table = await log.read(head.table)
    return OffsetMap.decode(head, table.payload, table.end)
  }
  return OffsetMap.identity
}
