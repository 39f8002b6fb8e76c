/**
 * The fields of a segment.
 *
 *   count, then for each: number (varint), name (string), flags (byte: bits 0–1 options, bit 2 norms), type (byte),
 *   docCount, sumTotalTermFreq, sumDocFreq (varints)
 */
import { ByteReader, ByteWriter } from '@spindle/core'
import type { FieldInfo } from '../document/field-info.js'
import { fromTypeCode, typeCode } from '../document/field-type.js'
import { CheckedInput } from '../store/checked-input.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { segmentFile } from './segment-files.js'

const OPTIONS = ['none', 'docs', 'freqs', 'positions'] as const

/** Options and norms as one byte. */
export function fieldFlags(field: Pick<FieldInfo, 'options' | 'norms'>): number {
  return OPTIONS.indexOf(field.options) | (field.norms ? 4 : 0)
}

/** Reads flags and type of a field. @throws RangeError for bytes that are never written */
export function readFieldFlags(reader: ByteReader): Pick<FieldInfo, 'options' | 'norms' | 'type'> {
  const flags = reader.readByte()
  if (flags > 7 || flags === 4) throw new RangeError(`field flags ${flags}`)
  const type = fromTypeCode(reader.readByte())
  if ((flags !== 0) !== type.indexed) throw new RangeError(`field flags ${flags} of a field of kind ${type.kind}`)
  return { options: OPTIONS[flags & 3], norms: (flags & 4) !== 0, type }
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
    bytes.writeString(info.name)
    bytes.writeByte(fieldFlags(info))
    bytes.writeByte(typeCode(info.type))
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
        const name = reader.readString()
        const flags = readFieldFlags(reader)
        const docCount = reader.readVarint()
        const sumTotalTermFreq = reader.readVarint()
        const sumDocFreq = reader.readVarint()
        if (infos.has(number) || names.has(name)) throw new RangeError(`the field ${JSON.stringify(name)} twice`)
        if (docCount > maxDoc) throw new RangeError(`${docCount} documents of ${maxDoc}`)
        names.add(name)
        infos.set(number, { number, name, ...flags, docCount, sumTotalTermFreq, sumDocFreq })
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
