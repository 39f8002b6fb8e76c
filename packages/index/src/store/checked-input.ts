/**
 * Opens what {@link CheckedOutput} wrote. Header, id, length and footer are compared at once; the checksum of the whole
 * file only where the caller reads the whole file anyway or asks for it.
 */
import { crc32, SpindleError, systemCode } from '@spindle/core'
import type { Directory, FileInput } from './directory.js'
import {
  type Component,
  componentBytes,
  FOOTER_LENGTH,
  FOOTER_MAGIC,
  FORMAT_VERSION,
  HEADER_LENGTH,
  HEADER_MAGIC,
} from './file-header.js'
import { indexCorrupt } from './index-corrupt.js'

const VERIFY_PIECE = 1 << 20

/** A checked file, open for reading by ranges. */
export class CheckedInput {
  readonly #file: FileInput
  /** Folder and name, for messages. */
  readonly path: string
  /** The 16 bytes of its header. */
  readonly id: Uint8Array
  /** Length of the file in bytes. */
  readonly length: number
  /** Offset of the footer: the content lies between the header and here. */
  readonly contentEnd: number

  private constructor(file: FileInput, path: string, id: Uint8Array) {
    this.#file = file
    this.path = path
    this.id = id
    this.length = file.length
    this.contentEnd = file.length - FOOTER_LENGTH
  }

  /**
   * Opens a file and compares its frame.
   * @param id the id expected in the header, or null where any will do
   * @throws SpindleError INDEX_CORRUPT, INDEX_FORMAT_TOO_NEW; the system's ENOENT where there is no such file
   */
  static async open(
    directory: Directory,
    name: string,
    component: Component,
    id: Uint8Array | null,
  ): Promise<CheckedInput> {
    const path = `${directory.path}/${name}`
    const file = await directory.open(name)
    try {
      if (file.length < HEADER_LENGTH + FOOTER_LENGTH) {
        throw indexCorrupt(path, file.length, `at least ${HEADER_LENGTH + FOOTER_LENGTH} bytes`, `${file.length} bytes`)
      }
      const header = Buffer.alloc(HEADER_LENGTH)
      await file.read(header, 0)
      checkHeader(path, header, component, id)
      const footer = Buffer.alloc(FOOTER_LENGTH)
      await file.read(footer, file.length - FOOTER_LENGTH)
      checkFooter(path, footer, file.length)
      return new CheckedInput(file, path, header.subarray(16, HEADER_LENGTH))
    } catch (error) {
      await file.close()
      throw systemCode(error) === 'EISDIR' ? indexCorrupt(path, 0, 'a file', 'a folder', error) : error
    }
  }

  /** Fills `target` from a place in the content. @throws SpindleError INDEX_CORRUPT where that is outside of it */
  async read(target: Uint8Array, offset: number): Promise<void> {
    if (!(offset >= 0 && offset + target.length <= this.contentEnd)) {
      throw indexCorrupt(
        this.path,
        offset,
        `a range of ${target.length} bytes inside the content`,
        `the end at ${this.contentEnd}`,
      )
    }
    await this.#file.read(target, offset)
  }

  /**
   * The whole file, frame included, so that offsets in it are offsets in the file.
   * @param shared in a SharedArrayBuffer, which several threads can use
   * @param verify whether to compare the checksum
   */
  async readAll(shared: boolean, verify: boolean): Promise<Uint8Array> {
    // A multiple of 4, so that words can be laid over it.
    const capacity = (this.length + 3) & ~3
    const buffer = shared ? new SharedArrayBuffer(capacity) : new ArrayBuffer(capacity)
    const bytes = new Uint8Array(buffer, 0, this.length)
    await this.#file.read(bytes, 0)
    if (verify) this.#compare(crc32(bytes.subarray(0, this.length - 4)), bytes.subarray(this.length - 4))
    return bytes
  }

  /** Reads the whole file in pieces and compares the checksum. @throws SpindleError INDEX_CORRUPT */
  async verifyChecksum(): Promise<void> {
    const end = this.length - 4
    const piece = Buffer.alloc(Math.min(VERIFY_PIECE, end))
    let crc = 0
    for (let at = 0; at < end; at += piece.length) {
      const part = piece.subarray(0, Math.min(piece.length, end - at))
      await this.#file.read(part, at)
      crc = crc32(part, crc)
    }
    const stored = Buffer.alloc(4)
    await this.#file.read(stored, end)
    this.#compare(crc, stored)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #compare(crc: number, stored: Uint8Array): void {
    const expected = Buffer.from(stored).readUInt32LE(0)
    if (crc !== expected) throw indexCorrupt(this.path, this.length - 4, `checksum ${hex(crc)}`, hex(expected))
  }
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0')
}

function checkHeader(path: string, header: Buffer, component: Component, id: Uint8Array | null): void {
  if (header.readInt32LE(0) !== HEADER_MAGIC) {
    throw indexCorrupt(path, 0, 'the magic of an index file', header.toString('hex', 0, 4))
  }
  if (!header.subarray(4, 12).equals(componentBytes(component))) {
    const found = header.toString('latin1', 4, 12).replace(/[^a-z]/g, '')
    throw indexCorrupt(path, 4, `a file of kind ${component}`, `kind ${found === '' ? 'unknown' : found}`)
  }
  const version = header.readUInt32LE(12)
  if (version > FORMAT_VERSION) {
    throw new SpindleError(
      'INDEX_FORMAT_TOO_NEW',
      `The index file ${path} has format ${version} and this program reads formats up to ${FORMAT_VERSION}: use a newer version of the program.`,
    )
  }
  if (id !== null && !header.subarray(16, HEADER_LENGTH).equals(id)) {
    const expected = Buffer.from(id).toString('hex')
    throw indexCorrupt(path, 16, `id ${expected}`, header.toString('hex', 16, HEADER_LENGTH))
  }
}

function checkFooter(path: string, footer: Buffer, length: number): void {
  const at = length - FOOTER_LENGTH
  if (footer.readInt32LE(0) !== FOOTER_MAGIC) {
    throw indexCorrupt(path, at, 'the magic of a footer', footer.toString('hex', 0, 4))
  }
  const recorded = footer.readUInt32LE(4) + footer.readUInt32LE(8) * 0x100000000
  if (recorded !== length) throw indexCorrupt(path, at + 4, `a length of ${length}`, recorded)
}
