/**
 * Makes a damaged index usable again by leaving the damaged segments out: a new commit of the good ones. Never done
 * silently; the documents of the bad segments are lost to the index, and their files are kept under other names.
 */
import { randomBytes } from 'node:crypto'
import { SpindleError } from '@spindle/core'
import {
  type CommitPoint,
  latestGeneration,
  readCommitPoint,
  type SegmentCommit,
  writeCommitPoint,
} from '../codec/commit-point.js'
import { commitFile, pendingCommitFile } from '../codec/segment-files.js'
import { SegmentReader } from '../reading/segment-reader.js'
import type { Directory, WriteLock } from '../store/directory.js'
import { ID_LENGTH } from '../store/file-header.js'
import { FsDirectory } from '../store/fs-directory.js'
import type { CheckReport } from './check-report.js'

/** How to take out bad segments. */
export interface ExorciseOptions {
  /** Removes the files of the bad segments; otherwise they are kept as `exorcised-N-…`, which no writer touches. */
  readonly purge?: boolean
  /** Field whose stored value names a document in the list of what was lost. */
  readonly idField?: string
}

/** What was taken out. */
export interface ExorciseResult {
  /** Number of the new commit. */
  readonly generation: number
  readonly segments: readonly string[]
  /** Live documents that the index no longer has. */
  readonly docsLost: number
  /** Ids of the lost documents, as far as they could still be read; empty where no field was given. */
  readonly idsLost: readonly string[]
  /** Where the files of the bad segments are now. */
  readonly keptFiles: readonly string[]
}

/**
 * Writes a new commit without the segments that a report calls bad.
 * @param report a report of the newest commit, of all segments
 * @throws SpindleError LOCK_HELD while a writer is at work; INDEX_CORRUPT where the commit point itself is damaged;
 * CONFIG_INVALID where the index has changed since the report
 */
export async function exorcise(
  path: string | Directory,
  report: CheckReport,
  options: ExorciseOptions = {},
): Promise<ExorciseResult> {
  const directory = typeof path === 'string' ? new FsDirectory(path) : path
  const lock = await directory.obtainLock()
  try {
    const commit = await readCommitPoint(directory, latestGeneration(await directory.list()))
    if (commit.generation !== report.generation) {
      throw new SpindleError(
        'CONFIG_INVALID',
        `The index in ${directory.path} has had a commit since it was checked (generation ${report.generation}): check it again.`,
      )
    }
    const bad = commit.segments.filter(({ name }) => report.badSegments.includes(name))
    const good = commit.segments.filter((segment) => !bad.includes(segment))
    const idsLost = options.idField === undefined ? [] : await readIds(directory, bad, options.idField)
    const generation = await publish(directory, lock, { ...commit, generation: commit.generation + 1, segments: good })
    const keptFiles: string[] = []
    const existing = await directory.list()
    const isOfBad = (name: string) =>
      bad.some((segment) => name.startsWith(`${segment.name}.`) || name.startsWith(`${segment.name}_`))
    for (const name of existing.filter((one) => isOfBad(one) || one === commitFile(commit.generation))) {
      if (options.purge === true) await directory.delete(name)
      else {
        const kept = `exorcised-${commit.generation}-${name}`
        await directory.rename(name, kept)
        keptFiles.push(kept)
      }
    }
    await directory.syncDirectory()
    const docsLost = bad.reduce((sum, { maxDoc, deletedCount }) => sum + maxDoc - deletedCount, 0)
    return { generation, segments: bad.map(({ name }) => name), docsLost, idsLost, keptFiles }
  } finally {
    await lock.release()
  }
}

/** In the order in which a writer commits; all files that the commit names are on disk since the commit before. */
async function publish(directory: Directory, lock: WriteLock, commit: CommitPoint): Promise<number> {
  const pending = pendingCommitFile(commit.generation)
  await directory.delete(pending)
  await writeCommitPoint(directory, pending, randomBytes(ID_LENGTH), commit)
  await directory.sync([pending])
  await directory.syncDirectory()
  await lock.ensureValid()
  await directory.rename(pending, commitFile(commit.generation))
  await directory.syncDirectory()
  return commit.generation
}

/** Whatever can still be read of the live documents of damaged segments. */
async function readIds(directory: Directory, bad: readonly SegmentCommit[], field: string): Promise<string[]> {
  const ids: string[] = []
  for (const segment of bad) {
    let reader: SegmentReader
    try {
      reader = await SegmentReader.open(directory, segment, null, false)
    } catch {
      continue
    }
    try {
      for (let doc = 0; doc < reader.maxDoc; doc++) {
        if (reader.liveDocs !== null && !reader.liveDocs.get(doc)) continue
        const document = await reader.document(doc).catch(() => null)
        const id = document?.get(field)
        if (id !== undefined) ids.push(id)
      }
    } finally {
      await reader.release()
    }
  }
  return ids
}
