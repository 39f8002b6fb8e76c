/**
 * A writer is killed at each system call that changes its folder, and meets a full or broken disk there: at all of them
 * in the nightly run, at some with every test. Each commit of the workload starts from a copy of the one before.
 * SPINDLE_SHARD=2/3 does one of three parts, so that several machines can share the work.
 */
import { cpSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { byEffort, hasTime, random, replay, seed } from '../support/effort.js'
import { needs } from '../support/needs.js'
import { compareIndex, restarts } from './compare-index.js'
import {
  type Call,
  canTrace,
  RUNS_AT_ONCE,
  runWithFault,
  syncedFolders,
  type TracedPoint,
  traceBaseline,
} from './strace.js'
import { COMMITS, openWriter, writeCommit } from './workload.js'

const program = fileURLToPath(new URL('workload.js', import.meta.url))
t.comment(replay)

/** `2/3`: this run does the second of three equal parts of all points. */
const [shard = 1, shards = 1] = (process.env.SPINDLE_SHARD ?? '1/1').split('/').map(Number)

interface Place {
  readonly commit: number
  readonly point: TracedPoint
}

/** Places that are spread evenly and differ with the seed. */
function sample<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count)
  const chosen: T[] = []
  for (let at = (seed % 1000) / 1000; Math.floor(at * step) < all.length; at++) chosen.push(all[Math.floor(at * step)]!)
  // In another order each night, so that those come first that had no time the last time.
  return chosen.filter((_, i) => i % shards === shard - 1).sort(() => random() - 0.5)
}

t.test('a writer stopped at any system call', { ...needs('strace', canTrace()), timeout: 7_200_000 }, async (t) => {
  const root = t.testdir({})
  const snapshot = (k: number) => join(root, `after-${k}`)
  // A commit that begins the index and one that merges all of it; all of them in the full run.
  const commits = byEffort(0, 1, 1) === 0 ? [1, 7] : Array.from({ length: COMMITS }, (_, i) => i + 1)
  const writer = await openWriter(join(root, 'all'))
  for (let k = 1; k < commits.at(-1)!; k++) {
    await writeCommit(writer, k)
    cpSync(join(root, 'all'), snapshot(k), { recursive: true, filter: (name) => !name.includes('write.lock') })
  }
  await writer.close()

  const slot = (n: number) => join(root, `run-${n}`)
  const prepare = (n: number, commit: number) => {
    rmSync(slot(n), { recursive: true, force: true })
    // The first commit makes the folder, too.
    if (commit > 1) cpSync(snapshot(commit - 1), slot(n), { recursive: true })
  }
  const args = (n: number, commit: number) => [program, slot(n), String(commit)]
  const log = (n: number) => join(root, `trace-${n}`)

  const all: Place[] = []
  for (const commit of commits) {
    prepare(0, commit)
    const { points, unreachable } = await traceBaseline(slot(0), log(0), args(0, commit))
    t.equal(await compareIndex(slot(0), commit), undefined, `commit ${commit} without a fault`)
    t.same(unreachable, [], `every call of commit ${commit} that changes something has its point`)
    for (const point of points) all.push({ commit, point })
  }

  /** Runs places side by side. @returns what went wrong, and how many runs met their fault */
  const sweep = async (chosen: readonly Place[], fault: string, share: number) => {
    const wrong: string[] = []
    const left = [...chosen]
    let met = 0
    const work = async (n: number) => {
      for (
        let place = left.shift();
        place !== undefined && wrong.length < 5 && (hasTime(share) || met < 2);
        place = left.shift()
      ) {
        const { commit, point } = place
        prepare(n, commit)
        // Each of those side by side has a folder of its own.
        const paths = point.paths.map((path) => path.replace(slot(0), slot(n)))
        const run = await runWithFault(log(n), { ...point, paths }, fault, args(n, commit))
        const acknowledged = run.stdout.includes(`commit ${commit}\n`) ? commit : commit - 1
        const name = point.paths.map((path) => basename(path)).join()
        const where = `${fault} at ${point.call} ${point.when} of ${name} in commit ${commit}`
        if (run.killed || run.injected > 0) met++
        else wrong.push(`${where}: nothing happened`)
        let problem = await compareIndex(slot(n), acknowledged)
        if (problem === undefined && !run.killed && run.code !== 0) {
          if (!/DISK_FULL|INDEX_|LOCK_|SpindleError|E[A-Z]{2,}/.test(run.stderr)) problem = run.stderr
          // With the disk in order the same work is done to its end.
          const again = await openWriter(slot(n))
          if (Number(again.userData.k ?? 0) < commit) await writeCommit(again, commit)
          await again.close()
          problem ??= await compareIndex(slot(n), commit)
        }
        if (problem !== undefined) wrong.push(`${where}: ${problem}`)
      }
    }
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, (_, n) => work(n)))
    return { wrong, met, unmet: left.length }
  }

  // The folders above a new index are durable, too.
  const nested = join(root, 'new', 'folder', 'index')
  const synced = await syncedFolders(log(0), [program, nested, '1'])
  for (const path of [root, join(root, 'new'), join(root, 'new', 'folder'), nested])
    t.ok(synced.has(path), `${path} is synced`)

  const points = all.filter(({ point }) => point.changes)
  t.ok(points.length > 45 * commits.length, `${points.length} points in ${commits.length} commits`)
  const killed = await sweep(sample(points, byEffort(14, 300, points.length)), 'signal=SIGKILL', 0.9)
  t.same(killed.wrong, [], `${replay} ${killed.met} kills of ${points.length} points`)
  t.ok(killed.met > 0)
  if (killed.unmet > 0) t.comment(`no time was left for ${killed.unmet} kills`)
  for (const error of ['ENOSPC', 'EIO', 'EMFILE']) {
    const calls: readonly Call[] = error === 'EMFILE' ? ['openat'] : ['write', 'fsync']
    const fitting = all.filter(({ point }) => calls.includes(point.call))
    const failed = await sweep(sample(fitting, byEffort(2, 20, 200)), `error=${error}`, 1)
    t.same(failed.wrong, [], `${replay} ${failed.met} times ${error}`)
  }
  t.comment(`${restarts.count} restarts, the slowest ${Math.round(restarts.slowest)} ms`)
})
