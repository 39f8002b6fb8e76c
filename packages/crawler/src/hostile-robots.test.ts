/**
 * Hostile hosts by their rows: H23–H31 and H58, robots.txt, waits and what pages say to robots. Real spiders
 * against real servers: each crawl ends by itself with the outcome that its row asks for, and the server counts what was asked of it.
 */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { Fetcher } from './fetch/fetcher.js'
import { MemoryWorkload } from './frontier/memory-workload.js'
import { RobotsCache } from './robots/robots-cache.js'
import { crawl, status } from './test-support/site-crawl.js'
import { page, type Route, redirect, serveSite } from './test-support/test-site.js'

t.test('H23: a robots.txt that is not there allows all', async (t) => {
  for (const code of [404, 410, 401, 403]) {
    const site = await serveSite(t, { '/robots.txt': status(code), '/': page('Home', ['/a']), '/a': page('A') })
    t.equal((await crawl(site.at('/'))).stored.length, 2, String(code))
    t.equal(site.requests.filter(({ path }) => path === '/robots.txt').length, 1, 'asked for once')
  }
})

t.test('H24: a robots.txt of a server in trouble forbids all', async (t) => {
  const answers: Route[] = [status(500), status(503), status(304), (_request, response) => void response.destroy()]
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
