/** What every {@link Workload} must do; run once for each implementation. */
import fc from 'fast-check'
import type { Test } from 'tap'
import {
  type ClaimedUrl,
  type FinishedUrl,
  hostOf,
  isBefore,
  type NewUrl,
  QUEUES,
  type QueueName,
  type Workload,
} from '../frontier/workload.js'

/** How to get one implementation. */
export interface WorkloadHarness {
  readonly name: string
  /** An empty workload. */
  create(t: Test): Promise<Workload>
  /** Closes and opens the same queues again; left out where they do not survive. */
  reopen?(workload: Workload): Promise<Workload>
}

const A = 'http://a.example'
const B = 'http://b.example:8080'

function seed(url: string, depth = 0): NewUrl {
  return { url, depth, redirects: 0 }
}

function done(url: string, links: NewUrl[] = [], more: Partial<FinishedUrl> = {}): FinishedUrl {
  return {
    url,
    queue: 'complete',
    disposition: 'fetched',
    status: 200,
    page: 8,
    finishedAt: 1,
    links,
    skipped: [],
    ...more,
  }
}

async function urls(workload: Workload, queue: QueueName): Promise<string[]> {
  return (await workload.list(queue, 1000)).map(({ url }) => url)
}

/** Adds the suite as subtests of `t`. */
export async function workloadConformance(t: Test, harness: WorkloadHarness): Promise<void> {
  await t.test(`${harness.name}: waiting, running, then complete or error`, async (t) => {
    const w = await harness.create(t)
    t.same(await w.add([seed(`${A}/1`), seed(`${A}/2`)]), { added: 2, hosts: new Set(['a.example']) })
    t.same(await w.add([seed(`${A}/1`)]), { added: 0, hosts: new Set() }, 'a known address is not added again')
    t.match(await w.claim('a.example'), { url: `${A}/1`, host: 'a.example', depth: 0, sequence: 1, redirects: 0 })
    t.match(await w.claim('a.example'), { url: `${A}/2` })
    t.equal(await w.claim('a.example'), undefined)
    t.equal(await w.claim(), undefined)
    t.equal(await w.claim('unknown.example'), undefined)
    t.same(w.counts(), { waiting: 0, running: 2, error: 0, complete: 0 })
    t.same(
      await w.finish([
        done(`${A}/1`, [seed(`${A}/3`, 1), seed(`${B}/`, 1), seed(`${A}/1`, 1)]),
        done(`${A}/2`, [], { queue: 'error', disposition: 'http-404', status: 404, page: undefined }),
      ]),
      { added: 2, hosts: new Set(['a.example', 'b.example:8080']) },
    )
    t.same(w.counts(), { waiting: 2, running: 0, error: 1, complete: 1 })
    t.same((await w.waitingHosts()).sort(), ['a.example', 'b.example:8080'])
    t.same(await w.get(`${A}/3`), {
      url: `${A}/3`,
      queue: 'waiting',
      host: 'a.example',
      depth: 1,
      sequence: 3,
      redirects: 0,
      referrer: `${A}/1`,
      disposition: undefined,
      status: 0,
      page: undefined,
      finishedAt: undefined,
    })
    t.match(await w.get(`${A}/2`), { queue: 'error', disposition: 'http-404', status: 404, page: undefined })
    t.match(await w.get(`${A}/1`), { queue: 'complete', disposition: 'fetched', status: 200, page: 8, finishedAt: 1 })
    t.equal(await w.get(`${A}/none`), undefined)
    const tally = w.tally()
    t.same([...tally.complete], [['fetched', 1]])
    t.same([...tally.error], [['http-404', 1]])
    await w.close()
  })

  await t.test(`${harness.name}: complete and error are final`, async (t) => {
    const w = await harness.create(t)
    await w.add([seed(`${A}/1`), seed(`${A}/2`)])
    await w.claim()
    await t.rejects(w.finish([done(`${A}/2`)]), /not running/, 'waiting cannot end')
    await t.rejects(w.finish([done(`${A}/1`), done(`${A}/2`)]), /not running/)
    t.same(w.counts(), { waiting: 1, running: 1, error: 0, complete: 0 }, 'all or nothing')
    await t.rejects(w.finish([done(`${A}/1`), done(`${A}/1`)]), /twice/)
    await w.finish([done(`${A}/1`)])
    await t.rejects(w.finish([done(`${A}/1`, [], { queue: 'error' })]), /not running/)
    await t.rejects(w.release(`${A}/1`), /not running/)
    await w.add([seed(`${A}/1`)])
    t.equal((await w.get(`${A}/1`))?.queue, 'complete')
    await w.close()
  })

  await t.test(`${harness.name}: breadth first, then first in first out`, async (t) => {
    const w = await harness.create(t)
    await w.add([seed(`${A}/0`)])
    await w.claim()
    await w.finish([done(`${A}/0`, [seed(`${A}/1a`, 1), seed(`${A}/1b`, 1)])])
    await w.claim()
    await w.finish([done(`${A}/1a`, [seed(`${A}/2a`, 2), seed(`${B}/1c`, 1), seed(`${A}/1d`, 1)])])
    await w.add([seed(`${B}/0`)])
    const order = []
    for (let next = await w.claim(); next !== undefined; next = await w.claim()) order.push(next.url)
    t.same(order, [`${B}/0`, `${A}/1b`, `${B}/1c`, `${A}/1d`, `${A}/2a`])
    for (const url of [`${A}/2a`, `${A}/1b`, `${B}/0`]) await w.release(url)
    t.equal((await w.claim(undefined, new Set(['a.example'])))?.url, `${B}/0`)
    t.equal(await w.claim(undefined, new Set(['a.example'])), undefined, 'no host but those left out has any')
    t.equal((await w.claim('a.example'))?.url, `${A}/1b`, 'what is released takes its old place')
    await w.close()
  })

  await t.test(`${harness.name}: a waiting address found nearer to the seeds moves forward`, async (t) => {
    const w = await harness.create(t)
    await w.add([seed(`${A}/x`, 5), seed(`${A}/y`, 3), seed(`${A}/z`, 4)])
    await w.add([seed(`${A}/x`, 1), seed(`${A}/y`, 9)])
    t.match(await w.claim('a.example'), { url: `${A}/x`, depth: 1 })
    t.match(await w.claim('a.example'), { url: `${A}/y`, depth: 3 })
    await w.add([seed(`${A}/y`, 0)])
    t.match(await w.get(`${A}/y`), { depth: 3, queue: 'running' }, 'not when it is running')
    await w.close()
  })

  await t.test(`${harness.name}: skipped addresses are kept beside the queues`, async (t) => {
    const w = await harness.create(t)
    await w.add([seed(`${A}/1`), seed(`${A}/2`)])
    await w.claim()
    await w.claim()
    const skipped = [
      { url: `${B}/`, reason: 'off-host' },
      { url: 'mailto:x@example.org', reason: 'other-scheme' },
      { url: `${A}/2`, reason: 'nofollow' },
      { url: `${A}/3`, reason: 'nofollow' },
    ]
    await w.finish([done(`${A}/1`, [], { skipped })])
    t.same(
      [...w.tally().skipped].sort(),
      [
        ['nofollow', 1],
        ['off-host', 1],
        ['other-scheme', 1],
      ],
      'an address in a queue is not skipped',
    )
    t.same(await w.getSkipped(`${B}/`), { url: `${B}/`, reason: 'off-host', referrer: `${A}/1` })
    await w.finish([done(`${A}/2`, [seed(`${A}/3`, 1)], { skipped: [skipped[0]!] })])
    t.equal(await w.getSkipped(`${A}/3`), undefined, 'found again in a way that makes it work')
    t.equal((await w.get(`${A}/3`))?.queue, 'waiting')
    t.same(
      (await w.listSkipped(10)).map(({ url }) => url),
      [`${B}/`, 'mailto:x@example.org'],
    )
    t.same(
      (await w.listSkipped(10, `${B}/`)).map(({ url }) => url),
      ['mailto:x@example.org'],
    )
    t.equal(w.tally().skipped.get('off-host'), 1, 'counted once')
    await w.close()
  })

  await t.test(`${harness.name}: lists come in pages`, async (t) => {
    const w = await harness.create(t)
    const all = Array.from({ length: 25 }, (_, i) => `${A}/${i}`)
    await w.add(all.map((url) => seed(url)))
    const seen: string[] = []
    for (;;) {
      const page = await w.list('waiting', 10, seen[seen.length - 1])
      if (page.length === 0) break
      seen.push(...page.map(({ url }) => url))
    }
    t.same(seen, all, 'waiting in the order of fetching')
    for (const url of all) await w.claim('a.example').then((next) => t.equal(next?.url, url))
    await w.finish(all.map((url) => done(url)))
    const ended = new Set<string>()
    let after: string | undefined
    for (;;) {
      const page = await w.list('complete', 10, after)
      if (page.length === 0) break
      for (const { url } of page) ended.add(url)
      after = page[page.length - 1]!.url
    }
    t.equal(ended.size, all.length)
    await w.close()
  })

  await t.test(`${harness.name}: finds the same page under another address of its folder`, async (t) => {
    let workload = await harness.create(t)
    const end = async (url: string, content: number | undefined): Promise<void> => {
      await workload.add([seed(url)])
      await workload.claim()
      await workload.finish([done(url, [], { content })])
    }
    const max = 2 ** 52 - 1
    await end('http://a.test/sub/', max)
    await end('http://a.test/other/', 7)
    await end('http://a.test/page.html', 8)
    await end('http://a.test/none/', undefined)
    if (harness.reopen !== undefined) workload = await harness.reopen(workload)
    for (const url of ['http://a.test/sub', 'http://a.test/sub/index.html', 'http://a.test/sub/Default.htm']) {
      t.equal(await workload.findTwin(url, max), 'http://a.test/sub/', url)
      t.equal(await workload.findTwin(url, max - 1), undefined, 'another content')
    }
    t.equal(await workload.findTwin('http://a.test/sub/', max), undefined, 'none is its own twin')
    t.equal(await workload.findTwin('http://a.test/other', max), undefined, 'another folder')
    t.equal(await workload.findTwin('http://b.test/sub/', max), undefined, 'another host')
    t.equal(await workload.findTwin('http://a.test/sub/index.html?x=y', max), undefined, 'a query')
    t.equal(await workload.findTwin('http://a.test/page.html/', 8), undefined, 'a file is no folder')
    await workload.close()
  })

  await t.test(`${harness.name}: words of the language are addresses like any other`, async (t) => {
    const w = await harness.create(t)
    const odd = ['constructor', '__proto__', 'hasOwnProperty'].map((word) => `http://${word}/${word}`)
    await w.add(odd.map((url) => seed(url)))
    t.same(await urls(w, 'waiting'), odd)
    t.equal((await w.claim('__proto__'))?.url, 'http://__proto__/__proto__')
    await w.close()
  })

  if (harness.reopen !== undefined) {
    const reopen = harness.reopen.bind(harness)
    await t.test(`${harness.name}: what was running is waiting when opened again`, async (t) => {
      let w = await harness.create(t)
      await w.add([seed(`${A}/1`), seed(`${A}/2`), seed(`${B}/`)])
      await w.claim('a.example')
      await w.claim('a.example')
      await w.finish(
        [done(`${A}/1`, [seed(`${A}/3`, 1)], { skipped: [{ url: `${B}/x`, reason: 'off-host' }] })],
        new Map([['end', '77']]),
      )
      await w.setMeta('name', '值')
      const before = w.tally()
      w = await reopen(w)
      t.same(w.counts(), { waiting: 3, running: 0, error: 0, complete: 1 })
      t.same(await urls(w, 'waiting'), [`${A}/2`, `${B}/`, `${A}/3`])
      t.equal(w.meta('end'), '77')
      t.equal(w.meta('name'), '值')
      t.same(w.tally(), before)
      t.same((await w.waitingHosts()).sort(), ['a.example', 'b.example:8080'])
      await w.add([seed(`${A}/4`)])
      t.equal((await w.get(`${A}/4`))?.sequence, 5, 'numbers go on')
      await w.close()
    })
  }

  await t.test(`${harness.name}: invariants hold over random histories`, async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        await runHistory(t, harness, steps)
      }),
      { numRuns: harness.reopen === undefined ? 200 : 60 },
    )
    t.pass('every history kept the invariants')
  })
}

const address = fc.integer({ min: 0, max: 19 }).map((i) => (i % 3 === 0 ? `${B}/${i}` : `${A}/${i}`))
const offered = fc.record({ url: address, depth: fc.integer({ min: 0, max: 4 }), redirects: fc.constant(0) })
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), links: fc.array(offered, { maxLength: 4 }) }),
  fc.record({ do: fc.constant('claim' as const), host: fc.constantFrom(undefined, 'a.example', 'b.example:8080') }),
  fc.record({ do: fc.constant('release' as const), pick: fc.nat(20) }),
  fc.record({
    do: fc.constant('finish' as const),
    picks: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
    ok: fc.boolean(),
    links: fc.array(offered, { maxLength: 6 }),
    skips: fc.array(address, { maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('reopen' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Runs a history beside a plain model and compares after each step. */
async function runHistory(t: Test, harness: WorkloadHarness, steps: readonly Step[]): Promise<void> {
  let w = await harness.create(t)
  const model = new Map<string, { depth: number; sequence: number; queue: QueueName }>()
  const skipped = new Set<string>()
  let sequence = 0
  const inQueue = (queue: QueueName) => [...model].filter(([, entry]) => entry.queue === queue).map(([url]) => url)
  const offer = (links: readonly NewUrl[]) => {
    for (const { url, depth } of links) {
      const known = model.get(url)
      if (known === undefined) {
        model.set(url, { depth, sequence: ++sequence, queue: 'waiting' })
        skipped.delete(url)
      } else if (known.queue === 'waiting' && depth < known.depth) known.depth = depth
    }
  }
  for (const s of steps) {
    const running = inQueue('running')
    if (s.do === 'add') {
      const before = model.size
      offer(s.links)
      equal((await w.add(s.links)).added, model.size - before, 'added')
    } else if (s.do === 'claim') {
      const expected = inQueue('waiting')
        .filter((url) => s.host === undefined || hostOf(url) === s.host)
        .map((url) => ({ url, ...model.get(url)! }) as unknown as ClaimedUrl)
        .sort((a, b) => (isBefore(a, b) ? -1 : 1))[0]?.url
      equal((await w.claim(s.host))?.url, expected, 'claimed')
      if (expected !== undefined) model.get(expected)!.queue = 'running'
    } else if (s.do === 'release' && running.length > 0) {
      const url = running[s.pick % running.length]!
      await w.release(url)
      model.get(url)!.queue = 'waiting'
    } else if (s.do === 'finish' && running.length > 0) {
      const ended = [...new Set(s.picks.map((pick) => running[pick % running.length]!))]
      const queue = s.ok ? 'complete' : 'error'
      const skips = s.skips.map((url) => ({ url, reason: 'off-host' }))
      await w.finish(ended.map((url) => done(url, s.links, { queue, skipped: skips })))
      for (const url of ended) {
        model.get(url)!.queue = queue
        offer(s.links)
        for (const skip of s.skips) if (!model.has(skip)) skipped.add(skip)
      }
    } else if (s.do === 'reopen' && harness.reopen !== undefined) {
      w = await harness.reopen(w)
      for (const entry of model.values()) if (entry.queue === 'running') entry.queue = 'waiting'
    }
    let total = 0
    for (const queue of QUEUES) {
      const listed = await urls(w, queue)
      equal(listed.sort().join(), inQueue(queue).sort().join(), queue)
      equal(w.counts()[queue], listed.length, `count of ${queue}`)
      total += listed.length
    }
    equal(total, model.size, 'each address is in one queue')
    equal((await w.listSkipped(100)).map(({ url }) => url).join(), [...skipped].sort().join(), 'skipped')
  }
  await w.close()
}

function equal(found: unknown, expected: unknown, what: string): void {
  if (!Object.is(found, expected)) throw new Error(`${what}: ${String(found)} instead of ${String(expected)}`)
}
