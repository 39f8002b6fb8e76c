/**
 * Checksums of the pages of a file that is read by ranges, so that a damaged byte is known whichever part of the file
 * comes into memory. They lie between content and footer, in two levels: a reader keeps the upper one (4 bytes for 16 MiB
 * of the file) and loads the lower one piece by piece. Size: 0.05 % of the file. Comparing a page: 2 µs.
 *
 *   [u32]*n              CRC-32 of each page of 8 KiB of the file, from its first byte on; the last page may be shorter
 *   [u32]*⌈n ÷ 2,048⌉    CRC-32 of each 2,048 words of the line before, as bytes
 *   u32                  CRC-32 of the line before
 *   u32                  n
 */
import { crc32 } from '@spindle/core'
import type { FileInput } from './directory.js'
import { FOOTER_LENGTH, HEADER_LENGTH } from './file-header.js'
import { hex, indexCorrupt } from './index-corrupt.js'

/** Bytes of a page: what is read at least. */
export const PAGE_LENGTH = 8 * 1024
/** Pages whose checksums are loaded together: so many fill a page of their own. */
const PAGES_PER_GROUP = PAGE_LENGTH / 4
/** Bytes of the file that they cover. */
const GROUP_LENGTH = PAGES_PER_GROUP * PAGE_LENGTH
/** Checksum of the upper level, and number of pages. */
const TAIL_LENGTH = 8

/** Start of the page that an offset lies in. */
export function pageStart(offset: number): number {
  return offset - (offset % PAGE_LENGTH)
}

/** Gathers the checksums of a file that is written from front to back. Memory: 4 bytes a page. */
export class PageChecksumsWriter {
  #checksums = new Uint32Array(64)
  #count = 0
  #crc = 0
  #filled = 0

  /** The next bytes of the file. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + PAGE_LENGTH - this.#filled)
      this.#crc = crc32(part, this.#crc)
      this.#filled += part.length
      at += part.length
      if (this.#filled === PAGE_LENGTH) this.#endPage()
    }
  }

  /** What follows the content. */
  finish(): Uint8Array {
    if (this.#filled > 0) this.#endPage()
    const lower = bytesOf(this.#checksums.subarray(0, this.#count))
    const groups = new Uint32Array(Math.ceil(this.#count / PAGES_PER_GROUP))
    for (let g = 0; g < groups.length; g++) groups[g] = crc32(lower.subarray(g * PAGE_LENGTH, (g + 1) * PAGE_LENGTH))
    const upper = bytesOf(groups)
    return Buffer.concat([lower, upper, bytesOf(Uint32Array.of(crc32(upper), this.#count))])
  }

  #endPage(): void {
    if (this.#count === this.#checksums.length) {
      const grown = new Uint32Array(this.#count * 2)
      grown.set(this.#checksums)
      this.#checksums = grown
    }
    this.#checksums[this.#count++] = this.#crc
    this.#crc = 0
    this.#filled = 0
  }
}

/** The checksums of a file that is open. */
export class PageChecksums {
  /** Offset of the first of them, where the content ends. */
  readonly contentEnd: number
  readonly #file: FileInput
  readonly #path: string
  readonly #groupChecksums: Uint32Array
  /** The lower level, as far as it was needed. */
  readonly #groups: (Promise<Uint32Array> | undefined)[] = []

  private constructor(file: FileInput, path: string, contentEnd: number, groupChecksums: Uint32Array) {
    this.#file = file
    this.#path = path
    this.contentEnd = contentEnd
    this.#groupChecksums = groupChecksums
  }

  /** Reads the upper level. @throws SpindleError INDEX_CORRUPT */
  static async open(file: FileInput, path: string): Promise<PageChecksums> {
    const tailAt = file.length - FOOTER_LENGTH - TAIL_LENGTH
    if (tailAt < HEADER_LENGTH) throw indexCorrupt(path, tailAt, 'checksums of pages', 'the header')
    const [crc, count] = await readWords(file, tailAt, 2)
    const groupCount = Math.ceil(count / PAGES_PER_GROUP)
    const groupsAt = tailAt - 4 * groupCount
    const contentEnd = groupsAt - 4 * count
    if (!(contentEnd >= HEADER_LENGTH && Math.ceil(contentEnd / PAGE_LENGTH) === count)) {
      throw indexCorrupt(path, tailAt + 4, 'the number of pages', count)
    }
    const groups = await readWords(file, groupsAt, groupCount)
    compare(path, groupsAt, bytesOf(groups), crc)
    return new PageChecksums(file, path, contentEnd, groups)
  }

  /**
   * Fills `target` with whole pages and compares their checksums.
   * @param offset start of a page; the target ends with a page or with the content
   * @throws SpindleError INDEX_CORRUPT naming the page
   */
  async read(target: Uint8Array, offset: number): Promise<void> {
    const end = offset + target.length
    if (offset % PAGE_LENGTH !== 0 || (end % PAGE_LENGTH !== 0 && end !== this.contentEnd)) {
      throw new RangeError(`the bytes ${offset} to ${end} of ${this.#path} are no whole pages`)
    }
    // Side by side: over a network each is a round trip.
    const [groups] = await Promise.all([this.#groupsOf(offset, end), this.#file.read(target, offset)])
    this.#compare(target, offset, groups)
  }

  /** Compares pages that were read: bytes from the start of a page on; those behind the content do not count. */
  async compare(bytes: Uint8Array, offset: number): Promise<void> {
    const end = Math.min(offset + bytes.length, this.contentEnd)
    if (end > offset) this.#compare(bytes.subarray(0, end - offset), offset, await this.#groupsOf(offset, end))
  }

  /** The groups that have the checksums of a range. */
  #groupsOf(offset: number, end: number): Promise<Uint32Array[]> {
    const coming: Promise<Uint32Array>[] = []
    for (let g = Math.floor(offset / GROUP_LENGTH); g * GROUP_LENGTH < end; g++) coming.push(this.#group(g))
    return Promise.all(coming)
  }

  #compare(bytes: Uint8Array, offset: number, groups: readonly Uint32Array[]): void {
    const firstGroup = Math.floor(offset / GROUP_LENGTH)
    for (let at = 0; at < bytes.length; at += PAGE_LENGTH) {
      const page = (offset + at) / PAGE_LENGTH
      const group = groups[Math.floor(page / PAGES_PER_GROUP) - firstGroup]
      compare(this.#path, offset + at, bytes.subarray(at, at + PAGE_LENGTH), group[page % PAGES_PER_GROUP])
    }
  }

  #group(g: number): Promise<Uint32Array> {
    let group = this.#groups[g]
    if (group === undefined) {
      group = this.#readGroup(g)
      this.#groups[g] = group
      // A failure is not kept.
      group.catch(() => {
        this.#groups[g] = undefined
      })
    }
    return group
  }

  async #readGroup(g: number): Promise<Uint32Array> {
    const from = g * PAGES_PER_GROUP
    const count = Math.min(PAGES_PER_GROUP, Math.ceil(this.contentEnd / PAGE_LENGTH) - from)
    const at = this.contentEnd + from * 4
    const words = await readWords(this.#file, at, count)
    compare(this.#path, at, bytesOf(words), this.#groupChecksums[g])
    return words
  }
}

async function readWords(file: FileInput, offset: number, count: number): Promise<Uint32Array> {
  const words = new Uint32Array(count)
  await file.read(bytesOf(words), offset)
  return words
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
}

function compare(path: string, offset: number, bytes: Uint8Array, expected: number): void {
  const found = crc32(bytes)
  if (found === expected) return
  throw indexCorrupt(path, offset, `${bytes.length} bytes with checksum ${hex(expected)}`, hex(found))
}
