/**
 * A writer is killed, and meets a full or broken disk, at its k-th system call: at each of them in the nightly run, at
 * some with every test. Each commit of the workload starts from a copy of the one before.
 */
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { needs } from '../support/needs.js'
import { compareIndex } from './compare-index.js'
import { byEffort, hasTime, seed } from './effort.js'
import { type Baseline, CALLS, type Call, canTrace, runWithFault, syncedFolders, traceBaseline } from './strace.js'
import { COMMITS, openWriter, writeCommit } from './workload.js'

const program = fileURLToPath(new URL('workload.js', import.meta.url))
t.comment(`SEED=${seed}`)

interface Point {
  readonly commit: number
  readonly call: Call
  readonly k: number
}

/** Numbers that are spread evenly and differ with the seed. */
function sample<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count)
  const chosen: T[] = []
  for (let at = (seed % 1000) / 1000; Math.floor(at * step) < all.length; at++) chosen.push(all[Math.floor(at * step)]!)
  return chosen
}

t.test('a writer stopped at any system call', { ...needs('strace', canTrace()), timeout: 7_200_000 }, async (t) => {
  const root = t.testdir({})
  const snapshot = (k: number) => join(root, `after-${k}`)
  const writer = await openWriter(join(root, 'all'))
  mkdirSync(snapshot(0))
  for (let k = 1; k <= COMMITS; k++) {
    await writeCommit(writer, k)
    cpSync(join(root, 'all'), snapshot(k), { recursive: true, filter: (name) => !name.includes('write.lock') })
  }
  await writer.close()

  const slot = (n: number) => join(root, `run-${n}`)
  const prepare = (n: number, commit: number) => {
    rmSync(slot(n), { recursive: true, force: true })
    cpSync(snapshot(commit - 1), slot(n), { recursive: true })
  }
  const args = (n: number, commit: number) => [program, slot(n), String(commit)]
  const log = (n: number) => join(root, `trace-${n}`)

  // A commit that begins the index and one that merges all of it; all of them in the full run.
  const commits = byEffort(0, 1, 1) === 0 ? [1, 7] : Array.from({ length: COMMITS }, (_, i) => i + 1)
  const baselines = new Map<number, Baseline>()
  const points: Point[] = []
  for (const commit of commits) {
    prepare(0, commit)
    const baseline = await traceBaseline(slot(0), log(0), args(0, commit))
    t.equal(await compareIndex(slot(0), commit), undefined, `commit ${commit} without a fault`)
    baselines.set(commit, baseline)
    for (const call of CALLS) {
      for (let k = 1; k <= (baseline.counts.get(call) ?? 0); k++) points.push({ commit, call, k })
    }
  }

  /** Runs points side by side. @returns what went wrong, and how many runs met their fault */
  const sweep = async (chosen: readonly Point[], fault: string) => {
    const wrong: string[] = []
    const left = [...chosen]
    let met = 0
    const work = async (n: number) => {
      for (let point = left.shift(); point !== undefined && wrong.length < 5 && hasTime(); point = left.shift()) {
        const { commit, call, k } = point
        prepare(n, commit)
        const { files } = baselines.get(commit)!
        const run = await runWithFault(slot(n), log(n), files, call, k, fault, args(n, commit))
        const acknowledged = run.stdout.includes(`commit ${commit}\n`) ? commit : commit - 1
        const where = `${fault} at ${call} ${k} of commit ${commit}`
        if (!(run.killed || run.injected > 0)) wrong.push(`${where}: nothing happened`)
        met++
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
    await Promise.all(byEffort(0, 1, 1) === 0 ? [work(0)] : [work(0), work(1)])
    return { wrong, met }
  }

  // The folders above a new index are durable, too.
  const nested = join(root, 'new', 'folder', 'index')
  const synced = await syncedFolders(log(0), [program, nested, '1'])
  for (const path of [root, join(root, 'new'), join(root, 'new', 'folder'), nested])
    t.ok(synced.has(path), `${path} is synced`)

  t.comment(`${points.length} points in ${commits.length} commits`)
  t.ok(points.length > 60 * commits.length, `${points.length} points`)
  const killed = await sweep(sample(points, byEffort(34, 300, points.length)), 'signal=SIGKILL')
  t.same(killed.wrong, [], `${killed.met} kills, SEED=${seed}`)
  for (const error of ['ENOSPC', 'EIO', 'EMFILE']) {
    const calls: readonly Call[] = error === 'EMFILE' ? ['openat'] : ['write', 'fsync']
    const fitting = points.filter(({ call }) => calls.includes(call))
    const failed = await sweep(sample(fitting, byEffort(2, 20, 200)), `error=${error}`)
    t.same(failed.wrong, [], `${failed.met} times ${error}, SEED=${seed}`)
  }
})
