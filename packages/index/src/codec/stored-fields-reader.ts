/**
 * Reads stored fields: the table of chunks is in memory (16 bytes a chunk), chunks are read by range when asked for and
 * the last few kept. A chunk of 16 KB costs about 0.1 ms.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import { promisify } from 'node:util'
import { inflateRaw, inflateRawSync } from 'node:zlib'
import { ByteReader, crc32, isSpindleError } from '@spindle/core'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import type { FieldInfo } from '../document/field-info.js'
import { isNumeric } from '../document/field-type.js'
import type { CheckedInput } from '../store/checked-input.js'
import { readTable } from '../store/checked-table.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'

const decompress = promisify(inflateRaw)

const CACHED_CHUNKS = 16
/** Larger chunks are not cached, and are decompressed off the main thread. */
const SMALL_CHUNK = 64 * 1024
/** Bytes that a check of all documents reads at a time. */
const CHECKED_AT_ONCE = 1 << 20
/** A walk through all chunks reads so many bytes at once. */
const WALK_PIECE = 256 * 1024
/** Least room for what is decompressed that Node.js takes. */
const MIN_OUTPUT = 64
/** Deflate cannot do better than this. */
const MAX_RATIO = 1032

/** A chunk in memory. */
export interface StoredChunk {
  /** Start of each document in `bytes`, and the end of the last. */
  readonly starts: readonly number[]
  readonly bytes: Buffer
}

/** The `stored` file of a segment. */
export class StoredFieldsReader {
  readonly #input: CheckedInput
  readonly #infos: ReadonlyMap<number, FieldInfo>
  /** First document of each chunk, and the number of documents. */
  readonly #firstDocs: Int32Array
  /** Offset of each chunk, and the end of the last. */
  readonly #offsets: Float64Array
  readonly #rawLengths: Float64Array
  readonly #cache = new Map<number, Promise<StoredChunk>>()
  /** Where the next varint of a check is. */
  #chunkCursor = 0

  private constructor(
    input: CheckedInput,
    infos: ReadonlyMap<number, FieldInfo>,
    firstDocs: Int32Array,
    offsets: Float64Array,
    rawLengths: Float64Array,
  ) {
    this.#input = input
    this.#infos = infos
    this.#firstDocs = firstDocs
    this.#offsets = offsets
    this.#rawLengths = rawLengths
  }

  /** Reads the table of chunks. @throws SpindleError INDEX_CORRUPT */
  static async open(
    input: CheckedInput,
    maxDoc: number,
    infos: ReadonlyMap<number, FieldInfo>,
  ): Promise<StoredFieldsReader> {
    const { table, tableAt } = await readTable(input)
    const reader = new ByteReader(table)
    try {
      const count = reader.readVarint()
      if (count * 3 > table.length) throw new RangeError(`${count} chunks`)
      const firstDocs = new Int32Array(count + 1)
      const offsets = new Float64Array(count + 1)
      const rawLengths = new Float64Array(count)
      offsets[0] = HEADER_LENGTH
      for (let i = 0; i < count; i++) {
        const docCount = reader.readVarint()
        const compressedLength = reader.readVarint()
        const rawLength = reader.readVarint()
        if (!(docCount > 0 && docCount <= maxDoc - firstDocs[i]))
          throw new RangeError(`a chunk of ${docCount} documents`)
        if (docCount * 2 > rawLength || rawLength > compressedLength * MAX_RATIO)
          throw new RangeError(`a chunk of ${rawLength} bytes`)
        firstDocs[i + 1] = firstDocs[i] + docCount
        offsets[i + 1] = offsets[i] + 4 + compressedLength
        rawLengths[i] = rawLength
      }
      if (firstDocs[count] !== maxDoc) throw new RangeError(`${firstDocs[count]} documents`)
      if (offsets[count] !== tableAt) throw new RangeError(`chunks up to ${offsets[count]}`)
      return new StoredFieldsReader(input, infos, firstDocs, offsets, rawLengths)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw indexCorrupt(input.path, tableAt + reader.position, `chunks of ${maxDoc} documents`, error.message, error)
    }
  }

  get chunkCount(): number {
    return this.#rawLengths.length
  }

  /** First document of a chunk; of the one after the last, the number of documents. */
  firstDoc(chunk: number): number {
    return this.#firstDocs[chunk]
  }

  /** Bytes of a chunk before compression. */
  rawLength(chunk: number): number {
    return this.#rawLengths[chunk]
  }

  /** The stored fields of a document. @throws SpindleError INDEX_CORRUPT */
  async document(doc: number): Promise<Document> {
    const number = this.#chunkOf(doc)
    const chunk = await this.#cached(number)
    const i = doc - this.#firstDocs[number]
    const reader = new ByteReader(chunk.bytes, chunk.starts[i], chunk.starts[i + 1])
    try {
      const document = new Document()
      const count = reader.readVarint()
      for (let n = 0; n < count; n++) {
        const code = reader.readVarint()
        const info = this.#infos.get(Math.floor(code / 2))
        if (info === undefined || !info.type.stored) throw new RangeError(`field code ${code}`)
        const value = reader.readBytes(reader.readVarint()).toString((code & 1) === 0 ? 'utf8' : 'utf16le')
        document.add(new Field(info.name, value, info.type))
      }
      return document
    } catch (error) {
      if (!(error instanceof RangeError || isSpindleError(error, 'DOCUMENT_INVALID'))) throw error
      throw indexCorrupt(this.#input.path, this.#offsets[number], `document ${doc}`, error.message, error)
    }
  }

  /** Reads and decompresses a chunk. @throws SpindleError INDEX_CORRUPT */
  async readChunk(number: number): Promise<StoredChunk> {
    return this.decompress(number, await this.readCompressed(number))
  }

  /** Decompresses a chunk. @throws SpindleError INDEX_CORRUPT */
  async decompress(number: number, compressed: Uint8Array): Promise<StoredChunk> {
    return this.#split(number, await this.#inflate(number, compressed, this.#rawLengths[number] > SMALL_CHUNK))
  }

  /** The compressed bytes of a chunk, checksum compared. @throws SpindleError INDEX_CORRUPT */
  async readCompressed(number: number): Promise<Uint8Array> {
    const bytes = Buffer.alloc(this.#offsets[number + 1] - this.#offsets[number])
    await this.#input.read(bytes, this.#offsets[number])
    return this.#verified(number, bytes)
  }

  /**
   * For who goes through all chunks: the compressed bytes of the chunk asked for, checksum compared, valid until the next
   * one is. A piece of the file is read at once, always into the same memory.
   */
  walk(): (number: number) => Promise<Uint8Array> {
    const piece = Buffer.allocUnsafeSlow(WALK_PIECE)
    let from = 0
    let to = 0
    return async (number) => {
      const start = this.#offsets[number]
      const end = this.#offsets[number + 1]
      if (end - start > WALK_PIECE) return this.readCompressed(number)
      if (start < from || end > to) {
        from = start
        to = Math.min(start + WALK_PIECE, this.#offsets[this.chunkCount])
        await this.#input.read(piece.subarray(0, to - from), from)
      }
      return this.#verified(number, piece.subarray(start - from, end - from))
    }
  }

  /**
   * Decodes all documents, each once. Memory: what is read at once, 1 MB, or the largest chunk.
   * @returns how many
   * @throws SpindleError INDEX_CORRUPT
   */
  async checkDocuments(): Promise<number> {
    const offsets = this.#offsets
    for (let number = 0; number < this.chunkCount; ) {
      const from = offsets[number]
      let end = number + 1
      while (end < this.chunkCount && offsets[end + 1] - from <= CHECKED_AT_ONCE) end++
      const bytes = Buffer.allocUnsafe(offsets[end] - from)
      await this.#input.read(bytes, from)
      for (; number < end; number++) {
        const compressed = this.#verified(number, bytes.subarray(offsets[number] - from, offsets[number + 1] - from))
        const chunk = this.#split(number, await this.#inflate(number, compressed, false))
        this.#checkDocuments(number, chunk)
      }
    }
    return this.#firstDocs[this.chunkCount]
  }

  /** As `document`, without the strings; and nothing may be left over. */
  #checkDocuments(number: number, { bytes, starts }: StoredChunk): void {
    // What a text could be wrong with is seen at once where there is nothing but ASCII.
    const hasAscii = isAscii(bytes)
    let doc = 0
    try {
      for (; doc + 1 < starts.length; doc++) {
        this.#chunkCursor = starts[doc]
        const end = starts[doc + 1]
        for (let left = this.#chunkVarint(bytes, end); left > 0; left--) {
          const code = this.#chunkVarint(bytes, end)
          const info = this.#infos.get(Math.floor(code / 2))
          if (info === undefined || !info.type.stored) throw new RangeError(`field code ${code}`)
          const length = this.#chunkVarint(bytes, end)
          const from = this.#chunkCursor
          if (length > end - from) throw new RangeError(`a value of ${length} bytes`)
          this.#chunkCursor = from + length
          if (code % 2 === 0 ? !(hasAscii || isUtf8(bytes.subarray(from, from + length))) : length % 2 !== 0) {
            throw new RangeError(`bytes of ${info.name} that are no text`)
          }
          if (isNumeric(info.type.kind)) new Field(info.name, bytes.toString('utf8', from, from + length), info.type)
        }
        if (this.#chunkCursor < end) throw new RangeError(`${end - this.#chunkCursor} bytes more`)
      }
    } catch (error) {
      if (!(error instanceof RangeError || isSpindleError(error, 'DOCUMENT_INVALID'))) throw error
      const what = `document ${this.#firstDocs[number] + doc}`
      throw indexCorrupt(this.#input.path, this.#offsets[number], what, error.message, error)
    }
  }

  /** As `ByteReader.readVarint`, without an object for each document. @throws RangeError past `end` */
  #chunkVarint(bytes: Uint8Array, end: number): number {
    let at = this.#chunkCursor
    let value = 0
    let scale = 1
    for (let i = 0; i < 8 && at < end; i++) {
      const byte = bytes[at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.#chunkCursor = at
        return value
      }
      scale *= 128
    }
    throw new RangeError('no varint')
  }

  /** Compares the checksum before a chunk. @returns the chunk */
  #verified(number: number, bytes: Buffer): Buffer {
    const compressed = bytes.subarray(4)
    const expected = bytes.readUInt32LE(0)
    const found = crc32(compressed)
    if (found !== expected) throw indexCorrupt(this.#input.path, this.#offsets[number], `checksum ${expected}`, found)
    return compressed
  }

  async #inflate(number: number, compressed: Uint8Array, offThread: boolean): Promise<Buffer> {
    const rawLength = this.#rawLengths[number]
    // In one piece where it is of the usual length, with room to see that nothing follows.
    const chunkSize = Math.max(MIN_OUTPUT, Math.min(rawLength + 1, SMALL_CHUNK))
    const options = { maxOutputLength: Math.max(1, rawLength), chunkSize }
    try {
      return offThread ? await decompress(compressed, options) : inflateRawSync(compressed, options)
    } catch (error) {
      const at = this.#offsets[number] + 4
      throw indexCorrupt(this.#input.path, at, `${rawLength} compressed bytes`, String(error), error)
    }
  }

  /** Finds the documents of a chunk. */
  #split(number: number, bytes: Buffer): StoredChunk {
    const rawLength = this.#rawLengths[number]
    const reader = new ByteReader(bytes)
    try {
      if (bytes.length !== rawLength) throw new RangeError(`${bytes.length} bytes`)
      const count = this.#firstDocs[number + 1] - this.#firstDocs[number]
      const starts: number[] = [0]
      for (let i = 0; i < count; i++) starts.push(starts[i] + reader.readVarint())
      if (starts[count] !== reader.remaining) throw new RangeError(`${reader.remaining} bytes`)
      return { starts, bytes: bytes.subarray(reader.position) }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const at = this.#offsets[number]
      throw indexCorrupt(this.#input.path, at, `a chunk of ${rawLength} bytes`, error.message, error)
    }
  }

  async close(): Promise<void> {
    this.#cache.clear()
    await this.#input.close()
  }

  #chunkOf(doc: number): number {
    let low = 0
    let high = this.#rawLengths.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (this.#firstDocs[middle] <= doc) low = middle
      else high = middle - 1
    }
    return low
  }

  #cached(number: number): Promise<StoredChunk> {
    const cache = this.#cache
    let chunk = cache.get(number)
    if (chunk !== undefined) {
      // Last used, last thrown away: a Map keeps the order of insertion.
      cache.delete(number)
      cache.set(number, chunk)
      return chunk
    }
    chunk = this.readChunk(number)
    if (this.#rawLengths[number] > SMALL_CHUNK) return chunk
    chunk.catch(() => cache.delete(number))
    cache.set(number, chunk)
    if (cache.size > CACHED_CHUNKS)
      for (const oldest of cache.keys()) {
        cache.delete(oldest)
        break
      }
    return chunk
  }
}
