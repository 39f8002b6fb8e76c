/**
 * Hostile sites by their rows: H23–H44 and H58–H60. Real spiders against real servers; each crawl must end by itself, with the
 * outcome that the row asks for, and the server counts what was asked of it.
 */
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { Fetcher } from './fetch/fetcher.js'
import { MemoryWorkload } from './frontier/memory-workload.js'
import type { CrawlReport } from './report/crawl-report.js'
import { RobotsCache } from './robots/robots-cache.js'
import { Spider } from './spider.js'
import type { SpiderEvent } from './spider-events.js'
import type { SpiderOptions } from './spider-options.js'
import { page, type Route, redirect, serveSite } from './test-support/test-site.js'

interface Run {
  readonly report: CrawlReport
  readonly events: readonly SpiderEvent[]
  readonly workload: MemoryWorkload
  /** Addresses that ended with a page. */
  readonly stored: readonly string[]
  of(url: string): Promise<string | undefined>
}

async function crawl(seeds: string | string[], options: Partial<SpiderOptions> = {}): Promise<Run> {
  const workload = new MemoryWorkload()
  const events: SpiderEvent[] = []
  const stored: string[] = []
  const report = await new Spider({
    seeds: [seeds].flat(),
    workload,
    delay: 0,
    retryDelay: 5,
    concurrency: 4,
    onEvent: (event) => events.push(event),
    completePage: ({ url, disposition }) => {
      if (disposition === 'fetched' || disposition === 'noindex') stored.push(url)
    },
    ...options,
  }).start()
  const of = async (url: string) => (await workload.get(url))?.disposition ?? (await workload.getSkipped(url))?.reason
  return { report, events, workload, stored, of }
}

/** A site whose every path is answered by a function of path and count. */
async function serveAll(t: Test, answer: (path: string, count: number) => string | undefined) {
  return await serveSite(t, {}, (request, response, count) => {
    const path = request.url ?? '/'
    const body = path === '/robots.txt' ? undefined : answer(path, count)
    if (body === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
  })
}

function status(code: number, headers = {}): Route {
  return (_request, response) => void response.writeHead(code, headers).end()
}

t.test('H23: a robots.txt that is not there allows all', async (t) => {
  for (const code of [404, 410, 401, 403]) {
    const site = await serveSite(t, { '/robots.txt': status(code), '/': page('Home', ['/a']), '/a': page('A') })
    t.equal((await crawl(site.at('/'))).stored.length, 2, String(code))
    t.equal(site.requests.filter(({ path }) => path === '/robots.txt').length, 1, 'asked for once')
  }
})

t.test('H24: a robots.txt of a server in trouble forbids all', async (t) => {
  const answers: Route[] = [status(500), status(503), (_request, response) => void response.destroy()]
  for (const answer of answers) {
    const site = await serveSite(t, { '/robots.txt': answer, '/': page('Home') })
    const { report, stored } = await crawl(site.at('/'))
    t.same([report.reason, stored, site.paths()], ['unavailable', [], []])
    t.equal(report.waiting, 1, 'its addresses wait for a better day')
  }
})

t.test('H24: the last good copy outlives the process, for thirty days', async (t) => {
  let code = 200
  const site = await serveSite(t, {
    '/robots.txt': (_request, response) => void response.writeHead(code).end('User-agent: *\nDisallow: /secret'),
    '/': page('Home'),
    '/later': page('Later'),
    '/secret': page('Secret'),
  })
  const workload = new MemoryWorkload()
  await crawl(site.at('/'), { workload })
  code = 503
  const day = 24 * 3600_000
  const again = await crawl([site.at('/later'), site.at('/secret')], { workload, now: () => Date.now() + 29 * day })
  t.equal(again.report.reason, 'finished')
  const of = async (path: string) => (await workload.get(site.at(path)))?.disposition
  t.same([await of('/later'), await of('/secret')], ['fetched', 'robots'])
  const late = await crawl(site.at('/last'), { workload, now: () => Date.now() + 31 * day })
  t.equal(late.report.reason, 'unavailable')
})

t.test('H25: robots.txt 429 with Retry-After', async (t) => {
  const site = await serveSite(t, { '/robots.txt': status(429, { 'retry-after': '3600' }), '/': page('Home') })
  const { report, events } = await crawl(site.at('/'))
  t.same([report.reason, site.paths()], ['unavailable', []])
  t.match(
    events.find(({ type }) => type === 'unavailable'),
    { waitMs: 3600_000, reason: /http-429/ },
  )
})

t.test('H26: redirects of robots.txt', async (t) => {
  const chain = (length: number): Record<string, Route> => {
    const routes: Record<string, Route> = {
      '/robots.txt': redirect('/r1'),
      '/': page('Home', ['/secret']),
      '/secret': page('S'),
    }
    for (let i = 1; i < length; i++) routes[`/r${i}`] = redirect(`/r${i + 1}`)
    routes[`/r${length}`] = 'User-agent: *\nDisallow: /secret'
    return routes
  }
  const five = await serveSite(t, chain(5))
  t.equal(await (await crawl(five.at('/'))).of(five.at('/secret')), 'robots', 'five are followed')
  const six = await serveSite(t, chain(6))
  t.equal(await (await crawl(six.at('/'))).of(six.at('/secret')), 'fetched', 'six are as if it were not there')
  t.notOk(six.paths().includes('/r6'))
  const loop = await serveSite(t, { '/robots.txt': redirect('/robots.txt'), '/': page('Home') })
  t.equal((await crawl(loop.at('/'))).stored.length, 1)
  const target = await serveSite(t, {
    '/robots.txt': 'User-agent: *\nDisallow: /own',
    '/rules': 'User-agent: *\nDisallow: /moved',
    '/own': page('Own'),
    '/moved': page('Moved'),
  })
  const other = await serveSite(t, {
    '/robots.txt': redirect(target.at('/rules')),
    '/own': page('Own'),
    '/moved': page('Moved'),
  })
  const across = await crawl([other.at('/own'), other.at('/moved'), target.at('/own'), target.at('/moved')])
  t.same(
    [
      await across.of(other.at('/own')),
      await across.of(other.at('/moved')),
      await across.of(target.at('/own')),
      await across.of(target.at('/moved')),
    ],
    ['fetched', 'robots', 'robots', 'fetched'],
    'the rules are those of the first host, and of no other',
  )
  const victim = await serveSite(t, { '/robots.txt': 'User-agent: *\nAllow: /' })
  const lure = await serveSite(t, { '/robots.txt': redirect(victim.at('/robots.txt')), '/': page('Home') })
  await crawl(lure.at('/'))
  t.same(victim.requests, [], 'a private address is not asked')
})

t.test('H27: monstrous robots.txt', async (t) => {
  const filler = '# comment\n'.repeat(60_000)
  const rule = 'User-agent: *\nDisallow: /secret\n'
  const files: [name: string, body: Buffer | string, forbids: boolean][] = [
    ['600 KB', rule + filler, true],
    ['200,000 rules', rule + Array.from({ length: 200_000 }, (_, i) => `Disallow: /x${i}`).join('\n'), true],
    ['one line', `User-agent: *\nDisallow: /${'y'.repeat(3 << 20)}\n`, false],
    ['a page', '<!doctype html><title>Not found</title><p>Disallow: /secret', false],
    ['a mark', `\ufeff${rule}`, true],
    ['CR', rule.replaceAll('\n', '\r'), true],
    ['NUL', `\0\0\0\n${rule}\0`, true],
    ['UTF-16', Buffer.from(`\ufeff${rule}`, 'utf16le'), true],
  ]
  for (const [name, body, forbids] of files) {
    const site = await serveSite(t, {
      '/robots.txt': (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(body),
      '/': page('Home', ['/secret']),
      '/secret': page('Secret'),
    })
    t.equal(await (await crawl(site.at('/'))).of(site.at('/secret')), forbids ? 'robots' : 'fetched', name)
  }
  const bomb = gzipSync(Buffer.concat([Buffer.from(rule), Buffer.alloc(50 << 20, '#')]))
  const packed = await serveSite(t, {
    '/robots.txt': (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    '/': page('Home', ['/secret']),
    '/secret': page('Secret'),
  })
  const { stored } = await crawl(packed.at('/'))
  t.notOk(stored.includes(packed.at('/secret')), 'a bomb')
})

t.test('H28: a rule of thousands of wildcards', async (t) => {
  const path = `/${'a'.repeat(2000)}`
  const site = await serveSite(t, {
    '/robots.txt': `User-agent: *\nDisallow: /${'*a'.repeat(8000)}b$\nDisallow: /*a*a*a*a*end$`,
    '/': page('Home', [path, '/aaaa/end']),
    [path]: page('A'),
    '/aaaa/end': page('End'),
  })
  const { of } = await crawl(site.at('/'))
  t.same([await of(site.at(path)), await of(site.at('/aaaa/end'))], ['fetched', 'robots'])
})

t.test('H29: crawl delays, groups, ties, case of escapes, other ports', async (t) => {
  const fetcher = new Fetcher({ mayBePrivate: () => true })
  t.teardown(() => fetcher.close())
  const delays: [text: string, ms: number | undefined][] = [
    ['-5', 0],
    ['1e99', 120_000],
    ['abc', undefined],
    ['0', 0],
    ['3600', 120_000],
    ['2.5', 2500],
  ]
  for (const [text, ms] of delays) {
    const site = await serveSite(t, { '/robots.txt': `User-agent: *\nCrawl-delay: ${text}` })
    const rules = await new RobotsCache({ fetcher, userAgent: 'Spindle/1' }).rulesFor(site.origin)
    t.equal(rules.crawlDelayMs, ms, text)
  }
  const site = await serveSite(t, {
    '/robots.txt':
      'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /star\n\nUser-agent: SPINDLE\nUser-agent: third\nDisallow: /p\nAllow: /p/open\nDisallow: /tie\nAllow: /tie\nDisallow: /%e4%b8%ad',
    '/': page('Home', ['/star', '/p/x', '/p/open/x', '/tie', '/中/x']),
    '/star': page('Star'),
    '/p/open/x': page('Open'),
    '/tie': page('Tie'),
  })
  const second = await serveSite(t, {
    '/robots.txt': 'User-agent: *\nDisallow: /x',
    '/x': page('X'),
    '/star': page('Other star'),
  })
  const { of } = await crawl([site.at('/'), second.at('/x'), second.at('/star')])
  const outcomes = await Promise.all(
    ['/star', '/p/x', '/p/open/x', '/tie', '/%E4%B8%AD/x'].map((path) => of(site.at(path))),
  )
  t.same(outcomes, ['fetched', 'robots', 'fetched', 'fetched', 'robots'])
  t.same(
    [await of(second.at('/x')), await of(second.at('/star'))],
    ['robots', 'fetched'],
    'each port has its own rules',
  )
})

t.test('H30: Retry-After: a second, a date, the past, the far future, junk', async (t) => {
  const once = (retryAfter: () => string): Route => {
    return (_request, response, count) => {
      if (count === 1) response.writeHead(503, { 'retry-after': retryAfter() }).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end(page('At last'))
    }
  }
  const cases: [name: string, value: () => string, least: number][] = [
    ['seconds', () => '1', 995],
    ['a date', () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 1000).toUTCString(), 900],
    ['a date that has passed', () => 'Fri, 01 Jan 1999 00:00:00 GMT', 0],
    ['junk', () => '1e9', 0],
    ['junk', () => 'soon', 0],
  ]
  for (const [name, value, least] of cases) {
    const site = await serveSite(t, {
      '/': page('Home', ['/busy', '/else']),
      '/busy': once(value),
      '/else': page('Else'),
    })
    const { of } = await crawl(site.at('/'), { concurrency: 1 })
    t.equal(await of(site.at('/busy')), 'fetched', name)
    const at = site.requests.findIndex(({ path }) => path === '/busy')
    t.ok(site.requests[at + 1]!.at - site.requests[at]!.at >= least, `${name}: nothing is asked of the host before`)
  }
  const far = await serveSite(t, {
    '/': page('Home', ['/busy', '/else']),
    '/busy': once(() => '999999999'),
    '/else': page('Else'),
  })
  const { report, workload } = await crawl(far.at('/'), { concurrency: 1 })
  t.equal(report.reason, 'unavailable', 'a host that asks for days is set aside')
  t.ok(workload.counts().waiting >= 1)
})

t.test('H31: 500 for ever, on one address and on all', async (t) => {
  const one = await serveSite(t, {
    '/': page('Home', ['/broken', '/fine']),
    '/broken': status(500),
    '/fine': page('Fine'),
  })
  const single = await crawl(one.at('/'))
  t.same([await single.of(one.at('/broken')), await single.of(one.at('/fine'))], ['http-500', 'fetched'])
  t.equal(one.paths().filter((path) => path === '/broken').length, 3)
  const links = Array.from({ length: 30 }, (_, i) => `/b${i}`)
  const routes: Record<string, Route> = { '/': page('Home', links) }
  for (const link of links) routes[link] = status(500)
  const all = await serveSite(t, routes)
  const { report } = await crawl(all.at('/'), { concurrency: 1 })
  t.equal(report.reason, 'unavailable')
  t.equal(report.error['http-500'], 5, 'after five addresses in a row the host is left alone')
})

t.test('H32: a calendar without end', async (t) => {
  const site = await serveAll(t, (path) => {
    const day = Number(/d=(\d+)/.exec(path)?.[1] ?? 0)
    return page(`Day ${day}`, [`/cal?d=${day + 1}`, `/cal?d=${day + 2}&view=week`])
  })
  const { report } = await crawl(site.at('/'))
  t.equal(report.reason, 'finished')
  const views = (pattern: RegExp) => new Set(site.paths().filter((path) => pattern.test(path))).size
  t.ok(views(/^\/cal\?d=\d+$/) <= 200 && views(/^\/cal\?d=\d+$/) >= 100, `${views(/^\/cal\?d=\d+$/)} days`)
  t.ok(views(/view=week/) <= 200)
  t.ok((report.skipped['query-limit'] ?? 0) > 0)
  t.match(
    report.traps.find(({ place }) => place === `${site.origin}/cal?d`),
    { reason: 'query-limit' },
  )
  const paths = await serveAll(t, (path) => {
    const [, year, month] = /(\d{4})\/(\d\d)/.exec(path) ?? [undefined, '2026', '01']
    const next = Number(year) * 12 + Number(month)
    return page(`${year} ${month}`, [`/calendar/${Math.floor(next / 12)}/${String((next % 12) + 1).padStart(2, '0')}/`])
  })
  const calendar = await crawl(paths.at('/calendar/2026/01/'))
  t.equal(calendar.report.skipped['calendar-trap'], 1)
})

t.test('H33: session ids that change with each hit', async (t) => {
  let session = 0
  const forms: ((path: string) => string)[] = [
    (path) => `${path};jsessionid=${(session++).toString(16).padStart(32, 'a1')}`,
    (path) => `${path}?sid=${(session++).toString(16).padStart(32, 'b2')}`,
    (path) => `${path}?PHPSESSID=${session++}`,
    (path) => `/PHPSESSID=${session++}${path}`,
    (path) => `${path}?sid=${session++}`,
  ]
  for (const form of forms) {
    session = 0
    const site = await serveAll(t, (path) => {
      const clean = path.replace(/;jsessionid=\w+|\?.*|\/PHPSESSID=\w+/g, '')
      return /^\/[abc]?$/.test(clean) ? page(`Page ${clean}`, ['/a', '/b', '/c'].map(form)) : undefined
    })
    // The links of a page change with each hit, and so do its bytes.
    const { report, stored } = await crawl(site.at('/'))
    t.equal(report.reason, 'finished')
    const isKnown = form !== forms[4]
    if (isKnown) t.same(stored.map((url) => new URL(url).pathname).toSorted(), ['/', '/a', '/b', '/c'], form('/x'))
    else t.ok(site.paths().length <= 610, `${site.paths().length}: unknown ids are bounded by their number`)
  }
})

t.test('H34: wildcard subdomains without end', async (t) => {
  let hosts = 0
  const site = await serveSite(t, {}, (request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end()
    const { port } = new URL(`http://${request.headers.host}`)
    const links = Array.from({ length: 3 }, () => `http://h${hosts++}.trap.test:${port}/`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(page(String(request.headers.host), links))
  })
  const { port } = new URL(site.origin)
  const fetcher = new Fetcher({ mayBePrivate: () => true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
  t.teardown(() => fetcher.close())
  const { report, stored } = await crawl(`http://www.trap.test:${port}/`, { site: 'domain', fetcher })
  t.equal(report.reason, 'finished')
  t.equal(stored.length, 100)
  t.match(report.traps, [{ place: 'trap.test', reason: 'site-limit' }])
})

t.test('H35: relative links that grow, cycles, fifty segments, 64 KB', async (t) => {
  const site = await serveAll(t, (path) => {
    if (path === '/') return page('Home', ['/one/', '/two/', `/${'s/t/u/v/w/'.repeat(10)}`, `/${'z'.repeat(65_536)}`])
    return page(path, [path.startsWith('/one/') ? 'a/' : 'x/y/'])
  })
  const { report } = await crawl(site.at('/'))
  t.equal(report.reason, 'finished')
  t.equal(report.skipped['path-trap'], 3)
  t.equal(report.skipped['url-too-long'], 1)
  t.ok(site.paths().length <= 8, `${site.paths().length} fetches`)
  const mixed = await serveAll(t, (path) => page(path, ['a/', 'b/', 'c/', '../d/']))
  const bounded = await crawl(mixed.at('/'), { limits: { urlsPerHost: 100 } })
  t.equal(bounded.report.reason, 'finished')
  t.equal(mixed.paths().length, 100, 'what has no pattern is bounded by number')
})

t.test('H36: one page under a thousand addresses', async (t) => {
  const links: string[] = []
  for (let i = 0; links.length < 1000; i++) {
    links.push(
      `/page?utm_source=n${i}`,
      `/page?gclid=${i}&fbclid=${i}`,
      `/page?ref=${i}`,
      `/page?b=${i}&a=${i}`,
      `/page?a=${i}&b=${i}`,
      `/page/?from=${i}`,
      `/page/index.html?x=${i}`,
      `/Page?n=${i}`,
      `/PAGE/?utm_medium=${i}`,
      `/p%61ge#part${i}`,
      `//page?q=${i}`.replace('//', '/./'),
    )
  }
  const site = await serveAll(t, (path) => {
    if (path === '/') return page('Home', links.slice(0, 1000))
    return /^\/page(?:\/|\/index\.html)?(?:\?|$)/i.test(path)
      ? page('The one page', [], '<link rel="canonical" href="/page">')
      : undefined
  })
  const { stored } = await crawl(site.at('/'))
  t.equal(stored.length, 2, `stored: ${stored.join(' ')}`)
  const fetches = site.paths().filter((path) => path !== '/').length
  t.ok(fetches <= 20, `${fetches} fetches`)
})

t.test('H36: www, http and https are variants, told by content', async (t) => {
  const site = await serveSite(t, {}, (request, response) => {
    const { host = '' } = request.headers
    if (request.url === '/robots.txt') return void response.writeHead(404).end()
    const other = host.startsWith('www.') ? host.slice(4) : `www.${host}`
    const body = request.url === '/' ? page('Home', [`http://${other}/`, `http://${other}/a`, '/a']) : page('A')
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(request.url === '/' ? page('Home', ['/a', `http://www.${host.replace(/^www\./, '')}/`, '/a']) : body)
  })
  const { port } = new URL(site.origin)
  const fetcher = new Fetcher({ mayBePrivate: () => true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
  t.teardown(() => fetcher.close())
  const { report, stored } = await crawl(`http://site.test:${port}/`, { site: 'domain', fetcher })
  t.equal(stored.length, 2, stored.join(' '))
  t.equal(report.complete.duplicate, 2)
})

t.test('H37: soft 404: not indexed, for one question to the host', async (t) => {
  const missing = (path: string) =>
    page('Page not found', ['/'], `<meta name="x" content="${path}">`).replace(
      '</ul>',
      `</ul><p>Sorry, ${path} does not exist on this site.`,
    )
  const real: Record<string, string> = {
    '/': page('Home', ['/real', '/gone1', '/gone2', '/deep/gone3']),
    '/real': page('A real page', ['/gone4']).replace(
      '</ul>',
      '</ul><p>With a text of its own, about trees and the birds in them.',
    ),
  }
  const soft = await serveAll(t, (path) => real[path] ?? missing(path))
  const { report, stored, of } = await crawl(soft.at('/'), { concurrency: 1 })
  t.same(stored.map((url) => new URL(url).pathname).toSorted(), ['/', '/real'])
  t.equal(await of(soft.at('/gone1')), 'soft-404')
  t.equal(report.skipped['soft-404'], 4)
  const known = new Set([...Object.keys(real), '/gone1', '/gone2', '/deep/gone3', '/gone4'])
  t.equal(soft.paths().filter((path) => !known.has(path)).length, 1, 'one question')

  const honest = await serveAll(t, (path) => (path === '/about' ? page('About 404 errors') : real[path]))
  const fine = await crawl([honest.at('/'), honest.at('/about')], { concurrency: 1 })
  t.equal(
    await fine.of(honest.at('/about')),
    'fetched',
    'a page about it is a page where missing ones are told honestly',
  )
  t.equal(honest.paths().filter((path) => /\/[0-9a-f]{24}$/.test(path)).length, 1)

  const plain = await serveAll(t, (path) => real[path])
  await crawl(plain.at('/'), { concurrency: 1 })
  t.equal(plain.paths().filter((path) => /\/[0-9a-f]{24}$/.test(path)).length, 0, 'no cause, no question')

  const slow = await serveAll(t, (path) => real[path] ?? missing(path))
  await crawl(slow.at('/'), { delay: 60 })
  for (let i = 1; i < slow.requests.length; i++) {
    t.ok(slow.requests[i]!.at - slow.requests[i - 1]!.at >= 58, 'the question keeps the delay of the host')
  }
})

t.test('H38: random pages without end', async (t) => {
  let seed = 1
  const word = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed.toString(36)
  }
  const site = await serveAll(t, () => {
    const text = Array.from({ length: 50 }, word).join(' ')
    return page(word(), [`/${word()}`, `/${word()}/${word()}`, `/${word()}?${word()}=${word()}`]).replace(
      '</ul>',
      `</ul><p>${text}`,
    )
  })
  const { report } = await crawl(site.at('/'), { limits: { urlsPerHost: 80 } })
  t.equal(report.reason, 'finished')
  t.equal(site.paths().length, 80)
  t.match(report.traps, [{ place: site.host, reason: 'host-limit' }])
  const deep = await crawl(site.at('/'), { maxDepth: 3 })
  t.equal(deep.report.reason, 'finished')
  t.ok(deep.report.skipped['too-deep']! > 0)
  const bytes = await crawl(site.at('/'), { limits: { bytesPerHost: 20_000 }, concurrency: 1 })
  t.equal(bytes.report.reason, 'finished')
  t.ok(bytes.report.bytes >= 20_000 && bytes.report.bytes < 22_000, `${bytes.report.bytes} bytes`)
  t.ok(bytes.report.skipped['host-bytes']! > 0)
})

t.test('H39: canonical addresses', async (t) => {
  const other = await serveSite(t, { '/': page('Other') })
  const canonical = (href: string) => `<link rel="canonical" href="${href}">`
  const site = await serveSite(t, {
    '/': page('Home', ['/a', '/b', '/c', '/d', '/e']),
    '/a': page('A', [], canonical('/canonical')),
    '/canonical': page('Canonical'),
    '/b': page('B', [], canonical(`${other.origin}/`)),
    '/c': page('C', [], canonical('/d')),
    '/d': page('D', [], canonical('/c')),
    '/e': page('E', [], canonical('http://[bad')),
  })
  const { of, report, stored } = await crawl(site.at('/'))
  t.equal(report.reason, 'finished')
  t.equal(await of(site.at('/canonical')), 'fetched', 'one of the same host is followed')
  t.same(other.requests, [], 'one of another host is not')
  t.equal(stored.length, 7)
})

t.test('H40: meta refresh', async (t) => {
  const refresh = (content: string, head = '') =>
    page('R', [], `${head}<meta http-equiv="refresh" content="${content}">`)
  const routes: Record<string, Route> = {
    '/': page('Home', ['/loop', '/late', '/script', '/nos', '/based', '/chain0']),
    '/loop': refresh('0; url=/loop'),
    '/late': refresh('1000; url=/never'),
    '/script': refresh('0; url=javascript:alert(1)'),
    '/nos': page('N').replace(
      '</body>',
      '<noscript><meta http-equiv="refresh" content="0; url=/hidden"></noscript></body>',
    ),
    '/based': refresh('0; url=x', '<base href="/folder/">'),
    '/folder/x': page('Based'),
  }
  for (let i = 0; i < 20; i++) routes[`/chain${i}`] = refresh(`0; url=/chain${i + 1}`)
  const site = await serveSite(t, routes)
  const { of, report } = await crawl(site.at('/'))
  t.equal(report.reason, 'finished')
  t.equal(site.paths().filter((path) => path === '/loop').length, 1)
  t.equal(site.paths().filter((path) => path.startsWith('/chain')).length, 11)
  t.notOk(['/never', '/hidden'].some((path) => site.paths().includes(path)))
  t.equal(await of(site.at('/folder/x')), 'fetched')
})

t.test('H41: base addresses', async (t) => {
  const bases = ['javascript:alert(1)', 'data:text/html,x', '', 'http://[bad']
  const routes: Record<string, Route> = { '/': page('Home', ['/rel', '/two', ...bases.map((_, i) => `/b${i}/`)]) }
  for (const [i, base] of bases.entries()) {
    routes[`/b${i}/`] = page(`B${i}`, ['leaf'], `<base href="${base}">`)
    routes[`/b${i}/leaf`] = page(`Leaf ${i}`)
  }
  routes['/rel'] = page('Rel', ['leaf'], '<base href="sub/">')
  routes['/sub/leaf'] = page('Sub')
  routes['/two'] = page('Two', ['first'], '<base href="javascript:x"><base href="/good/"><base href="/bad/">')
  routes['/good/first'] = page('First')
  const site = await serveSite(t, routes)
  const { of } = await crawl(site.at('/'))
  for (const i of bases.keys()) t.equal(await of(site.at(`/b${i}/leaf`)), 'fetched', bases[i])
  t.same([await of(site.at('/sub/leaf')), await of(site.at('/good/first'))], ['fetched', 'fetched'])
  const elsewhere = await serveSite(t, { '/': page('Home', ['leaf'], '<base href="http://other.invalid/">') })
  t.equal(await (await crawl(elsewhere.at('/'))).of('http://other.invalid/leaf'), 'off-host')
})

t.test('H42: links that are none', async (t) => {
  const links = [
    'javascript:void(0)',
    'jAvA\tscript:alert(1)',
    ' java\nscript:alert(1)',
    '&#106;avascript:alert(1)',
    'data:text/html,x',
    'blob:http://a.test/x',
    'about:blank',
    'vbscript:x',
    'mailto:a@b.test',
    'tel:123',
    'ftp://a.test/',
    'file:///etc/passwd',
  ]
  const site = await serveSite(t, { '/': page('Home', links) })
  const { report, workload } = await crawl(site.at('/'))
  t.same({ ...report.complete }, { fetched: 1 })
  t.same(site.paths(), ['/'])
  for (const queue of ['waiting', 'running', 'complete', 'error'] as const) {
    for (const { url } of await workload.list(queue, 100)) t.match(url, /^http:/)
  }
  t.same(Object.keys(report.skipped), ['other-scheme'])
})

t.test('H43: odd hosts', async (t) => {
  const site = await serveSite(t, {
    '/': page('Home', [
      'http://例え.jp/',
      'http://xn--a/',
      'http://аpple.test/',
      'http://example.org./',
      'http://a.test:0/',
      'http://a.test:99999/',
      'x',
    ]).replace('</ul>', '<li><a id="u" href="x2">x</a></ul>'),
    '/x': page('X'),
    '/x2': (_request, response) =>
      void response.writeHead(302, { location: `http://user:secret@${site.host}/x3` }).end(),
    '/x3': page('X3'),
  })
  const events: string[] = []
  const { of, workload } = await crawl(site.at('/'), { onEvent: (event) => events.push(JSON.stringify(event)) })
  t.equal(await of('http://xn--r8jz45g.jp/'), 'off-host')
  t.equal(await of('http://xn--pple-43d.test/'), 'off-host')
  t.equal(await of('http://example.org./'), 'off-host')
  t.equal(await of(site.at('/x3')), 'fetched', 'credentials are taken off')
  t.notOk(
    events.some((event) => event.includes('secret')),
    'and never told',
  )
  for (const { url } of await workload.listSkipped(100)) t.notOk(/99999|xn--a\/$/.test(url), url)
})

t.test('H44: odd paths have one form each', async (t) => {
  const gbk = '%B9%E3%B2%A5'
  const seen = ['/b', '/a%2Fb', '/%zz', '/%', '/%E4%B8%AD', `/q?x=${gbk}`, '/c/d', '/ef']
  const routes: Record<string, Route> = {
    '/': page('Home', [
      '/x/%2e%2e/b',
      '/a%2fb',
      '/%zz',
      '/%',
      '/中',
      '/%e4%b8%ad',
      `/q?x=${gbk}`,
      '\\c\\d',
      '/e\tf',
      '/e\nf',
    ]),
  }
  for (const path of seen) routes[path] = page(path)
  const site = await serveSite(t, routes)
  const { report } = await crawl(site.at('/'))
  t.same(site.paths().toSorted(), ['/', ...seen].toSorted(), 'each once')
  t.equal(report.complete.fetched, seen.length + 1)
})

t.test('H58: what pages say to robots', async (t) => {
  const header = (value: string | string[], links = ['/behind']): Route => {
    return (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'x-robots-tag': value })
        .end(page(`H ${value}`, links))
  }
  const meta = (content: string, name = 'robots') =>
    page(`M ${content}`, [`/behind-${content.length}`], `<meta name="${name}" content="${content}">`)
  const cases: [path: string, route: Route, outcome: 'fetched' | 'noindex', follows: boolean][] = [
    ['/h1', header('noindex'), 'noindex', true],
    ['/h2', header('NOINDEX, NOFOLLOW', ['/h2x']), 'noindex', false],
    ['/h3', header('googlebot: noindex, nofollow'), 'fetched', true],
    ['/h4', header('googlebot: index, spindle: none', ['/h4x']), 'noindex', false],
    ['/h5', header(['googlebot: nofollow', 'noindex'], ['/h5x']), 'noindex', true],
    ['/h6', header('unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT'), 'noindex', true],
    ['/h7', header('unavailable_after: Fri, 25 Jun 2999 15:00:00 GMT'), 'fetched', true],
    ['/m1', meta('NoIndex'), 'noindex', true],
    ['/m2', meta('none'), 'noindex', false],
    ['/m3', meta('noindex,nofollow', 'googlebot'), 'fetched', true],
    ['/m4', meta('noindex', 'SPINDLE'), 'noindex', true],
    [
      '/m5',
      page('M5', [], '<meta name="robots" content="index"><meta name="ROBOTS" content="noindex">'),
      'noindex',
      true,
    ],
  ]
  const routes: Record<string, Route> = {
    '/': page(
      'Home',
      cases.map(([path]) => path),
    ),
    '/h5x': page('H5x'),
  }
  for (const [path, route] of cases) routes[path] = route
  const site = await serveSite(t, routes)
  const { of } = await crawl(site.at('/'))
  for (const [path, , outcome] of cases) t.equal(await of(site.at(path)), outcome, path)
  t.equal(await of(site.at('/h2x')), 'nofollow')
  t.equal(await of(site.at('/h4x')), 'nofollow')
  t.equal(await of(site.at('/behind-4')), 'nofollow')
  t.equal(await of(site.at('/h5x')), 'fetched', 'a nofollow for another agent is not for us')
})

t.test('H59: links not to follow', async (t) => {
  const site = await serveSite(t, {
    '/': page('Home').replace(
      '</ul>',
      `<a rel="nofollow" href="/nofollow">a</a><a rel="external UGC" href="/ugc">a</a><a rel="sponsored" href="/sponsored">a</a>
       <template><a href="/template">a</a></template><!-- <a href="/comment">a</a> --><script>"<a href='/script'>"</script>
       <a hidden href="/hidden">a</a><a rel="nofollow" href="/both">a</a><a href="/both">a</a></ul>`,
    ),
    '/hidden': page('Hidden'),
    '/both': page('Both'),
  })
  const { of } = await crawl(site.at('/'))
  for (const path of ['/nofollow', '/ugc', '/sponsored']) t.equal(await of(site.at(path)), 'nofollow', path)
  for (const path of ['/template', '/comment', '/script']) t.equal(await of(site.at(path)), undefined, path)
  t.equal(await of(site.at('/both')), 'fetched', 'one that is followed is enough')
})

t.test('H60: sitemaps', async (t) => {
  const xml = (root: string, inner: string) =>
    `<?xml version="1.0"?><${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</${root}>`
  const urls = (...locs: string[]) => locs.map((loc) => `<url><loc>${loc}</loc><lastmod>junk</lastmod></url>`).join('')
  const maps = (...locs: string[]) => locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')
  const files: Record<string, string | Buffer> = {}
  const site = await serveSite(t, {}, (request, response) => {
    const path = request.url ?? ''
    const type = path.includes('xml') ? 'application/xml' : path.endsWith('.txt') ? 'text/plain' : 'text/html'
    if (files[path] === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': type }).end(files[path])
  })
  const at = (path: string) => site.at(path)
  Object.assign(files, {
    '/robots.txt': `Sitemap: ${at('/index.xml')}\nSitemap: /plain.txt\nSitemap: ${at('/many.xml')}\nSitemap: ${at('/bomb.xml.gz')}\nSitemap: ${at('/laughs.xml')}\nUser-agent: *\nDisallow: /forbidden`,
    '/': page('Home'),
    '/index.xml': xml(
      'sitemapindex',
      maps(at('/one.xml'), at('/index.xml'), at('/deeper.xml'), 'http://foreign.invalid/map.xml'),
    ),
    '/deeper.xml': xml('sitemapindex', maps(at('/two.xml.gz'), at('/index.xml'))),
    '/one.xml': xml(
      'urlset',
      urls(at('/from-one'), at('/forbidden/x'), 'http://foreign.invalid/page', at('/from-one')),
    ),
    '/two.xml.gz': gzipSync(xml('urlset', urls(at('/from-two')))),
    '/plain.txt': `\ufeff${at('/from-plain')}\n`,
    '/many.xml': xml(
      'urlset',
      Array.from({ length: 60_000 }, (_, i) => `<url><loc>${at(`/never?i=${i}`)}</loc></url>`).join(''),
    ),
    '/bomb.xml.gz': gzipSync(
      Buffer.concat([Buffer.from(`<urlset>${urls(at('/from-bomb'))}`), Buffer.alloc(80 << 20, ' ')]),
    ),
    '/laughs.xml': `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset>${urls(at('/from-laughs'))}<url><loc>${at('/&b;')}</loc></url></urlset>`,
    '/from-one': page('One'),
    '/from-two': page('Two'),
    '/from-plain': page('Plain'),
    '/from-bomb': page('Bomb'),
    '/from-laughs': page('Laughs'),
  })
  const { report, of, stored, workload } = await crawl(site.at('/'), { limits: { urlsPerQuery: 3 } })
  t.equal(report.reason, 'finished')
  for (const path of ['/from-one', '/from-two', '/from-plain', '/from-bomb', '/from-laughs'])
    t.equal(await of(site.at(path)), 'fetched', path)
  t.equal(stored.length, 6)
  t.equal(await of(site.at('/forbidden/x')), 'robots')
  t.equal(await of('http://foreign.invalid/page'), 'foreign-sitemap')
  t.equal(await of(site.at('/index.xml')), 'sitemap')
  t.equal(site.paths().filter((path) => path === '/index.xml').length, 1, 'an index that names itself is read once')
  t.equal(report.complete.sitemap, 8)
  t.ok((await workload.listSkipped(100_000)).length <= 50_100, 'not more than 50,000 of one list')
  const off = await crawl(site.at('/'), { sitemaps: 'off' })
  t.same(off.stored, [site.at('/')])
  const known = await serveSite(t, {
    '/': page('Home'),
    '/sitemap.xml': (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(`<urlset>${urls(`http://${request.headers.host}/listed`)}</urlset>`),
    '/listed': page('Listed'),
  })
  t.equal(await (await crawl(known.at('/'), { sitemaps: 'all' })).of(known.at('/listed')), 'fetched')
  t.equal((await crawl(known.at('/sitemap.xml'))).stored.length, 1, 'a sitemap may be a start address')
})

t.test('feeds: of start pages, and as start addresses', async (t) => {
  const alternate =
    '<link rel="alternate" type="application/rss+xml" href="/feed"><link rel="alternate" type="application/atom+xml" href="/atom">'
  const site = await serveSite(t, {
    '/': page('Home', ['/deep'], alternate),
    '/deep': page('Deep', [], '<link rel="alternate" type="application/rss+xml" href="/comments">'),
    '/feed':
      '<rss><channel><link>/ignored</link><item><link>/one</link></item><item><link>http://other.invalid/</link></item></channel></rss>',
    '/atom': '<feed><entry><link href="two"/></entry></feed>',
    '/one': page('One'),
    '/two': page('Two'),
  })
  const { of } = await crawl(site.at('/'))
  t.same(
    await Promise.all(['/feed', '/atom', '/one', '/two', '/comments', '/ignored'].map((path) => of(site.at(path)))),
    ['feed', 'feed', 'fetched', 'fetched', undefined, undefined],
  )
  t.equal(await of('http://other.invalid/'), 'off-host')
  t.equal(await (await crawl(site.at('/feed'))).of(site.at('/one')), 'fetched')
})
