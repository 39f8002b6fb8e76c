/** A writer in another process is killed at random moments while this process reads the index all the time. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { IndexReader } from '../reading/index-reader.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import { contentsAfter, crashAnalyzer, ranksAfter, readRanks } from '../test-support/crash-workload.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort, hasTime } from '../test-support/test-effort.js'
import { IndexWriter } from './index-writer.js'

const KILLS = byEffort(4, 30, 10_000)
const seed = testSeed()
t.comment(`SEED=${seed}`)
const program = fileURLToPath(new URL('../test-support/crash-workload.js', import.meta.url))

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

t.test('kill -9', async (t) => {
  const random = new Random(seed)
  const dir = t.testdir({})
  let acknowledged = 0
  let reader: IndexReader | null = null
  let snapshots = 0
  let kill = 0
  for (; kill < KILLS && hasTime(); kill++) {
    const child = spawn(process.execPath, [program, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = new Promise<string | null>((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    while (!output.includes('open')) await setTimeout(5)
    // Some commits, and then at any moment of the next. Every new commit is read in the meantime.
    const commits = random.below(6)
    let until = Number.POSITIVE_INFINITY
    while (performance.now() < until) {
      if (until === Number.POSITIVE_INFINITY && output.split('commit').length > commits) {
        until = performance.now() + random.below(25)
      }
      try {
        const next: IndexReader = reader === null ? await IndexReader.open(dir) : await reader.refresh()
        if (next !== reader) {
          await reader?.close()
          reader = next
          await check(reader)
          snapshots++
        }
      } catch (error) {
        // Before the very first commit.
        if (reader !== null || !isSpindleError(error, 'INDEX_NOT_FOUND')) throw error
      }
      await setTimeout(1)
    }
    child.kill('SIGKILL')
    t.equal(await exit, 'SIGKILL')
    for (const [, number] of output.matchAll(/^commit (\d+)\n/gm)) acknowledged = Math.max(acknowledged, Number(number))

    const began = performance.now()
    const writer = await IndexWriter.open(dir, { analyzer: crashAnalyzer })
    await writer.rollback()
    t.ok(performance.now() - began < 20_000, 'the next writer gets in with no manual step')
    const names = readdirSync(dir)
    if (writer.generation === 0) {
      t.equal(acknowledged, 0)
      t.same(names, [])
      continue
    }
    const after = await IndexReader.open(dir)
    await after.verifyChecksums()
    const k = await check(after)
    t.ok(k === acknowledged || k === acknowledged + 1, `commit ${k} is there, ${acknowledged} was acknowledged`)
    acknowledged = k
    const report = await checkIndex(dir, { idField: 'id' })
    t.same([report.clean, report.unreferencedFiles, report.leftoverFiles], [true, [], []], `no leftovers: ${names}`)
    await after.close()
  }
  t.ok(acknowledged > 0)
  t.comment(`${kill} kills, ${acknowledged} commits, ${snapshots} snapshots read meanwhile`)
  if (reader !== null) {
    t.ok(await check(reader), 'an old snapshot is as it was')
    await reader.close()
  }
})

t.test('readers are frozen snapshots while another process writes', async (t) => {
  const dir = t.testdir({})
  const commits = byEffort(25, 200, 400)
  // No word of a document may ever become a property of an object.
  const freeze = ['--import', 'data:text/javascript,Object.freeze(Object.prototype)']
  const child = spawn(process.execPath, [...freeze, program, dir, String(commits)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let ended: number | null | undefined
  child.once('exit', (code) => {
    ended = code
  })
  child.stdout.resume()
  while (!readdirSync(dir).some((name) => name.startsWith('segments_'))) await setTimeout(5)
  const searcher = await IndexSearcher.open(dir)
  const old: IndexReader[] = []
  const wrong: string[] = []
  let queries = 0
  let snapshots = 0
  for (let last = false; !last && wrong.length < 5; ) {
    last = ended !== undefined
    if (await searcher.refresh()) snapshots++
    const { reader } = searcher
    const k = Number(reader.userData.k)
    const expected = new Set(contentsAfter(k).map((document) => document.get('id')!))
    if (reader.numDocs !== expected.size) wrong.push(`commit ${k}: ${reader.numDocs} documents`)
    for (let key = 0; key < 40; key += 3) {
      const count = await searcher.count(new TermQuery(new Term('id', String(key))))
      if (count !== (expected.has(String(key)) ? 1 : 0)) wrong.push(`commit ${k}: ${count} documents with id ${key}`)
      queries++
    }
    // Some are kept open, whatever is deleted meanwhile.
    if (snapshots % 8 === 1 && old.length < 5) old.push(await IndexReader.open(dir))
    if (snapshots % 5 === 0) await check(reader)
    await setTimeout(1)
  }
  t.same(wrong, [])
  t.equal(ended, 0)
  t.equal(await check(searcher.reader), commits)
  for (const reader of old) {
    t.ok((await check(reader)) > 0, 'an old snapshot is as it was')
    await reader.close()
  }
  await searcher.close()
  t.same(openFiles(dir), [], 'no descriptor stays open')
  const report = await checkIndex(dir, { idField: 'id' })
  t.same([report.clean, report.unreferencedFiles, report.lock], [true, [], null])
  t.comment(`${commits} commits, ${snapshots} snapshots, ${queries} queries`)
  t.ok(snapshots > 3 && queries > 100)
})
