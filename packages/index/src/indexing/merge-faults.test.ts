/** Power cuts, full disks and failing operations only inside of a merge: nothing is lost, and the next writer merges. */
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { IndexReader } from '../reading/index-reader.js'
import type { Directory } from '../store/directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { BYTES_FATES, CrashDirectory, NAMES_FATES } from '../test-support/crash-directory.js'
import {
  contentsAfter,
  crashAnalyzer,
  crashOptions,
  ranksAfter,
  readRanks,
  writeCommit,
} from '../test-support/crash-workload.js'
import { FaultDirectory } from '../test-support/fault-directory.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { directoryOf, filesOf } from '../test-support/tiny-index.js'
import { IndexWriter } from './index-writer.js'

/** Commits before the merge. */
const COMMITS = 4
const seed = testSeed()
t.comment(replay(seed))
/** Segments stay as they are until they are merged all. */
const OPTIONS = { ...crashOptions, mergeFactor: 100 }
const expected = expectedContents(contentsAfter(COMMITS), crashAnalyzer)
const expectedRanks = [...ranksAfter(COMMITS)].sort().join(' ')

/** Copies an index of several segments with deletes and changed doc values. */
async function fill(target: Directory): Promise<void> {
  const writer = await IndexWriter.open(target, OPTIONS)
  for (let k = 1; k <= COMMITS; k++) await writeCommit(writer, k)
  await writer.close()
}

async function merge(directory: Directory): Promise<void> {
  const writer = await IndexWriter.open(directory, { ...OPTIONS, onMergeError: () => {} })
  try {
    await writer.forceMerge(1)
    await writer.close()
  } catch (error) {
    await writer.rollback()
    throw error
  }
}

/** The index is as it was, merged or not, and can be merged. @returns what is wrong, or undefined */
async function problem(directory: Directory): Promise<string | undefined> {
  for (const isMerged of [false, true]) {
    if (isMerged) await merge(directory)
    const reader = await IndexReader.open(directory)
    try {
      const difference = firstDifference(await indexContents(reader), expected)
      if (difference !== undefined) return difference
      const ranks = [...(await readRanks(reader))].sort().join(' ')
      if (ranks !== expectedRanks) return `ranks ${ranks}, expected ${expectedRanks}`
      if (isMerged && reader.segments.length !== 1) return `${reader.segments.length} segments`
    } finally {
      await reader.close()
    }
  }
  const report = await checkIndex(directory, { idField: 'id' })
  return report.clean && report.unreferencedFiles.length === 0 ? undefined : JSON.stringify(report)
}

t.test('the power is cut at each operation of a merge', { timeout: 3_600_000 }, async (t) => {
  const random = new Random(seed)
  const directory = new CrashDirectory()
  await fill(directory)
  const began = directory.operations.length
  await merge(directory)
  const ended = directory.operations.length
  const every = byEffort(199, 3, 1)
  const wrong: string[] = []
  let states = 0
  let state = seed % every
  for (let at = began; at <= ended && wrong.length < 3; at++) {
    for (const names of NAMES_FATES) {
      for (const bytes of BYTES_FATES) {
        if (state++ % every !== 0 || !(hasTime(0.7) || states < 40)) continue
        states++
        const found = await problem(await directory.after(at, names, bytes, random))
        if (found !== undefined)
          wrong.push(`after operation ${at - began} of ${ended - began}, ${names}/${bytes}: ${found}`)
      }
    }
  }
  t.same(wrong, [], replay(seed))
  t.comment(`${states} states of ${ended - began} operations`)
  t.ok(states > 20)
})

t.test('each operation of a merge fails, and disks of any size are full', { timeout: 3_600_000 }, async (t) => {
  const every = byEffort(37, 1, 1)
  const wrong: string[] = []
  let failed = 0
  const sound = new MemoryDirectory()
  await fill(sound)
  const files = await filesOf(sound)
  const meet = async (set: (faulty: FaultDirectory) => void, what: string): Promise<boolean> => {
    const inner = await directoryOf(files)
    const faulty = new FaultDirectory(inner, {})
    set(faulty)
    const error = await merge(faulty).catch((thrown: unknown) => thrown)
    if (faulty.failures === 0) return false
    failed++
    if (what.startsWith('quota') && error !== undefined && !isSpindleError(error, 'DISK_FULL'))
      wrong.push(`${what}: ${error}`)
    const found = await problem(inner)
    if (found !== undefined) wrong.push(`${what}: ${found}`)
    return true
  }
  for (let k = 1 + (seed % every); wrong.length < 3 && (hasTime() || failed < 10); k += every) {
    const wasMet = await meet((faulty) => faulty.failOnce(k), `operation ${k}`)
    if (!wasMet) break
    await meet((faulty) => faulty.failFromNowOn(k, 'EIO'), `operation ${k} and all after it`)
  }
  const step = byEffort(8192, 64, 64)
  for (let quota = seed % step; wrong.length < 3 && hasTime(); quota += step) {
    if (!(await meet((faulty) => faulty.limit(quota), `quota ${quota}`))) break
  }
  t.same(wrong, [], replay(seed))
  t.ok(failed > 4, `${failed} faults`)
  t.comment(`${failed} faults`)
})
