/** Power cuts, a full disk and failing operations at every point of a small workload, in memory; and equal runs, equal bytes. */
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import type { Directory } from '../store/directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import {
  BYTES_FATES,
  type BytesFate,
  CrashDirectory,
  NAMES_FATES,
  type NamesFate,
} from '../test-support/crash-directory.js'
import { contentsAfter, crashAnalyzer, ranksAfter, readRanks, writeCommit } from '../test-support/crash-workload.js'
import { FaultDirectory } from '../test-support/fault-directory.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { sealFile } from '../test-support/seal-file.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { IndexWriter } from './index-writer.js'

const COMMITS = 6
const MERGE_EVERY = 3
/** One flush within a commit, and a merge now and then. */
const OPTIONS = { analyzer: crashAnalyzer, memoryBudget: 30_000, mergeFactor: 3, onMergeError: () => {} }
const seed = testSeed()
t.comment(replay(seed))

const expected = new Map<number, string[]>()

/** What commit `k` must hold. */
function contentsOf(k: number): string[] {
  let lines = expected.get(k)
  if (lines === undefined) {
    lines = expectedContents(contentsAfter(k), crashAnalyzer)
    expected.set(k, lines)
  }
  return lines
}

/** Compares an index with the model. @returns what is wrong, or undefined */
async function problem(directory: Directory, acknowledged: number): Promise<string | undefined> {
  let reader: IndexReader
  try {
    reader = await IndexReader.open(directory)
  } catch (error) {
    if (acknowledged === 0 && isSpindleError(error, 'INDEX_NOT_FOUND')) return undefined
    return `does not open: ${error}`
  }
  try {
    const k = Number(reader.userData.k)
    if (k !== acknowledged && k !== acknowledged + 1) return `commit ${k} is there, ${acknowledged} was acknowledged`
    const difference = firstDifference(await indexContents(reader), contentsOf(k))
    if (difference !== undefined) return `commit ${k}: ${difference}`
    const ranks = [...(await readRanks(reader))].sort().join(' ')
    const rightRanks = [...ranksAfter(k)].sort().join(' ')
    return ranks === rightRanks ? undefined : `commit ${k}: ranks ${ranks}, expected ${rightRanks}`
  } catch (error) {
    return `cannot be read: ${error}`
  } finally {
    await reader.close()
  }
}

/** The workload from the last commit on. @returns the last commit that returned */
async function work(directory: Directory, done: (k: number) => void, until = COMMITS): Promise<void> {
  const writer = await IndexWriter.open(directory, OPTIONS)
  try {
    for (let k = Number(writer.userData.k ?? 0) + 1; k <= until; k++) {
      await writeCommit(writer, k, MERGE_EVERY)
      done(k)
    }
    await writer.close()
  } catch (error) {
    // A forced merge that fails leaves the writer open.
    await writer.rollback()
    throw error
  }
}

async function record(dropped = -1): Promise<CrashDirectory> {
  const directory = new CrashDirectory(dropped)
  await work(directory, (k) => directory.note(k))
  return directory
}

t.test('a power cut leaves the last commit that returned, or the next', async (t) => {
  const random = new Random(seed)
  const recorded = await record()
  const total = recorded.operations.length
  const states = byEffort(120, 2000, 100_000)
  const firsts: string[] = []
  let opened = 0
  let i = 0
  for (; i < states && firsts.length === 0 && (hasTime(0.5) || i < 110); i++) {
    const at = 1 + random.below(total)
    const names = random.pick(NAMES_FATES)
    const bytes = random.pick(BYTES_FATES)
    const acknowledged = recorded.noted(at)
    const directory = await recorded.after(at, names, bytes, random)
    let wrong = await problem(directory, acknowledged)
    if (wrong === undefined && i % 8 === 0) {
      // And the next writer goes on from there.
      const until = Math.min(COMMITS, acknowledged + 2)
      await work(directory, () => {}, until)
      wrong = await problem(directory, until)
      const report = until > 0 ? await checkIndex(directory, { idField: 'id' }) : null
      if (report !== null && !(report.clean && report.unreferencedFiles.length === 0)) wrong = JSON.stringify(report)
      opened++
    }
    if (wrong !== undefined) firsts.push(`state ${i}: after ${at} of ${total} operations, ${names}/${bytes}: ${wrong}`)
  }
  t.same(firsts, [], replay(seed))
  t.ok(opened >= i / 8 && i > 100)
  t.comment(`${i} states of ${total} operations`)
})

t.test('without any one of its syncs a power cut would lose something', async (t) => {
  const random = new Random(seed)
  const { syncs } = await record()
  const missed: number[] = []
  const every = byEffort(8, 1, 1)
  for (let dropped = seed % every; dropped < syncs; dropped += every) {
    const recorded = await record(dropped)
    const harmful: [NamesFate, BytesFate][] = [
      ['all', 'lost'],
      ['none', 'intact'],
      ['renames', 'intact'],
    ]
    let caught = false
    for (let at = 1; at <= recorded.operations.length && !caught; at++) {
      const { kind } = recorded.operations[at - 1]
      if (kind !== 'note' && kind !== 'rename') continue
      for (const [names, bytes] of harmful) {
        const directory = await recorded.after(at, names, bytes, random)
        caught ||= (await problem(directory, recorded.noted(at))) !== undefined
      }
    }
    if (!caught) missed.push(dropped)
  }
  t.same(missed, [], `of ${syncs} syncs, ${replay(seed)}`)
  t.ok(syncs > 40, `${syncs} syncs`)
})

t.test('two phases: prepared, then committed, forgotten or cut off', async (t) => {
  const random = new Random(seed)
  const sequences = byEffort(60, 1000, 5000)
  const wrong: string[] = []
  const ends = { commit: 0, rollback: 0, cut: 0 }
  let directory = new CrashDirectory()
  let writer = await IndexWriter.open(directory, OPTIONS)
  let committed = 0
  for (let i = 0; i < sequences && wrong.length < 3 && (hasTime(0.8) || i < 60); i++) {
    const k = committed + 1
    await writer.deleteDocuments({ field: 'id', text: `n${random.below(k)}` })
    await writer.addDocument(numbered(k))
    // The number goes with the commit as the sequence of a crawl does.
    await writer.prepareCommit({ userData: { sequence: String(k) } })
    const end = random.pick(['commit', 'rollback', 'cut'] as const)
    ends[end]++
    if (end === 'commit') {
      await writer.commit()
      committed = k
      if (random.next() < 0.9) continue
      await writer.close()
    } else if (end === 'rollback') await writer.rollback()
    const at = directory.operations.length
    const after =
      end === 'cut' ? await directory.after(at, random.pick(NAMES_FATES), random.pick(BYTES_FATES), random) : directory
    const next = new CrashDirectory()
    await next.fill(after)
    directory = next
    writer = await IndexWriter.open(directory, OPTIONS)
    const sequence = Number(writer.userData.sequence ?? 0)
    const reader = committed === 0 ? null : await IndexReader.open(directory)
    const last = reader === null ? 0 : await reader.docFreq('id', `n${committed}`)
    const more = reader === null ? 0 : await reader.docFreq('id', `n${k}`)
    await reader?.close()
    const isRight = sequence === committed && (committed === 0 || last === 1) && (k === committed || more === 0)
    if (!isRight)
      wrong.push(`sequence ${i}, ${end}: ${sequence} is there, ${committed} was committed (${last}, ${more})`)
  }
  t.same(wrong, [], replay(seed))
  t.comment(`ends: ${JSON.stringify(ends)}`)
  t.ok(ends.commit > 10 && ends.rollback > 10 && ends.cut > 10, JSON.stringify(ends))
})

function numbered(k: number): Document {
  return new Document().add(Field.keyword('id', `n${k}`))
}

/** Runs the workload into a fault, then goes on without it. @returns what is wrong, or undefined */
async function survive(inner: MemoryDirectory, faulty: FaultDirectory, code: string): Promise<string | undefined> {
  let acknowledged = 0
  let failed: unknown
  try {
    await work(faulty, (k) => {
      acknowledged = k
    })
  } catch (error) {
    failed = error
  }
  if (faulty.failures === 0) return failed === undefined ? undefined : `failed without a fault: ${failed}`
  // A file that could not be removed is no reason to fail: it goes the next time.
  if (failed !== undefined && code !== '' && !isSpindleError(failed, code as 'DISK_FULL'))
    return `failed with ${failed}`
  const wrong = await problem(inner, acknowledged)
  if (wrong !== undefined) return wrong
  faulty.heal()
  await work(faulty, () => {})
  const report = await checkIndex(inner, { idField: 'id' })
  if (!report.clean || report.unreferencedFiles.length > 0) return `afterwards: ${JSON.stringify(report)}`
  return problem(inner, COMMITS)
}

t.test('a disk of any size that is too small', async (t) => {
  const step = byEffort(512, 32, 32)
  const found: string[] = []
  let full = 0
  for (let quota = seed % step; ; quota += step) {
    const inner = new MemoryDirectory()
    const faulty = new FaultDirectory(inner, { quota })
    const wrong = await survive(inner, faulty, 'DISK_FULL')
    if (wrong !== undefined) found.push(`quota ${quota}: ${wrong}`)
    if (faulty.failures === 0) break
    full++
  }
  t.same(found, [], replay(seed))
  t.ok(full >= 5, `${full} sizes`)
})

t.test('each operation fails, once and from then on', async (t) => {
  const errors = ['EIO', 'EMFILE', 'EACCES', 'EROFS', 'ENOSPC', 'EINTR']
  const counting = new FaultDirectory(new MemoryDirectory(), {})
  await work(counting, () => {})
  const total = counting.operations
  const every = byEffort(23, 1, 1)
  const kinds = byEffort(1, 1, errors.length)
  const found: string[] = []
  let runs = 0
  for (let at = 1 + (seed % every); at <= total && (hasTime() || runs < 30); at += every) {
    for (let kind = 0; kind < kinds; kind++) {
      const errno = errors[(at + kind) % errors.length]
      for (const lasting of [false, true]) {
        const inner = new MemoryDirectory()
        const faulty = new FaultDirectory(inner, { at, errno, lasting })
        const wrong = await survive(inner, faulty, '')
        runs++
        if (wrong !== undefined) found.push(`${errno} at operation ${at}, lasting ${lasting}: ${wrong}`)
        if (faulty.failures === 0) found.push(`operation ${at} did not fail`)
      }
    }
    if (found.length > 3) break
  }
  t.same(found, [], replay(seed))
  t.comment(`${runs} runs of ${total} operations`)
  t.ok(runs > 20, `${runs} runs of ${total} operations`)
})

t.test('equal documents give equal bytes, apart from random ids and checksums', async (t) => {
  const contents = async (): Promise<Map<string, string>> => {
    const directory = new MemoryDirectory()
    await work(directory, () => {})
    const files = new Map<string, string>()
    for (const name of (await directory.list()).sort()) {
      const input = await directory.open(name)
      const bytes = Buffer.alloc(input.length)
      await input.read(bytes, 0)
      bytes.fill(0, 16, 32)
      sealFile(bytes)
      files.set(name, bytes.toString('latin1'))
    }
    const commit = [...files.keys()].find((name) => name.startsWith('segments_'))!
    // It names the random ids of its segments.
    files.set(commit, String(files.get(commit)!.length))
    return files
  }
  const one = await contents()
  t.same(await contents(), one)
  t.ok(one.size > 7)
})
