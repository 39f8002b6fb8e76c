/**
 * Which documents of a segment are not deleted; written anew, as the next generation, at each commit that deletes some.
 *
 *   generation, maxDoc, number of deleted documents (varints), padding to 4, words of the bit set (bit on: live)
 */
import { BitSet, ByteReader } from '@spindle/core'
import { CheckedInput } from '../store/checked-input.js'
import { CheckedOutput } from '../store/checked-output.js'
import type { Directory } from '../store/directory.js'
import { HEADER_LENGTH } from '../store/file-header.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { liveDocsFile } from './segment-files.js'
import { align4 } from './term-entry.js'

/** Writes a generation. @returns the file's name */
export async function writeLiveDocs(
  directory: Directory,
  segment: string,
  id: Uint8Array,
  generation: number,
  live: BitSet,
): Promise<string> {
  const name = liveDocsFile(segment, generation)
  const output = await CheckedOutput.create(directory, name, 'live', id)
  try {
    output.writeVarint(generation)
    output.writeVarint(live.length)
    output.writeVarint(live.length - live.count())
    output.align()
    output.writeBytes(new Uint8Array(live.words.buffer, live.words.byteOffset, live.words.byteLength))
    await output.finish()
  } catch (error) {
    await output.abandon().catch(() => {})
    throw error
  }
  return name
}

/** Reads a generation and compares it with what the commit says of it. @throws SpindleError INDEX_CORRUPT */
export async function readLiveDocs(
  directory: Directory,
  segment: string,
  id: Uint8Array,
  generation: number,
  maxDoc: number,
  deletedCount: number,
): Promise<BitSet> {
  const input = await CheckedInput.open(directory, liveDocsFile(segment, generation), 'live', id)
  try {
    const bytes = await input.readAll(true)
    const reader = new ByteReader(bytes, HEADER_LENGTH, input.contentEnd)
    try {
      const found = [reader.readVarint(), reader.readVarint(), reader.readVarint()]
      const expected = [generation, maxDoc, deletedCount]
      if (found.some((value, i) => value !== expected[i])) {
        const names = 'generation, documents, deletes'
        throw indexCorrupt(input.path, HEADER_LENGTH, `${names} ${expected.join(', ')}`, found.join(', '))
      }
      const at = align4(reader.position)
      const count = (maxDoc + 31) >>> 5
      if (at + count * 4 > input.contentEnd) throw new RangeError('the end')
      const words = new Uint32Array(bytes.buffer, at, count)
      const live = new BitSet(maxDoc, words)
      const unused = maxDoc & 31
      if (unused !== 0 && words[count - 1] >>> unused !== 0) throw new RangeError('bits past the last document')
      if (live.count() !== maxDoc - deletedCount) throw new RangeError(`${live.count()} live documents`)
      return live
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw indexCorrupt(input.path, HEADER_LENGTH, `a bit set of ${maxDoc} documents`, error.message, error)
    }
  } finally {
    await input.close()
  }
}
