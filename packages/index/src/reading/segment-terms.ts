/**
 * The terms of a segment: all in memory, or only the table of every 1,024th term, and 1,024 terms (some 10 KB) are read
 * where one of them is looked up.
 */
import { type DictionaryLimits, TermDictionary } from '../codec/term-dictionary.js'
import { BLOCKS_PER_SAMPLE, TERMS_PER_BLOCK } from '../codec/term-dictionary-writer.js'
import type { TermEntry } from '../codec/term-entry.js'
import { type FieldTermsIndex, findSample, readTermsIndex } from '../codec/terms-index.js'
import type { FieldInfo } from '../document/field-info.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import type { FileRanges } from './file-ranges.js'

/** The `terms` file of a segment. */
export class SegmentTerms {
  /** May have nothing in memory; see {@link TermDictionary.isResident}. */
  readonly dictionary: TermDictionary
  readonly #limits: DictionaryLimits
  readonly #ranges: FileRanges | null
  readonly #index: ReadonlyMap<string, FieldTermsIndex>
  #filling: Promise<void> | null = null

  private constructor(
    dictionary: TermDictionary,
    limits: DictionaryLimits,
    ranges: FileRanges | null,
    index: ReadonlyMap<string, FieldTermsIndex>,
  ) {
    this.dictionary = dictionary
    this.#limits = limits
    this.#ranges = ranges
    this.#index = index
  }

  /**
   * @param ranges are the terms' from now on
   * @param byRange whether to read terms when they are looked up; otherwise all at once
   */
  static async open(
    ranges: FileRanges,
    infos: ReadonlyMap<number, FieldInfo>,
    limits: DictionaryLimits,
    byRange: boolean,
  ): Promise<SegmentTerms> {
    const { file, end } = ranges
    if (!byRange) {
      const dictionary = TermDictionary.ofFile(file, await ranges.readAll(), end, infos, limits)
      await ranges.close()
      return new SegmentTerms(dictionary, limits, null, new Map())
    }
    const lengthAt = end - 4
    const tail = await ranges.load(lengthAt, 4)
    const length = new DataView(tail.bytes.buffer, tail.bytes.byteOffset).getUint32(lengthAt - tail.start, true)
    const tableAt = lengthAt - length
    if (tableAt < HEADER_LENGTH) throw indexCorrupt(file, lengthAt, 'the length of a table', length)
    const { bytes, start } = tableAt >= tail.start ? tail : await ranges.load(tableAt, length)
    // Of its own: the samples stay, and a block of the cache does not.
    const table = bytes.slice(tableAt - start, lengthAt - start)
    const index = readTermsIndex(file, table, tableAt, infos)
    return new SegmentTerms(new TermDictionary(file, index, limits), limits, ranges, index)
  }

  /**
   * Fills `entry`, wherever the terms are.
   * @param bytes not changed before the promise is settled
   * @returns false where the segment has no such term
   */
  async find(field: string, bytes: Uint8Array, length: number, entry: TermEntry): Promise<boolean> {
    if (this.dictionary.isResident) return this.dictionary.find(field, bytes, length, entry)
    const index = this.#index.get(field)
    if (index === undefined) return false
    const blocks = await this.#loadRun(index, findSample(index, bytes, length))
    return blocks.find(field, bytes, length, entry)
  }

  /** Brings all terms into memory; null where there is nothing to wait for. */
  load(): Promise<void> | null {
    if (this.dictionary.isResident) return null
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = null
    })
    return this.#filling
  }

  async close(): Promise<void> {
    await this.#ranges?.close()
  }

  async #fill(): Promise<void> {
    this.dictionary.fill(await this.#ranges!.readAll())
  }

  /** Reads 32 blocks. */
  async #loadRun(index: FieldTermsIndex, run: number): Promise<TermDictionary> {
    const ranges = this.#ranges!
    const { info, sampleStarts, start, end } = index
    const firstBlock = run * BLOCKS_PER_SAMPLE
    const blockCount = Math.min(BLOCKS_PER_SAMPLE, index.blockCount - firstBlock)
    const termCount = Math.min(blockCount * TERMS_PER_BLOCK, index.termCount - firstBlock * TERMS_PER_BLOCK)
    const from = start + sampleStarts[run]
    const to = run + 1 < sampleStarts.length ? start + sampleStarts[run + 1] : end
    const body = await ranges.load(from, to - from)
    const bytes = body.bytes.subarray(from - body.start, to - body.start)
    return TermDictionary.ofBlocks(ranges.file, bytes, from, info, termCount, this.#limits)
  }
}
