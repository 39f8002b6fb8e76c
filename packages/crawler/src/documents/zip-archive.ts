/**
 * The members of a zip file in memory, each inflated when it is asked for. A member may not be larger than {@link MAX_MEMBER}, not
 * more than {@link MAX_RATIO} times its compressed size, and all that is read not more than {@link MAX_TOTAL}: a few kilobytes can
 * inflate to gigabytes. The sizes that the directory tells bind: a member that goes on beyond its own is broken. Archives within an
 * archive are never opened.
 */

import { unzipSync } from 'fflate'
import { DocumentError } from './extracted-document.js'

/** Bytes of one member. */
export const MAX_MEMBER = 64 * 1024 * 1024
/** Bytes of all members read from one archive, those read twice counted twice. */
export const MAX_TOTAL = 192 * 1024 * 1024
/** Bytes inflated from one compressed, of members larger than {@link RATIO_FROM}. Deflate reaches 1,032; office XML up to 100. */
export const MAX_RATIO = 300
const RATIO_FROM = 4 * 1024 * 1024
const MAX_MEMBERS = 20_000
const STORED = 0
const DEFLATED = 8

interface Member {
  readonly size: number
  readonly packed: number
  readonly compression: number
}

/** See the head of this file. */
export class ZipArchive {
  readonly #bytes: Uint8Array
  readonly #members = new Map<string, Member>()
  #total = 0

  /** @throws DocumentError `document-broken`, `document-too-large`, `document-encrypted` */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    // General purpose bit 0 of the first member (APPNOTE 4.4.4).
    if (((bytes[6] ?? 0) & 1) === 1) throw new DocumentError('document-encrypted', 'its members are encrypted')
    try {
      unzipSync(bytes, {
        filter: ({ name, size, originalSize, compression }) => {
          if (this.#members.size >= MAX_MEMBERS) throw tooLarge(`it has more than ${MAX_MEMBERS} members`)
          this.#members.set(name, { size: originalSize, packed: size, compression })
          return false
        },
      })
    } catch (error) {
      throw broken('the directory of the archive cannot be read', error)
    }
  }

  has(name: string): boolean {
    return this.#members.has(name)
  }

  /** Names of the members, in the order of the archive. */
  names(): IterableIterator<string> {
    return this.#members.keys()
  }

  /** A member that must be there. @throws DocumentError */
  read(name: string): Uint8Array {
    const bytes = this.find(name)
    if (bytes === undefined) throw new DocumentError('document-broken', `it has no part ${name}`)
    return bytes
  }

  /** A member, or undefined where there is none. @throws DocumentError */
  find(name: string): Uint8Array | undefined {
    const member = this.#members.get(name)
    if (member === undefined) return undefined
    this.#check(name, member)
    let found: Uint8Array | undefined
    try {
      // Of two members of one name the last counts, as in the directory above.
      found = unzipSync(this.#bytes, { filter: (file) => file.name === name && file.originalSize === member.size })[
        name
      ]
    } catch (error) {
      throw broken(`its part ${name} cannot be inflated`, error)
    }
    if (found === undefined || found.length !== member.size) throw broken(`its part ${name} is not as long as it says`)
    return found
  }

  #check(name: string, { size, packed, compression }: Member): void {
    if (compression !== STORED && compression !== DEFLATED) {
      throw broken(`its part ${name} is compressed in an unknown way`)
    }
    if (packed > this.#bytes.length) throw broken(`its part ${name} is longer than the file`)
    if (size > MAX_MEMBER) throw tooLarge(`its part ${name} has ${size} bytes`)
    if (size > RATIO_FROM && size > packed * MAX_RATIO) {
      throw tooLarge(`its part ${name} inflates to more than ${MAX_RATIO} times its size`)
    }
    this.#total += size
    if (this.#total > MAX_TOTAL) throw tooLarge(`its parts have more than ${MAX_TOTAL} bytes`)
  }
}

function tooLarge(message: string): DocumentError {
  return new DocumentError('document-too-large', message)
}

function broken(message: string, cause?: unknown): DocumentError {
  if (cause instanceof DocumentError) return cause
  return new DocumentError('document-broken', message, { cause })
}
