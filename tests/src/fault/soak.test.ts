/**
 * Random work, random kills and random faults of the disk against the model, for as many minutes as SPINDLE_MINUTES
 * says: `npm run test:soak`. With `npm test` it runs for three rounds.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { byEffort, hasTime, random, replay } from '../support/effort.js'
import { needs } from '../support/needs.js'
import { compareIndex, lastCommit, restarts } from './compare-index.js'
import { CALLS, canTrace, runWithFault } from './strace.js'

const program = fileURLToPath(new URL('workload.js', import.meta.url))
/** Then the folder is begun anew: the model is computed from the first commit on each time. */
const LAST = 60
t.comment(replay)

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!
}

/** Lets a writer run until it is killed. @returns what it printed */
async function killed(dir: string): Promise<string> {
  const child = spawn(process.execPath, [program, dir, String(LAST)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await Promise.race([ended, setTimeout(150 + random() * 1850)])
  child.kill('SIGKILL')
  await ended
  return output
}

/** Names of some files that the next commits will write. */
function filesToCome(dir: string): string[] {
  const numbers = (pattern: RegExp) =>
    existsSync(dir) ? readdirSync(dir).map((name) => Number(pattern.exec(name)?.[1] ?? -1)) : []
  const segment = Math.max(-1, ...numbers(/^_([0-9]+)\./)) + 1
  const commit = Math.max(0, ...numbers(/^segments_([0-9]+)$/)) + 1
  const names: string[] = []
  for (let n = 0; n < 3; n++) {
    for (const component of ['stored', 'terms', 'postings', 'info']) names.push(`_${segment + n}.${component}`)
    names.push(`segments_${commit + n}`, `pending_segments_${commit + n}`)
  }
  return names
}

t.test('kills and faults at random', { ...needs('strace', canTrace()), timeout: 100_000_000 }, async (t) => {
  const root = t.testdir({})
  const dir = join(root, 'index')
  const rounds = byEffort(3, 1_000_000, 1_000_000)
  const counts = { kills: 0, faults: 0, commits: 0, folders: 1 }
  let acknowledged = 0
  let problem: string | undefined
  for (let round = 0; round < rounds && problem === undefined && (hasTime() || round < 3); round++) {
    let output: string
    let what = 'SIGKILL'
    if (random() < 0.6) {
      output = await killed(dir)
      counts.kills++
    } else {
      const call = pick(CALLS)
      const k = 1 + Math.floor(random() ** 2 * (call === 'rename' ? 2 : 60))
      const fault = pick(['error=ENOSPC', 'error=EIO', 'error=EDQUOT', 'signal=SIGKILL'])
      // Once, or from then on.
      const when = fault.startsWith('error') && random() < 0.3 ? (`${k}+` as const) : k
      what = `${fault} at ${call} ${when}`
      const until = String(Math.min(LAST, acknowledged + 2))
      const point = { call, paths: filesToCome(dir).map((name) => join(dir, name)), when }
      const run = await runWithFault(join(root, 'trace'), point, fault, [program, dir, until])
      if (run.killed || run.injected > 0) counts.faults++
      output = run.stdout
    }
    for (const [, k] of output.matchAll(/^commit (\d+)$/gm)) {
      counts.commits++
      acknowledged = Math.max(acknowledged, Number(k))
    }
    problem = await compareIndex(dir, acknowledged)
    // A commit that was not acknowledged may be there.
    if (problem === undefined) acknowledged = await lastCommit(dir)
    else problem = `round ${round}, ${what} after commit ${acknowledged}: ${problem}`
    if (acknowledged >= LAST) {
      rmSync(dir, { recursive: true })
      acknowledged = 0
      counts.folders++
    }
  }
  t.equal(problem, undefined, replay)
  t.comment(`${JSON.stringify(counts)}, ${restarts.count} restarts, the slowest ${Math.round(restarts.slowest)} ms`)
  t.ok(counts.kills + counts.faults > 0, JSON.stringify(counts))
})
