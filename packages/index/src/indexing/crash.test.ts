/** A writer in another process is killed at random moments while this process reads the index all the time. */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isSpindleError } from '@spindle/core'
import t from 'tap'
import { IndexReader } from '../reading/index-reader.js'
import { contentsAfter, crashAnalyzer } from '../test-support/crash-workload.js'
import { expectedContents, firstDifference, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { IndexWriter } from './index-writer.js'

const KILLS = Number(process.env.KILLS ?? 8)
const seed = testSeed()
t.comment(`SEED=${seed}`)
const program = fileURLToPath(new URL('../test-support/crash-workload.js', import.meta.url))

/** Compares a snapshot with what its commit must hold. @returns the commit's number */
async function check(reader: IndexReader): Promise<number> {
  const k = Number(reader.userData.k)
  const difference = firstDifference(await indexContents(reader), expectedContents(contentsAfter(k), crashAnalyzer))
  if (difference !== undefined) throw new Error(`commit ${k}: ${difference}`)
  return k
}

t.test('kill -9', async (t) => {
  const random = new Random(seed)
  const dir = t.testdir({})
  let acknowledged = 0
  let reader: IndexReader | null = null
  let snapshots = 0
  for (let kill = 0; kill < KILLS; kill++) {
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
    t.ok(performance.now() - began < 2000, 'the next writer gets in with no manual step')
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
    const withDeletes = after.segments.filter((segment) => segment.liveDocs !== null).length
    t.equal(names.length, 8 * after.segments.length + withDeletes + 1, `no leftovers: ${names}`)
    await after.close()
  }
  t.ok(acknowledged > 0)
  t.comment(`${KILLS} kills, ${acknowledged} commits, ${snapshots} snapshots read meanwhile`)
  if (reader !== null) {
    t.ok(await check(reader), 'an old snapshot is as it was')
    await reader.close()
  }
})
