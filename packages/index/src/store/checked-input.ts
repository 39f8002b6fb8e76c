/**
 * Opens what {@link CheckedOutput} wrote. Header, id, length and footer are compared at once; checksums whenever bytes
 * are read: that of the whole file with the whole file, those of its pages with ranges of it. Ranges of a component
 * without pages have checksums of their own, which its reader compares.
 */
import { systemCode } from '@spindle/core'
import type { Directory, FileInput } from './directory.js'
import { type FileChecksums, readChecksums } from './file-checksums.js'
import {
  type Component,
  componentBytes,
  FOOTER_LENGTH,
  FOOTER_MAGIC,
  HEADER_LENGTH,
  HEADER_MAGIC,
  PAGED_COMPONENTS,
} from './file-header.js'
import { checkFormat } from './format-version.js'
import { hex, indexCorrupt } from './index-corrupt.js'
import { PageChecksums } from './page-checksums.js'

/** A checked file, open for reading by ranges. */
export class CheckedInput {
  readonly #file: FileInput
  /** Folder and name, for messages. */
  readonly path: string
  /** The 16 bytes of its header. */
  readonly id: Uint8Array
  /** Length of the file in bytes. */
  readonly length: number
  /** The content lies between the header and here; then come checksums of pages, where there are any, and the footer. */
  readonly contentEnd: number
  readonly #pages: PageChecksums | null

  private constructor(file: FileInput, path: string, id: Uint8Array, pages: PageChecksums | null) {
    this.#file = file
    this.path = path
    this.id = id
    this.length = file.length
    this.contentEnd = pages?.contentEnd ?? file.length - FOOTER_LENGTH
    this.#pages = pages
  }

  /**
   * Opens a file and compares its frame.
   * @param id the id expected in the header, or null where any will do
   * @throws SpindleError INDEX_CORRUPT, INDEX_FORMAT_TOO_NEW, INDEX_FORMAT_TOO_OLD; the system's ENOENT where there is no such file
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
      const pages = PAGED_COMPONENTS.has(component) ? await PageChecksums.open(file, path) : null
      return new CheckedInput(file, path, header.subarray(16, HEADER_LENGTH), pages)
    } catch (error) {
      await file.close()
      throw systemCode(error) === 'EISDIR' ? indexCorrupt(path, 0, 'a file', 'a folder', error) : error
    }
  }

  /**
   * Fills `target` from a place in the content. Of a component with checksums of pages only whole pages can be read, and
   * are compared: `offset` is a multiple of {@link PAGE_LENGTH}, and so is the end, or it is that of the content.
   * @throws SpindleError INDEX_CORRUPT where a page is damaged, or the range is outside of the content
   */
  async read(target: Uint8Array, offset: number): Promise<void> {
    if (!(offset >= 0 && offset + target.length <= this.contentEnd)) {
      throw indexCorrupt(
        this.path,
        offset,
        `a range of ${target.length} bytes inside the content`,
        `the end at ${this.contentEnd}`,
      )
    }
    await (this.#pages ?? this.#file).read(target, offset)
  }

  /**
   * The whole file, frame included, so that offsets in it are offsets in the file; its checksum is compared.
   * @param shared in a SharedArrayBuffer, which several threads can use
   * @throws SpindleError INDEX_CORRUPT
   */
  async readAll(shared: boolean): Promise<Uint8Array> {
    // A multiple of 4, so that words can be laid over it.
    const capacity = Math.ceil(this.length / 4) * 4
    const buffer = shared ? new SharedArrayBuffer(capacity) : new ArrayBuffer(capacity)
    const bytes = new Uint8Array(buffer, 0, this.length)
    this.#compare(await readChecksums(this.#file, { target: bytes }))
    return bytes
  }

  /** Reads the whole file in pieces and compares all its checksums. @throws SpindleError INDEX_CORRUPT */
  async verifyChecksum(): Promise<void> {
    this.#compare(await this.checksums())
  }

  /** The same, but leaves the comparison of the whole file's to the caller. @throws SpindleError INDEX_CORRUPT for a page */
  checksums(): Promise<FileChecksums> {
    return readChecksums(this.#file, { pages: this.#pages })
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  #compare({ stored, computed }: FileChecksums): void {
    if (computed !== stored) throw indexCorrupt(this.path, this.length - 4, `checksum ${hex(computed)}`, hex(stored))
  }
}

function checkHeader(path: string, header: Buffer, component: Component, id: Uint8Array | null): void {
  if (header.readInt32LE(0) !== HEADER_MAGIC) {
    throw indexCorrupt(path, 0, 'the magic of an index file', header.toString('hex', 0, 4))
  }
  if (!header.subarray(4, 12).equals(componentBytes(component))) {
    const found = header.toString('latin1', 4, 12).replace(/[^a-z]/g, '')
    throw indexCorrupt(path, 4, `a file of kind ${component}`, `kind ${found === '' ? 'unknown' : found}`)
  }
  checkFormat(path, { version: header.readUInt16LE(12), revision: header.readUInt16LE(14) })
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
