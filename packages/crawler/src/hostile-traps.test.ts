/**
 * Hostile sites by their rows: H32–H38, sites without end and one page under many addresses. Real spiders
 * against real servers: each crawl ends by itself with the outcome that its row asks for, and the server counts what was asked of it.
 */
import t from 'tap'
import { Fetcher } from './fetch/fetcher.js'
import { crawl, serveAll } from './test-support/site-crawl.js'
import { page, serveSite } from './test-support/test-site.js'

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
