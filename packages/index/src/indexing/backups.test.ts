/** Backups while documents are added, deleted, committed and merged: each a whole index, equal to the model of its commit. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import type { Document } from '../document/document.js'
import { IndexReader } from '../reading/index-reader.js'
import { contentsAfter, crashAnalyzer, crashOptions, writeCommit } from '../test-support/crash-workload.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { IndexWriter } from './index-writer.js'

const BACKUPS = byEffort(5, 100, 100)
const seed = testSeed()
t.comment(replay(seed))

t.test('copies of an index that is being written', { timeout: 1_800_000 }, async (t) => {
  const random = new Random(seed)
  const root = t.testdir({ index: {} })
  const writer = await IndexWriter.open(join(root, 'index'), { ...crashOptions, backgroundMergeBytes: 3000 })
  await writeCommit(writer, 1)
  let isDone = false
  let k = 1
  const writing = (async () => {
    while (!isDone) await writeCommit(writer, ++k)
  })()
  const wrong: string[] = []
  const seen = new Set<number>()
  let backups = 0
  for (; backups < BACKUPS && wrong.length === 0 && (hasTime() || backups < 5); backups++) {
    const target = join(root, `copy-${backups}`)
    let generation: number
    if (random.next() < 0.5) generation = await writer.backup(target)
    else {
      // Held for some commits before it is copied.
      const held = await writer.snapshot()
      const until = k + random.below(4)
      while (k < until) await new Promise(setImmediate)
      generation = held.generation
      await held.copyTo(target)
      await held.release()
    }
    const report = await checkIndex(target, { idField: 'id' })
    const reader = await IndexReader.open(target)
    const number = Number(reader.userData.k)
    seen.add(number)
    const documents: Document[] = contentsAfter(number)
    const difference = firstDifference(await indexContents(reader), expectedContents(documents, crashAnalyzer))
    await reader.close()
    const isWhole = report.clean && report.unreferencedFiles.length === 0 && report.generation === generation
    if (difference !== undefined) wrong.push(`backup ${backups}, commit ${number}: ${difference}`)
    if (!isWhole || generation !== number) wrong.push(`backup ${backups} of ${generation}: ${JSON.stringify(report)}`)
    rmSync(target, { recursive: true })
  }
  isDone = true
  await writing
  await writer.close()
  t.same(wrong, [], replay(seed))
  t.comment(`${backups} backups of ${seen.size} commits, ${k} commits meanwhile`)
  t.ok(backups > 4 && seen.size > 1)
})
