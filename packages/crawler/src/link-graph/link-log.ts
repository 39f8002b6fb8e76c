/**
 * The links of all stored pages in one log beside the page store, from which the graph is made: addresses as 53-bit hashes, and the
 * texts of the links. It follows the page store page by page, so that a crawl that adds a few pages to a million reads only
 * those. Nothing in it is of its own: one that does not fit the page store is made anew.
 *
 *   head     = JSON: format, name of the crawl, epoch of the page store
 *   page     = 1, sequence varint, place in the page store (offset, length) varints, hash float64, site string, title string,
 *              (hash of the target float64, text string)*
 *   removal  = 2, sequence varint, place varints, hash float64
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteReader, ByteWriter, isSpindleError, RecordLogReader, RecordLogWriter } from '@spindle/core'
import type { PageStore } from '../pages/page-store.js'
import { isRemoval, type StoredPage, type StoredRecord } from '../pages/stored-page.js'
import { hostnameOf, registrableDomain } from '../scope/registrable-domain.js'
import { type NormalizerOptions, UrlNormalizer } from '../scope/url-normalizer.js'
import { linkKey } from './link-key.js'

const FILE = 'links.log'
const FORMAT = 1
const PAGE = 1
const REMOVAL = 2
/** UTF-16 units of a title that links are compared with. */
const MAX_TITLE = 200

/** Where a {@link LinkLog} lies and what it follows. */
export interface LinkLogOptions {
  readonly folder: string
  /** Name of the crawl. */
  readonly crawlId: string
  readonly pages: PageStore
  /** How addresses were normalised in the crawl. */
  readonly normalize?: NormalizerOptions | undefined
}

/** A page as the log has it. */
export interface LoggedPage {
  /** Number of the page's record in the page store. */
  readonly sequence: number
  /** Where that record lies. */
  readonly offset: number
  readonly end: number
  readonly key: number
  /** undefined: the page is gone */
  readonly page?: {
    /** Who is behind the page: the registrable domain, else the host. */
    readonly site: string
    readonly title: string
    /** What is left of the record; read by {@link readLinks}. */
    readonly links: ByteReader
  }
}

/** See the head of this file. */
export class LinkLog {
  readonly #path: string
  readonly #sequence: number

  private constructor(path: string, sequence: number) {
    this.#path = path
    this.#sequence = sequence
  }

  /**
   * The log of all that is in the page store now.
   * @throws errors of the disk
   */
  static async upToDate(options: LinkLogOptions): Promise<LinkLog> {
    const { folder, crawlId, pages } = options
    const path = join(folder, FILE)
    const head = JSON.stringify({ format: FORMAT, crawlId, epoch: pages.epoch })
    let state = await stateOf(path, head)
    if (state === undefined || state.sequence > pages.state.sequence) {
      await rm(path, { force: true })
      state = { sequence: 0, end: 0, next: undefined }
    }
    const { sequence } = pages.state
    if (state.end > 0 && state.sequence === sequence) return new LinkLog(path, sequence)
    const writer = await RecordLogWriter.open(path, state.end)
    try {
      if (state.end === 0) writer.append(Buffer.from(head))
      const normalizer = new UrlNormalizer(options.normalize)
      for await (const record of pages.scan(state.sequence, state.next)) {
        if (record.sequence > sequence) break
        writer.append(toRecord(record, normalizer))
      }
    } finally {
      await writer.close()
    }
    return new LinkLog(path, sequence)
  }

  /** Number of the last page in it. */
  get sequence(): number {
    return this.#sequence
  }

  /** All records in order. */
  async *scan(): AsyncGenerator<LoggedPage, void, void> {
    const reader = await RecordLogReader.open(this.#path)
    try {
      let isHead = true
      for await (const { payload } of reader.scan()) {
        if (!isHead) yield parse(payload)
        isHead = false
      }
    } finally {
      await reader.close()
    }
  }
}

/** Calls `visit` for each link of a page: the hash of its target and its text in UTF-8. */
export function readLinks(links: ByteReader, visit: (target: number, text: Uint8Array) => void): void {
  while (links.remaining > 0) {
    const target = links.readFloat64()
    visit(target, links.readBytes(links.readVarint()))
  }
}

interface LogState {
  readonly sequence: number
  /** Bytes of the log. */
  readonly end: number
  /** Where the next page lies in the page store; a hint. */
  readonly next: number | undefined
}

/** What is in a log; undefined where there is none with this head. */
async function stateOf(path: string, head: string): Promise<LogState | undefined> {
  let reader: RecordLogReader
  try {
    reader = await RecordLogReader.open(path)
  } catch (error) {
    if (isSpindleError(error, 'PAGE_STORE_CORRUPT')) return undefined
    throw error
  }
  try {
    let state: LogState | undefined
    for await (const { payload, end } of reader.scan()) {
      if (state === undefined) {
        if (payload.toString('utf8') !== head) return undefined
        state = { sequence: 0, end, next: undefined }
      } else {
        const { sequence, end: next } = parse(payload)
        if (sequence <= state.sequence) return undefined
        state = { sequence, end, next }
      }
    }
    return state
  } catch {
    return undefined
  } finally {
    await reader.close()
  }
}

function toRecord(record: StoredRecord, normalizer: UrlNormalizer): Buffer {
  const writer = new ByteWriter(4096)
  writer.writeByte(isRemoval(record) ? REMOVAL : PAGE)
  writer.writeVarint(record.sequence)
  writer.writeVarint(record.offset)
  writer.writeVarint(record.end - record.offset)
  writer.writeFloat64(linkKey(record.url))
  if (!isRemoval(record)) writePage(writer, record, normalizer)
  return writer.view()
}

function writePage(writer: ByteWriter, { url, parsed }: StoredPage, normalizer: UrlNormalizer): void {
  writer.writeString(registrableDomain(hostnameOf(url)))
  writer.writeString(parsed.title.slice(0, MAX_TITLE))
  if (!parsed.robots.follow) return
  normalizer.observe(addressesOf(parsed.links))
  for (const { url: target, text, nofollow, scheme } of parsed.links) {
    if (nofollow || scheme !== 'http') continue
    writer.writeFloat64(linkKey(normalizer.normalize(target)))
    writer.writeString(text)
  }
}

function* addressesOf(links: StoredPage['parsed']['links']): Generator<string> {
  for (const { url } of links) yield url
}

function parse(payload: Buffer): LoggedPage {
  const reader = new ByteReader(payload)
  const kind = reader.readByte()
  const sequence = reader.readVarint()
  const offset = reader.readVarint()
  const end = offset + reader.readVarint()
  const key = reader.readFloat64()
  if (kind === REMOVAL) return { sequence, offset, end, key }
  if (kind !== PAGE) throw new RangeError(`record kind ${kind} is unknown`)
  const site = reader.readString()
  const title = reader.readString()
  return { sequence, offset, end, key, page: { site, title, links: reader } }
}
