/**
 * Checks an index: every byte, every list, every stored document of the newest commit. Reads only; a writer at work is
 * no obstacle, because a commit is a snapshot. A full check decodes everything, a large index in threads; memory is
 * bounded by the dictionary, the norms and a column of the largest segment and some windows of 1 MB.
 */
import { availableParallelism } from 'node:os'
import { DirectoryLock, isSpindleError, SpindleError, systemCode } from '@spindle/core'
import { type CommitPoint, latestGeneration, readCommitPoint } from '../codec/commit-point.js'
import { commitFile, commitGeneration, isIndexFile } from '../codec/segment-files.js'
import { SegmentReader } from '../reading/segment-reader.js'
import type { Directory } from '../store/directory.js'
import type { Component } from '../store/file-header.js'
import { FORMAT, formatText } from '../store/format-version.js'
import { FsDirectory } from '../store/fs-directory.js'
import { NEWEST_COMMIT_FILE, readNewestCommit } from '../store/newest-commit.js'
import { checkFile } from './check-file.js'
import { type CheckReport, type LockReport, messageOf, runPart, type SegmentReport } from './check-report.js'
import { checkSegment, filesOfSegment } from './check-segment.js'
import { CheckThreads } from './check-threads.js'
import { checkUnique } from './check-unique.js'
import { HeldDirectory } from './held-directory.js'

/** What to check. */
export interface CheckIndexOptions {
  /** true: all checksums and tables, which tells every damaged byte; what the bytes mean is not compared with each other. */
  readonly fast?: boolean
  /**
   * Threads that decode besides the calling one; 0: none. Where not given, as many as the machine has cores, at most 4,
   * and none for a small index. Only indexes in folders can be checked by several.
   */
  readonly threads?: number
  /** Only this segment, such as `_3`. */
  readonly segment?: string
  /** A keyword field that names a document: no value may be in two live documents. */
  readonly idField?: string
  /** Called before each segment, with its place and how many there are. */
  readonly onSegment?: (name: string, index: number, count: number) => void
}

const MAX_RACES = 20
/** A smaller index is checked before a thread has started. */
const SMALL_INDEX = 8 << 20
const MAX_THREADS = 4

/**
 * Checks the newest commit of an index.
 * @param path a folder, or a directory
 * @returns what was found; `clean` tells the outcome
 * @throws SpindleError INDEX_NOT_FOUND where there is none, INDEX_FORMAT_TOO_NEW or INDEX_FORMAT_TOO_OLD where this
 * program cannot read it, CONFIG_INVALID where the segment asked for does not exist
 */
export async function checkIndex(path: string | Directory, options: CheckIndexOptions = {}): Promise<CheckReport> {
  const directory = typeof path === 'string' ? new FsDirectory(path) : path
  const began = performance.now()
  const lock = directory instanceof FsDirectory ? await lockHolder(directory.path) : null
  for (let race = 0; ; race++) {
    const names = await directory.list()
    const generation = latestGeneration(names)
    if (generation === 0) {
      throw new SpindleError(
        'INDEX_NOT_FOUND',
        `There is no index in ${directory.path}: index something first, or check the path.`,
      )
    }
    const isNewest = async () => latestGeneration(await directory.list()) === generation
    let commit: CommitPoint
    try {
      commit = await readCommitPoint(directory, generation)
    } catch (error) {
      // Replaced by a newer commit since the folder was listed.
      if (systemCode(error) === 'ENOENT' && race < MAX_RACES && !(await isNewest())) continue
      if (!isSpindleError(error, 'INDEX_CORRUPT')) throw error
      return unreadable(directory.path, options, generation, messageOf(error), lock, performance.now() - began)
    }
    const files = new Map<string, Map<string, Component>>()
    for (const segment of commit.segments) files.set(segment.name, await filesOfSegment(directory, segment))
    const referenced = [commitFile(generation), ...[...files.values()].flatMap((map) => [...map.keys()])]
    const held = await HeldDirectory.hold(directory, referenced)
    try {
      if (held.unopened.size > 0 && race < MAX_RACES && !(await isNewest())) continue
      const older = await olderCommits(directory, names, generation)
      return await checkCommit(directory, held, commit, files, options, names, older, lock, began)
    } finally {
      await held.release()
    }
  }
}

function defaultThreads(): number {
  return availableParallelism() > 1 ? Math.min(availableParallelism(), MAX_THREADS) : 0
}

async function checkCommit(
  directory: Directory,
  held: HeldDirectory,
  commit: CommitPoint,
  files: ReadonlyMap<string, ReadonlyMap<string, Component>>,
  options: CheckIndexOptions,
  names: readonly string[],
  older: ReadonlyMap<number, ReadonlySet<string>>,
  lock: LockReport | null,
  began: number,
): Promise<CheckReport> {
  const full = options.fast !== true
  const { generation } = commit
  const chosen = commit.segments.filter(({ name }) => options.segment === undefined || name === options.segment)
  if (options.segment !== undefined && chosen.length === 0) {
    const known = commit.segments.map(({ name }) => name).join(', ') || 'none'
    throw new SpindleError(
      'CONFIG_INVALID',
      `There is no segment ${options.segment} in ${held.path}: choose one of ${known}.`,
    )
  }
  const commitReport = await checkFile(held, commitFile(generation), 'commit', null)
  const segments: SegmentReport[] = []
  const threads = new CheckThreads(held, options.threads ?? (held.bytes < SMALL_INDEX ? 0 : defaultThreads()))
  try {
    for (const [index, segment] of chosen.entries()) {
      options.onSegment?.(segment.name, index, chosen.length)
      segments.push(await checkSegment(held, segment, commit.fields, files.get(segment.name)!, full, threads))
    }
  } finally {
    await threads.stop()
  }
  const bad = segments.filter((segment) => !segment.ok)
  const pointer = names.includes(NEWEST_COMMIT_FILE) ? await checkPointer(directory) : null
  const uniqueIds =
    options.idField === undefined
      ? null
      : await checkIds(held, commit, new Set(bad.map((one) => one.name)), options.idField)
  const referenced = new Set([commitFile(generation), ...[...files.values()].flatMap((map) => [...map.keys()])])
  const kept = new Set([...referenced, ...[...older.values()].flatMap((set) => [...set])])
  return {
    clean:
      bad.length === 0 &&
      held.unopened.size === 0 &&
      commitReport.ok &&
      (uniqueIds?.error ?? pointer?.error ?? null) === null,
    path: held.path,
    mode: full ? 'full' : 'fast',
    generation,
    segmentsFile: commitFile(generation),
    formatVersion: formatText(FORMAT),
    createdBy: commit.createdBy ?? '',
    userData: commit.userData,
    counterValid: commit.segments.every(({ name }) => Number(name.slice(1)) < commit.nextSegment),
    error: commitReport.error,
    missingFiles: [...held.unopened].filter(([, error]) => systemCode(error) === 'ENOENT').map(([name]) => name),
    unreferencedFiles: names
      .filter((name) => isIndexFile(name) && name !== NEWEST_COMMIT_FILE && !isLeftover(name) && !kept.has(name))
      .sort(),
    leftoverFiles: names.filter(isLeftover).sort(),
    olderCommits: [...older.keys()].sort((a, b) => a - b),
    lock,
    pointer,
    docs: commit.segments.reduce((sum, { maxDoc, deletedCount }) => sum + maxDoc - deletedCount, 0),
    deleted: commit.segments.reduce((sum, { deletedCount }) => sum + deletedCount, 0),
    bytes: held.bytes,
    badSegments: bad.map(({ name }) => name),
    docsLost: bad.reduce((sum, { maxDoc, deleted }) => sum + maxDoc - deleted, 0),
    uniqueIds,
    segments,
    ms: Math.round(performance.now() - began),
  }
}

/** The one file that a writer replaces: it is read once, and is whole at every moment. */
async function checkPointer(directory: Directory): Promise<NonNullable<CheckReport['pointer']>> {
  try {
    return { generation: await readNewestCommit(directory), error: null }
  } catch (error) {
    return { generation: 0, error: messageOf(error) }
  }
}

/** Files of the commits before the newest that are still there and readable. */
async function olderCommits(directory: Directory, names: readonly string[], newest: number) {
  const older = new Map<number, Set<string>>()
  for (const name of names) {
    const generation = commitGeneration(name)
    if (generation === undefined || generation >= newest) continue
    const commit = await readCommitPoint(directory, generation).catch(() => null)
    if (commit === null) continue
    const files = new Set([name])
    for (const segment of commit.segments) {
      for (const file of (await filesOfSegment(directory, segment)).keys()) files.add(file)
    }
    older.set(generation, files)
  }
  return older
}

/** Bad segments are left out: what they hold nobody can tell. */
async function checkIds(held: HeldDirectory, commit: CommitPoint, bad: ReadonlySet<string>, field: string) {
  const readers: SegmentReader[] = []
  try {
    const part = await runPart(async () => {
      for (const segment of commit.segments) {
        if (!bad.has(segment.name)) readers.push(await SegmentReader.open(held, segment, null, false))
      }
      return checkUnique(held.path, readers, field)
    })
    return { field, ...part }
  } finally {
    for (const reader of readers) await reader.release()
  }
}

function unreadable(
  path: string,
  options: CheckIndexOptions,
  generation: number,
  error: string,
  lock: LockReport | null,
  ms: number,
): CheckReport {
  return {
    clean: false,
    path,
    mode: options.fast === true ? 'fast' : 'full',
    generation,
    segmentsFile: commitFile(generation),
    formatVersion: formatText(FORMAT),
    createdBy: '',
    userData: {},
    counterValid: false,
    error,
    missingFiles: [],
    unreferencedFiles: [],
    leftoverFiles: [],
    olderCommits: [],
    lock,
    pointer: null,
    docs: 0,
    deleted: 0,
    bytes: 0,
    badSegments: [],
    docsLost: 0,
    uniqueIds: null,
    segments: [],
    ms: Math.round(ms),
  }
}

function isLeftover(name: string): boolean {
  return name.startsWith('pending_segments_') || /^write\.lock\..*(?:\.stale|[0-9])$/.test(name)
}

async function lockHolder(path: string): Promise<LockReport | null> {
  try {
    return await DirectoryLock.holder(path)
  } catch {
    // A folder that may not be entered or a socket that may not be asked: then it is not known.
    return null
  }
}
