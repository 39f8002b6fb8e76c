/**
 * A file of doc values, open: the table of its columns is in memory, a column is read when it is first asked for, its
 * checksum compared, and stays. Shared by readers of several commits and counted, like the other files of a segment.
 */
import { ByteReader, crc32 } from '@spindle/core'
import { DocValues } from '../codec/doc-values.js'
import type { ValuesGeneration } from '../codec/doc-values-writer.js'
import type { FieldInfo } from '../document/field-info.js'
import { fromTypeCode } from '../document/field-type.js'
import { CheckedInput } from '../store/checked-input.js'
import { readTable } from '../store/checked-table.js'
import type { Directory } from '../store/directory.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'

interface Table {
  readonly columns: ReadonlyMap<number, Column>
  readonly updated: ValuesGeneration | null
}

interface Column {
  readonly start: number
  readonly length: number
  readonly crc: number
}

/** One `values` file of a segment: that of the segment, or of a field's later generation. */
export class DocValuesFile {
  /** Folder and name, for messages. */
  readonly file: string
  /** Length of the file in bytes. */
  readonly length: number
  readonly #input: CheckedInput
  readonly #maxDoc: number
  readonly #columns: ReadonlyMap<number, Column>
  /** The field that the file is a later generation of; null: it is that of the segment. */
  readonly updated: ValuesGeneration | null
  readonly #loaded = new Map<number, Promise<DocValues>>()
  #references = 1

  private constructor(input: CheckedInput, maxDoc: number, { columns, updated }: Table) {
    this.file = input.path
    this.length = input.length
    this.#input = input
    this.#maxDoc = maxDoc
    this.#columns = columns
    this.updated = updated
  }

  /**
   * Opens a file and reads its table.
   * @param infos fields of the segment
   * @param expected field and generation of a later generation's file; null: the file of the segment
   * @throws SpindleError INDEX_CORRUPT; ENOENT where the file is missing
   */
  static async open(
    directory: Directory,
    name: string,
    id: Uint8Array,
    maxDoc: number,
    infos: ReadonlyMap<number, FieldInfo>,
    expected: Pick<ValuesGeneration, 'number' | 'generation'> | null = null,
  ): Promise<DocValuesFile> {
    const input = await CheckedInput.open(directory, name, 'values', id)
    try {
      return new DocValuesFile(input, maxDoc, await readColumns(input, infos, expected))
    } catch (error) {
      await input.close()
      throw error
    }
  }

  /** Numbers of the fields that have a column. */
  get fields(): Iterable<number> {
    return this.#columns.keys()
  }

  /** Bytes of a field's column, 0 where it has none. */
  columnLength(fieldNumber: number): number {
    return this.#columns.get(fieldNumber)?.length ?? 0
  }

  /** The column of a field, null where no document of the segment has a value. @throws SpindleError INDEX_CORRUPT */
  async load(fieldNumber: number): Promise<DocValues | null> {
    const column = this.#columns.get(fieldNumber)
    if (column === undefined) return null
    let loading = this.#loaded.get(fieldNumber)
    if (loading === undefined) {
      loading = this.#read(column)
      this.#loaded.set(fieldNumber, loading)
      loading.catch(() => this.#loaded.delete(fieldNumber))
    }
    return loading
  }

  /** The same for one pass through it: where it is not in memory it is read, and not kept. */
  async readOnce(fieldNumber: number): Promise<DocValues | null> {
    const column = this.#columns.get(fieldNumber)
    return column === undefined ? null : (this.#loaded.get(fieldNumber) ?? this.#read(column))
  }

  async #read({ start, length, crc }: Column): Promise<DocValues> {
    const bytes = new Uint8Array(new SharedArrayBuffer(length))
    await this.#input.read(bytes, start)
    const found = crc32(bytes)
    if (found !== crc) throw indexCorrupt(this.file, start, `a column with checksum ${crc}`, found)
    try {
      return new DocValues(bytes, this.#maxDoc)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw indexCorrupt(this.file, start, `a column of ${this.#maxDoc} documents`, error.message, error)
    }
  }

  retain(): this {
    this.#references++
    return this
  }

  async release(): Promise<void> {
    if (--this.#references > 0) return
    this.#loaded.clear()
    await this.#input.close()
  }
}

async function readColumns(
  input: CheckedInput,
  infos: ReadonlyMap<number, FieldInfo>,
  expected: Pick<ValuesGeneration, 'number' | 'generation'> | null,
): Promise<Table> {
  const { table, tableAt } = await readTable(input)
  const reader = new ByteReader(table)
  const columns = new Map<number, Column>()
  let updated: ValuesGeneration | null = null
  try {
    const generation = reader.readVarint()
    if (generation !== (expected?.generation ?? 0)) throw new RangeError(`generation ${generation}`)
    if (expected !== null) {
      const number = reader.readVarint()
      updated = { generation, number, name: reader.readString(), type: fromTypeCode(reader.readByte()) }
      const known = infos.get(number)
      const same = known === undefined || (known.name === updated.name && known.type === updated.type)
      if (number !== expected.number || !same) throw new RangeError(`the field ${number}, ${updated.name}`)
    }
    let end = HEADER_LENGTH
    for (let left = reader.readVarint(); left > 0; left--) {
      const number = reader.readVarint()
      const column = { start: reader.readVarint(), length: reader.readVarint(), crc: reader.readUint32() }
      const type = updated === null ? infos.get(number)?.type : number === updated.number ? updated.type : undefined
      if (type?.docValues !== true || columns.has(number)) throw new RangeError(`field ${number}`)
      if (column.start !== end || column.length % 8 !== 0) throw new RangeError(`a column at ${column.start}`)
      end = column.start + column.length
      columns.set(number, column)
    }
    if (end !== tableAt || reader.remaining > 0) throw new RangeError(`columns up to ${end}`)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw indexCorrupt(input.path, tableAt + reader.position, 'a table of columns', error.message, error)
  }
  return { columns, updated }
}
