/** A writer in another process is killed at random moments while this process reads the index all the time. */
import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { IndexReader } from '../reading/index-reader.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { contentsAfter, crashAnalyzer, crashOptions, ranksAfter, readRanks } from '../test-support/crash-workload.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { SpawnedWriter } from '../test-support/spawn-writer.js'
import { byEffort, hasTime, replay } from '../test-support/test-effort.js'
import { IndexWriter } from './index-writer.js'

const KILLS = byEffort(4, 30, 1000)
const seed = testSeed()
t.comment(replay(seed))

/** Compares a snapshot with what its commit must hold. @returns the commit's number */
async function check(reader: IndexReader): Promise<number> {
  const k = Number(reader.userData.k)
  const difference = firstDifference(await indexContents(reader), expectedContents(contentsAfter(k), crashAnalyzer))
  if (difference !== undefined) throw new Error(`commit ${k}: ${difference}`)
  const ranks = [await readRanks(reader), ranksAfter(k)].map((map) => [...map].sort().join(' '))
  if (ranks[0] !== ranks[1]) throw new Error(`commit ${k}: ranks ${ranks[0]}, expected ${ranks[1]}`)
  return k
}

/** Files of a folder that this process has open; nothing where the system does not tell. */
function openFiles(dir: string): string[] {
  if (!existsSync('/proc/self/fd')) return []
  const paths: string[] = []
  for (const fd of readdirSync('/proc/self/fd')) {
    try {
      paths.push(readlinkSync(`/proc/self/fd/${fd}`))
    } catch {
      // That of the listing itself.
    }
  }
  return paths.filter((path) => path.includes(dir))
}

/** Bytes of all files of a folder. */
function sizeOf(dir: string): number {
  return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0)
}

/** Bytes of an index in a new folder with exactly what commit `k` holds, in one segment. */
async function cleanSize(dir: string, k: number): Promise<number> {
  const writer = await IndexWriter.open(dir, crashOptions)
  for (const document of contentsAfter(k)) await writer.addDocument(document)
  for (const [id, rank] of ranksAfter(k)) await writer.updateDocValues({ field: 'id', text: id }, 'rank', rank)
  await writer.forceMerge(1)
  await writer.close()
  return sizeOf(dir)
}

t.test('kill -9 at any time, in one folder all along', { timeout: 36_000_000 }, async (t) => {
  const random = new Random(seed)
  const root = t.testdir({ used: {}, clean: {} })
  const dir = join(root, 'used')
  let acknowledged = 0
  let reader: IndexReader | null = null
  const counts = { kills: 0, early: 0, snapshots: 0, slowestRestart: 0 }
  const wrong: string[] = []
  for (; counts.kills < KILLS && wrong.length === 0 && (hasTime(0.8) || counts.kills < 4); counts.kills++) {
    const where = `kill ${counts.kills} after commit ${acknowledged}`
    const writing = new SpawnedWriter('crash-workload', [dir])
    if (counts.kills % 2 === 0) {
      // At any time from the start of the process on: mostly soon.
      await Promise.race([setTimeout(5 + 1995 * random.next() ** 4), writing.ended])
      counts.early++
    } else {
      // Some commits, and then at any moment of the next. Every new commit is read in the meantime.
      const commits = random.below(6)
      let until = Number.POSITIVE_INFINITY
      while (performance.now() < until && !writing.hasEnded) {
        if (until === Number.POSITIVE_INFINITY && writing.commits >= commits && writing.output.includes('open'))
          until = performance.now() + random.below(25)
        try {
          const next: IndexReader = reader === null ? await IndexReader.open(dir) : await reader.refresh()
          if (next !== reader) {
            await reader?.close()
            reader = next
            await check(reader)
            counts.snapshots++
          }
        } catch (error) {
          // Before the very first commit.
          if (reader !== null || !isSpindleError(error, 'INDEX_NOT_FOUND')) throw error
        }
        await setTimeout(1)
      }
    }
    await writing.kill()
    if ((await writing.ended) !== 'SIGKILL') wrong.push(`${where}: the writer ended by itself, ${await writing.ended}`)
    acknowledged = Math.max(acknowledged, writing.acknowledged)

    const began = performance.now()
    const writer = await IndexWriter.open(dir, { analyzer: crashAnalyzer })
    counts.slowestRestart = Math.max(counts.slowestRestart, Math.round(performance.now() - began))
    await writer.rollback()
    if (writer.generation === 0) {
      if (acknowledged > 0 || readdirSync(dir).length > 0) wrong.push(`${where}: no index, ${readdirSync(dir)}`)
      continue
    }
    const after = await IndexReader.open(dir)
    await after.verifyChecksums()
    const k = await check(after)
    await after.close()
    if (k !== acknowledged && k !== acknowledged + 1) wrong.push(`${where}: commit ${k} is there`)
    acknowledged = k
    const { files } = await writerFiles(dir)
    const spare = readdirSync(dir).filter((name) => !files.includes(name))
    if (spare.length > 0) wrong.push(`${where}: left over ${spare}`)
    if (counts.kills % 10 === 0) {
      const report = await checkIndex(dir, { idField: 'id' })
      const isClean = report.clean && report.unreferencedFiles.length + report.leftoverFiles.length === 0
      if (!isClean) wrong.push(`${where}: ${JSON.stringify(report)}`)
    }
  }
  t.same(wrong, [], replay(seed))
  t.ok(counts.kills > 3 && acknowledged > 0)
  if (reader !== null) {
    t.ok(await check(reader), 'an old snapshot is as it was')
    await reader.close()
  }
  const writer = await IndexWriter.open(dir, crashOptions)
  await writer.optimize()
  await writer.close()
  const clean = await cleanSize(join(root, 'clean'), acknowledged)
  t.ok(sizeOf(dir) <= 1.2 * clean, `${sizeOf(dir)} bytes, ${clean} in a new folder`)
  t.comment(`${acknowledged} commits, ${sizeOf(dir)} bytes of ${clean}, ${JSON.stringify(counts)}`)
})

/** Files that the newest commit needs. */
async function writerFiles(dir: string): Promise<{ readonly files: readonly string[] }> {
  const writer = await IndexWriter.open(dir, { analyzer: crashAnalyzer })
  const { files } = await writer.snapshot()
  await writer.rollback()
  return { files }
}

t.test('readers are frozen snapshots while another process writes', { timeout: 3_600_000 }, async (t) => {
  const root = t.testdir({ index: {}, clean: {} })
  const dir = join(root, 'index')
  const commits = byEffort(20, 200, 400)
  const queriesForCommit = byEffort(20, 50, 100)
  // No word of a document may ever become a property of an object.
  const freeze = ['--import', 'data:text/javascript,Object.freeze(Object.prototype)']
  const writing = new SpawnedWriter('crash-workload', [dir, '0', 'paced'], freeze)
  t.teardown(() => writing.kill())
  writing.child.stdin.write('\n')
  while (!readdirSync(dir).some((name) => name.startsWith('segments_'))) await setTimeout(5)
  const searcher = await IndexSearcher.open(dir)
  const old: IndexReader[] = []
  const wrong: string[] = []
  let queries = 0
  let asked = 1
  let snapshots = 0
  for (let last = false; !last && wrong.length < 5; ) {
    last = writing.hasEnded
    const isNew = await searcher.refresh()
    if (isNew) snapshots++
    const { reader } = searcher
    const k = Number(reader.userData.k)
    const expected = new Set(contentsAfter(k).map((document) => document.get('id')!))
    if (reader.numDocs !== expected.size) wrong.push(`commit ${k}: ${reader.numDocs} documents`)
    // On a busy machine the writer is slow: then a snapshot is not asked for ever.
    const isAsked = isNew || last || queries < (asked + 2) * queriesForCommit
    for (let key = isAsked ? asked % 3 : 40; key < 40; key += 3) {
      const count = await searcher.count(new TermQuery(new Term('id', String(key))))
      if (count !== (expected.has(String(key)) ? 1 : 0)) wrong.push(`commit ${k}: ${count} documents with id ${key}`)
      queries++
    }
    const hits = await searcher.search(new TermQuery(new Term('body', 'constructor')), { limit: 50 })
    if (hits.length !== expected.size) wrong.push(`commit ${k}: ${hits.length} hits`)
    queries++
    // Some are kept open, whatever is deleted meanwhile.
    if (snapshots % 8 === 1 && old.length < 5) old.push(await IndexReader.open(dir))
    if (isNew && snapshots % 5 === 0) await check(reader)
    // The writer goes on while queries run: one commit for so many of them.
    for (; asked < commits && asked * queriesForCommit < queries; asked++) writing.child.stdin.write('\n')
    if (asked === commits) writing.child.stdin.end()
    await setTimeout(1)
  }
  t.same(wrong, [], replay(seed))
  t.equal(await writing.ended, '0')
  t.equal(await check(searcher.reader), commits)
  for (const reader of old) {
    t.ok((await check(reader)) > 0, 'an old snapshot is as it was')
    await reader.close()
  }
  await searcher.close()
  t.same(openFiles(dir), [], 'no descriptor stays open')
  const report = await checkIndex(dir, { idField: 'id' })
  t.same([report.clean, report.unreferencedFiles, report.lock], [true, [], null])
  // The last commit merged all.
  const clean = await cleanSize(join(root, 'clean'), commits)
  t.ok(sizeOf(dir) <= 1.1 * clean, `${sizeOf(dir)} bytes, ${clean} in a new folder`)
  t.comment(`${commits} commits, ${commits / 10} merges into one segment, ${snapshots} snapshots, ${queries} queries`)
  t.ok(snapshots > 3 && queries >= (commits - 1) * queriesForCommit)
})
