/**
 * Makes an index findable for readers that cannot list its folder. A copy for a web server is complete when its files
 * came first, `segments_N` after them and `segments.gen` last.
 */
import { SpindleError } from '@spindle/core'
import { latestGeneration } from '../codec/commit-point.js'
import type { Directory } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { writeNewestCommit } from '../store/newest-commit.js'

/**
 * Writes the pointer `segments.gen` to the newest commit. From then on every commit of a writer that opens the folder
 * brings it up to date.
 * @returns the generation
 * @throws SpindleError INDEX_NOT_FOUND, INDEX_WRITE_FAILED, DISK_FULL
 */
export async function publishIndex(path: string | Directory): Promise<number> {
  const directory = typeof path === 'string' ? new FsDirectory(path) : path
  const generation = latestGeneration(await directory.list())
  if (generation === 0) {
    throw new SpindleError('INDEX_NOT_FOUND', `There is no index in ${directory.path}: index something first.`)
  }
  await writeNewestCommit(directory, generation)
  return generation
}
