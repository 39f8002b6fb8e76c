/**
 * The table at the end of a `terms` file: where the terms of each field are, and every 1,024th term of them with its
 * place. With this part alone in memory (0.2 % of the file) a term is found by one range of some 10 KB.
 */
import { ByteReader } from '@spindle/core'
import type { FieldInfo } from '../document/field-info.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { BLOCKS_PER_SAMPLE, TERMS_PER_BLOCK } from './term-dictionary-writer.js'
import { align4 } from './term-entry.js'

/** Where the terms of one field are. */
export interface FieldTermsIndex {
  readonly info: FieldInfo
  readonly termCount: number
  readonly blockCount: number
  /** Byte range of the blocks in the file. */
  readonly start: number
  readonly end: number
  /** Offset in the file of the table of block offsets. */
  readonly offsetsAt: number
  /** First terms of the blocks 32, 64, 96, … */
  readonly sampleTerms: readonly Uint8Array[]
  /** Where the blocks 0, 32, 64, … start, counted from `start`. */
  readonly sampleStarts: readonly number[]
}

// Of a field without samples, of which there may be very many.
const NO_SAMPLES: readonly Uint8Array[] = []
const ONE_RUN: readonly number[] = [0]

/**
 * Reads the table.
 * @param table its bytes, without the length behind it
 * @param tableAt its offset in the file
 * @throws SpindleError INDEX_CORRUPT
 */
export function readTermsIndex(
  file: string,
  table: Uint8Array,
  tableAt: number,
  infos: ReadonlyMap<number, FieldInfo>,
): Map<string, FieldTermsIndex> {
  const fields = new Map<string, FieldTermsIndex>()
  const reader = new ByteReader(table)
  try {
    const ranges: FieldTermsIndex[] = []
    for (let left = reader.readVarint(); left > 0; left--) {
      const info = infos.get(reader.readVarint())
      const termCount = reader.readVarint()
      const start = reader.readVarint()
      const end = reader.readVarint()
      const blockCount = Math.ceil(termCount / TERMS_PER_BLOCK)
      const offsetsAt = align4(end)
      if (info === undefined || info.options === 'none') throw new RangeError('a field that the segment does not have')
      if (!(termCount > 0 && start >= HEADER_LENGTH && end > start && offsetsAt + blockCount * 4 <= tableAt)) {
        throw new RangeError('a range outside of the file')
      }
      ranges.push({
        info,
        termCount,
        blockCount,
        start,
        end,
        offsetsAt,
        sampleTerms: NO_SAMPLES,
        sampleStarts: ONE_RUN,
      })
    }
    for (const range of ranges) {
      if (fields.has(range.info.name)) throw new RangeError('a field twice')
      const isSampled = range.blockCount > BLOCKS_PER_SAMPLE
      fields.set(range.info.name, isSampled ? { ...range, ...readSamples(reader, range) } : range)
    }
    if (reader.remaining > 0) throw new RangeError(`${reader.remaining} bytes more`)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw indexCorrupt(file, tableAt + reader.position, 'a table of fields', error.message, error)
  }
  return fields
}

function readSamples(
  reader: ByteReader,
  { blockCount, start, end }: FieldTermsIndex,
): Pick<FieldTermsIndex, 'sampleTerms' | 'sampleStarts'> {
  const sampleTerms: Uint8Array[] = []
  const sampleStarts = [0]
  let at = 0
  for (let block = BLOCKS_PER_SAMPLE; block < blockCount; block += BLOCKS_PER_SAMPLE) {
    const next = at + reader.readVarint()
    if (!(next > at && start + next < end)) throw new RangeError(`a block at ${next}`)
    at = next
    sampleStarts.push(at)
    sampleTerms.push(reader.readBytes(reader.readVarint()))
  }
  return { sampleTerms, sampleStarts }
}

/** The last run of 32 blocks whose first term is not greater than `bytes[0 … length)`; 0 where all are. */
export function findSample(index: FieldTermsIndex, bytes: Uint8Array, length: number): number {
  let low = 0
  let high = index.sampleTerms.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const term = index.sampleTerms[middle]
    if (compareBytes(term, term.length, bytes, length) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Below 0 where a sorts before b. */
export function compareBytes(a: Uint8Array, lengthA: number, b: Uint8Array, lengthB: number): number {
  const limit = Math.min(lengthA, lengthB)
  for (let i = 0; i < limit; i++) if (a[i] !== b[i]) return a[i] - b[i]
  return lengthA - lengthB
}
