/** What a writer finds in a folder when it begins: the segments of the commit, or the remains of an older index. */
import { SpindleError } from '@spindle/core'
import type { CommitPoint } from '../codec/commit-point.js'
import { segmentFile } from '../codec/segment-files.js'
import { readSegmentInfo } from '../codec/segment-info.js'
import type { Directory, WriteLock } from '../store/directory.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { type CombinedSchema, combinedFieldsOf } from './combined-fields.js'
import { CommitLog } from './commit-log.js'
import { WriterAnalyzers } from './writer-analyzers.js'
import type { IndexWriterOptions } from './writer-options.js'
import { WriterSegment } from './writer-segment.js'

/** An index that its writer goes on with. */
export interface OpenedIndex {
  readonly directory: Directory
  readonly lock: WriteLock
  readonly log: CommitLog
  /** The newest commit; null where an index is begun. */
  readonly commit: CommitPoint | null
  readonly segments: WriterSegment[]
  readonly nextSegment: number
  readonly combined: readonly CombinedSchema[]
}

/**
 * Takes the lock of an index and opens its newest commit. Files that a killed writer left are removed.
 * @throws SpindleError LOCK_HELD, INDEX_NOT_FOUND, INDEX_CORRUPT, ANALYZER_MISMATCH, COMBINED_FIELD_MISMATCH
 */
export async function openForWriting(directory: Directory, options: IndexWriterOptions): Promise<OpenedIndex> {
  if (options.create === false) await directory.list()
  else await directory.create()
  const lock = await directory.obtainLock()
  try {
    const log = new CommitLog(directory, lock, Math.max(1, options.keepCommits ?? 1))
    const commit = await log.open(options.create === true)
    if (log.generation === 0 && options.create === false) {
      throw new SpindleError(
        'INDEX_NOT_FOUND',
        `There is no index in ${directory.path}: check the path, or leave "create" out to begin one.`,
      )
    }
    // An index without documents may go on with other analyzers and fields: nothing was made with the old ones.
    const isEmpty = commit === null || commit.segments.length === 0
    const { combinedFields, analyzers } = options
    const combined = combinedFieldsOf(directory.path, combinedFields, analyzers, commit?.fields ?? [], isEmpty)
    const common = { directory, lock, log, combined }
    if (commit === null) {
      await log.removeUnreferenced()
      return { ...common, commit, segments: [], nextSegment: firstFreeSegment(await directory.list()) }
    }
    if (!isEmpty) new WriterAnalyzers(options.analyzer, options.analyzers).check(directory.path, commit)
    const segments = await openSegments(directory, commit)
    await log.removeUnreferenced()
    // Names that could not be removed are not taken again.
    const left = await directory.list()
    for (const segment of segments) segment.avoid(left)
    return {
      ...common,
      commit: isEmpty ? { ...commit, fields: [] } : commit,
      segments,
      nextSegment: Math.max(commit.nextSegment, firstFreeSegment(left)),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openSegments(directory: Directory, commit: CommitPoint): Promise<WriterSegment[]> {
  const segments: WriterSegment[] = []
  for (const named of commit.segments) {
    const info = await readSegmentInfo(directory, named.name, named.id)
    if (info.maxDoc !== named.maxDoc) {
      const file = `${directory.path}/${segmentFile(named.name, 'info')}`
      throw indexCorrupt(file, 0, `${named.maxDoc} documents`, info.maxDoc)
    }
    segments.push(new WriterSegment(directory, info, named, null))
  }
  return segments
}

/** A segment number that no file of the folder has: a new index is written beside an old one, which stays until the commit. */
function firstFreeSegment(names: readonly string[]): number {
  let free = 0
  for (const name of names) {
    const match = /^_([0-9]{1,15})[._]/.exec(name)
    if (match !== null) free = Math.max(free, Number(match[1]) + 1)
  }
  return free
}
