/**
 * A page as bytes: a small head that can be read without decompressing, what parsing made of it, and the body.
 *
 *   page     = 5, head (JSON string), varints (bytes of JSON, of text, of part 1), part 1, part 2
 *   part 1   = JSON of the parse result but for its text, the text in UTF-8, the body of a page that is not large;
 *              compressed by brotli as one
 *   part 2   = the body of a large page, compressed by brotli; else nothing
 *   removal  = 2, head (JSON string)
 *   3 and 4 are records of a log that was rewritten: see `offset-map.ts`
 *
 * The text is found again in the body, so one stream is smaller and sooner done than two. Brotli at quality 0 with a window of
 * 256 KiB: deflate at its fastest takes twice the CPU for as many bytes. The text stands apart from the JSON because it need not
 * be escaped (a lone surrogate in it becomes U+FFFD). Pages that are not large are done in place, for the way through the thread
 * pool costs more than the work.
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

const PAGE = 5
const REMOVAL = 2
const QUALITY = 0
const WINDOW_BITS = 18
const MAX_BYTES = 512 * 1024 * 1024
/** Bytes that may be compressed in place; a page with no more of them is one part. */
const IN_PLACE_BYTES = 768 * 1024
/** Bytes of UTF-8 that a UTF-16 unit may need. */
const MAX_UNIT_BYTES = 3
/** Compressed bytes up to which decompressing is done in place. */
const IN_PLACE_COMPRESSED_BYTES = 32 * 1024
/** Bytes of output at a time. */
const MAX_PIECE = 256 * 1024

/** Characters of a text that is kept in memory for the index. */
const MAX_CONTENT = 128 * 1024

/** A page ready to be appended; only its sequence number is missing. */
export interface EncodedPage {
  readonly head: PageHead
  /** What `parsed` holds, without the links: for the index, which follows at once. Undefined for a long page, and without an index. */
  readonly content: ParsedPage | undefined
  /** In part 1. */
  readonly jsonBytes: number
  /** In part 1. */
  readonly textBytes: number
  /** Part 1. */
  readonly parsed: Buffer
  /** Part 2. */
  readonly body: Buffer
}

const NOTHING = Buffer.alloc(0)
/** What is compressed in place, which is done before anything else is. */
let scratch: Buffer | undefined

/**
 * Does the costly part of encoding: may run for many pages at once.
 * @param hasIndex false where no index follows: then `content` is left out
 */
export async function encodePage({ body, parsed, ...head }: PageRecord, hasIndex = true): Promise<EncodedPage> {
  const { text, ...rest } = parsed
  const content = !hasIndex || text.length > MAX_CONTENT ? undefined : withoutLinks(parsed)
  const json = JSON.stringify(rest)
  if ((json.length + text.length) * MAX_UNIT_BYTES + body.length <= IN_PLACE_BYTES) {
    scratch ??= Buffer.allocUnsafeSlow(IN_PLACE_BYTES)
    const jsonBytes = scratch.write(json, 0, 'utf8')
    const textBytes = scratch.write(text, jsonBytes, 'utf8')
    scratch.set(body, jsonBytes + textBytes)
    const all = scratch.subarray(0, jsonBytes + textBytes + body.length)
    return { head, content, jsonBytes, textBytes, parsed: brotliCompressSync(all, optionsFor(all)), body: NOTHING }
  }
  const parts = [Buffer.from(json), Buffer.from(text)] as const
  const [first, second] = await Promise.all([compress(Buffer.concat(parts)), compress(body)])
  return { head, content, jsonBytes: parts[0].length, textBytes: parts[1].length, parsed: first, body: second }
}

/** Strings cut out of a page keep the whole page in memory, so all but the text, which is put together anew, are copied. */
function withoutLinks({ text, links: _, ...rest }: ParsedPage): ParsedPage {
  return { ...(JSON.parse(JSON.stringify(rest)) as typeof rest), text, links: [] }
}

/** The record of an encoded page. */
export function toRecord({ head, jsonBytes, textBytes, parsed, body }: EncodedPage, sequence: number): Buffer {
  const json = JSON.stringify({ sequence, ...head })
  const writer = new ByteWriter(json.length + parsed.length + body.length + 64)
  writer.writeByte(PAGE)
  writer.writeString(json)
  writer.writeVarint(jsonBytes)
  writer.writeVarint(textBytes)
  writer.writeVarint(parsed.length)
  writer.writeBytes(parsed)
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
  const { head, jsonBytes, textBytes } = record
  try {
    const bytes = await decompress(record.parsed)
    if (bytes.length < jsonBytes + textBytes)
      throw new RangeError(`it has ${bytes.length} bytes where ${jsonBytes + textBytes} were written`)
    const text = bytes.toString('utf8', jsonBytes, jsonBytes + textBytes)
    const rest = JSON.parse(bytes.toString('utf8', 0, jsonBytes)) as Omit<ParsedPage, 'text'>
    return { ...head, parsed: { ...rest, text }, offset, end }
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

/** The body of a record. */
export async function readBody(payload: Buffer, path: string, offset: number): Promise<Buffer> {
  const record = decode(path, offset, () => split(payload))
  try {
    if ('removal' in record) throw new RangeError('it says that a page is gone')
    if (record.body.length > 0) return await decompress(record.body)
    return (await decompress(record.parsed)).subarray(record.jsonBytes + record.textBytes)
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

function compress(bytes: Buffer): Promise<Buffer> {
  return compressInPool(bytes, optionsFor(bytes))
}

function optionsFor({ length }: Buffer): BrotliOptions {
  return {
    // One piece of output for most inputs.
    chunkSize: Math.max(1024, Math.min(length >> 1, MAX_PIECE)),
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: length,
    },
  }
}

async function decompress(bytes: Buffer): Promise<Buffer> {
  const limit = { maxOutputLength: MAX_BYTES }
  return bytes.length <= IN_PLACE_COMPRESSED_BYTES ? brotliDecompressSync(bytes, limit) : decompressInPool(bytes, limit)
}

type Encoded = Pick<EncodedPage, 'jsonBytes' | 'textBytes' | 'parsed' | 'body'>
type Split =
  | (Encoded & { readonly head: PageHead & { readonly sequence: number } })
  | { readonly head: PageRemoval & { readonly sequence: number }; readonly removal: true }

function split(payload: Buffer): Split {
  const reader = new ByteReader(payload)
  const format = reader.readByte()
  if (format !== PAGE && format !== REMOVAL) throw new RangeError(`record format ${format} is unknown`)
  const head = JSON.parse(reader.readString())
  if (format === REMOVAL) return { head, removal: true }
  const jsonBytes = reader.readVarint()
  const textBytes = reader.readVarint()
  const parsed = reader.readBytes(reader.readVarint())
  const body = reader.readBytes(reader.remaining)
  return { head, jsonBytes, textBytes, parsed, body }
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
