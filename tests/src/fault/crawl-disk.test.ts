/** A crawl whose disk is full, fails, or may not be written: it ends with one sentence and goes on when the fault is gone. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { byEffort, replay, seed } from '../support/effort.js'
import { needs } from '../support/needs.js'
import { SpindleProcess } from '../support/spindle-process.js'
import {
  BATCH,
  CONCURRENCY,
  type CrawlPoint,
  crawlArgs,
  FaultSite,
  failAt,
  readOutcome,
  tracePoints,
} from './crawl-subject.js'
import { canTrace } from './strace.js'

const PAGES = 150
t.comment(replay)

t.test('a full or broken disk at any write', needs('strace that may trace', canTrace()), async (t) => {
  const dir = t.testdir()
  const log = join(dir, 'trace')
  const site = await FaultSite.serve(PAGES)
  t.teardown(() => site.close())
  const undisturbed = join(dir, 'whole')
  const all = await tracePoints(log, undisturbed, crawlArgs(site, undisturbed))
  const whole = await readOutcome(undisturbed)
  const places: [name: string, fits: (point: CrawlPoint) => boolean][] = [
    ['frontier', ({ call, target }) => /pwrite64|fdatasync|fsync/.test(call) && target.includes('/frontier.db')],
    ['pages', ({ call, target }) => /pwrite64|write|fdatasync/.test(call) && target.endsWith('/pages.log')],
    ['index', ({ call, target }) => /pwrite64|write|fsync|fdatasync/.test(call) && target.includes('/index/')],
  ]
  let injected = 0
  for (const [name, fits] of places) {
    const points = all.filter(fits)
    t.ok(points.length > 0, `${points.length} calls for the ${name}`)
    const count = byEffort(2, 20, 100)
    for (let i = 0; i < count; i++) {
      const point = points[Math.floor(((i + (seed % 997) / 997) * points.length) / count)]!
      const data = join(dir, 'data')
      rmSync(data, { recursive: true, force: true })
      site.forget()
      const error = i % 2 === 0 ? 'ENOSPC' : 'EIO'
      const run = await failAt(log, point, point.target.replace(undisturbed, data), error, crawlArgs(site, data))
      if (run.injected === 0) continue
      injected++
      const what = `${error} at ${point.call} ${point.when} of the ${name}`
      if (run.code !== 0) {
        t.equal(run.code, 1, `${what}: ${run.stderr}`)
        t.match(run.stderr, /^(?:.*\n)*spindle crawl: [^\n]+\n$/, what)
        t.notMatch(run.stderr, /\n\s+at /, `${what}: no stack trace`)
      }
      const again = await new SpindleProcess(crawlArgs(site, data).slice(1), { NODE_OPTIONS: '' }).ended
      t.equal(again.code, 0, `${what}, again: ${again.stderr}`)
      t.same(await readOutcome(data), whole, what)
      t.ok(site.requests.length <= PAGES + CONCURRENCY + BATCH, `${what}: ${site.requests.length} requests`)
    }
  }
  t.ok(injected > 0, `${injected} faults`)
})

t.test('a frontier that may not be written is named, and nothing is lost', async (t) => {
  const site = await FaultSite.serve(20)
  // Below a folder that every user may pass.
  const data = mkdtempSync(join(tmpdir(), 'spindle-read-only-'))
  t.teardown(async () => {
    await site.close()
    rmSync(data, { recursive: true, force: true })
  })
  const args = (...more: string[]) => crawlArgs(site, data, '--no-index', ...more)
  t.equal((await new SpindleProcess(args('--max-pages', '5').slice(1), { NODE_OPTIONS: '' }).ended).code, 0)
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name))
  for (const file of [data, ...files]) chmodSync(file, 0o777)
  const frontier = join(data, 'frontier', 'frontier.db')
  chmodSync(frontier, 0o444)
  // The superuser may write everything.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  // Without what the test runner puts into a process: that would write into its own folder.
  const child = spawn('env', ['NODE_OPTIONS=', process.execPath, ...args()], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  t.equal(await new Promise((resolve) => child.once('close', resolve)), 1)
  t.match(err, /^spindle crawl: The crawl frontier .*frontier\.db cannot be written \([^\n]*\): [^\n]*\n$/m)
  chmodSync(frontier, 0o600)
  for (const name of readdirSync(join(data, 'frontier'))) chmodSync(join(data, 'frontier', name), 0o600)
  t.equal((await new SpindleProcess(args().slice(1), { NODE_OPTIONS: '' }).ended).code, 0)
  t.equal(new Set(site.requests.map(({ path }) => path)).size, 20)
  t.equal(site.requests.length, 20, 'nothing is fetched twice')
})
