import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { UrlCheck } from './check-url.js'
import { main } from './cli/main.js'
import { crawl } from './test-support/site-crawl.js'
import { page, redirect, serveSite } from './test-support/test-site.js'

async function run(t: Test, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { stdout: '', stderr: '' }
  const ends: (() => void)[] = []
  for (const name of ['stdout', 'stderr'] as const) {
    const before = process[name].write
    process[name].write = ((chunk: string) => {
      written[name] += chunk
      return true
    }) as typeof before
    ends.push(() => {
      process[name].write = before
    })
  }
  try {
    const code = await main(['check', ...args])
    return { code, out: written.stdout, err: written.stderr }
  } finally {
    for (const end of ends) end()
    t.ok(true)
  }
}

async function json(t: Test, ...args: string[]): Promise<UrlCheck & { code: number }> {
  const { code, out } = await run(t, '--json', ...args)
  return { ...(JSON.parse(out) as UrlCheck), code }
}

t.test('check: what a page says of itself, and pages that scripts would make', async (t) => {
  const site = await serveSite(t, {
    '/2024/05/06/a': page('A', [], '<meta name=author content=Ann><meta name=keywords content="x, y">'),
    '/app': '<title>App</title><div id=root></div><script src=app.js></script>',
    '/menu': '<p class=menu>menu<p>text',
  })
  const { out } = await run(t, site.at('/2024/05/06/a'))
  t.match(out, /^published +2024-05-06 \(by url\)$/m)
  t.match(out, /^author +Ann$/m)
  t.match(out, /^keywords +x, y$/m)
  t.match(out, /^sections +1, 0 with a link of their own$/m)
  const app = await json(t, site.at('/app'))
  t.match(app, { code: 0, indexed: true, disposition: 'client-rendered' })
  t.match((await run(t, site.at('/app'))).out, /^verdict .*without text: scripts would make it/m)
  const config = join(t.testdir({}), 'config.json')
  writeFileSync(config, JSON.stringify({ crawl: { sites: { [`${site.origin}/`]: { ignore: '.menu' } } } }))
  t.equal((await json(t, site.at('/menu'), '--config', config)).page?.text, 'text')
  const crawled = await crawl(site.at('/menu'), {
    seeds: [site.at('/menu'), site.at('/app')],
    fetch: { sites: new Map([[site.origin, { selectors: { select: [], ignore: ['.menu'] } }]]) },
    processPage: ({ url, parsed }) => void (url.endsWith('/menu') && t.equal(parsed.text, 'text')),
  })
  t.equal(await crawled.of(site.at('/app')), 'client-rendered')
  t.equal(await crawled.of(site.at('/menu')), 'fetched')
})

t.test('check: one address through everything, and nothing stored', async (t) => {
  const other = await serveSite(t, { '/': page('Other') })
  const site = await serveSite(t, {
    '/robots.txt': 'User-agent: *\nDisallow: /secret\nCrawl-delay: 2\nSitemap: /map.xml',
    '/page': page(
      'A <b>title</b>',
      ['/a?utm_source=x', '/b', '/p.png', `${other.origin}/`, 'mailto:a@b.test'],
      '<html lang="en">',
    ),
    '/noindex': page('No', [], '<meta name="robots" content="noindex">'),
    '/old': redirect('/older'),
    '/older': redirect('/page'),
    '/loop': redirect('/loop'),
    '/out': redirect(`${other.origin}/`),
    '/picture': (_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('x'),
    '/map.xml': `<urlset><url><loc>http://a.invalid/</loc></url></urlset>`,
  })
  const found = await json(t, site.at('/page'))
  t.match(found, {
    code: 0,
    indexed: true,
    disposition: 'fetched',
    page: { title: 'A <b>title</b>', charset: 'utf-8', charsetSource: 'http', robots: { index: true, follow: true } },
    links: [site.at('/a'), site.at('/b')],
  })
  t.match(found.steps, [
    {
      status: 200,
      contentType: 'text/html',
      robots: { status: 'found', allowed: true, crawlDelayMs: 2000, sitemaps: ['/map.xml'] },
    },
  ])
  t.same(found.skipped.map(({ reason }) => reason).sort(), ['off-host', 'other-scheme', 'suffix'])
  const cases: [path: string, disposition: string][] = [
    ['/secret/x', 'robots'],
    ['/none', 'http-404'],
    ['/noindex', 'noindex'],
    ['/loop', 'redirect-loop'],
    ['/out', 'off-host'],
    ['/picture', 'non-text'],
    ['/map.xml', 'sitemap'],
  ]
  for (const [path, disposition] of cases)
    t.match(await json(t, site.at(path)), { code: 1, indexed: false, disposition }, path)
  t.notOk(site.paths().includes('/secret/x'), 'what robots.txt forbids is not asked for')
  t.same(other.requests, [], 'nor what is out of scope')
  const moved = await json(t, site.at('/old'))
  t.same([moved.code, moved.steps.length, moved.steps.at(-1)?.url], [0, 3, site.at('/page')])
  t.match(await json(t, '--exclude', '/page*', site.at('/page')), {
    code: 1,
    disposition: 'excluded',
    page: { title: 'A <b>title</b>' },
  })

  const text = await run(t, site.at('/old'))
  t.equal(text.code, 0)
  for (const line of [
    /^address +http:.*\/old$/m,
    /^leads to +.*\/older$/m,
    /^robots.txt +found: allowed, crawl delay 2 s$/m,
    /^answer +200, text\/html; charset=utf-8, \d+ bytes/m,
    /^charset +utf-8 \(by http\)$/m,
    /^links +2 to follow, 3 not$/m,
    /^verdict +a crawl stores and indexes it$/m,
  ]) {
    t.match(text.out, line)
  }
  t.match((await run(t, site.at('/secret/x'))).out, /^verdict +not indexed: robots, /m)
  t.match(await run(t, 'nonsense'), { code: 2, err: /^spindle check: "nonsense"/ })
  t.match(await run(t), { code: 2, err: /missing required argument/ })
  t.match(await run(t, '--exclude', '/(/', site.at('/page')), { code: 2, err: /no pattern/ })
})

t.test('check: a page in another language and encoding than is said of it', async (t) => {
  const chinese = `<html lang="en"><title>题目</title><p>${'天安门广场位于北京市中心。'.repeat(5)}`
  const site = await serveSite(t, {
    '/page': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=gbk' }).end(chinese)
    },
    '/english': page('Home', [], '<html lang="en-GB">'),
  })
  const found = await json(t, site.at('/page'))
  t.match(found.page, { charset: 'gb18030', charsetSource: 'http', charsetDoubt: { bytesLike: 'utf-8' } })
  t.match((await run(t, site.at('/page'))).out, /^ +in doubt: read as gb18030; .*; looks like utf-8$/m)
  t.match((await run(t, site.at('/english'))).out, /^language +en-gb$/m)
  const right = await serveSite(t, { '/': chinese })
  t.match((await run(t, right.at('/'))).out, /^language +zh \(by its text; the page says en\)$/m)
  t.equal((await json(t, right.at('/'))).language, 'zh')
})

t.test('check: a host that is gone', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const found = await json(t, `http://127.0.0.1:${port}/`)
  t.match(found, { code: 1, disposition: 'robots-unavailable', fault: /ECONNREFUSED/ })
})
