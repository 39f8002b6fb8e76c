/**
 * Writes the stored fields: documents gathered into chunks of about 16 KB, each compressed with deflate (level 6, about
 * 2.8:1) off the main thread and protected by its own checksum, because chunks are read alone; see INDEX-FORMAT.md.
 */
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { ByteWriter, crc32 } from '@spindle/core'
import type { Document } from '../document/document.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { writeTable } from '../store/checked-table.js'

const compress = promisify(deflateRaw)

/** A chunk is closed when it has so many bytes before compression. */
export const CHUNK_LENGTH = 16 * 1024

/** Chunks that may wait for compression at a time. */
const MAX_WAITING = 4

/**
 * The window of most chunks holds all of them that deflate could look back at, in half of the memory (128 KB) and less time
 * to clear it; the size is the same to a thousandth.
 */
const SMALL_CHUNK = 2 * CHUNK_LENGTH
const SMALL_DEFLATE = { level: 6, windowBits: 14, memLevel: 7 }

interface WaitingChunk {
  readonly docCount: number
  readonly rawLength: number
  readonly compressed: Promise<Uint8Array>
}

/** Writes the `stored` file. */
export class StoredFieldsWriter {
  readonly #output: CheckedOutput
  readonly #chunk = new ByteWriter(CHUNK_LENGTH * 2)
  #lengths: number[] = []
  readonly #table = new ByteWriter()
  #chunkCount = 0
  readonly #waiting: WaitingChunk[] = []

  constructor(output: CheckedOutput) {
    this.#output = output
  }

  /** Bytes in memory that are not yet in the file, about. */
  get ramBytes(): number {
    return this.#chunk.length + this.#waiting.length * CHUNK_LENGTH * 2 + this.#table.length
  }

  /** Appends the stored fields of the next document. */
  addDocument(document: Document, fieldNumber: (name: string) => number): void {
    const chunk = this.#chunk
    const start = chunk.length
    let count = 0
    for (const field of document.fields) if (field.type.stored) count++
    chunk.writeVarint(count)
    for (const field of document.fields) {
      if (!field.type.stored) continue
      const code = fieldNumber(field.name) * 2
      if (isWellFormed(field.value)) {
        chunk.writeVarint(code)
        chunk.writeString(field.value)
      } else {
        // UTF-8 has no lone surrogates: such a text is kept unit by unit.
        const bytes = Buffer.from(field.value, 'utf16le')
        chunk.writeVarint(code + 1)
        chunk.writeVarint(bytes.length)
        chunk.writeBytes(bytes)
      }
    }
    this.#endDocument(start)
  }

  /** Appends a document as it is in another segment's chunk. */
  addRaw(bytes: Uint8Array): void {
    const start = this.#chunk.length
    this.#chunk.writeBytes(bytes)
    this.#endDocument(start)
  }

  /** Appends a whole chunk as it is in another segment. To be awaited before anything else is added. */
  async addCompressed(docCount: number, rawLength: number, compressed: Uint8Array): Promise<void> {
    this.#endChunk()
    await this.drain(0)
    this.#write(docCount, rawLength, compressed)
  }

  /** To be awaited between documents: writes finished chunks once too many wait. */
  async drain(limit = MAX_WAITING): Promise<void> {
    while (this.#waiting.length > limit) {
      const { docCount, rawLength, compressed } = this.#waiting[0]
      const bytes = await compressed
      this.#waiting.shift()
      this.#write(docCount, rawLength, bytes)
    }
  }

  /** True where {@link drain} would have to do something. */
  get needsDrain(): boolean {
    return this.#waiting.length > MAX_WAITING
  }

  /** Writes what is left and the table of chunks, and ends the file. @returns its length */
  async finish(): Promise<number> {
    this.#endChunk()
    await this.drain(0)
    const table = new ByteWriter(this.#table.length + 8)
    table.writeVarint(this.#chunkCount)
    table.writeBytes(this.#table.view())
    writeTable(this.#output, table.view())
    return this.#output.finish()
  }

  /** Closes the file as it is. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#waiting.map((chunk) => chunk.compressed))
    await this.#output.abandon()
  }

  #write(docCount: number, rawLength: number, compressed: Uint8Array): void {
    this.#output.writeInt32(crc32(compressed))
    this.#output.writeBytes(compressed)
    this.#table.writeVarint(docCount)
    this.#table.writeVarint(compressed.length)
    this.#table.writeVarint(rawLength)
    this.#chunkCount++
  }

  #endDocument(start: number): void {
    this.#lengths.push(this.#chunk.length - start)
    if (this.#chunk.length >= CHUNK_LENGTH) this.#endChunk()
  }

  #endChunk(): void {
    if (this.#lengths.length === 0) return
    const raw = new ByteWriter(this.#chunk.length + this.#lengths.length * 2)
    for (const length of this.#lengths) raw.writeVarint(length)
    raw.writeBytes(this.#chunk.view())
    const compressed = compress(raw.view(), raw.length > SMALL_CHUNK ? { level: 6 } : SMALL_DEFLATE)
    // Awaited in drain(); a failure before that must not count as unhandled.
    compressed.catch(() => {})
    this.#waiting.push({ docCount: this.#lengths.length, rawLength: raw.length, compressed })
    this.#lengths = []
    this.#chunk.reset()
  }
}

/** `String.prototype.isWellFormed`, which Node.js 20 has and the type library of ES2023 does not name. */
function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed()
}
