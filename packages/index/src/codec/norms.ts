/**
 * Length norms: one byte a document and field (see small-float.ts), 0 where the document lacks the field. The norms of a
 * field are read alone, and have a checksum of their own.
 *
 *   for each field: maxDoc bytes and padding to 4
 *   table: count, then for each field: its number (varint), CRC-32 of its bytes and their padding (u32)
 */
import { ByteReader, ByteWriter, crc32 } from '@spindle/core'
import type { FieldInfo } from '../document/field-info.js'
import type { CheckedInput } from '../store/checked-input.js'
import type { CheckedOutput } from '../store/checked-output.js'
import { readTable, writeTable } from '../store/checked-table.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { align4 } from './term-entry.js'

const PADDING = new Uint8Array(4)

/** Writes the `norms` file. */
export class NormsWriter {
  readonly #output: CheckedOutput
  #numbers: readonly number[] = []
  readonly #checksums: number[] = []
  #crc = 0
  #length = 0

  constructor(output: CheckedOutput) {
    this.#output = output
  }

  /** Tells which fields follow, in this order. */
  start(fieldNumbers: readonly number[]): void {
    this.#numbers = fieldNumbers
  }

  /** The norms of the next field, or the next part of them. */
  add(norms: Uint8Array): void {
    this.#output.writeBytes(norms)
    this.#crc = crc32(norms, this.#crc)
    this.#length += norms.length
  }

  /** Ends a field. */
  finishField(): void {
    this.add(PADDING.subarray(0, -this.#length & 3))
    this.#checksums.push(this.#crc)
    this.#crc = 0
    this.#length = 0
  }

  /** Writes the table and ends the file. @returns its length */
  finish(): Promise<number> {
    const table = new ByteWriter(64)
    table.writeVarint(this.#checksums.length)
    for (const [i, crc] of this.#checksums.entries()) {
      table.writeVarint(this.#numbers[i])
      table.writeInt32(crc)
    }
    writeTable(this.#output, table.view())
    return this.#output.finish()
  }
}

/** The `norms` file of a segment. */
export class NormsReader {
  readonly #input: CheckedInput
  readonly #maxDoc: number
  /** By field: where its norms start, and their checksum. */
  readonly #fields: ReadonlyMap<string, { readonly start: number; readonly crc: number }>

  private constructor(
    input: CheckedInput,
    maxDoc: number,
    fields: ReadonlyMap<string, { readonly start: number; readonly crc: number }>,
  ) {
    this.#input = input
    this.#maxDoc = maxDoc
    this.#fields = fields
  }

  /** Reads the table. @throws SpindleError INDEX_CORRUPT */
  static async open(input: CheckedInput, maxDoc: number, infos: ReadonlyMap<number, FieldInfo>): Promise<NormsReader> {
    const { table, tableAt } = await readTable(input)
    const fields = new Map<string, { start: number; crc: number }>()
    const reader = new ByteReader(table)
    try {
      let start = HEADER_LENGTH
      for (let left = reader.readVarint(); left > 0; left--) {
        const number = reader.readVarint()
        const info = infos.get(number)
        if (info === undefined || !info.norms || fields.has(info.name)) throw new RangeError(`field ${number}`)
        fields.set(info.name, { start, crc: reader.readUint32() })
        start += align4(maxDoc)
      }
      if (start !== tableAt || reader.remaining > 0) throw new RangeError(`norms up to ${start}`)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw indexCorrupt(input.path, tableAt + reader.position, `norms of ${maxDoc} documents`, error.message, error)
    }
    return new NormsReader(input, maxDoc, fields)
  }

  /** Folder and name, for messages. */
  get file(): string {
    return this.#input.path
  }

  /** Fields that have norms. */
  get fields(): Iterable<string> {
    return this.#fields.keys()
  }

  has(field: string): boolean {
    return this.#fields.has(field)
  }

  /** Offset in the file of the norms of a field that has some. */
  start(field: string): number {
    return this.#fields.get(field)!.start
  }

  /** The norms of a field that has some, in shared memory. @throws SpindleError INDEX_CORRUPT */
  async read(field: string): Promise<Uint8Array> {
    const { start, crc } = this.#fields.get(field)!
    const bytes = new Uint8Array(new SharedArrayBuffer(align4(this.#maxDoc)))
    await this.#input.read(bytes, start)
    const found = crc32(bytes)
    if (found !== crc) throw indexCorrupt(this.#input.path, start, `norms with checksum ${crc}`, found)
    return bytes.subarray(0, this.#maxDoc)
  }

  close(): Promise<void> {
    return this.#input.close()
  }
}
