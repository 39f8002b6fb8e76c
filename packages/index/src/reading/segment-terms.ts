/**
 * The terms of a segment: all in memory, or only the table of every 1,024th term, and 1,024 terms (some 10 KB) are read
 * where one of them is looked up.
 */
import { type DictionaryLimits, type TermCursor, TermDictionary } from '../codec/term-dictionary.js'
import { BLOCKS_PER_SAMPLE, TERMS_PER_BLOCK } from '../codec/term-dictionary-writer.js'
import type { TermEntry } from '../codec/term-entry.js'
import { type FieldTermsIndex, findSample, readTermsIndex } from '../codec/terms-index.js'
import type { FieldInfo } from '../document/field-info.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import type { FileRanges } from './file-ranges.js'
import { ReadBuffer } from './read-buffer.js'

/** A walk through the terms of a field reads so many runs of 1,024 terms at once, some 100 KB. */
const RUNS_OF_A_WALK = 8

/** A walk through the terms of a field in order, a piece of the file after the other. */
export interface TermWalk {
  /**
   * A cursor on the first term of the next piece, valid until the next call; undefined behind the last one.
   * @param atLeast nothing below these bytes is wanted: pieces before them are passed over
   */
  next(atLeast?: Uint8Array): Promise<TermCursor | undefined>
}

/** The `terms` file of a segment. */
export class SegmentTerms {
  /** May have nothing in memory; see {@link TermDictionary.isResident}. */
  readonly dictionary: TermDictionary
  readonly #limits: DictionaryLimits
  readonly #ranges: FileRanges | null
  readonly #index: ReadonlyMap<string, FieldTermsIndex>
  #filling: Promise<void> | null = null
  #open = true
  /** The run that was read last: who looks up sorted terms reads each run once. */
  #lastRun: { readonly index: FieldTermsIndex; readonly run: number; readonly blocks: Promise<TermDictionary> } | null =
    null

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
    const run = findSample(index, bytes, length)
    if (this.#lastRun?.index !== index || this.#lastRun.run !== run) {
      this.#lastRun = { index, run, blocks: this.#loadRuns(index, run, 1) }
    }
    const { blocks } = this.#lastRun
    try {
      return (await blocks).find(field, bytes, length, entry)
    } catch (error) {
      if (this.#lastRun?.blocks === blocks) this.#lastRun = null
      throw error
    }
  }

  /** Walks through the terms of a field, wherever they are. @param buffer memory for pieces that are read */
  walk(field: string, buffer = new ReadBuffer()): TermWalk {
    if (this.dictionary.isResident) {
      let cursor = this.dictionary.terms(field)
      return {
        next: async () => {
          const first = cursor?.next() === true ? cursor : undefined
          cursor = undefined
          return first
        },
      }
    }
    const index = this.#index.get(field)
    let run = 0
    let count = RUNS_OF_A_WALK
    return {
      next: async (atLeast) => {
        if (index === undefined) return undefined
        const wanted = atLeast === undefined ? run : findSample(index, atLeast, atLeast.length)
        // Who jumps may want one run and jump again; who goes on wants the more, the longer it does.
        const jumps = wanted > run || (atLeast !== undefined && run === 0)
        count = jumps ? 1 : Math.min(2 * count, RUNS_OF_A_WALK)
        run = Math.max(run, wanted)
        if (run >= index.sampleStarts.length) return undefined
        const cursor = (await this.#loadRuns(index, run, count, buffer)).terms(field)
        run += count
        return cursor?.next() === true ? cursor : undefined
      },
    }
  }

  /** Brings all terms into memory; null where there is nothing to wait for. */
  load(): Promise<void> | null {
    if (this.dictionary.isResident || !this.#open) return null
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = null
    })
    return this.#filling
  }

  async close(): Promise<void> {
    this.#open = false
    // Not under a read that is on its way.
    await this.#filling?.catch(() => {})
    await this.#ranges?.close()
  }

  async #fill(): Promise<void> {
    this.dictionary.fill(await this.#ranges!.readAll())
  }

  /** Reads so many runs of 32 blocks, or what there is of them. */
  async #loadRuns(index: FieldTermsIndex, run: number, count: number, buffer?: ReadBuffer): Promise<TermDictionary> {
    const ranges = this.#ranges!
    const { info, sampleStarts, start, end } = index
    const firstBlock = run * BLOCKS_PER_SAMPLE
    const blockCount = Math.min(count * BLOCKS_PER_SAMPLE, index.blockCount - firstBlock)
    const termCount = Math.min(blockCount * TERMS_PER_BLOCK, index.termCount - firstBlock * TERMS_PER_BLOCK)
    const from = start + sampleStarts[run]
    const to = run + count < sampleStarts.length ? start + sampleStarts[run + count] : end
    const body = await ranges.load(from, to - from, buffer)
    const bytes = body.bytes.subarray(from - body.start, to - body.start)
    return TermDictionary.ofBlocks(ranges.file, bytes, from, info, termCount, this.#limits)
  }
}
