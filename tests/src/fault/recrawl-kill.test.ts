/**
 * A recrawl that is killed again and again, at any request or between two, and started again each time: the index is that of a
 * recrawl that nobody disturbed. Of the pages some have changed, some are gone, some are new, the rest is as it was.
 */
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { byEffort, hasTime, replay, seed } from '../support/effort.js'
import { SpindleProcess } from '../support/spindle-process.js'
import { readOutcome } from './crawl-subject.js'

const PAGES = byEffort(80, 300, 300)
const ROUNDS = byEffort(1, 30, 200)
const KILLS = 4

t.comment(replay)
let version = 1
let requests = 0
let onRequest = (): void => {}

/** The state of a page; those behind the first {@link PAGES} are new in the second version. */
function stateOf(n: number): 'same' | 'changed' | 'gone' | 'none' {
  if (n >= (version === 1 ? PAGES : PAGES + 10)) return 'none'
  if (version === 1) return 'same'
  return n > 0 && n % 7 === 3 ? 'gone' : n % 3 === 0 ? 'changed' : 'same'
}

const server = createServer((request, response) => {
  const n = request.url === '/' ? 0 : Number(/^\/p(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN)
  if (Number.isNaN(n)) return void response.writeHead(404).end()
  requests++
  onRequest()
  const state = stateOf(n)
  if (state === 'none' || state === 'gone') return void response.writeHead(state === 'gone' ? 410 : 404).end()
  const etag = `"${n}-${state}"`
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end()
  // All pages lead to all others nearby, so that none is reached by a page alone that is gone.
  const links = Array.from({ length: 12 }, (_, i) => `<a href="/p${n * 3 + i + 1}">${i}</a>`).join(' ')
  const text = state === 'changed' ? `new text ${n} of the second version` : `old text ${n}`
  response.writeHead(200, { 'content-type': 'text/html', etag }).end(`<title>Page ${n}</title><p>${text}</p>${links}`)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => void server.close())

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const dir = t.testdir()
const args = (data: string, ...more: string[]) => [
  'crawl',
  url,
  '--data',
  data,
  '--delay',
  '0',
  '--concurrency',
  '4',
  ...more,
]

async function finish(data: string, ...more: string[]): Promise<void> {
  const { code, stderr } = await new SpindleProcess(args(data, ...more), { NODE_OPTIONS: '' }).ended
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
}

t.test('a recrawl killed at any moment ends as one that nobody disturbed', { timeout: 3_600_000 }, async (t) => {
  const first = join(dir, 'first')
  await finish(first)
  t.equal((await readOutcome(first)).documents.size, PAGES)
  version = 2
  const whole = join(dir, 'whole')
  cpSync(first, whole, { recursive: true })
  requests = 0
  await finish(whole, '--recrawl')
  const expected = await readOutcome(whole)
  const needed = requests
  t.ok(expected.documents.size < PAGES + 10 && expected.documents.size > PAGES / 2)
  let state = seed >>> 0
  const random = (bound: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
  let killed = 0
  let rounds = 0
  for (; rounds < ROUNDS && hasTime(0.9); rounds++) {
    const data = join(dir, 'killed')
    rmSync(data, { recursive: true, force: true })
    cpSync(first, data, { recursive: true })
    for (let kill = 0; kill < KILLS; kill++) {
      const crawl = new SpindleProcess(args(data, '--recrawl'), { NODE_OPTIONS: '' })
      let left = 1 + random(needed / 2)
      const after = random(4) === 0 ? random(60) : 0
      const met = new Promise<void>((resolve) => {
        onRequest = () => {
          if (--left === 0) resolve()
        }
      })
      await Promise.race([met.then(() => sleep(after)), crawl.ended])
      if ((await crawl.stop('SIGKILL')).signal === 'SIGKILL') killed++
    }
    onRequest = () => {}
    await finish(data, '--recrawl')
    t.same((await readOutcome(data)).documents, expected.documents, `round ${rounds}`)
  }
  t.comment(`${killed} kills in ${rounds} rounds`)
  t.ok(killed >= rounds, `${killed} kills`)
})
