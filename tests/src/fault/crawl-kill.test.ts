/**
 * A crawl is killed at its system calls, spread evenly over the whole of it, and started again: no page is lost, hardly any is
 * fetched twice, and the index is that of an undisturbed crawl. 200 points with `npm run test:fault`, some with every test.
 */
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { byEffort, hasTime, replay, seed } from '../support/effort.js'
import { needs } from '../support/needs.js'
import { SpindleProcess } from '../support/spindle-process.js'
import {
  BATCH,
  CONCURRENCY,
  type CrawlPoint,
  crawlArgs,
  FaultSite,
  killAt,
  type Outcome,
  readOutcome,
  tracePoints,
} from './crawl-subject.js'
import { canTrace } from './strace.js'

const PAGES = byEffort(150, 500, 500)
const POINTS = byEffort(5, 200, 1000)

t.comment(replay)
const dir = t.testdir()
const site = await FaultSite.serve(PAGES)
t.teardown(() => site.close())
const tracing = needs('strace that may trace', canTrace())

/** The command without its own program name. */
const command = (data: string, ...more: string[]) => crawlArgs(site, data, ...more).slice(1)

async function finish(data: string, ...more: string[]) {
  const { code, stdout, stderr } = await new SpindleProcess(command(data, ...more), { NODE_OPTIONS: '' }).ended
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

let whole: Outcome
t.test('undisturbed', async (t) => {
  await finish(join(dir, 'whole'))
  t.equal(site.requests.length, PAGES)
  whole = await readOutcome(join(dir, 'whole'))
  t.equal(whole.documents.size, PAGES)
  t.same(whole.counts, { waiting: 0, running: 0, error: 0, complete: PAGES })
})

t.test('killed at any system call, a crawl goes on and loses nothing', tracing, async (t) => {
  const log = join(dir, 'trace')
  const traced = join(dir, 'traced')
  const all = await tracePoints(log, traced, crawlArgs(site, traced))
  const calls = new Map<string, number>()
  for (const { call } of all) calls.set(call, (calls.get(call) ?? 0) + 1)
  const step = all.length / POINTS
  const points: CrawlPoint[] = []
  // In an order that is spread over the crawl wherever time ends it.
  for (let i = 0; i < POINTS; i++) points.push(all[Math.floor((((i * 37) % POINTS) + (seed % 997) / 997) * step)]!)
  let killed = 0
  let mostRefetched = 0
  let tried = 0
  for (const point of points) {
    if (!hasTime(0.9)) break
    tried++
    const data = join(dir, 'killed')
    rmSync(data, { recursive: true, force: true })
    site.forget()
    const run = await killAt(log, point, crawlArgs(site, data))
    const name = `${point.call} ${point.when} (${point.target.replace(dir, '')})`
    if (!run.killed) {
      // Runs differ a little: near the end there may be fewer calls.
      if (run.code !== 0) t.fail(`${name}: exit code ${run.code}: ${run.stderr}`)
      continue
    }
    killed++
    await finish(data)
    const outcome = await readOutcome(data)
    const refetched = site.requests.length - PAGES
    mostRefetched = Math.max(mostRefetched, refetched)
    const isWhole = JSON.stringify([...outcome.documents]) === JSON.stringify([...whole.documents])
    if (isWhole && outcome.counts.complete === PAGES && refetched >= 0 && refetched <= CONCURRENCY + BATCH) continue
    t.same(outcome, whole, name)
    t.ok(refetched >= 0 && refetched <= CONCURRENCY + BATCH, `${name}: ${refetched} refetched`)
  }
  t.comment(
    `${killed} of ${tried} points killed, ${all.length} calls (${[...calls].map(([call, n]) => `${call} ${n}`).join(', ')}), at most ${mostRefetched} refetched`,
  )
  // A crawl is not the same twice: some calls are not met.
  t.ok(killed > 0 && killed >= tried * 0.8 - 3, `${killed} of ${tried} killed`)
})

t.test('the delay of a host holds across a kill', async (t) => {
  const delay = 250
  site.forget()
  const data = join(dir, 'polite')
  const args = command(data, '--max-pages', '12').map((arg, i, all) => (all[i - 1] === '--delay' ? String(delay) : arg))
  for (let kills = 0; kills < byEffort(3, 10, 30); kills++) {
    const before = site.all.length
    const crawl = new SpindleProcess(args, { NODE_OPTIONS: '' })
    // Killed when a request has just come in, or a little later.
    while (site.all.length <= before + (kills % 3) && crawl.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2))
    await crawl.stop('SIGKILL')
  }
  await new SpindleProcess(args, { NODE_OPTIONS: '' }).ended
  const gaps = site.all.slice(1).map(({ begun }, i) => begun - site.all[i]!.ended)
  // The two clocks are of two processes: a millisecond is rounding.
  t.ok(Math.min(...gaps) >= delay - 2, `least gap ${Math.min(...gaps).toFixed(1)} ms of ${gaps.length}`)
  t.ok(gaps.length >= 12)
})

t.test('a torn or damaged tail is dropped, what it held is fetched again', async (t) => {
  const data = join(dir, 'torn')
  const wal = join(data, 'frontier', 'frontier.db-wal')
  const pages = join(data, 'pages', 'pages.log')
  const tails: [string, () => void][] = [
    ['half of the last transaction', () => truncateSync(wal, Math.max(0, statSync(wal).size - 3000))],
    ['rubbish behind the frontier', () => appendFileSync(wal, Buffer.alloc(5000, 0xa5))],
    [
      'a damaged frame in the last transaction',
      () => {
        const bytes = readFileSync(wal)
        bytes[bytes.length - 2000]! ^= 0xff
        writeFileSync(wal, bytes)
      },
    ],
    ['no log of the frontier', () => rmSync(wal)],
    ['rubbish behind the pages', () => appendFileSync(pages, Buffer.alloc(5000, 0xa5))],
  ]
  for (const [i, [name, tear]] of tails.entries()) {
    if ((i + seed) % tails.length >= byEffort(2, tails.length, tails.length)) continue
    rmSync(data, { recursive: true, force: true })
    site.forget()
    const crawl = new SpindleProcess(command(data, '--no-index'), { NODE_OPTIONS: '' })
    while (site.requests.length < PAGES / 2 && crawl.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2))
    t.equal((await crawl.stop('SIGKILL')).signal, 'SIGKILL')
    tear()
    await finish(data)
    t.same(await readOutcome(data), whole, name)
    t.equal(new Set(site.requests.map(({ path }) => path)).size, PAGES)
  }
})
