/**
 * What a segment is made of: number of documents, and its files with their lengths, so that a reader over HTTP knows
 * them without asking.
 *
 *   name (string), maxDoc (varint), source (string: flush or merge),
 *   count, then for each file: component (string), length (varint)
 */
import { ByteReader } from '@spindle/core'
import { CheckedInput } from '../store/checked-input.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { SEGMENT_COMPONENTS, type SegmentComponent, segmentFile } from './segment-files.js'

/** Contents of the `info` file. */
export interface SegmentInfo {
  readonly name: string
  /** 16 bytes, the same in the header of each of its files. */
  readonly id: Uint8Array
  readonly maxDoc: number
  readonly source: 'flush' | 'merge'
  /** Length in bytes of each file but this one. */
  readonly files: ReadonlyMap<SegmentComponent, number>
}

/** Writes the `info` file, the last one of a segment. */
export async function writeSegmentInfo(directory: Directory, info: SegmentInfo): Promise<void> {
  const output = await CheckedOutput.create(directory, segmentFile(info.name, 'info'), 'info', info.id)
  try {
    writeString(output, info.name)
    output.writeVarint(info.maxDoc)
    writeString(output, info.source)
    output.writeVarint(info.files.size)
    for (const [component, length] of info.files) {
      writeString(output, component)
      output.writeVarint(length)
    }
    await output.finish()
  } catch (error) {
    await output.abandon().catch(() => {})
    throw error
  }
}

/** Reads the `info` file. @throws SpindleError INDEX_CORRUPT */
export async function readSegmentInfo(directory: Directory, name: string, id: Uint8Array): Promise<SegmentInfo> {
  const input = await CheckedInput.open(directory, segmentFile(name, 'info'), 'info', id)
  try {
    const reader = new ByteReader(await input.readAll(false), HEADER_LENGTH, input.contentEnd)
    try {
      const written = reader.readString()
      if (written !== name) throw new RangeError(`the segment ${written}`)
      const maxDoc = reader.readVarint()
      if (!(maxDoc > 0 && maxDoc <= 0x7fffffff)) throw new RangeError(`${maxDoc} documents`)
      const source = reader.readString()
      if (source !== 'flush' && source !== 'merge') throw new RangeError(`the source ${source}`)
      const files = new Map<SegmentComponent, number>()
      const count = reader.readVarint()
      for (let i = 0; i < count; i++) {
        const component = reader.readString()
        const known = SEGMENT_COMPONENTS.find((one) => one === component)
        if (known === undefined || known === 'info' || files.has(known)) throw new RangeError(`the file ${component}`)
        files.set(known, reader.readVarint())
      }
      if (files.size !== SEGMENT_COMPONENTS.length - 1) throw new RangeError(`${files.size} files`)
      return { name, id, maxDoc, source, files }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw indexCorrupt(input.path, reader.position, `the description of segment ${name}`, error.message, error)
    }
  } finally {
    await input.close()
  }
}

function writeString(output: CheckedOutput, text: string): void {
  const bytes = Buffer.from(text)
  output.writeVarint(bytes.length)
  output.writeBytes(bytes)
}
