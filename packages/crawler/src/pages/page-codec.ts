/**
 * A page as bytes: a small head that can be read without decompressing, the parse result, and the body.
 *
 *   page     = 1, head (JSON string), length varint + JSON of the parse result, length varint + body, the latter two compressed by
 *              brotli
 *   removal  = 2, head (JSON string)
 *   3 and 4 are records of a log that was rewritten: see `offset-map.ts`
 *
 * Brotli at quality 1 with a window of 256 KiB: on documentation pages of 25 KB half the CPU of deflate's fastest level for the
 * same bytes (150 against 310 µs a page, 29 % of the size). Small inputs are done in place, for the way through the thread pool
 * costs more than the work.
 */
import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
} from 'node:zlib'
import { ByteReader, ByteWriter, SpindleError } from '@spindle/core'
import type { ParsedPage } from '../parse/parsed-page.js'
import type { PageHead, PageRecord, PageRemoval, RecordSummary, StoredRecord } from './stored-page.js'

const compressInPool = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
const decompressInPool = promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress)

const PAGE = 1
const REMOVAL = 2
const QUALITY = 1
const WINDOW_BITS = 18
const MAX_BYTES = 512 * 1024 * 1024
/** Bytes in and out up to which the work is done in place. */
const IN_PLACE_BYTES = 256 * 1024
const IN_PLACE_COMPRESSED_BYTES = 32 * 1024

/** Characters of a text that is kept in memory for the index. */
const MAX_CONTENT = 128 * 1024

/** A page ready to be appended; only its sequence number is missing. */
export interface EncodedPage {
  readonly head: PageHead
  /** What `parsed` holds, without the links: for the index, which follows at once. Undefined for a long page, and without an index. */
  readonly content: ParsedPage | undefined
  readonly parsed: Buffer
  readonly body: Buffer
}

/**
 * Does the costly part of encoding: may run for many pages at once.
 * @param hasIndex false where no index follows: then `content` is left out
 */
export async function encodePage({ body, parsed, ...head }: PageRecord, hasIndex = true): Promise<EncodedPage> {
  const [compressedParsed, compressedBody] = await Promise.all([
    compress(Buffer.from(JSON.stringify(parsed))),
    compress(body),
  ])
  const content = !hasIndex || parsed.text.length > MAX_CONTENT ? undefined : withoutLinks(parsed)
  return { head, content, parsed: compressedParsed, body: compressedBody }
}

/** Strings cut out of a page keep the whole page in memory, so all but the text, which is put together anew, are copied. */
function withoutLinks({ text, links: _, ...rest }: ParsedPage): ParsedPage {
  return { ...(JSON.parse(JSON.stringify(rest)) as typeof rest), text, links: [] }
}

/** The record of an encoded page. */
export function toRecord({ head, parsed, body }: EncodedPage, sequence: number): Buffer {
  const json = JSON.stringify({ sequence, ...head })
  const writer = new ByteWriter(json.length + parsed.length + body.length + 64)
  writer.writeByte(PAGE)
  writer.writeString(json)
  writer.writeVarint(parsed.length)
  writer.writeBytes(parsed)
  writer.writeVarint(body.length)
  writer.writeBytes(body)
  return writer.view()
}

/** The record of a removal. */
export function toRemovalRecord(removal: PageRemoval, sequence: number): Buffer {
  const json = JSON.stringify({ sequence, ...removal })
  const writer = new ByteWriter(json.length + 16)
  writer.writeByte(REMOVAL)
  writer.writeString(json)
  return writer.view()
}

/** The number of a record. */
export function readSequence(payload: Buffer, path: string, offset: number): number {
  return decode(path, offset, () => split(payload).head.sequence)
}

/** What a record is, without decompressing it. */
export function readSummary(payload: Buffer, path: string, offset: number): Omit<RecordSummary, 'offset' | 'end'> {
  const record = decode(path, offset, () => split(payload))
  const { sequence, url } = record.head
  return { sequence, url, isRemoval: 'removal' in record }
}

/** The head of a page's record; undefined for a removal. */
export function readHead(payload: Buffer, path: string, offset: number): PageHead | undefined {
  const record = decode(path, offset, () => split(payload))
  return 'removal' in record ? undefined : record.head
}

/** A record without the body. */
export async function readRecord(payload: Buffer, path: string, offset: number, end: number): Promise<StoredRecord> {
  const record = decode(path, offset, () => split(payload))
  if ('removal' in record) return { ...record.head, offset, end }
  const { head, parsed } = record
  try {
    const json = await decompress(parsed)
    return { ...head, parsed: JSON.parse(json.toString('utf8')) as ParsedPage, offset, end }
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

/** The body of a record. */
export async function readBody(payload: Buffer, path: string, offset: number): Promise<Buffer> {
  const record = decode(path, offset, () => split(payload))
  try {
    if ('removal' in record) throw new RangeError('it says that a page is gone')
    return await decompress(record.body)
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

async function compress(bytes: Buffer): Promise<Buffer> {
  const options = {
    // One piece of output for most inputs.
    chunkSize: Math.max(1024, Math.min(bytes.length >> 1, IN_PLACE_BYTES)),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  }
  return bytes.length <= IN_PLACE_BYTES ? brotliCompressSync(bytes, options) : compressInPool(bytes, options)
}

async function decompress(bytes: Buffer): Promise<Buffer> {
  const limit = { maxOutputLength: MAX_BYTES }
  return bytes.length <= IN_PLACE_COMPRESSED_BYTES ? brotliDecompressSync(bytes, limit) : decompressInPool(bytes, limit)
}

type Split =
  | { readonly head: PageHead & { readonly sequence: number }; readonly parsed: Buffer; readonly body: Buffer }
  | { readonly head: PageRemoval & { readonly sequence: number }; readonly removal: true }

function split(payload: Buffer): Split {
  const reader = new ByteReader(payload)
  const format = reader.readByte()
  if (format !== PAGE && format !== REMOVAL) throw new RangeError(`record format ${format} is unknown`)
  const head = JSON.parse(reader.readString())
  if (format === REMOVAL) return { head, removal: true }
  const parsed = reader.readBytes(reader.readVarint())
  const body = reader.readBytes(reader.readVarint())
  return { head, parsed, body }
}

function decode<T>(path: string, offset: number, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

function corrupt(path: string, offset: number, cause: unknown): SpindleError {
  return new SpindleError(
    'PAGE_STORE_CORRUPT',
    `The page at byte ${offset} of ${path} cannot be read (${(cause as Error).message}): restore the file, or start over with --fresh.`,
    { cause },
  )
}
