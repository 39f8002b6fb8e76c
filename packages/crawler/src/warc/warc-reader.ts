/**
 * Reads the records of a WARC file, compressed (a gzip member a record, or one around all) or not, one at a time and with bounded
 * memory, whatever the file says of itself. What cannot be read ends the file, and the records before it count.
 */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { constants, createGunzip } from 'node:zlib'
import { SpindleError } from '@spindle/core'
import { ByteSource, EndOfBytes } from './byte-source.js'
import { MAX_BLOCK, type WarcHead } from './warc-record.js'

/** A record with its block. */
export interface WarcRecord extends WarcHead {
  /** the block, or its beginning where it is longer than `MAX_BLOCK`; undefined where it was not wanted */
  readonly block: Buffer | undefined
}

/** Bytes of a head, and lines of it. */
const MAX_LINE = 64 * 1024
const MAX_LINES = 1000
/** A block that is longer than this is no page, and leaving it out would take too long. */
const MAX_LENGTH = 16 * 1024 ** 3
/** Empty lines between two records. */
const MAX_EMPTY = 100
/** Bytes that one compressed byte may become … */
const MAX_RATIO = 200
/** … counted from this many on. */
const RATIO_FREE_BYTES = 256 * 1024 * 1024

/**
 * The records of a file in order.
 * @param isWanted asked for each head; the block of others is left out
 * @throws SpindleError `WARC_UNREADABLE` where the file ends early or is damaged, after the records before it
 */
export async function* readWarc(
  path: string,
  isWanted: (head: WarcHead) => boolean,
): AsyncGenerator<WarcRecord, void, void> {
  const file = createReadStream(path)
  let source: ByteSource
  if (await isGzip(path)) {
    // A file that was cut gives what is there; that the record is not whole is seen here.
    const gunzip = createGunzip({ chunkSize: 64 * 1024, finishFlush: constants.Z_SYNC_FLUSH })
    file.on('error', (error) => gunzip.destroy(error))
    source = new ByteSource(file.pipe(gunzip), (received) => {
      if (received > Math.max(RATIO_FREE_BYTES, MAX_RATIO * file.bytesRead))
        throw new RangeError(`it becomes more than ${MAX_RATIO} times as large when it is unpacked`)
    })
  } else source = new ByteSource(file)
  let records = 0
  try {
    for (;;) {
      const head = await readHead(source)
      if (head === undefined) return
      const wanted = isWanted(head)
      const kept = wanted ? Math.min(head.length, MAX_BLOCK) : 0
      const block = wanted ? await source.bytes(kept) : undefined
      await source.skip(head.length - kept)
      records++
      yield { ...head, block }
    }
  } catch (error) {
    throw unreadable(path, records, error)
  } finally {
    file.destroy()
    await source.close()
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await file.close()
  }
}

/** @returns undefined at the end of the file */
async function readHead(source: ByteSource): Promise<WarcHead | undefined> {
  let line = ''
  for (let empty = 0; line === ''; empty++) {
    if (await source.isAtEnd()) return undefined
    if (empty > MAX_EMPTY) throw new RangeError('a record was expected and there are empty lines')
    line = await source.line(MAX_LINE)
  }
  if (!/^WARC\/\d+\.\d+\s*$/.test(line)) throw new RangeError('a record does not begin with WARC/ and a version')
  const fields = new Map<string, string>()
  let last = ''
  for (let lines = 0; ; lines++) {
    line = await source.line(MAX_LINE)
    if (line === '') break
    if (lines > MAX_LINES) throw new RangeError('a record has too many fields')
    // A line that begins with a blank goes on with the one before.
    if (/^[ \t]/.test(line)) {
      const before = fields.get(last)
      if (before !== undefined && before.length < MAX_LINE) fields.set(last, `${before} ${utf8(line.trim())}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    last = line.slice(0, colon).trim().toLowerCase()
    if (!fields.has(last)) fields.set(last, utf8(line.slice(colon + 1).trim()))
  }
  const length = Number(fields.get('content-length'))
  if (!/^\d{1,15}$/.test(fields.get('content-length') ?? '')) throw new RangeError('a record does not tell its length')
  if (length > MAX_LENGTH) throw new RangeError(`a record says that it has ${length} bytes`)
  return { type: (fields.get('warc-type') ?? '').toLowerCase(), fields, length }
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8')
}

function unreadable(path: string, records: number, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  const isCut = error instanceof EndOfBytes || code === 'Z_BUF_ERROR'
  if (!isCut && !(error instanceof RangeError) && code?.startsWith('Z_') !== true) return error
  const what = isCut ? 'it ends in the middle of a record' : message
  const kept = records === 0 ? 'nothing could be read' : `the ${records} records before that count`
  return new SpindleError(
    'WARC_UNREADABLE',
    `The WARC file ${basename(path)} cannot be read beyond its record ${records} (${what}): ${kept}; get the file again to read the rest.`,
    { cause: error },
  )
}
