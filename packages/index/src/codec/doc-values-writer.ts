/**
 * Writes doc values: a column a field, each a range of the file with its own checksum, because columns are read alone and
 * late; then the table of columns. See INDEX-FORMAT.md. Memory: one column, decoded and encoded.
 */
import { ByteWriter, crc32 } from '@spindle/core'
import { type FieldType, typeCode } from '../document/field-type.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { writeTable } from '../store/checked-table.js'
import { encodeNumbers } from './doc-values-numbers.js'
import { type EncodedSequence, encodeSequence, VALUES_PER_BLOCK } from './doc-values-sequence.js'

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
  addNumbers(fieldNumber: number, maxDoc: number, pairs: NumberPairs): void {
    if (pairs.length === 0) return
    const { encoding, codes } = encodeNumbers(pairs.values, pairs.length)
    const header = startHeader('number', pairs)
    header.writeByte(ENCODINGS.indexOf(encoding.kind))
    if (encoding.kind === 'packed') {
      header.writeFloat64(encoding.base)
      header.writeFloat64(encoding.step)
      header.writeByte(encoding.decimals)
    } else if (encoding.kind === 'table') {
      header.writeVarint(encoding.table.length)
      for (const value of encoding.table) header.writeFloat64(value)
    }
    const parts = [...addressParts(maxDoc, pairs)]
    if (encoding.kind === 'raw') parts.push(...rawParts(codes))
    else parts.push(...sequenceParts(encodeSequence(codes, pairs.length)))
    this.#write(fieldNumber, header, parts)
  }

  /** Writes the ordinals of a field with `termCount` terms; nothing where no document has one. */
  addOrdinals(fieldNumber: number, maxDoc: number, termCount: number, pairs: ValuePairs): void {
    if (pairs.length === 0) return
    const header = startHeader('ordinal', pairs)
    header.writeVarint(termCount)
    this.#write(fieldNumber, header, [
      ...addressParts(maxDoc, pairs),
      ...sequenceParts(encodeSequence(pairs.values, pairs.length)),
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

  #write(fieldNumber: number, header: ByteWriter, parts: readonly Uint8Array[]): void {
    const start = this.#output.position
    let crc = 0
    let length = 0
    for (const part of [header.view(), ...parts]) {
      const padding = PADDING.subarray(0, -part.length & 7)
      for (const bytes of [part, padding]) {
        this.#output.writeBytes(bytes)
        crc = crc32(bytes, crc)
        length += bytes.length
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

function startHeader(kind: (typeof COLUMN_KINDS)[number], pairs: ValuePairs): ByteWriter {
  const header = new ByteWriter(64)
  header.writeByte(COLUMN_KINDS.indexOf(kind))
  header.writeVarint(docCountOf(pairs))
  header.writeVarint(pairs.length)
  return header
}

function docCountOf({ docs, length }: ValuePairs): number {
  let count = 0
  for (let i = 0; i < length; i++) if (i === 0 || docs[i] !== docs[i - 1]) count++
  return count
}

/** Which documents have values, and how many, as far as it is not all of them and one each. */
function addressParts(maxDoc: number, pairs: ValuePairs): Uint8Array[] {
  const { docs, length } = pairs
  const docCount = docCountOf(pairs)
  const parts: Uint8Array[] = []
  if (docCount < maxDoc) {
    const presence = new Uint32Array((maxDoc + 31) >>> 5)
    for (let i = 0; i < length; i++) presence[docs[i] >>> 5] |= 1 << (docs[i] & 31)
    parts.push(bytesOf(presence))
  }
  if (length > docCount) {
    const more = new Int32Array(docCount)
    let n = -1
    for (let i = 0; i < length; i++) {
      if (i === 0 || docs[i] !== docs[i - 1]) n++
      else more[n]++
    }
    parts.push(...sequenceParts(encodeSequence(more, docCount)))
  }
  return parts
}

function sequenceParts({ mins, maxs, bits, words }: EncodedSequence): Uint8Array[] {
  return [bytesOf(mins), bytesOf(maxs), bits, bytesOf(words)]
}

function rawParts(values: Float64Array): Uint8Array[] {
  const blocks = Math.ceil(values.length / VALUES_PER_BLOCK)
  const mins = new Float64Array(blocks).fill(Infinity)
  const maxs = new Float64Array(blocks).fill(-Infinity)
  for (let i = 0; i < values.length; i++) {
    const b = i >>> 12
    if (values[i] < mins[b]) mins[b] = values[i]
    if (values[i] > maxs[b]) maxs[b] = values[i]
  }
  return [bytesOf(mins), bytesOf(maxs), bytesOf(values)]
}

function bytesOf(array: Float64Array | Uint32Array | Int32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
