/**
 * An append-only file of records, each with its length and checksum, so that a torn tail is known and dropped.
 *
 *   file    = magic "SPLOG0\n\0" (8 bytes), record*
 *   record  = length uint32, CRC-32 of length and payload uint32, payload
 *
 * Appending is one buffered write; nothing is durable before {@link RecordLogWriter.sync}. Opening for writing reads
 * through the file once to find the end of the last whole record and cuts off what lies behind it.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SpindleError, systemCode } from '../errors.js'
import { fsyncDir, writeFully } from './atomic-file.js'
import { crc32 } from './crc32.js'

const MAGIC = Buffer.from('SPLOG0\n\0', 'latin1')
const HEADER = 8
const BUFFER_BYTES = 256 * 1024
/** Bytes that a scan reads at once. */
const SCAN_BYTES = 128 * 1024

/** Largest payload in bytes. */
export const MAX_RECORD_BYTES = 256 * 1024 * 1024

/** Place of a record: byte offset of its header in the file. */
export type RecordOffset = number

/** A record as read back; `payload` may be kept. */
export interface LogRecord {
  readonly offset: RecordOffset
  /** Offset of the next record. */
  readonly end: RecordOffset
  readonly payload: Buffer
}

function checksum(length: number, payload: Uint8Array): number {
  const head = Buffer.allocUnsafe(4)
  head.writeUInt32LE(length)
  return crc32(payload, crc32(head))
}

/** Appends records to a log; one writer a file. */
export class RecordLogWriter {
  readonly path: string
  readonly #file: FileHandle
  #end: number
  #pending: Buffer[] = []
  #pendingBytes = 0
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, file: FileHandle, end: number) {
    this.path = path
    this.#file = file
    this.#end = end
  }

  /**
   * Opens or creates a log.
   * @param knownEnd where the caller knows that everything up to this offset is whole (its own durable record says so):
   *   checking starts there instead of at the beginning
   * @throws SpindleError `PAGE_STORE_CORRUPT` where the file is no log, or shorter than `knownEnd`
   */
  static async open(path: string, knownEnd = 0): Promise<RecordLogWriter> {
    const file = await open(path, 'a+', 0o600)
    await file.close()
    const rw = await open(path, 'r+')
    try {
      const { size } = await rw.stat()
      let end = MAGIC.length
      if (size < MAGIC.length) {
        if (knownEnd > 0) throw tooShort(path, size, knownEnd)
        await rw.truncate(0)
        await writeFully(rw, MAGIC, 0)
        await rw.sync()
        await fsyncDir(dirname(path))
      } else {
        await checkMagic(rw, path)
        if (knownEnd > size) throw tooShort(path, size, knownEnd)
        end = Math.max(end, knownEnd)
        for (;;) {
          const record = await readRecord(rw, path, end, size)
          if (record === undefined) break
          end = record.end
        }
        if (end < size) await rw.truncate(end)
      }
      return new RecordLogWriter(path, rw, end)
    } catch (error) {
      await rw.close()
      throw error
    }
  }

  /** Offset at which the next record will lie. */
  get end(): RecordOffset {
    return this.#end
  }

  /** The bytes before the payload of a record. */
  static header(payload: Uint8Array): Buffer {
    const header = Buffer.allocUnsafe(HEADER)
    header.writeUInt32LE(payload.length, 0)
    header.writeUInt32LE(checksum(payload.length, payload), 4)
    return header
  }

  /** Adds a record; it is written when the buffer is full or at the next {@link flush}. */
  append(payload: Uint8Array): RecordOffset {
    if (payload.length > MAX_RECORD_BYTES) throw new RangeError(`a record of ${payload.length} bytes is too large`)
    const header = RecordLogWriter.header(payload)
    const offset = this.#end
    this.#pending.push(header, Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength))
    this.#pendingBytes += HEADER + payload.length
    this.#end += HEADER + payload.length
    if (this.#pendingBytes >= BUFFER_BYTES) void this.flush().catch(() => {})
    return offset
  }

  /** Hands everything appended so far to the system, so that readers of the file see it. Fails again once it has failed. */
  flush(): Promise<void> {
    if (this.#pending.length > 0) {
      const bytes = Buffer.concat(this.#pending, this.#pendingBytes)
      const at = this.#end - this.#pendingBytes
      this.#pending = []
      this.#pendingBytes = 0
      this.#writing = this.#writing.then(() => writeFully(this.#file, bytes, at))
      this.#writing.catch(() => {})
    }
    return this.#writing
  }

  /** Makes everything appended so far durable. */
  async sync(): Promise<void> {
    await this.flush()
    await this.#file.datasync()
  }

  async close(): Promise<void> {
    try {
      await this.sync()
    } finally {
      await this.#file.close()
    }
  }
}

/** Reads records of a log, also while it is being written. */
export class RecordLogReader {
  readonly path: string
  readonly #file: FileHandle

  private constructor(path: string, file: FileHandle) {
    this.path = path
    this.#file = file
  }

  /** @throws SpindleError `PAGE_STORE_CORRUPT` where there is no such log or the file is none */
  static async open(path: string): Promise<RecordLogReader> {
    let file: FileHandle
    try {
      file = await open(path, 'r')
    } catch (cause) {
      if (systemCode(cause) !== 'ENOENT') throw cause
      throw new SpindleError('PAGE_STORE_CORRUPT', `The record log ${path} is missing: restore it or start over.`, {
        cause,
      })
    }
    try {
      await checkMagic(file, path)
    } catch (error) {
      await file.close()
      throw error
    }
    return new RecordLogReader(path, file)
  }

  /** Offset of the first record. */
  static get start(): RecordOffset {
    return MAGIC.length
  }

  /** @throws SpindleError `PAGE_STORE_CORRUPT` where no whole record lies at the offset */
  async read(offset: RecordOffset): Promise<LogRecord> {
    const { size } = await this.#file.stat()
    const record = await readRecord(this.#file, this.path, offset, size)
    if (record !== undefined) return record
    throw new SpindleError(
      'PAGE_STORE_CORRUPT',
      `No whole record lies at byte ${offset} of ${this.path} (${size} bytes): the file was cut or changed; restore it or start over.`,
    )
  }

  /** The whole records from an offset on, in order; ends at the first that is not whole. Small ones are read many at a time. */
  async *scan(from: RecordOffset = MAGIC.length): AsyncGenerator<LogRecord, void, void> {
    checkPlace(from, this.path)
    let offset = from
    let bytes = Buffer.alloc(0)
    for (let at = 0; ; ) {
      const length = wholeRecordAt(bytes, at)
      if (length >= 0) {
        // A copy, which may be kept.
        const payload = Buffer.from(bytes.subarray(at + HEADER, at + HEADER + length))
        const record = { offset, end: offset + HEADER + length, payload }
        at += HEADER + length
        offset = record.end
        yield record
        continue
      }
      // What is not whole may have been written meanwhile, or is larger than what is read at once.
      const chunk = Buffer.allocUnsafe(SCAN_BYTES)
      const { bytesRead } = await this.#file.read(chunk, 0, SCAN_BYTES, offset)
      bytes = chunk.subarray(0, bytesRead)
      at = 0
      if (wholeRecordAt(bytes, 0) >= 0) continue
      const { size } = await this.#file.stat()
      const record = await readRecord(this.#file, this.path, offset, size)
      if (record === undefined) return
      offset = record.end
      bytes = Buffer.alloc(0)
      yield record
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

function tooShort(path: string, size: number, knownEnd: number): SpindleError {
  return new SpindleError(
    'PAGE_STORE_CORRUPT',
    `The record log ${path} has ${size} bytes, but ${knownEnd} were written: restore it or start over.`,
  )
}

async function checkMagic(file: FileHandle, path: string): Promise<void> {
  const head = Buffer.alloc(MAGIC.length)
  const { bytesRead } = await file.read(head, 0, MAGIC.length, 0)
  if (bytesRead === MAGIC.length && head.equals(MAGIC)) return
  throw new SpindleError(
    'PAGE_STORE_CORRUPT',
    `The file ${path} does not begin like a record log of this version: it is damaged or foreign; move it away or start over.`,
  )
}

/** The record at an offset, or undefined where no whole one lies there. */
async function readRecord(
  file: FileHandle,
  path: string,
  offset: number,
  size: number,
): Promise<LogRecord | undefined> {
  checkPlace(offset, path)
  if (offset + HEADER > size) return undefined
  const header = Buffer.allocUnsafe(HEADER)
  if (!(await readFully(file, header, offset))) return undefined
  const length = header.readUInt32LE(0)
  if (length > MAX_RECORD_BYTES || offset + HEADER + length > size) return undefined
  const payload = Buffer.allocUnsafe(length)
  if (!(await readFully(file, payload, offset + HEADER))) return undefined
  if (checksum(length, payload) !== header.readUInt32LE(4)) return undefined
  return { offset, end: offset + HEADER + length, payload }
}

function checkPlace(offset: number, path: string): void {
  if (Number.isSafeInteger(offset) && offset >= MAGIC.length) return
  throw new SpindleError('PAGE_STORE_CORRUPT', `${offset} is no place of a record in ${path}: start over.`)
}

/** Length of the payload of the whole record at a place in what was read; −1 where there is none. */
function wholeRecordAt(bytes: Buffer, at: number): number {
  if (at + HEADER > bytes.length) return -1
  const length = bytes.readUInt32LE(at)
  if (length > bytes.length - at - HEADER) return -1
  const payload = bytes.subarray(at + HEADER, at + HEADER + length)
  return checksum(length, payload) === bytes.readUInt32LE(at + 4) ? length : -1
}

async function readFully(file: FileHandle, bytes: Buffer, position: number): Promise<boolean> {
  let done = 0
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, position + done)
    if (bytesRead === 0) return false
    done += bytesRead
  }
  return true
}
