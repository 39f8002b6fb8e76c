/**
 * Writes an index file: header, content, footer with length and CRC-32 (some GB/s by Node.js); before the footer, where
 * the component is read by ranges, the checksums of its pages. Content is gathered in a buffer of 128 KB, so that a byte
 * costs a store and a file a few system calls.
 */
import { crc32 } from '@spindle/core'
import type { Directory, FileOutput } from './directory.js'
import {
  type Component,
  componentBytes,
  FOOTER_LENGTH,
  FOOTER_MAGIC,
  HEADER_MAGIC,
  ID_LENGTH,
  PAGED_COMPONENTS,
} from './file-header.js'
import { FORMAT } from './format-version.js'
import { PageChecksumsWriter } from './page-checksums.js'

const BUFFER_LENGTH = 128 * 1024

/** A file being written from front to back. */
export class CheckedOutput {
  readonly name: string
  readonly #file: FileOutput
  readonly #buffer = Buffer.allocUnsafe(BUFFER_LENGTH)
  #used = 0
  #flushed = 0
  #crc = 0
  /** null: the component has none, or they are written. */
  #pages: PageChecksumsWriter | null

  private constructor(file: FileOutput, pages: PageChecksumsWriter | null) {
    this.name = file.name
    this.#file = file
    this.#pages = pages
  }

  /** Creates the file and writes its header. */
  static async create(
    directory: Directory,
    name: string,
    component: Component,
    id: Uint8Array,
  ): Promise<CheckedOutput> {
    if (id.length !== ID_LENGTH) throw new RangeError(`a segment id has ${ID_LENGTH} bytes, not ${id.length}`)
    const pages = PAGED_COMPONENTS.has(component) ? new PageChecksumsWriter() : null
    const output = new CheckedOutput(await directory.createOutput(name), pages)
    output.writeInt32(HEADER_MAGIC)
    output.writeBytes(componentBytes(component))
    output.writeInt32(FORMAT.version | (FORMAT.revision << 16))
    output.writeBytes(id)
    return output
  }

  /** Bytes written so far, header included: the offset of the next byte in the file. */
  get position(): number {
    return this.#flushed + this.#used
  }

  writeByte(value: number): void {
    if (this.#used === BUFFER_LENGTH) this.#flush()
    this.#buffer[this.#used++] = value
  }

  /** A 32-bit word, little-endian. */
  writeInt32(value: number): void {
    if (this.#used + 4 > BUFFER_LENGTH) this.#flush()
    const buffer = this.#buffer
    const at = this.#used
    buffer[at] = value
    buffer[at + 1] = value >>> 8
    buffer[at + 2] = value >>> 16
    buffer[at + 3] = value >>> 24
    this.#used = at + 4
  }

  /** 0 to 2^53 − 1, seven bits a byte, low bits first, the high bit set on all but the last. */
  writeVarint(value: number): void {
    while (value > 0x7f) {
      this.writeByte((value & 0x7f) | 0x80)
      value = value < 0x80000000 ? value >>> 7 : Math.floor(value / 128)
    }
    this.writeByte(value)
  }

  writeBytes(bytes: Uint8Array): void {
    if (this.#used + bytes.length > BUFFER_LENGTH) {
      this.#flush()
      if (bytes.length > BUFFER_LENGTH) {
        this.#pass(bytes)
        return
      }
    }
    this.#buffer.set(bytes, this.#used)
    this.#used += bytes.length
  }

  /** `words[0 … length)` as little-endian 32-bit words. */
  writeWords(words: Int32Array, length: number): void {
    this.writeBytes(new Uint8Array(words.buffer, words.byteOffset, length * 4))
  }

  /** Fills with zeros up to a multiple of 4. */
  align(): void {
    while ((this.position & 3) !== 0) this.writeByte(0)
  }

  /** Writes the checksums of pages and the footer, and closes the file. @returns the file's length */
  async finish(): Promise<number> {
    if (this.#pages !== null) {
      this.#flush()
      const checksums = this.#pages.finish()
      this.#pages = null
      this.writeBytes(checksums)
    }
    const length = this.position + FOOTER_LENGTH
    this.writeInt32(FOOTER_MAGIC)
    this.writeInt32(length % 0x100000000)
    this.writeInt32(Math.floor(length / 0x100000000))
    this.#flush()
    this.writeInt32(this.#crc)
    this.#flush()
    await this.#file.close()
    return length
  }

  /** Closes the file as it is; for a writer that gives up. */
  async abandon(): Promise<void> {
    await this.#file.close()
  }

  #flush(): void {
    this.#pass(this.#buffer.subarray(0, this.#used))
    this.#used = 0
  }

  #pass(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc)
    this.#pages?.add(bytes)
    this.#file.write(bytes)
    this.#flushed += bytes.length
  }
}
