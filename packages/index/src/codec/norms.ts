/**
 * Length norms: one byte a document and field (see small-float.ts), 0 where the document lacks the field.
 *
 *   count, field numbers (varints), padding to 4, then for each field maxDoc bytes and padding to 4
 */
import { ByteReader } from '@spindle/core'
import type { FieldInfo } from '../document/field-info.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { align4 } from './term-entry.js'

/** Writes the `norms` file. */
export class NormsWriter {
  readonly #output: CheckedOutput

  constructor(output: CheckedOutput) {
    this.#output = output
  }

  /** Writes which fields follow, in this order. */
  start(fieldNumbers: readonly number[]): void {
    this.#output.writeVarint(fieldNumbers.length)
    for (const number of fieldNumbers) this.#output.writeVarint(number)
    this.#output.align()
  }

  /** The norms of the next field, or the next part of them. */
  add(norms: Uint8Array): void {
    this.#output.writeBytes(norms)
  }

  /** Ends a field. */
  finishField(): void {
    this.#output.align()
  }
}

/** Most bytes that the list of field numbers takes. */
export function maxNormsListLength(fieldCount: number): number {
  return 8 * (fieldCount + 1)
}

/**
 * Where the norms of each field start in the file.
 * @param bytes the file, or so much of its beginning as holds the list of field numbers
 * @param contentEnd offset of the footer
 * @throws SpindleError INDEX_CORRUPT
 */
export function readNormsTable(
  file: string,
  bytes: Uint8Array,
  contentEnd: number,
  maxDoc: number,
  infos: ReadonlyMap<number, FieldInfo>,
): Map<string, number> {
  const starts = new Map<string, number>()
  const numbers: number[] = []
  const reader = new ByteReader(bytes, HEADER_LENGTH, contentEnd)
  try {
    const count = reader.readVarint()
    for (let i = 0; i < count; i++) numbers.push(reader.readVarint())
  } catch (error) {
    throw indexCorrupt(file, HEADER_LENGTH, 'a list of field numbers', 'the end', error)
  }
  let at = align4(reader.position)
  for (const number of numbers) {
    const info = infos.get(number)
    if (info === undefined || !info.norms || starts.has(info.name)) {
      throw indexCorrupt(file, HEADER_LENGTH, 'the number of a field with norms', number)
    }
    if (at + maxDoc > contentEnd) throw indexCorrupt(file, at, `${maxDoc} norms`, 'the end')
    starts.set(info.name, at)
    at = align4(at + maxDoc)
  }
  return starts
}

/**
 * Views of the norms of each field.
 * @param bytes the whole file
 * @param contentEnd offset of the footer
 * @throws SpindleError INDEX_CORRUPT
 */
export function readNorms(
  file: string,
  bytes: Uint8Array,
  contentEnd: number,
  maxDoc: number,
  infos: ReadonlyMap<number, FieldInfo>,
): Map<string, Uint8Array> {
  const norms = new Map<string, Uint8Array>()
  for (const [name, start] of readNormsTable(file, bytes, contentEnd, maxDoc, infos)) {
    norms.set(name, bytes.subarray(start, start + maxDoc))
  }
  return norms
}
