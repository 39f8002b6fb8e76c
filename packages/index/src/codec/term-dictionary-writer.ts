/**
 * Writes the sorted terms of a segment, field after field, in blocks of 32: the first term of a block whole, the others
 * without the prefix they share with the one before; see INDEX-FORMAT.md. Memory: 4 bytes a block, and every 1,024th term.
 */
import { ByteWriter } from '@spindle/core'
import { type FieldInfo, hasOffsets } from '../document/field-info.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { IntBuffer } from './int-buffer.js'
import type { TermEntry } from './term-entry.js'

/** Terms in a block. */
export const TERMS_PER_BLOCK = 32

/** Blocks between two samples: a reader by ranges loads so many blocks, some 10 KB, for a term. */
export const BLOCKS_PER_SAMPLE = 32

/** Longest term in bytes of UTF-8 (Lucene's limit). */
export const MAX_TERM_BYTES = 32_766

/** Writes the `terms` file. */
export class TermDictionaryWriter {
  readonly #output: CheckedOutput
  readonly #fields = new ByteWriter()
  readonly #samples = new ByteWriter()
  #fieldCount = 0

  #info: FieldInfo | null = null
  #termCount = 0
  #blocksStart = 0
  /** Offset of the block sampled last. */
  #sampledOffset = 0
  readonly #offsets = new IntBuffer()
  #previous = new Uint8Array(64)
  #previousLength = -1
  readonly #terms = new ByteWriter(1024)
  readonly #entries = new ByteWriter(1024)

  constructor(output: CheckedOutput) {
    this.#output = output
  }

  /** Begins a field; fields come in ascending order of their numbers. */
  startField(info: FieldInfo): void {
    this.#info = info
    this.#termCount = 0
    this.#blocksStart = this.#output.position
    this.#offsets.length = 0
    this.#sampledOffset = 0
    this.#previousLength = -1
  }

  /**
   * Appends a term: `bytes[from … from + length)`.
   * @returns false, with nothing written, where the term is not greater than the one before
   */
  add(bytes: Uint8Array, from: number, length: number, entry: TermEntry): boolean {
    const shared = this.#sharedPrefix(bytes, from, length)
    if (shared < 0) return false
    const terms = this.#terms
    if (this.#termCount % TERMS_PER_BLOCK === 0) {
      this.#endBlock()
      const offset = this.#output.position - this.#blocksStart
      if (this.#offsets.length > 0 && this.#offsets.length % BLOCKS_PER_SAMPLE === 0) {
        this.#samples.writeVarint(offset - this.#sampledOffset)
        this.#samples.writeVarint(length)
        this.#samples.writeBytes(bytes.subarray(from, from + length))
        this.#sampledOffset = offset
      }
      this.#offsets.push(offset)
      this.#output.writeVarint(length)
      this.#output.writeBytes(bytes.subarray(from, from + length))
      this.#entries.writeVarint(entry.postingsStart)
      this.#entries.writeVarint(entry.positionsStart)
    } else {
      terms.writeVarint(shared)
      terms.writeVarint(length - shared)
      terms.writeBytes(bytes.subarray(from + shared, from + length))
    }
    this.#writeEntry(entry)
    this.#termCount++
    if (length > this.#previous.length) this.#previous = new Uint8Array(length * 2)
    for (let i = 0; i < length; i++) this.#previous[i] = bytes[from + i]
    this.#previousLength = length
    return true
  }

  /** Ends the field; a field without terms leaves nothing. */
  finishField(): void {
    if (this.#termCount === 0) return
    this.#endBlock()
    const blocksEnd = this.#output.position
    this.#output.align()
    const fields = this.#fields
    fields.writeVarint(this.#info!.number)
    fields.writeVarint(this.#termCount)
    fields.writeVarint(this.#blocksStart)
    fields.writeVarint(blocksEnd)
    this.#output.writeWords(this.#offsets.words, this.#offsets.length)
    this.#fieldCount++
  }

  /** Writes the table of fields and samples and ends the file. @returns its length */
  async finish(): Promise<number> {
    const start = this.#output.position
    this.#output.writeVarint(this.#fieldCount)
    this.#output.writeBytes(this.#fields.view())
    this.#output.writeBytes(this.#samples.view())
    this.#output.writeInt32(this.#output.position - start)
    return this.#output.finish()
  }

  /** Bytes shared with the term before, or −1 where the new one is not greater. */
  #sharedPrefix(bytes: Uint8Array, from: number, length: number): number {
    const previous = this.#previous
    if (this.#previousLength < 0) return 0
    const limit = Math.min(length, this.#previousLength)
    let i = 0
    while (i < limit && bytes[from + i] === previous[i]) i++
    if (i < limit) return bytes[from + i] > previous[i] ? i : -1
    return length > this.#previousLength ? i : -1
  }

  #writeEntry(entry: TermEntry): void {
    const entries = this.#entries
    const { options } = this.#info!
    if (options === 'docs') {
      entries.writeVarint(entry.docFreq)
    } else {
      const more = entry.totalTermFreq - entry.docFreq
      entries.writeVarint(entry.docFreq * 2 + (more > 0 ? 1 : 0))
      if (more > 0) entries.writeVarint(more)
    }
    entries.writeVarint(entry.docFreq === 1 ? entry.singleDoc : entry.postingsLength)
    if (options === 'positions') {
      entries.writeVarint(entry.totalTermFreq === 1 ? entry.singlePosition : entry.positionsLength)
    }
    if (!hasOffsets(this.#info!)) return
    if (entry.totalTermFreq === 1) {
      entries.writeVarint(entry.singleOffset)
      entries.writeVarint(entry.singleOffsetLength)
    } else {
      entries.writeVarint(entry.offsetsLength)
    }
  }

  #endBlock(): void {
    if (this.#entries.length === 0) return
    this.#output.writeVarint(this.#terms.length)
    this.#output.writeBytes(this.#terms.view())
    this.#output.writeBytes(this.#entries.view())
    this.#terms.reset()
    this.#entries.reset()
  }
}
