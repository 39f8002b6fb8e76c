/** How fast merges write, and how long a writer waits for them. */
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { latestGeneration, readCommitPoint } from '../codec/commit-point.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { FsDirectory } from '../store/fs-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'
import { runMergeJob } from './merge-job.js'
import { MergePacer } from './merge-pacer.js'
import { fixedRate, MergeRate, NO_LIMIT } from './merge-rate.js'

const MIB = 2 ** 20
const analyzer = new WhitespaceAnalyzer()
const seed = testSeed()
t.comment(`SEED=${seed}`)

function page(random: Random, id: number): Document {
  const text = Array.from({ length: 30 }, () => `w${random.below(5000)}`).join(' ')
  return new Document().add(Field.keyword('id', String(id))).add(Field.text('body', text))
}

t.test('faster while merges wait, slower while none does, at full speed while somebody waits', async (t) => {
  const rate = new MergeRate(Number.POSITIVE_INFINITY, 20 * MIB)
  rate.adapt(1)
  t.equal(rate.bytesPerSecond, 24 * MIB)
  t.equal(Atomics.load(rate.word, 0), 24 * 1024, 'what a running merge sees, in KiB')
  for (let i = 0; i < 100; i++) rate.adapt(0)
  t.equal(rate.bytesPerSecond, 5 * MIB, 'never slower')
  await rate.hurry(async () => {
    t.equal(rate.bytesPerSecond, Number.POSITIVE_INFINITY)
    t.equal(Atomics.load(rate.word, 0), NO_LIMIT)
    rate.adapt(1)
    t.equal(Atomics.load(rate.word, 0), NO_LIMIT)
  })
  t.equal(rate.bytesPerSecond, 6 * MIB, 'what was learned meanwhile counts afterwards')
  await t.rejects(rate.hurry(() => Promise.reject(new Error('failed'))))
  t.equal(rate.bytesPerSecond, 6 * MIB)
  for (let i = 0; i < 100; i++) rate.adapt(3)
  t.equal(rate.bytesPerSecond, 1024 * MIB)

  const limited = new MergeRate(8 * MIB, 20 * MIB)
  t.equal(limited.bytesPerSecond, 8 * MIB, 'the limit of the settings')
  await limited.hurry(async () => t.equal(limited.bytesPerSecond, 8 * MIB, 'holds whatever waits'))
  t.equal(fixedRate(Number.POSITIVE_INFINITY)[0], NO_LIMIT)
  t.equal(fixedRate(1)[0], 1)
})

t.test('a merge that writes slowly goes on at full speed once somebody waits for it', async (t) => {
  const dir = t.testdir()
  const random = new Random(seed)
  const writer = await IndexWriter.open(dir, { analyzer, mergeFactor: 100 })
  // So many that the files are written in several pieces: a pause comes after a piece.
  for (let i = 0; i < 6000; i++) {
    await writer.addDocument(page(random, i))
    if (i % 2000 === 1999) await writer.commit()
  }
  await writer.close()
  const directory = new FsDirectory(dir)
  const commit = await readCommitPoint(directory, latestGeneration(await directory.list()))
  t.equal(commit.segments.length, 3)
  // 1 KiB a second: minutes for this merge.
  const rate = new MergeRate(Number.POSITIVE_INFINITY, 1)
  const pacer = new MergePacer(new Int32Array(1), rate.word)
  const sources = commit.segments.map((segment) => ({ commit: segment, live: null }))
  let isDone = false
  const merging = runMergeJob(directory, { name: '_6000', sources, sync: false }, pacer).finally(() => {
    isDone = true
  })
  for (let i = 0; i < 5; i++) await setTimeout(60)
  t.notOk(isDone, 'it is slow')
  const info = await rate.hurry(() => merging)
  t.equal(info.maxDoc, 6000)
})

t.test('a flush waits for one merge at most, and what it waited is told', async (t) => {
  const dir = t.testdir()
  const random = new Random(seed)
  const writer = await IndexWriter.open(dir, {
    analyzer,
    mergeFactor: 2,
    backgroundMergeBytes: 1,
    maxMergeBacklog: 1,
    memoryBudget: 1,
  })
  t.match(writer.mergeStats, { merges: 0, mergedBytes: 0, isRunning: false, waiting: 0, stalls: 0, longestStallMs: 0 })
  let flushes = 0
  const waiting = new Set<number>()
  // Each document is a segment. Without end if writing never came to wait.
  for (; writer.mergeStats.stalls < 3; flushes++) {
    const before = writer.mergeStats.stalls
    await writer.addDocument(page(random, flushes))
    const { stalls, bytesPerSecond } = writer.mergeStats
    t.ok(stalls - before <= 1, 'one merge for a flush')
    t.ok(bytesPerSecond >= 5 * MIB)
    waiting.add(writer.mergeStats.waiting)
  }
  await writer.close({ waitForMerges: true })
  const stats = writer.mergeStats
  t.ok(waiting.size > 1, 'merges waited')
  t.ok(stats.merges >= 3 && stats.mergedBytes > 0, JSON.stringify(stats))
  t.ok(stats.longestStallMs > 0 && stats.longestStallMs <= stats.stalledMs)
  t.notOk(stats.isRunning)
  const reader = await IndexReader.open(dir)
  t.equal(reader.numDocs, flushes)
  await reader.verifyChecksums()
  await reader.close()
})
