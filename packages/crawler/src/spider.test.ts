import t from 'tap'
import { Fetcher } from './fetch/fetcher.js'
import { breadthFirst, depthFirst } from './frontier/crawl-order.js'
import { MemoryWorkload } from './frontier/memory-workload.js'
import type { CrawlOrder, FinishedUrl } from './frontier/workload.js'
import type { CrawlReport } from './report/crawl-report.js'
import { formatReport } from './report/crawl-report.js'
import { Spider } from './spider.js'
import type { SpiderEvent } from './spider-events.js'
import type { SpiderOptions } from './spider-options.js'
import { page, type Route, redirect, serveSite, treeSite } from './test-support/test-site.js'

interface Run {
  readonly report: CrawlReport
  readonly workload: MemoryWorkload
  readonly events: SpiderEvent[]
  /** Disposition by path. */
  of(url: string): Promise<string | undefined>
}

async function crawl(seeds: string | string[], options: Partial<SpiderOptions> = {}): Promise<Run> {
  const workload = new MemoryWorkload()
  const events: SpiderEvent[] = []
  const spider = new Spider({
    seeds: [seeds].flat(),
    workload,
    delay: 0,
    retryDelay: 20,
    onEvent: (event) => events.push(event),
    ...options,
  })
  const report = await spider.start()
  return { report, workload, events, of: async (url) => (await workload.get(url))?.disposition }
}

t.test('follows links breadth first and meets each page once', async (t) => {
  const site = await serveSite(t, treeSite(3, 3))
  const { report, workload } = await crawl(site.at('/'), { concurrency: 1 })
  t.equal(report.reason, 'finished')
  t.same({ ...report.complete }, { fetched: 40 })
  t.equal(new Set(site.paths()).size, 40)
  t.equal(site.paths().length, 40, 'nothing is fetched twice')
  const depths = site.paths().map((path) => path.split('-').length - 1)
  t.same(
    depths,
    depths.toSorted((a, b) => a - b),
    'layer by layer',
  )
  t.same(workload.counts(), { waiting: 0, running: 0, error: 0, complete: 40 })
  t.equal(site.requests[0]?.path, '/robots.txt', 'robots.txt comes first')
})

t.test('without a delay as many requests run at once as are allowed', async (t) => {
  const waiting: (() => void)[] = []
  const links = Array.from({ length: 12 }, (_, i) => `/together${i}`)
  const routes: Record<string, Route> = { '/': page('Start', links) }
  for (const link of links) {
    routes[link] = (_request, response) => {
      waiting.push(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page(link)))
      // Nobody is answered before four are there.
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer()
    }
  }
  const site = await serveSite(t, routes)
  const { report } = await crawl(site.at('/'), { concurrency: 4 })
  t.equal(report.complete.fetched, 13)
  t.equal(Math.max(...site.requests.map(({ open }) => open)), 4)
})

t.test('each address ends with one reason', async (t) => {
  const other = await serveSite(t, { '/': page('Other') })
  const site = await serveSite(t, {
    '/robots.txt': 'User-agent: *\nDisallow: /secret\nAllow: /secret/open',
    '/': page('Start', [
      '/a',
      '/missing',
      '/secret/x',
      '/secret/open',
      '/picture.png',
      '/pdf',
      '/noindex',
      '/nofollow-page',
      'mailto:x@example.org',
      `${other.origin}/`,
      `/${'long'.repeat(600)}`,
    ]).replace('</ul>', '<li><a rel="nofollow" href="/hidden">hidden</a></ul>'),
    '/a': page('A', ['/'], '<link rel="canonical" href="/canonical">'),
    '/canonical': page('Canonical', [], `<link rel="canonical" href="${other.origin}/elsewhere">`),
    '/secret/open': page('Open'),
    '/pdf': (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg' }).end(Buffer.from([0xff, 0xd8, 0xff, 0, 1, 2]))
    },
    '/noindex': page('No index', ['/behind-noindex'], '<meta name="robots" content="noindex">'),
    '/behind-noindex': page('Behind'),
    '/nofollow-page': page('No follow', ['/behind-nofollow'], '<meta name="robots" content="nofollow">'),
    '/behind-nofollow': page('Never reached'),
  })
  const { report, workload, of } = await crawl(site.at('/'))
  t.same({ ...report.complete }, { fetched: 6, noindex: 1 })
  t.same({ ...report.error }, { 'http-404': 1 })
  t.same(report.failed, [{ url: site.at('/missing'), reason: 'http-404', referrer: site.at('/') }])
  t.same(
    { ...report.skipped },
    { nofollow: 2, 'non-text': 1, 'off-host': 1, 'other-scheme': 1, robots: 1, suffix: 1, 'url-too-long': 1 },
  )
  t.equal(await of(site.at('/secret/x')), 'robots')
  t.equal((await workload.get(site.at('/secret/x')))?.queue, 'error')
  t.equal(await of(site.at('/canonical')), 'fetched', 'a canonical address of the same host is followed')
  t.same((await workload.getSkipped(site.at('/hidden')))?.reason, 'nofollow')
  t.same(await workload.getSkipped(`${other.origin}/`), {
    url: `${other.origin}/`,
    reason: 'off-host',
    referrer: site.at('/'),
  })
  t.notOk(site.paths().includes('/secret/x'), 'what robots.txt forbids is never asked for')
  t.notOk(site.paths().includes('/hidden'))
  t.same(other.requests, [], 'the other host is never asked')
  const text = formatReport(report)
  t.match(text, /^complete +7$/m)
  t.match(text, /^ {2}http-404 +1$/m)
  t.ok(text.includes(`\nfailed: ${site.at('/missing')} (http-404, linked from ${site.at('/')})\n`), text)
  t.match(text, /^ {2}robots +1 {2}not fetched: the robots\.txt of the host forbids it$/m)
})

t.test('what is over a limit is said', async (t) => {
  const links = Array.from({ length: 20_001 }, (_, i) => `/${i}`)
  const site = await serveSite(t, { '/': page('Index', links), '/0': page('Nothing is left out') })
  const { events } = await crawl([site.at('/'), site.at('/0')], { maxPages: 2 })
  const fetched = events.filter(({ type }) => type === 'fetched')
  t.match(
    fetched.find((event) => 'url' in event && event.url === site.at('/')),
    { truncated: true },
  )
  t.notOk('truncated' in fetched.find((event) => 'url' in event && event.url === site.at('/0'))!)
})

t.test('redirects: chains, loops, limits, bad ones', async (t) => {
  const routes: Record<string, Route> = {
    '/': page('Start', ['/chain0', '/self', '/ping', '/nowhere', '/ftp', '/off', '/endless0', '/refresh']),
    '/self': redirect('/self'),
    '/ping': redirect('/pong'),
    '/pong': redirect('/ping'),
    '/nowhere': redirect('http://[bad'),
    '/ftp': redirect('ftp://example.org/'),
    '/off': redirect('http://other.invalid/'),
    '/chain3': page('End of the chain'),
    '/refresh': page('Refresh', [], '<meta http-equiv="refresh" content="0; url=/refreshed">'),
    '/refreshed': page('Refreshed'),
  }
  for (let i = 0; i < 3; i++) routes[`/chain${i}`] = redirect(`/chain${i + 1}`, [301, 307, 308][i])
  for (let i = 0; i < 20; i++) routes[`/endless${i}`] = redirect(`/endless${i + 1}`)
  const site = await serveSite(t, routes)
  const { report, workload, of } = await crawl(site.at('/'), { maxDepth: 1 })
  t.equal(await of(site.at('/chain3')), 'fetched')
  t.match(
    await workload.get(site.at('/chain3')),
    { depth: 1, redirects: 3 },
    'a redirect is no step away from the seed',
  )
  t.match(await workload.get(site.at('/refreshed')), { depth: 1, redirects: 1, disposition: 'fetched' })
  t.equal(await of(site.at('/self')), 'redirect-loop')
  t.equal(await of(site.at('/pong')), 'redirect-loop')
  t.equal(await of(site.at('/nowhere')), 'bad-redirect')
  t.equal(await of(site.at('/ftp')), 'unsupported-scheme')
  t.equal(await of(site.at('/off')), 'redirect')
  t.equal((await workload.getSkipped('http://other.invalid/'))?.reason, 'off-host', 'scope holds for each hop')
  t.equal(site.paths().filter((path) => path.startsWith('/endless')).length, 11)
  t.equal(await of(site.at('/endless10')), 'redirect-limit')
  t.equal(report.error['redirect-loop'], 2)
})

t.test('a page with several addresses is stored under the one that is wanted most', async (t) => {
  const folder = page('Folder', ['inside.html', '/sub/'])
  const answers: (() => void)[] = []
  // Both addresses of a folder are on their way at the same time.
  const together: Route = (_request, response) => {
    answers.push(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page('Together')))
    if (answers.length === 2) for (const answer of answers.splice(0)) answer()
  }
  const links = ['/sub', '/sub/index.html', '/sub/index.html?x=y', '/bare', '/bare/', '/other/', '/other/index.html']
  const site = await serveSite(t, {
    '/': page('Start', [...links, '/two/', '/two/index.htm', '/hidden/', '/hidden/default.asp', '/copy/']),
    '/sub': redirect('/sub/', 301),
    '/sub/': folder,
    '/sub/index.html': folder,
    '/sub/index.html?x=y': folder,
    '/copy/': folder,
    '/bare': page('Bare', ['rest.html']),
    '/bare/': page('Bare', ['rest.html']),
    '/rest.html': page('Above'),
    '/bare/rest.html': page('Within'),
    '/other/': page('Other'),
    '/other/index.html': page('Another'),
    '/two/': together,
    '/two/index.htm': together,
    '/hidden/': page('Hidden', [], '<meta name="robots" content="noindex">'),
    '/hidden/default.asp': page('Hidden', [], '<meta name="robots" content="noindex">'),
    '/sub/inside.html': page('Inside'),
    '/copy/inside.html': page('Inside'),
  })
  const processed: string[] = []
  const run = await crawl(site.at('/'), {
    concurrency: 2,
    processPage: ({ url }) => void processed.push(new URL(url).pathname),
  })
  const twins = async (...paths: string[]): Promise<string[]> =>
    (await Promise.all(paths.map((path) => run.of(site.at(path))))).map(String).toSorted()
  t.same(await twins('/sub/', '/two/', '/bare'), ['fetched', 'fetched', 'fetched'], 'what is wanted most')
  // One that came before is stored as well.
  const others = await twins('/sub/index.html', '/sub/index.html?x=y', '/two/index.htm', '/bare/')
  const duplicates = others.filter((disposition) => disposition === 'duplicate').length
  t.ok(duplicates >= 1 && others.every((one) => one === 'duplicate' || one === 'fetched'), others.join())
  t.same(
    await twins('/rest.html', '/bare/rest.html'),
    ['fetched', 'fetched'],
    'links from another folder lead elsewhere',
  )
  t.same(await twins('/other/', '/other/index.html'), ['fetched', 'fetched'], 'other bytes')
  t.same(await twins('/copy/'), ['fetched'], 'another folder')
  t.same(await twins('/hidden/', '/hidden/default.asp'), ['noindex', 'noindex'])
  t.match(run.report.complete, { duplicate: duplicates, redirect: 1 })
  t.equal(processed.length, run.report.pages, 'a duplicate is no page')
  const event = run.events.find((one) => one.type === 'fetched' && one.disposition === 'duplicate')
  t.match(event, { location: /\/(?:sub|two|bare)/ })
})

t.test('a seed that moves to another host of its site takes the crawl along', async (t) => {
  const site = await serveSite(t, { '/': redirect('/home'), '/home': page('Home') })
  const { report } = await crawl(site.at('/'))
  t.same({ ...report.complete }, { fetched: 1, redirect: 1 })
  const target = await serveSite(t, { '/': page('Elsewhere') })
  const moved = await serveSite(t, { '/': redirect(`${target.origin}/`) })
  const { workload } = await crawl(moved.at('/'))
  t.equal((await workload.getSkipped(`${target.origin}/`))?.reason, 'off-host', 'an address has no site but its own')
})

t.test('limits: depth, pages, stop', async (t) => {
  const site = await serveSite(t, treeSite(3, 3))
  const shallow = await crawl(site.at('/'), { maxDepth: 1 })
  t.same({ ...shallow.report.complete }, { fetched: 4 })
  t.equal(shallow.report.skipped['too-deep'], 9)
  const before = site.paths().length
  const workload = new MemoryWorkload()
  const few = await crawl(site.at('/'), { maxPages: 7, workload })
  t.equal(few.report.reason, 'page-limit')
  t.equal(few.report.pages, 7)
  t.equal(site.paths().length - before, 7, 'not one page more is fetched')
  t.ok(workload.counts().waiting > 0)
  const rest = await crawl(site.at('/'), { workload })
  t.equal(rest.report.pages, 33, 'a later run does the rest')
  const controller = new AbortController()
  const stopped = await crawl(site.at('/'), {
    signal: controller.signal,
    concurrency: 2,
    completePage: () => controller.abort(),
  })
  t.equal(stopped.report.reason, 'stopped')
  t.ok(stopped.report.pages <= 3)
  t.equal(stopped.workload.counts().running, 0)
})

t.test('stop ends fetches that hang and keeps their addresses waiting', async (t) => {
  const site = await serveSite(t, { '/': page('Start', ['/hang']), '/hang': () => {} })
  const workload = new MemoryWorkload()
  const spider = new Spider({ seeds: [site.at('/')], workload, delay: 0, stopTimeout: 50 })
  const running = spider.start()
  while (!site.paths().includes('/hang')) await new Promise((resolve) => setTimeout(resolve, 5))
  spider.stop()
  const report = await running
  t.equal(report.reason, 'stopped')
  t.equal((await workload.get(site.at('/hang')))?.queue, 'waiting')
})

t.test('tries again after 503, waits as long as it is told, gives up after three tries', async (t) => {
  const busy = (until: number, headers = {}): Route => {
    return (_request, response, count) => {
      if (count > until) response.writeHead(200, { 'content-type': 'text/html' }).end(page('At last'))
      else response.writeHead(503, headers).end()
    }
  }
  const site = await serveSite(t, {
    '/': page('Start', ['/later', '/never', '/after']),
    '/later': busy(1, { 'retry-after': '1' }),
    '/never': busy(100),
    '/after': page('After'),
  })
  const { report, events, of } = await crawl(site.at('/'), { concurrency: 1 })
  t.equal(await of(site.at('/later')), 'fetched')
  t.equal(await of(site.at('/never')), 'http-503')
  t.equal(site.paths().filter((path) => path === '/never').length, 3)
  t.match(
    events.find((event) => event.type === 'retry' && event.url === site.at('/later')),
    { waitMs: 1000, reason: 'http-503' },
  )
  const asked = site.requests.findIndex(({ path }) => path === '/later')
  const gap = site.requests[asked + 1]!.at - site.requests[asked]!.at
  t.ok(gap >= 995, `the whole host is left alone for the second (${gap} ms)`)
  t.same({ ...report.error }, { 'http-503': 1 })
})

t.test('broken connections are tried again; a host that fails on and on is set aside', async (t) => {
  const links = Array.from({ length: 12 }, (_, i) => `/broken${i}`)
  const routes: Record<string, Route> = {
    '/': page('Start', ['/flaky', ...links]),
    '/flaky': (_request, response, count) => {
      if (count === 1) response.destroy()
      else response.writeHead(200, { 'content-type': 'text/html' }).end(page('Fine'))
    },
  }
  for (const link of links) routes[link] = (_request, response) => void response.destroy()
  const site = await serveSite(t, routes)
  const { report, workload, of } = await crawl(site.at('/'), { concurrency: 1, retryDelay: 1 })
  t.equal(await of(site.at('/flaky')), 'fetched')
  t.equal(report.reason, 'unavailable')
  t.same({ ...report.error }, { 'network-error': 5 })
  t.equal(report.waiting, 7, 'the rest waits for a better day')
  t.match(report.unavailable[site.host], /5 addresses in a row failed \(network-error\)/)
  t.equal(workload.counts().running, 0)
})

t.test('a host whose robots.txt cannot be had is not asked for pages', async (t) => {
  const down = await serveSite(t, {
    '/robots.txt': (_request, response) => void response.writeHead(500).end(),
    '/': page('Never asked for'),
  })
  const gone = await serveSite(t, {})
  await gone.close()
  const up = await serveSite(t, treeSite(2, 1))
  const { report } = await crawl([down.at('/'), gone.at('/'), up.at('/')])
  t.equal(report.reason, 'unavailable')
  t.same(down.paths(), [])
  t.equal(report.complete.fetched, 3, 'other hosts are crawled')
  t.match(report.unavailable[down.host], /robots\.txt could not be fetched \(http-500\)/)
  t.match(report.unavailable[gone.host], /ECONNREFUSED/)
})

t.test('politeness, measured at the server: one connection, the delay, robots.txt counted', async (t) => {
  const site = await serveSite(t, treeSite(4, 1))
  const slow = await serveSite(t, { ...treeSite(2, 1), '/robots.txt': 'User-agent: *\nCrawl-delay: 0.3' })
  const { report } = await crawl([site.at('/'), slow.at('/')], { delay: 80, concurrency: 16 })
  t.equal(report.complete.fetched, 8)
  for (const [host, least] of [
    [site, 80],
    [slow, 300],
  ] as const) {
    t.ok(
      host.requests.every(({ open }) => open === 1),
      'never two requests at a time',
    )
    for (let i = 1; i < host.requests.length; i++) {
      const gap = host.requests[i]!.at - host.requests[i - 1]!.at
      // Timers may fire a millisecond early.
      if (gap < least - 2) t.fail(`${host.requests[i]?.path} came ${gap} ms after the request before it`)
    }
  }
})

t.test('ordered: one fetch at a time, the same order each time, over several hosts', async (t) => {
  const one = await serveSite(t, treeSite(3, 2))
  const two = await serveSite(t, treeSite(2, 3))
  const seeds = [one.at('/'), two.at('/')]
  const orders = []
  for (let i = 0; i < 2; i++) {
    const order: string[] = []
    const { report } = await crawl(seeds, {
      ordered: true,
      delay: i * 3,
      concurrency: 8,
      completePage: ({ url }) => order.push(url),
    })
    t.equal(report.complete.fetched, 13 + 15)
    orders.push(order)
  }
  t.same(orders[0], orders[1])
  t.ok(one.requests.every(({ open }) => open === 1))
})

t.test('callbacks decide and are told', async (t) => {
  const other = await serveSite(t, { '/': page('Other', ['/deeper']), '/deeper': page('Deeper') })
  const site = await serveSite(t, {
    '/': page('Start', [
      '/yes?session=1',
      '/yes?session=2',
      '/no',
      '/bad',
      '/gone',
      `${other.origin}/`,
      'ftp://x.example/',
    ]),
    '/yes': page('Yes'),
    '/no': page('No'),
    '/bad': page('Bad'),
  })
  const ended: [string, boolean][] = []
  const seen = { external: [] as string[], other: [] as string[], processed: [] as string[], complete: 0 }
  // without this, a page may not lead to another host on this machine
  const fetcher = new Fetcher({ mayBePrivate: () => true })
  t.teardown(() => fetcher.close())
  const { report, of } = await crawl(site.at('/'), {
    fetcher,
    foundInternalLink: (url) => !url.endsWith('/no'),
    foundExternalLink: (url) => {
      seen.external.push(url)
      return url === `${other.origin}/`
    },
    foundOtherLink: (url) => {
      seen.other.push(url)
      return true
    },
    async processPage({ url, parsed, body }) {
      seen.processed.push(`${parsed.title} ${body.length > 0}`)
      if (url.endsWith('/bad')) throw new Error('no good')
    },
    completePage: ({ url }: FinishedUrl, error) => ended.push([new URL(url).pathname, error]),
    getRemoveQuery: () => true,
    spiderComplete: () => {
      seen.complete++
    },
  })
  t.same(site.paths().toSorted(), ['/', '/bad', '/gone', '/yes'])
  t.same(other.paths(), ['/'], 'a page of another host is work, its links are external as well')
  t.same(seen.external, [`${other.origin}/`, `${other.origin}/deeper`])
  t.same(seen.other, ['ftp://x.example/'])
  t.same(seen.processed.toSorted(), ['Bad true', 'Other true', 'Start true', 'Yes true'])
  t.equal(await of(site.at('/bad')), 'process-error')
  t.same(
    ended
      .filter(([, error]) => error)
      .map(([path]) => path)
      .toSorted(),
    ['/bad', '/gone'],
  )
  t.equal(report.skipped.refused, 1)
  t.equal(seen.complete, 1)
})

t.test('a page cannot lead the spider to this machine or a private network', async (t) => {
  const inner = await serveSite(t, { '/': page('Secret') })
  const site = await serveSite(t, { '/': page('Start', [`${inner.origin}/`]), '/inner': redirect(`${inner.origin}/`) })
  const { of, report } = await crawl([site.at('/'), site.at('/inner')], { foundExternalLink: () => true })
  t.equal(await of(`${inner.origin}/`), 'blocked-address')
  t.same(inner.requests, [])
  t.equal(report.reason, 'finished')
})

t.test('pause and resume', async (t) => {
  const site = await serveSite(t, treeSite(3, 2))
  const workload = new MemoryWorkload()
  let resumed = false
  const spider = new Spider({
    seeds: [site.at('/')],
    workload,
    delay: 0,
    concurrency: 1,
    completePage: ({ url }) => {
      if (new URL(url).pathname !== '/') return t.ok(resumed)
      spider.pause()
      setTimeout(() => {
        resumed = true
        spider.resume()
      }, 100)
    },
  })
  t.equal((await spider.start()).complete.fetched, 13)
})

t.test('start addresses that are none', async (t) => {
  for (const seed of ['nonsense', 'ftp://example.org/', '', 'http://[bad']) {
    await t.rejects(new Spider({ seeds: [seed] }).start(), { code: 'SEED_INVALID' }, seed)
  }
  const report = await new Spider({ seeds: [] }).start()
  t.equal(report.reason, 'finished')
})

t.test('an order that is the same each time, breadth and depth first', async (t) => {
  const paths = async (order: CrawlOrder, options: Partial<SpiderOptions> = {}) => {
    const sites = [await serveSite(t, treeSite(3, 3)), await serveSite(t, treeSite(2, 3))]
    const asked: string[] = []
    const seeds = sites.map((site) => site.at('/'))
    const completePage = ({ url }: { url: string }) =>
      void asked.push(`${seeds.findIndex((seed) => url.startsWith(seed))}${new URL(url).pathname}`)
    const { report } = await crawl(seeds, { order, completePage, ordered: true, ...options })
    t.equal(report.reason, 'finished')
    return asked
  }
  const breadth = await paths(breadthFirst)
  t.equal(breadth.length, 40 + 15)
  t.same(await paths(breadthFirst), breadth)
  const layers = breadth.map((path) => path.split('-').length)
  t.same(layers, layers.toSorted(), 'layer by layer')
  const depth = await paths(depthFirst)
  t.same(await paths(depthFirst, { concurrency: 8 }), depth)
  t.same(depth.slice(0, 7), ['0/', '0/p-0', '0/p-0-0', '0/p-0-0-0', '0/p-0-0-1', '0/p-0-0-2', '0/p-0-1'])
  t.same([...depth].sort(), [...breadth].sort())
})
