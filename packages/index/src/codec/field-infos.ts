/**
 * The fields of a segment.
 *
 *   count, then for each: number (varint), schema, docCount, sumTotalTermFreq, sumDocFreq (varints)
 *   schema: name (string), flags (byte: bits 0–1 options, bit 2 norms, bit 3 combined), type (byte); of a combined field
 *   its sources: count (varint), then for each name (string), weight (varint)
 */
import { ByteReader, ByteWriter } from '@spindle/core'
import type { CombinedSource, FieldInfo } from '../document/field-info.js'
import { fromTypeCode, typeCode } from '../document/field-type.js'
import { CheckedInput } from '../store/checked-input.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { segmentFile } from './segment-files.js'

const OPTIONS = ['none', 'docs', 'freqs', 'positions'] as const

const NORMS = 4
const COMBINED = 8

/** What a field is, in a segment as in a commit. */
export type FieldSchema = Pick<FieldInfo, 'name' | 'options' | 'norms' | 'type' | 'sources'>

/** Writes name, flags, type and sources of a field. */
export function writeFieldSchema(bytes: ByteWriter, { name, options, norms, type, sources }: FieldSchema): void {
  bytes.writeString(name)
  bytes.writeByte(OPTIONS.indexOf(options) | (norms ? NORMS : 0) | (sources === undefined ? 0 : COMBINED))
  bytes.writeByte(typeCode(type))
  if (sources === undefined) return
  bytes.writeVarint(sources.length)
  for (const source of sources) {
    bytes.writeString(source.name)
    bytes.writeVarint(source.weight)
  }
}

/** Reads what {@link writeFieldSchema} writes. @throws RangeError for bytes that are never written */
export function readFieldSchema(reader: ByteReader): FieldSchema {
  const name = reader.readString()
  const flags = reader.readByte()
  const options = OPTIONS[flags & 3]
  const norms = (flags & NORMS) !== 0
  const combined = (flags & COMBINED) !== 0
  // A combined field has no postings of its own where only some of its layers are combined.
  const isBare = options === 'none' && (flags === 0 || (combined && !norms && !name.includes('#')))
  if (flags > 15 || (options === 'none' && !isBare)) throw new RangeError(`field flags ${flags}`)
  const type = fromTypeCode(reader.readByte())
  if ((flags !== 0) !== type.indexed) throw new RangeError(`field flags ${flags} of a field of kind ${type.kind}`)
  if (!combined) return { name, options, norms, type }
  if (options === 'positions') throw new RangeError('a combined field with positions')
  const sources: CombinedSource[] = []
  for (let left = reader.readVarint(); left > 0; left--) {
    sources.push({ name: reader.readString(), weight: reader.readVarint() })
  }
  if (sources.length === 0 || sources.some(({ weight }) => weight === 0)) throw new RangeError('sources without weight')
  return { name, options, norms, type, sources }
}

/** Writes the `fields` file. @returns its length */
export async function writeFieldInfos(
  directory: Directory,
  segment: string,
  id: Uint8Array,
  infos: Iterable<FieldInfo>,
): Promise<number> {
  const bytes = new ByteWriter()
  let count = 0
  for (const info of infos) {
    bytes.writeVarint(info.number)
    writeFieldSchema(bytes, info)
    bytes.writeVarint(info.docCount)
    bytes.writeVarint(info.sumTotalTermFreq)
    bytes.writeVarint(info.sumDocFreq)
    count++
  }
  const output = await CheckedOutput.create(directory, segmentFile(segment, 'fields'), 'fields', id)
  try {
    output.writeVarint(count)
    output.writeBytes(bytes.view())
    return await output.finish()
  } catch (error) {
    await output.abandon().catch(() => {})
    throw error
  }
}

/** Reads the `fields` file. @returns the fields by number @throws SpindleError INDEX_CORRUPT */
export async function readFieldInfos(
  directory: Directory,
  segment: string,
  id: Uint8Array,
  maxDoc: number,
): Promise<Map<number, FieldInfo>> {
  const input = await CheckedInput.open(directory, segmentFile(segment, 'fields'), 'fields', id)
  try {
    const reader = new ByteReader(await input.readAll(false), HEADER_LENGTH, input.contentEnd)
    const infos = new Map<number, FieldInfo>()
    const names = new Set<string>()
    try {
      const count = reader.readVarint()
      for (let i = 0; i < count; i++) {
        const number = reader.readVarint()
        const schema = readFieldSchema(reader)
        const { name } = schema
        const docCount = reader.readVarint()
        const sumTotalTermFreq = reader.readVarint()
        const sumDocFreq = reader.readVarint()
        if (infos.has(number) || names.has(name)) throw new RangeError(`the field ${JSON.stringify(name)} twice`)
        if (docCount > maxDoc) throw new RangeError(`${docCount} documents of ${maxDoc}`)
        names.add(name)
        infos.set(number, { number, ...schema, docCount, sumTotalTermFreq, sumDocFreq })
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw indexCorrupt(input.path, reader.position, 'a list of fields', error.message, error)
    }
    return infos
  } finally {
    await input.close()
  }
}
