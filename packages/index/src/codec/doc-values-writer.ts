/**
 * Writes doc values: a column a field, each a range of the file with its own checksum, because columns are read alone and
 * late; then the table of columns. See INDEX-FORMAT.md. The values of a column are gone through several times, some at a
 * time, so that not all of them have to be in memory at once: a bit a document where some have none, and 4 bytes where
 * some have several.
 */
import { ByteWriter, crc32 } from '@spindle/core'
import { type FieldType, typeCode } from '../document/field-type.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { writeTable } from '../store/checked-table.js'
import { encodeNumbers } from './doc-values-numbers.js'
import { blocksOf, bytesOf, encodeSequence, type NumberRuns, VALUES_PER_BLOCK } from './doc-values-sequence.js'

/** What columns hold, by their number in the file. */
export const COLUMN_KINDS = ['number', 'ordinal'] as const
/** How codes become numbers, by their number in the file. */
export const ENCODINGS = ['packed', 'table', 'raw'] as const

/** Values of a field: value `i` belongs to document `docs[i]`; documents ascend, and within one the values do. */
export interface ValuePairs {
  readonly docs: Int32Array
  readonly values: Float64Array | Int32Array
  /** Pairs that count. */
  readonly length: number
}

/** Pairs of numbers. */
export interface NumberPairs extends ValuePairs {
  readonly values: Float64Array
}

/** Values that are gone through as often as needed, some at a time; what came before need not stay. */
export type ValueRuns = () => Iterable<ValuePairs>

/** What a file of a later generation says of itself: the one field whose column it replaces. */
export interface ValuesGeneration {
  /** From 1 on. */
  readonly generation: number
  readonly number: number
  readonly name: string
  readonly type: FieldType
}

/** Writes a `values` file. */
export class DocValuesWriter {
  readonly #output: CheckedOutput
  readonly #generation: ValuesGeneration | null
  readonly #table = new ByteWriter()
  #count = 0

  /** @param generation null for the file of a whole segment */
  constructor(output: CheckedOutput, generation: ValuesGeneration | null = null) {
    this.#output = output
    this.#generation = generation
  }

  /** Writes the numbers of a field; nothing where there are none. */
  addNumbers(fieldNumber: number, maxDoc: number, runs: ValueRuns): void {
    const counts = countOf(runs)
    if (counts.values === 0) return
    const { encoding, codeOf } = encodeNumbers(() => valuesOf(runs), counts.values)
    const header = startHeader('number', counts)
    header.writeByte(ENCODINGS.indexOf(encoding.kind))
    if (encoding.kind === 'packed') {
      header.writeFloat64(encoding.base)
      header.writeFloat64(encoding.step)
      header.writeByte(encoding.decimals)
    } else if (encoding.kind === 'table') {
      header.writeVarint(encoding.table.length)
      for (const value of encoding.table) header.writeFloat64(value)
    }
    const codes = () => valuesOf(runs, codeOf)
    this.#write(fieldNumber, header, [
      addressParts(maxDoc, runs, counts),
      encoding.kind === 'raw' ? rawParts(codes, counts.values) : encodeSequence(codes, counts.values),
    ])
  }

  /** Writes the ordinals of a field with `termCount` terms; nothing where no document has one. */
  addOrdinals(fieldNumber: number, maxDoc: number, termCount: number, runs: ValueRuns): void {
    const counts = countOf(runs)
    if (counts.values === 0) return
    const header = startHeader('ordinal', counts)
    header.writeVarint(termCount)
    this.#write(fieldNumber, header, [
      addressParts(maxDoc, runs, counts),
      encodeSequence(() => valuesOf(runs), counts.values),
    ])
  }

  /** Writes the table and ends the file. @returns its length */
  finish(): Promise<number> {
    const table = new ByteWriter(this.#table.length + 8)
    table.writeVarint(this.#generation?.generation ?? 0)
    if (this.#generation !== null) {
      const { number, name, type } = this.#generation
      table.writeVarint(number)
      table.writeString(name)
      table.writeByte(typeCode(type))
    }
    table.writeVarint(this.#count)
    table.writeBytes(this.#table.view())
    writeTable(this.#output, table.view())
    return this.#output.finish()
  }

  #write(fieldNumber: number, header: ByteWriter, parts: readonly Iterable<Uint8Array>[]): void {
    const start = this.#output.position
    let crc = 0
    let length = 0
    for (const some of [[header.view()], ...parts]) {
      for (const part of some) {
        const padding = PADDING.subarray(0, -part.length & 7)
        for (const bytes of [part, padding]) {
          this.#output.writeBytes(bytes)
          crc = crc32(bytes, crc)
          length += bytes.length
        }
      }
    }
    this.#table.writeVarint(fieldNumber)
    this.#table.writeVarint(start)
    this.#table.writeVarint(length)
    this.#table.writeInt32(crc)
    this.#count++
  }
}

const PADDING = new Uint8Array(8)
/** Numbers that are encoded at once. */
const MAX_RUN = VALUES_PER_BLOCK

/** Documents with values, and values. */
interface Counts {
  readonly docs: number
  readonly values: number
}

function countOf(runs: ValueRuns): Counts {
  let values = 0
  let count = 0
  let last = -1
  for (const { docs, length } of runs()) {
    values += length
    for (let i = 0; i < length; i++) {
      if (docs[i] !== last) count++
      last = docs[i]
    }
  }
  return { docs: count, values }
}

function startHeader(kind: (typeof COLUMN_KINDS)[number], counts: Counts): ByteWriter {
  const header = new ByteWriter(64)
  header.writeByte(COLUMN_KINDS.indexOf(kind))
  header.writeVarint(counts.docs)
  header.writeVarint(counts.values)
  return header
}

/** The values alone, or what a function makes of them. */
function* valuesOf(runs: ValueRuns, codeOf?: (value: number) => number): Generator<Float64Array | Int32Array> {
  let codes = new Float64Array(0)
  for (const { values, length } of runs()) {
    if (codeOf === undefined) {
      yield values.subarray(0, length)
      continue
    }
    for (let from = 0; from < length; from += MAX_RUN) {
      const count = Math.min(MAX_RUN, length - from)
      if (codes.length < count) codes = new Float64Array(count)
      for (let i = 0; i < count; i++) codes[i] = codeOf(values[from + i])
      yield codes.subarray(0, count)
    }
  }
}

/** Which documents have values, and how many, as far as it is not all of them and one each. */
function* addressParts(maxDoc: number, runs: ValueRuns, counts: Counts): Generator<Uint8Array> {
  if (counts.docs < maxDoc) {
    const presence = new Uint32Array((maxDoc + 31) >>> 5)
    for (const { docs, length } of runs())
      for (let i = 0; i < length; i++) presence[docs[i] >>> 5] |= 1 << (docs[i] & 31)
    yield bytesOf(presence)
  }
  if (counts.values > counts.docs) {
    const more = new Int32Array(counts.docs)
    let n = -1
    let last = -1
    for (const { docs, length } of runs()) {
      for (let i = 0; i < length; i++) {
        if (docs[i] !== last) n++
        else more[n]++
        last = docs[i]
      }
    }
    yield* encodeSequence(() => [more], counts.docs)
  }
}

function* rawParts(numbers: NumberRuns, length: number): Generator<Uint8Array> {
  const blocks = Math.ceil(length / VALUES_PER_BLOCK)
  const mins = new Float64Array(blocks).fill(Infinity)
  const maxs = new Float64Array(blocks).fill(-Infinity)
  let b = 0
  for (const block of blocksOf(numbers, length)) {
    for (const value of block) {
      if (value < mins[b]) mins[b] = value
      if (value > maxs[b]) maxs[b] = value
    }
    b++
  }
  yield bytesOf(mins)
  yield bytesOf(maxs)
  for (const block of blocksOf(numbers, length)) yield bytesOf(block)
}
