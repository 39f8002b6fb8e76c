/**
 * The pointer `segments.gen`: the number of the newest commit, for readers that cannot list the folder (HTTP). It is
 * the one file of an index that is replaced. Indexes that were never published have none; who can list never reads it.
 */
import { ByteReader, ByteWriter } from '@spindle/core'
import { CheckedInput } from './checked-input.js'
import { CheckedOutput } from './checked-output.js'
import type { Directory } from './directory.js'
import { HEADER_LENGTH, ID_LENGTH } from './file-header.js'
import { indexCorrupt } from './index-corrupt.js'

/** Name of the pointer. */
export const NEWEST_COMMIT_FILE = 'segments.gen'
/** Its name while it is written. */
export const PENDING_NEWEST_COMMIT_FILE = 'pending_segments.gen'

/** Replaces the pointer by a rename; not synced: after a crash it may be old, empty or missing until the next commit. */
export async function writeNewestCommit(directory: Directory, generation: number): Promise<void> {
  await directory.delete(PENDING_NEWEST_COMMIT_FILE)
  const bytes = new ByteWriter(16)
  bytes.writeVarint(generation)
  const output = await CheckedOutput.create(directory, PENDING_NEWEST_COMMIT_FILE, 'newest', new Uint8Array(ID_LENGTH))
  try {
    output.writeBytes(bytes.view())
    await output.finish()
  } catch (error) {
    await output.abandon()
    throw error
  }
  await directory.rename(PENDING_NEWEST_COMMIT_FILE, NEWEST_COMMIT_FILE)
}

/** Reads the pointer. @throws SpindleError INDEX_CORRUPT; ENOENT where there is none */
export async function readNewestCommit(directory: Directory): Promise<number> {
  const input = await CheckedInput.open(directory, NEWEST_COMMIT_FILE, 'newest', null)
  try {
    const bytes = await input.readAll(false)
    const generation = new ByteReader(bytes, HEADER_LENGTH, input.contentEnd).readVarint()
    if (generation < 1) throw new RangeError(`generation ${generation}`)
    return generation
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw indexCorrupt(input.path, HEADER_LENGTH, 'the number of a commit', error.message, error)
  } finally {
    await input.close()
  }
}
