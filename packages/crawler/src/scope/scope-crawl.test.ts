/** Scopes in whole crawls: what the rules mean for what is fetched, also across runs. */
import { join } from 'node:path'
import t from 'tap'
import { Fetcher } from '../fetch/fetcher.js'
import { MemoryWorkload } from '../frontier/memory-workload.js'
import { SqliteWorkload } from '../frontier/sqlite-workload.js'
import type { Workload } from '../frontier/workload.js'
import { Spider } from '../spider.js'
import type { SpiderOptions } from '../spider-options.js'
import { page, redirect, serveSite } from '../test-support/test-site.js'
import type { HostLimits } from './host-budgets.js'

async function crawl(seed: string | string[], options: Partial<SpiderOptions> = {}) {
  const workload: Workload = options.workload ?? new MemoryWorkload()
  const report = await new Spider({ seeds: [seed].flat(), delay: 0, workload, ...options }).start()
  const of = async (url: string) => (await workload.get(url))?.disposition ?? (await workload.getSkipped(url))?.reason
  return { report, of }
}

t.test('a folder; a start address that moves keeps its folder', async (t) => {
  const site = await serveSite(t, {
    '/docs/': page('Docs', ['guide', '/docs/deep/er', '/blog/', '/']),
    '/docs/guide': page('Guide', ['../docs/']),
    '/docs/deep/er': page('Deeper'),
    '/blog/': page('Blog'),
    '/latest': redirect('/v2.0/'),
    '/v2.0/': page('Version 2', ['x', '/v1.0/']),
    '/v2.0/x': page('X'),
  })
  const { report, of } = await crawl(site.at('/docs/'), { site: 'prefix' })
  t.same({ ...report.complete }, { fetched: 3 })
  t.equal(report.skipped['off-prefix'], 2)
  t.equal(await of(site.at('/blog/')), 'off-prefix')
  t.notOk(site.paths().includes('/blog/'))
  const moved = await crawl(site.at('/latest'), { site: 'prefix' })
  t.same({ ...moved.report.complete }, { fetched: 2, redirect: 1 })
  t.equal(await moved.of(site.at('/v1.0/')), 'off-prefix')
})

t.test('patterns', async (t) => {
  const site = await serveSite(t, {
    '/': page('Home', ['/news/1', '/news/2?print=1', '/about', '/news/archive/3']),
    '/news/1': page('One'),
    '/news/archive/3': page('Three'),
  })
  const { of } = await crawl(site.at('/'), { include: ['/news/*'], exclude: ['*print=*', '/archive/'] })
  const outcomes = await Promise.all(
    ['/', '/news/1', '/news/2?print=1', '/about', '/news/archive/3'].map((path) => of(site.at(path))),
  )
  t.same(outcomes, ['fetched', 'fetched', 'excluded', 'not-included', 'excluded'])
})

t.test('S130: links are chosen by expressions with groups, alternatives and repetition', async (t) => {
  const chosen = ['/news/2026-01-31.html', '/blog/7.htm', '/blog/']
  const others = ['/news/today.html', '/shop/1.html', '/news/2026-01-31.html?print=1', '/blogs/1.html']
  const routes = Object.fromEntries([...chosen, ...others].map((path) => [path, page(path)]))
  const site = await serveSite(t, { '/': page('Home', [...chosen, ...others]), ...routes })
  await crawl(site.at('/'), {
    include: ['/\\/(?:news\\/\\d{4}(-\\d\\d)+\\.html?|blog\\/(\\d+\\.html?)?)$/'],
    concurrency: 1,
  })
  t.same(site.paths(), ['/', ...chosen])
})

t.test('S133: styles, scripts, archives, a bare # and javascript: are no links to follow', async (t) => {
  const links = [
    '/a.css',
    '/b.rar',
    '/c.ZIP',
    '/d.js?v=1',
    '/e.tar.gz',
    '#',
    '',
    'javascript:void(0)',
    'JavaScript:go()',
    '/f.html#',
  ]
  const site = await serveSite(t, { '/': page('Home', links), '/f.html': page('F') })
  const { report } = await crawl(site.at('/'))
  t.same(site.paths(), ['/', '/f.html'])
  t.same({ ...report.skipped }, { suffix: 5 })
})

t.test('a range of addresses: literals and names in it are fetched, and nothing else is asked', async (t) => {
  const inside = await serveSite(t, { '/': page('Inside') })
  const { port } = new URL(inside.origin)
  const site = await serveSite(t, {
    '/': page('Home', [
      `http://127.0.0.1:${port}/`,
      `http://in.test:${port}/`,
      `http://out.test:${port}/`,
      `http://10.0.0.1:${port}/`,
    ]),
  })
  const asked: string[] = []
  const answers: Record<string, string> = { 'in.test': '127.0.0.1', 'out.test': '10.0.0.1' }
  const resolve = async (name: string) => {
    asked.push(name)
    return [{ address: answers[name] ?? '192.0.2.1', family: 4 }]
  }
  const { of, report } = await crawl(site.at('/'), {
    site: { ranges: ['127.0.0.0/8'] },
    fetch: { resolve },
  })
  t.equal(report.reason, 'finished')
  t.equal(await of(`http://127.0.0.1:${port}/`), 'fetched', 'a private address that the range names')
  t.equal(await of(`http://in.test:${port}/`), 'fetched')
  t.equal(await of(`http://out.test:${port}/`), 'off-range')
  t.equal(await of(`http://10.0.0.1:${port}/`), 'off-range')
  t.ok(asked.includes('in.test'))
})

t.test('a range does not open other private addresses to its names', async (t) => {
  const victim = await serveSite(t, { '/': page('Secret') })
  const { port } = new URL(victim.origin)
  const site = await serveSite(t, { '/': page('Home', [`http://rebind.test:${port}/`]) })
  let asked = 0
  const { of } = await crawl(site.at('/'), {
    site: { ranges: ['198.51.100.0/24'] },
    // In the range when it is checked, on this machine when it is connected to.
    fetch: { resolve: async () => [{ address: asked++ === 0 ? '198.51.100.7' : '127.0.0.1', family: 4 }] },
  })
  t.ok(asked >= 2)
  t.same(victim.requests, [])
  t.not(await of(`http://rebind.test:${port}/`), 'fetched')
})

t.test('budgets are counted over runs', async (t) => {
  const site = await serveSite(t, {}, (request, response) => {
    const [, n = '0'] = /(\d+)/.exec(request.url ?? '') ?? []
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(page(`Page ${n}`, [`/p${Number(n) * 2 + 1}`, `/p${Number(n) * 2 + 2}`]).padEnd(2000))
  })
  const path = join(t.testdir(), 'frontier.db')
  const limits = { urlsPerHost: 25, bytesPerHost: 30_000 }
  let pages = 0
  for (let run = 0; run < 8; run++) {
    const workload = await SqliteWorkload.open(path)
    const { report } = await crawl(site.at('/'), { workload, limits, maxPages: 4 * (run + 1), concurrency: 1 })
    pages += report.pages
    await workload.close()
  }
  t.equal(pages, 15, 'fifteen pages of 2,000 bytes')
  const workload = await SqliteWorkload.open(path)
  const { complete, error, waiting, running } = workload.counts()
  t.equal(complete + error + waiting + running, 25)
  t.equal(workload.tally().error.get('host-bytes'), 10)
  await workload.close()
})

t.test('a recrawl has budgets of its own, and loses nothing that it could not ask for', async (t) => {
  const site = await serveSite(t, {}, (request, response) => {
    const [, n = '0'] = /(\d+)/.exec(request.url ?? '') ?? []
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(`Page ${n}`, [`/p${Number(n) + 1}`]))
  })
  const workload = new MemoryWorkload()
  const run = (limits: HostLimits, more = {}) => crawl(site.at('/'), { workload, limits, concurrency: 1, ...more })
  const first = await run({ pagesPerHost: 5 })
  t.equal(first.report.pages, 5)
  t.equal(first.report.skipped['host-pages'], 1)
  const again = await run({ pagesPerHost: 3 }, { recrawl: {} })
  t.same([again.report.fetched, again.report.removed], [3, 0], 'three pages are asked for again')
  const bytes = await run({ bytesPerHost: 1 }, { recrawl: {} })
  t.same([bytes.report.fetched, bytes.report.removed], [1, 0])
})

t.test('a fetcher of the caller is left as it is', async (t) => {
  const site = await serveSite(t, { '/': page('Home') })
  const fetcher = new Fetcher({ mayBePrivate: () => true })
  t.teardown(() => fetcher.close())
  t.equal((await crawl(site.at('/'), { fetcher, site: 'any' })).report.complete.fetched, 1)
})
