/** What every {@link Workload} must do; run once for each implementation. */
import type { Test } from 'tap'
import { breadthFirst, depthFirst } from '../frontier/crawl-order.js'
import type { QueueName } from '../frontier/workload.js'
import { UrlBudgets } from '../scope/url-budgets.js'
import { A, B, done, seed, urls, type WorkloadHarness } from './workload-harness.js'
import { randomHistories } from './workload-model.js'
import { recrawlConformance } from './workload-recrawls.js'

/** Adds the suite as subtests of `t`. */
export async function workloadConformance(t: Test, harness: WorkloadHarness): Promise<void> {
  await t.test(`${harness.name}: waiting, running, then complete or error`, async (t) => {
    const w = await harness.create(t)
    t.match(await w.add([seed(`${A}/1`), seed(`${A}/2`)]), { added: 2, hosts: new Set(['a.example']) })
    t.same(
      await w.add([seed(`${A}/1`)]),
      { added: 0, hosts: new Set(), urls: [] },
      'a known address is not added again',
    )
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
      {
        added: 2,
        hosts: new Set(['a.example', 'b.example:8080']),
        urls: [`${A}/3`, `${B}/`].map((url) => ({ url, depth: 1, referrer: `${A}/1` })),
      },
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
      priority: 1,
      referrer: `${A}/1`,
      disposition: undefined,
      status: 0,
      page: undefined,
      finishedAt: undefined,
      misses: 0,
      lastModified: undefined,
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

  await t.test(`${harness.name}: finds the same page under a variant of its address`, async (t) => {
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
    const variants = ['https://a.test/sub/', 'http://www.a.test/sub', 'http://a.test/SUB?x=y', 'http://a.test//sub/']
    for (const url of variants) t.equal(await workload.findTwin(url, max), 'http://a.test/sub/', url)
    t.equal(await workload.findTwin('http://a.test:81/sub/', max), undefined, 'another port')
    t.equal(await workload.findTwin('http://a.test/page.htm', 8), undefined, 'another file')
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

  await t.test(`${harness.name}: depth first: the links of the last page before everything else`, async (t) => {
    let w = await harness.create(t)
    await w.useOrder(depthFirst)
    await w.add([seed(`${A}/0`), seed(`${A}/00`)])
    const site: Record<string, string[]> = { '0': ['1a', '1b'], '1a': ['2a', '2b', '1b'], '2a': ['3a'] }
    const order: string[] = []
    for (let next = await w.claim(); next !== undefined; next = await w.claim()) {
      const name = next.url.slice(A.length + 1)
      order.push(name)
      await w.finish([
        done(
          next.url,
          (site[name] ?? []).map((link) => seed(`${A}/${link}`, next!.depth + 1)),
        ),
      ])
      if (harness.reopen === undefined) continue
      w = await harness.reopen(w)
      await w.useOrder(depthFirst)
    }
    t.same(order, ['0', '1a', '1b', '2a', '3a', '2b', '00'], '1b is one of the links of 1a, too')
    await w.close()
  })

  await t.test(`${harness.name}: numbers can be changed, and another order numbers anew`, async (t) => {
    let w = await harness.create(t)
    await w.add([seed(`${A}/0`, 0), seed(`${A}/1`, 1), seed(`${B}/2`, 2), { ...seed(`${A}/9`, 9), priority: 0.5 }])
    t.equal((await w.claim())?.url, `${A}/0`)
    await w.prioritize(
      new Map([
        [`${B}/2`, -1.5],
        [`${A}/0`, 3],
        ['http://none.example/', 1],
      ]),
    )
    t.match(await w.claim(), { url: `${B}/2`, priority: -1.5 })
    await w.release(`${A}/0`)
    t.same(await urls(w, 'waiting'), [`${A}/9`, `${A}/1`, `${A}/0`])
    await w.add([{ ...seed(`${A}/0`, 0), priority: 0.75 }])
    t.same(await urls(w, 'waiting'), [`${A}/9`, `${A}/0`, `${A}/1`], 'found again with a lesser number')
    await w.release(`${B}/2`)
    await w.useOrder(depthFirst)
    t.same(await urls(w, 'waiting'), [`${A}/9`, `${B}/2`, `${A}/1`, `${A}/0`])
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    await w.useOrder(depthFirst)
    t.match(await w.claim(), { url: `${A}/9`, priority: -9 })
    await w.useOrder(breadthFirst)
    t.equal((await w.claim())?.url, `${A}/0`)
    t.equal((await w.claim('a.example'))?.url, `${A}/1`)
    await w.release(`${A}/9`)
    t.equal((await w.claim())?.url, `${B}/2`)
    await w.close()
  })

  await t.test(`${harness.name}: lists can be narrowed`, async (t) => {
    const w = await harness.create(t)
    await w.add([seed(`${A}/1`), seed(`${B}/2`), seed(`${A}/3`), seed(`${A}/4`), seed(`${B}/5`)])
    for (let i = 0; i < 3; i++) await w.claim()
    const skipped = [
      { url: 'http://x.example/', reason: 'off-host' },
      { url: 'http://y.example/?u=http://x.example/', reason: 'off-host' },
      { url: 'http://x.example/z', reason: 'suffix' },
    ]
    await w.finish([done(`${A}/1`, [], { skipped }), done(`${B}/2`, [], { disposition: 'oversize' })])
    const list = async (queue: QueueName, filter: object) =>
      (await w.list(queue, 9, undefined, filter)).map(({ url }) => url)
    t.same(await list('complete', { reason: 'oversize' }), [`${B}/2`])
    t.same(await list('complete', { host: 'a.example' }), [`${A}/1`])
    t.same(await list('complete', { host: 'a.example', reason: 'oversize' }), [])
    t.same(await list('waiting', { host: 'a.example' }), [`${A}/4`])
    t.same(await list('running', { host: 'a.example' }), [`${A}/3`])
    t.same(await list('running', { host: 'b.example:8080' }), [])
    const listSkipped = async (filter: object) => (await w.listSkipped(9, undefined, filter)).map(({ url }) => url)
    t.same(await listSkipped({ host: 'x.example' }), ['http://x.example/', 'http://x.example/z'])
    t.same(await listSkipped({ host: 'x.example', reason: 'suffix' }), ['http://x.example/z'])
    await w.close()
  })

  await t.test(`${harness.name}: what is over a budget is skipped, counted over runs`, async (t) => {
    let w = await harness.create(t)
    const budgets = new UrlBudgets({ urlsPerHost: 6, urlsPerQuery: 2, hostsPerSite: 3 })
    await w.useAdmission(budgets)
    await w.add([seed(`${A}/0`)])
    await w.claim()
    const links = ['/1', '/q?a=1', '/q?a=2', '/q?a=3', '/q?b=1', '/0', '/1'].map((path) => seed(A + path, 1))
    t.equal((await w.finish([done(`${A}/0`, links)])).added, 4)
    t.match(await w.getSkipped(`${A}/q?a=3`), { reason: 'query-limit', referrer: `${A}/0` })
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    const again = new UrlBudgets({ urlsPerHost: 6, urlsPerQuery: 2, hostsPerSite: 3 })
    await w.useAdmission(again)
    await w.claim()
    const found = ['/q?a=4', '/q?a=3', '/2', '/3'].map((path) => seed(A + path, 2))
    t.equal((await w.finish([done(`${A}/1`, found)])).added, 1)
    t.match(await w.getSkipped(`${A}/q?a=4`), { reason: 'query-limit' })
    t.match(await w.getSkipped(`${A}/3`), { reason: 'host-limit' })
    t.same([...w.tally().skipped].sort(), [
      ['host-limit', 1],
      ['query-limit', 2],
    ])
    t.same(again.traps, [
      { place: `${A}/q?a`, reason: 'query-limit', refused: 2 },
      { place: 'a.example', reason: 'host-limit', refused: 1 },
    ])
    await w.claim()
    const hosts = ['b', 'c', 'd', 'e'].map((name) => seed(`http://${name}.site.example/`, 1))
    t.equal((await w.finish([done(`${A}/q?a=1`, hosts)])).added, 3)
    t.match(await w.getSkipped('http://e.site.example/'), { reason: 'site-limit' })
    t.equal(
      (await w.add([seed(`${A}/9`), seed('http://f.site.example/')])).added,
      2,
      'start addresses are never refused',
    )
    await w.close()
  })

  await t.test(`${harness.name}: tells where addresses lead that have no page of their own`, async (t) => {
    let w = await harness.create(t)
    await w.add(['/1', '/2', '/3', '/4', '/5'].map((path) => seed(A + path)))
    for (let i = 0; i < 5; i++) await w.claim()
    await w.finish([
      { ...done(`${A}/1`), page: undefined, disposition: 'redirect', location: `${B}/one` },
      { ...done(`${A}/2`), page: undefined, disposition: 'duplicate', location: `${A}/3` },
      { ...done(`${A}/3`), page: 8 },
      { ...done(`${A}/4`), page: 99, location: `${A}/3` },
      done(`${A}/5`, [], { page: undefined }),
    ])
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    const all = async () => new Map((await w.aliases(10)).map(({ url, target }) => [url, target]))
    t.same(
      await all(),
      new Map([
        [`${A}/1`, `${B}/one`],
        [`${A}/2`, `${A}/3`],
      ]),
    )
    const [first] = await w.aliases(1)
    t.equal((await w.aliases(10, first!.url)).length, 1, 'in pages')
    await w.beginGeneration(Number.MAX_SAFE_INTEGER)
    t.equal((await all()).size, 2, 'until something else is known')
    for (let i = 0; i < 5; i++) await w.claim()
    await w.finish([
      { ...done(`${A}/1`), page: 200 },
      { ...done(`${A}/2`), page: undefined, disposition: 'redirect', location: `${A}/5` },
    ])
    t.same(await all(), new Map([[`${A}/2`, `${A}/5`]]))
    await w.close()
  })

  await t.test(`${harness.name}: keeps what hosts asked for`, async (t) => {
    let w = await harness.create(t)
    await w.setHostTimes('a.example', { delayMs: 5000, pausedUntil: 0 })
    await w.add([seed(`${A}/1`), seed(`${B}/1`)])
    await w.setHostTimes('a.example', { delayMs: 5000, pausedUntil: 1e12 })
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    t.same(await w.hostTimes(), new Map([['a.example', { delayMs: 5000, pausedUntil: 1e12 }]]))
    t.equal((await w.claim('a.example'))?.url, `${A}/1`)
    await w.close()
  })

  await recrawlConformance(t, harness)

  await t.test(`${harness.name}: invariants hold over random histories`, async (t) => {
    await randomHistories(t, harness)
    t.pass('every history kept the invariants')
  })
}
