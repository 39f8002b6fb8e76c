/** A crawl whose disk is full, fails, or may not be written: it ends with one sentence and goes on when the fault is gone. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
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
import { byEffort, replay, seed } from './effort.js'
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
