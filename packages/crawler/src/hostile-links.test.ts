/**
 * Hostile pages by their rows: H39–H44, H59 and H60, links, sitemaps and feeds. Real spiders
 * against real servers: each crawl ends by itself with the outcome that its row asks for, and the server counts what was asked of it.
 */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { crawl } from './test-support/site-crawl.js'
import { page, type Route, serveSite } from './test-support/test-site.js'

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

t.test('a sitemap that nobody named and that is not there is no failure', async (t) => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    missing: (response) => void response.writeHead(404).end(),
    'in trouble': (response) => void response.writeHead(503).end(),
    'a page for everything': (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end(page('Home of all')),
  }
  for (const [name, answer] of Object.entries(answers)) {
    const site = await serveSite(t, { '/': page('Home'), '/sitemap.xml': (_request, response) => answer(response) })
    const { report, stored } = await crawl(site.at('/'), { sitemaps: 'all' })
    t.same([report.error, report.failed, report.skipped], [{}, [], { 'no-sitemap': 1 }], name)
    t.same(stored, [site.at('/')], name)
  }
  const site = await serveSite(t, {
    '/robots.txt': 'Sitemap: /sitemap.xml',
    '/': page('Home'),
  })
  const { report } = await crawl(site.at('/'), { sitemaps: 'all' })
  t.same(report.error, { 'http-404': 1 }, 'one that is named should be there')
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
