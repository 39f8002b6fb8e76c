/**
 * The terms of a segment, or some blocks of them, in memory as they are in the file. A look-up is a binary search over the first terms of the
 * blocks and a walk through one block of 32: under 2 µs, nothing allocated but the entry's numbers.
 */
import type { FieldInfo } from '../document/field-info.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { MAX_TERM_BYTES, TERMS_PER_BLOCK } from './term-dictionary-writer.js'
import { align4, PACKED_LENGTH, TermEntry } from './term-entry.js'
import { compareBytes, type FieldTermsIndex, readTermsIndex } from './terms-index.js'

const NO_BYTES = new Uint8Array(0)

/** What the dictionary is compared with. */
export interface DictionaryLimits {
  readonly maxDoc: number
  /** End of the content of the postings and of the positions file. */
  readonly postingsEnd: number
  readonly positionsEnd: number
}

/** Terms were asked for that are read by ranges: who meets it loads them and asks again. */
export class TermsNotLoaded extends Error {
  constructor(file: string) {
    super(`the terms of ${file} are not in memory: load them first`)
    this.name = 'TermsNotLoaded'
  }
}

interface FieldTerms {
  readonly info: FieldInfo
  readonly termCount: number
  /** Byte range of the blocks. */
  readonly start: number
  readonly end: number
  /** Start of each block, from `start`. */
  readonly offsets: Int32Array
}

/** The `terms` file of a segment, or, for a reader by ranges, a piece of it. */
export class TermDictionary {
  /** Folder and name, for messages. */
  readonly file: string
  readonly #index: ReadonlyMap<string, FieldTermsIndex>
  readonly #limits: DictionaryLimits
  /** Those that have been asked for. */
  readonly #fields = new Map<string, FieldTerms>()
  #bytes: Uint8Array = NO_BYTES
  #resident = false
  /** Offset in the file of `#bytes[0]`. */
  #base = 0
  /** Where the next varint is. */
  #cursor = 0

  /** @param index the table of fields; the terms come with {@link TermDictionary.fill} */
  constructor(file: string, index: ReadonlyMap<string, FieldTermsIndex>, limits: DictionaryLimits) {
    this.file = file
    this.#index = index
    this.#limits = limits
  }

  /**
   * The dictionary in a file that is in memory.
   * @param bytes the whole file, at a multiple of 4 of its buffer
   * @param contentEnd offset of the footer
   * @throws SpindleError INDEX_CORRUPT
   */
  static ofFile(
    file: string,
    bytes: Uint8Array,
    contentEnd: number,
    infos: ReadonlyMap<number, FieldInfo>,
    limits: DictionaryLimits,
  ): TermDictionary {
    const length = Buffer.from(bytes.buffer, bytes.byteOffset + contentEnd - 4, 4).readUInt32LE(0)
    const tableAt = contentEnd - 4 - length
    if (tableAt < HEADER_LENGTH) throw indexCorrupt(file, contentEnd - 4, 'the length of a table', length)
    const index = readTermsIndex(file, bytes.subarray(tableAt, contentEnd - 4), tableAt, infos)
    const dictionary = new TermDictionary(file, index, limits)
    dictionary.fill(bytes)
    return dictionary
  }

  /**
   * A piece of the dictionary with some blocks of one field.
   * Walks through them to find where each starts: some 10 µs, less than a read of the table that tells it.
   * @param bytes the blocks
   * @param base their offset in the file
   * @throws SpindleError INDEX_CORRUPT
   */
  static ofBlocks(
    file: string,
    bytes: Uint8Array,
    base: number,
    info: FieldInfo,
    termCount: number,
    limits: DictionaryLimits,
  ): TermDictionary {
    const dictionary = new TermDictionary(file, new Map(), limits)
    dictionary.#bytes = bytes
    dictionary.#base = base
    dictionary.#resident = true
    const offsets = dictionary.#walkBlocks(info, termCount)
    dictionary.#fields.set(info.name, { info, termCount, start: 0, end: bytes.length, offsets })
    return dictionary
  }

  /** Gives the dictionary the whole file, at a multiple of 4 of its buffer. */
  fill(bytes: Uint8Array): void {
    this.#bytes = bytes
    this.#resident = true
  }

  /** Whether the terms are in memory. Where they are not, nothing but their number is known. */
  get isResident(): boolean {
    return this.#resident
  }

  /**
   * Fills `entry` for the term `bytes[0 … length)` of a field.
   * @returns false where the segment has no such term
   */
  find(field: string, bytes: Uint8Array, length: number, entry: TermEntry): boolean {
    const terms = this.#field(field)
    if (terms === undefined) return false
    const block = this.#findBlock(terms, bytes, length)
    if (block < 0) return false
    const index = this.#findInBlock(terms, block, bytes, length)
    if (index < 0) return false
    // #findInBlock left the cursor where the entries of the block start.
    this.#startEntries(entry)
    for (let i = 0; i <= index; i++) this.#nextEntry(terms.info, entry)
    return true
  }

  /** Number of distinct terms of a field. */
  termCount(field: string): number {
    return this.#index.get(field)?.termCount ?? 0
  }

  /**
   * Place of a term among those of its field; where it is none of them, −1 − the place of the first greater one.
   * Walks through one block: some µs.
   */
  ordinal(field: string, bytes: Uint8Array, length: number): number {
    const terms = this.#field(field)
    const block = terms === undefined ? -1 : this.#findBlock(terms, bytes, length)
    if (terms === undefined || block < 0) return -1
    let index = block * TERMS_PER_BLOCK
    const cursor = this.terms(field, index)!
    for (; cursor.next(); index++) {
      const order = compareBytes(cursor.bytes, cursor.length, bytes, length)
      if (order === 0) return index
      if (order > 0) break
    }
    return -1 - index
  }

  /** The term at a place among those of its field. @throws SpindleError INDEX_CORRUPT where there is no such place */
  termAt(field: string, ordinal: number): string {
    const cursor = this.terms(field, ordinal)
    if (cursor === undefined || !cursor.next()) {
      throw indexCorrupt(this.file, 0, `a term ${ordinal} of ${JSON.stringify(field)}`, this.termCount(field))
    }
    return Buffer.from(cursor.bytes.buffer, cursor.bytes.byteOffset, cursor.length).toString()
  }

  /**
   * Walks through the terms of a field in order; undefined where it has none.
   * @param from place of the first term to come
   */
  terms(field: string, from = 0): TermCursor | undefined {
    const terms = this.#field(field)
    if (terms === undefined) return undefined
    const dictionary = this
    let index = from - (from % TERMS_PER_BLOCK) - 1
    let termsAt = 0
    let termsEnd = 0
    let entriesAt = 0
    // Entries are read when they are asked for: of most terms that a search walks over, none is.
    const entry = new TermEntry()
    let entryIndex = -1
    let buffer = new Uint8Array(256)
    const cursor: TermCursor = {
      bytes: buffer,
      length: 0,
      shared: 0,
      get entry() {
        if (entryIndex === index) return entry
        dictionary.#cursor = entriesAt
        for (; entryIndex < index; entryIndex++) dictionary.#nextEntry(terms.info, entry)
        entriesAt = dictionary.#cursor
        return entry
      },
      next: () => {
        if (index + 1 >= terms.termCount) return false
        index++
        let shared = 0
        let suffix: number
        if (index % TERMS_PER_BLOCK === 0) {
          this.#cursor = this.#blockStart(terms, index / TERMS_PER_BLOCK)
          suffix = this.#varint()
          termsAt = this.#cursor
        } else {
          this.#cursor = termsAt
          shared = this.#varint()
          suffix = this.#varint()
        }
        const from = this.#cursor
        const length = shared + suffix
        if (shared > cursor.length || length > MAX_TERM_BYTES || from + suffix > terms.end) this.#corrupt('a term')
        if (length > buffer.length) {
          const grown = new Uint8Array(length * 2)
          grown.set(buffer)
          buffer = grown
          cursor.bytes = grown
        }
        for (let i = 0; i < suffix; i++) buffer[shared + i] = this.#bytes[from + i]
        cursor.length = length
        cursor.shared = shared
        this.#cursor = from + suffix
        if (index % TERMS_PER_BLOCK === 0) {
          const restLength = this.#varint()
          termsAt = this.#cursor
          this.#cursor += restLength
          termsEnd = this.#cursor
          this.#startEntries(entry)
          entriesAt = this.#cursor
          entryIndex = index - 1
        } else {
          termsAt = this.#cursor
          if (termsAt > termsEnd) this.#corrupt('a term inside of its block')
        }
        return true
      },
      seek: (target, length) => {
        let common = cursor.length
        const next = Math.floor(index / TERMS_PER_BLOCK) + 1
        if (next < terms.offsets.length && this.#compareFirst(terms, next, target, length) <= 0) {
          // What is looked for is often near.
          let step = 1
          let low = next
          while (low + step < terms.offsets.length && this.#compareFirst(terms, low + step, target, length) <= 0) {
            low += step
            step *= 2
          }
          index = this.#findBlock(terms, target, length, low, low + step - 1) * TERMS_PER_BLOCK - 1
        }
        // So many bytes of the last term are those of the target, which is greater.
        let match = -1
        while (cursor.next()) {
          const { shared } = cursor
          if (shared < common) common = shared
          if (shared > match && match >= 0) continue
          const limit = Math.min(length, cursor.length)
          match = Math.max(0, Math.min(match, shared))
          while (match < limit && buffer[match] === target[match]) match++
          if (match < limit ? buffer[match] < target[match] : cursor.length < length) continue
          cursor.shared = common
          return true
        }
        return false
      },
    }
    while (index < from - 1 && cursor.next());
    return cursor
  }

  /** Where each block starts. */
  #walkBlocks(info: FieldInfo, termCount: number): Int32Array {
    const offsets = new Int32Array(Math.ceil(termCount / TERMS_PER_BLOCK))
    const entry = new TermEntry()
    this.#cursor = 0
    for (let block = 0; block < offsets.length; block++) {
      offsets[block] = this.#cursor
      this.#skip(this.#varint())
      this.#skip(this.#varint())
      this.#startEntries(entry)
      const count = Math.min(TERMS_PER_BLOCK, termCount - block * TERMS_PER_BLOCK)
      for (let i = 0; i < count; i++) this.#nextEntry(info, entry)
    }
    if (this.#cursor !== this.#bytes.length) this.#corrupt('the end of the blocks')
    return offsets
  }

  #skip(length: number): void {
    if (length > this.#bytes.length - this.#cursor) this.#corrupt('a length inside of the blocks')
    this.#cursor += length
  }

  #field(field: string): FieldTerms | undefined {
    if (!this.#resident) throw new TermsNotLoaded(this.file)
    const known = this.#fields.get(field)
    const index = known === undefined ? this.#index.get(field) : undefined
    if (index === undefined) return known
    const { info, termCount, blockCount, start, end, offsetsAt } = index
    const offsets = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset + offsetsAt, blockCount)
    const terms = { info, termCount, start, end, offsets }
    this.#fields.set(field, terms)
    return terms
  }

  #blockStart(terms: FieldTerms, block: number): number {
    const offset = terms.offsets[block]
    if (!(offset >= 0 && terms.start + offset < terms.end)) {
      throw indexCorrupt(this.file, this.#base + terms.end, 'the offset of a block', offset)
    }
    return terms.start + offset
  }

  /** The last block from `low` to `high` whose first term is not greater than the term, or one before `low`. */
  #findBlock(terms: FieldTerms, bytes: Uint8Array, length: number, low = 0, high = terms.offsets.length - 1): number {
    high = Math.min(high, terms.offsets.length - 1)
    while (low <= high) {
      const middle = (low + high) >>> 1
      if (this.#compareFirst(terms, middle, bytes, length) <= 0) low = middle + 1
      else high = middle - 1
    }
    return high
  }

  /** Below 0 where the first term of a block sorts before the term. */
  #compareFirst(terms: FieldTerms, block: number, bytes: Uint8Array, length: number): number {
    const all = this.#bytes
    this.#cursor = this.#blockStart(terms, block)
    const firstLength = this.#varint()
    const from = this.#cursor
    const limit = Math.min(length, firstLength)
    for (let i = 0; i < limit; i++) if (all[from + i] !== bytes[i]) return all[from + i] - bytes[i]
    return firstLength - length
  }

  /** Place of the term in its block, or −1. Leaves the cursor at the entries where it was found. */
  #findInBlock(terms: FieldTerms, block: number, bytes: Uint8Array, length: number): number {
    const all = this.#bytes
    this.#cursor = this.#blockStart(terms, block)
    const firstLength = this.#varint()
    const firstAt = this.#cursor
    // The first term is not greater: what it shares with the term is all that has to be counted.
    let match = 0
    const firstLimit = Math.min(length, firstLength)
    while (match < firstLimit && all[firstAt + match] === bytes[match]) match++
    this.#cursor = firstAt + firstLength
    const restLength = this.#varint()
    const rest = this.#cursor
    const end = rest + restLength
    if (!(end <= terms.end)) this.#corrupt('a block inside of the field')
    if (firstLength === length && match === length) {
      this.#cursor = end
      return 0
    }
    const count = Math.min(TERMS_PER_BLOCK, terms.termCount - block * TERMS_PER_BLOCK)
    for (let index = 1; index < count; index++) {
      const shared = this.#varint()
      const suffix = this.#varint()
      const at = this.#cursor
      this.#cursor = at + suffix
      if (this.#cursor > end) this.#corrupt('a term inside of its block')
      // Shares more with the term before than the term does: still smaller.
      if (shared > match) continue
      if (shared < match) return -1
      const limit = Math.min(suffix, length - match)
      let i = 0
      while (i < limit && all[at + i] === bytes[match + i]) i++
      if (i < limit) {
        if (all[at + i] > bytes[match + i]) return -1
        match += i
        continue
      }
      if (i === suffix && match + i === length) {
        this.#cursor = end
        return index
      }
      // One is a prefix of the other: the longer one is greater.
      if (match + i === length) return -1
      match += i
    }
    return -1
  }

  #startEntries(entry: TermEntry): void {
    entry.postingsStart = this.#varint()
    entry.positionsEnd = this.#varint()
    entry.postingsLength = 0
  }

  /** Reads the entry after the one in `entry`. */
  #nextEntry(info: FieldInfo, entry: TermEntry): void {
    const { maxDoc, postingsEnd, positionsEnd } = this.#limits
    entry.postingsStart += entry.postingsLength
    entry.positionsStart = entry.positionsEnd
    if (info.options === 'docs') {
      entry.docFreq = this.#varint()
      entry.totalTermFreq = entry.docFreq
    } else {
      const code = this.#varint()
      entry.docFreq = Math.floor(code / 2)
      entry.totalTermFreq = entry.docFreq + (code % 2 === 0 ? 0 : this.#varint())
    }
    const { docFreq, totalTermFreq } = entry
    if (!(docFreq > 0 && docFreq <= maxDoc)) this.#corrupt(`a document frequency from 1 to ${maxDoc}`)
    const where = this.#varint()
    entry.singleDoc = docFreq === 1 ? where : -1
    entry.postingsLength = docFreq === 1 ? 0 : where
    if (docFreq >= PACKED_LENGTH) entry.postingsStart = align4(entry.postingsStart)
    if (entry.singleDoc >= maxDoc) this.#corrupt(`a document below ${maxDoc}`)
    if (entry.postingsStart + entry.postingsLength > postingsEnd) this.#corrupt('a range inside of the postings')
    entry.singlePosition = -1
    entry.positionsLength = 0
    if (info.options !== 'positions') return
    const positions = this.#varint()
    if (totalTermFreq === 1) {
      entry.singlePosition = positions
      if (positions > 0x7fffffff) this.#corrupt('a position below 2^31')
    } else {
      entry.positionsLength = positions
      if (totalTermFreq >= PACKED_LENGTH) entry.positionsStart = align4(entry.positionsStart)
      if (entry.positionsStart + positions > positionsEnd) this.#corrupt('a range inside of the positions')
      // A block of 128 takes 4 bytes at least, a position of the tail one.
      if (positions < Math.floor(totalTermFreq / 128) * 4 + (totalTermFreq % 128))
        this.#corrupt('as many positions as bytes can hold')
    }
    entry.positionsEnd = entry.positionsStart + entry.positionsLength
    if (info.type.offsets) this.#nextOffsets(entry)
  }

  /** Reads what the entry says of offsets. */
  #nextOffsets(entry: TermEntry): void {
    const value = this.#varint()
    entry.singleOffset = -1
    entry.offsetsLength = 0
    if (entry.totalTermFreq === 1) {
      entry.singleOffset = value
      entry.singleOffsetLength = this.#varint()
      if (value + entry.singleOffsetLength > 0x7fffffff) this.#corrupt('an offset below 2^31')
      return
    }
    entry.offsetsStart = entry.totalTermFreq >= PACKED_LENGTH ? align4(entry.positionsEnd) : entry.positionsEnd
    entry.offsetsLength = value
    entry.positionsEnd = entry.offsetsStart + value
    if (entry.positionsEnd > this.#limits.positionsEnd) this.#corrupt('a range inside of the positions')
    // A block of 128 takes 8 bytes at least, of the tail each occurrence two.
    if (value < Math.floor(entry.totalTermFreq / 128) * 8 + (entry.totalTermFreq % 128) * 2)
      this.#corrupt('as many offsets as bytes can hold')
  }

  #varint(): number {
    const bytes = this.#bytes
    let at = this.#cursor
    let byte = bytes[at++]
    if (byte < 0x80) {
      this.#cursor = at
      return byte
    }
    let value = byte & 0x7f
    let scale = 128
    for (let i = 0; i < 7 && at < bytes.length; i++) {
      byte = bytes[at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.#cursor = at
        return value
      }
      scale *= 128
    }
    return this.#corrupt('a varint')
  }

  #corrupt(expected: string): never {
    throw indexCorrupt(this.file, this.#base + this.#cursor, expected, 'something else')
  }
}

/** A walk through sorted terms. */
export interface TermCursor {
  /** Holds the current term; replaced when it grows. */
  bytes: Uint8Array
  /** Bytes of the current term. */
  length: number
  /** So many bytes at least are those of the term that was current before. */
  shared: number
  /** Entry of the current term. */
  readonly entry: TermEntry
  /** Goes to the next term. @returns false after the last one */
  next(): boolean
  /** Goes to the first later term that is not below `bytes[0 … length)`. @returns false after the last one */
  seek(bytes: Uint8Array, length: number): boolean
}
