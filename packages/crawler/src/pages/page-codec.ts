/**
 * A page as bytes: a small head that can be read without inflating, the parse result, and the body.
 *
 *   record = format byte (0), head (JSON string), length varint + deflated JSON of the parse result, length varint + deflated body
 *
 * Deflate runs at level 1: level 6 takes a third more CPU for a twelfth fewer bytes on pages of 8 KB, and several times as
 * much on large ones. Small inputs are done in place, for the way through the thread pool costs as much again as the work
 * (350 against 156 µs for such a page).
 */
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib'
import { ByteReader, ByteWriter, SpindleError } from '@spindle/core'
import type { ParsedPage } from '../parse/parsed-page.js'
import type { PageRecord, StoredPage } from './stored-page.js'

const deflateInPool = promisify<Buffer, { level: number }, Buffer>(deflateRaw)
const inflateInPool = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw)

const FORMAT = 0
const LEVEL = 1
const MAX_INFLATED = 512 * 1024 * 1024
/** Bytes in and out up to which the work is done in place. */
const IN_PLACE_BYTES = 256 * 1024
const IN_PLACE_DEFLATED_BYTES = 32 * 1024

type Head = Omit<PageRecord, 'body' | 'parsed'>

/** A page ready to be appended; only its sequence number is missing. */
export interface EncodedPage {
  readonly head: Head
  readonly parsed: Buffer
  readonly body: Buffer
}

/** Does the costly part of encoding: may run for many pages at once. */
export async function encodePage({ body, parsed, ...head }: PageRecord): Promise<EncodedPage> {
  const [deflatedParsed, deflatedBody] = await Promise.all([
    deflate(Buffer.from(JSON.stringify(parsed))),
    deflate(body),
  ])
  return { head, parsed: deflatedParsed, body: deflatedBody }
}

/** The record of an encoded page. */
export function toRecord({ head, parsed, body }: EncodedPage, sequence: number): Buffer {
  const json = JSON.stringify({ sequence, ...head })
  const writer = new ByteWriter(json.length + parsed.length + body.length + 64)
  writer.writeByte(FORMAT)
  writer.writeString(json)
  writer.writeVarint(parsed.length)
  writer.writeBytes(parsed)
  writer.writeVarint(body.length)
  writer.writeBytes(body)
  return writer.view()
}

/** The number of a record's page. */
export function readSequence(payload: Buffer, path: string, offset: number): number {
  return decode(path, offset, () => split(payload).head.sequence)
}

/** A record without the body. */
export async function readPage(payload: Buffer, path: string, offset: number, end: number): Promise<StoredPage> {
  const { head, parsed } = decode(path, offset, () => split(payload))
  try {
    const json = await inflate(parsed)
    return { ...head, parsed: JSON.parse(json.toString('utf8')) as ParsedPage, offset, end }
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

/** The body of a record. */
export async function readBody(payload: Buffer, path: string, offset: number): Promise<Buffer> {
  const { body } = decode(path, offset, () => split(payload))
  try {
    return await inflate(body)
  } catch (cause) {
    throw corrupt(path, offset, cause)
  }
}

async function deflate(bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= IN_PLACE_BYTES) return deflateRawSync(bytes, { level: LEVEL })
  return deflateInPool(bytes, { level: LEVEL })
}

async function inflate(bytes: Buffer): Promise<Buffer> {
  const limit = { maxOutputLength: MAX_INFLATED }
  return bytes.length <= IN_PLACE_DEFLATED_BYTES ? inflateRawSync(bytes, limit) : inflateInPool(bytes, limit)
}

function split(payload: Buffer): { head: Head & { sequence: number }; parsed: Buffer; body: Buffer } {
  const reader = new ByteReader(payload)
  const format = reader.readByte()
  if (format !== FORMAT) throw new RangeError(`record format ${format} is unknown`)
  const head = JSON.parse(reader.readString()) as Head & { sequence: number }
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
