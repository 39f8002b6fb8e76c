/**
 * Attacks that join what is harmless by itself: lists that lead out of the scope, pages that look alike, ids that look like those
 * of sessions, credentials in addresses. Real spiders against real servers.
 */
import t from 'tap'
import { Fetcher } from './fetch/fetcher.js'
import { crawl, serveAll } from './test-support/site-crawl.js'
import { page, redirect, serveSite } from './test-support/test-site.js'

const XML = { 'content-type': 'application/xml' }

t.test('a sitemap that moves takes no scope along: only start addresses do', async (t) => {
  const asked: string[] = []
  const site = await serveSite(t, {}, (request, response) => {
    const { host = '' } = request.headers
    const name = host.split(':', 1)[0]
    const path = request.url ?? '/'
    asked.push(`${name}${path}`)
    const port = host.slice(host.indexOf(':'))
    if (path === '/robots.txt' && name === 'a.site.com') {
      response.end(`Sitemap: http://a.site.com${port}/moved.xml\nSitemap: http://lists.foreign.com${port}/moved.xml\n`)
    } else if (path === '/moved.xml') {
      const to = name === 'a.site.com' ? 'b.site.com' : 'www.foreign.com'
      response.writeHead(302, { location: `http://${to}${port}/trap` }).end()
    } else if (path === '/robots.txt') response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end(page(host + path))
  })
  const { port } = new URL(site.origin)
  const fetcher = new Fetcher({ mayBePrivate: () => true, resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
  t.teardown(() => fetcher.close())
  const { stored } = await crawl(`http://a.site.com:${port}/`, { fetcher })
  t.same(stored, [`http://a.site.com:${port}/`])
  t.same(
    asked.filter((one) => one.endsWith('/trap')),
    [],
  )
})

t.test('lists of the web lead to no local file, whatever the crawl may read', async (t) => {
  const folder = t.testdir({ 'index.html': page('Files'), 'secret.html': page('Secret') })
  const seen = new Set<string>()
  const list = (items: string) => `<?xml version="1.0"?><rss version="2.0"><channel>${items}</channel></rss>`
  const site = await serveSite(t, {
    '/': page('Home', ['/feed.xml'], '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'),
    '/robots.txt': (_request, response) =>
      void response.end(`Sitemap: file://${folder}/secret.html\nSitemap: /map.txt\n`),
    '/map.txt': (_request, response) => void response.end(`file://${folder}/secret.html\n`),
    '/feed.xml': (_request, response) =>
      void response
        .writeHead(200, XML)
        .end(list(`<item><title>x</title><link>file://${folder}/secret.html</link></item>`)),
  })
  await crawl([site.at('/'), folder], { completePage: ({ url }) => void seen.add(url) })
  t.ok(seen.has(site.at('/feed.xml')))
  t.notOk(seen.has(`file://${folder}/secret.html`), [...seen].join(' '))
})

t.test('pages that differ are not lost behind others that are alike', async (t) => {
  // The first nine of a list, and nine values of another parameter, answer the same bytes.
  const site = await serveAll(t, (path) => {
    const links = (name: string, from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `/list?${name}=${from + i}`)
    if (path === '/') return page('Home', [...links('sort', 1, 12), ...links('page', 1, 4)])
    const number = Number(/page=(\d+)/.exec(path)?.[1] ?? 0)
    return number === 0 ? page('A list') : page(`List ${number}`)
  })
  const { stored } = await crawl(site.at('/'), { concurrency: 1 })
  for (let i = 1; i <= 4; i++) t.ok(stored.includes(site.at(`/list?page=${i}`)), `page ${i}`)
  const cased = await serveAll(t, (path) => {
    const many = Array.from({ length: 10 }, (_, i) => `/p?x=${i}`)
    if (path === '/') return page('Home', [...many, '/P', '/p/other/../'])
    return path === '/P' ? page('Another page') : page('The same page')
  })
  const byCase = await crawl(cased.at('/'), { concurrency: 1 })
  t.ok(byCase.stored.includes(cased.at('/P')), byCase.stored.join(' '))
})

t.test('a parameter that mattered to none of many is asked again now and then', async (t) => {
  const links = Array.from({ length: 60 }, (_, i) => `/list?page=${i + 1}`)
  const site = await serveAll(t, (path) => {
    if (path === '/') return page('Home', links)
    const number = Number(/page=(\d+)/.exec(path)?.[1] ?? 0)
    return number < 10 ? page('Please come back later') : page(`List ${number}`)
  })
  const { stored } = await crawl(site.at('/'), { concurrency: 1 })
  const pages = stored.filter((url) => url.includes('/list')).length
  t.ok(pages >= 40, `${pages} of 52 pages`)
})

t.test('an id of documents that looks like that of a session is not taken away', async (t) => {
  const ids = Array.from({ length: 6 }, (_, i) => (i * 7919).toString(16).padStart(16, 'a1'))
  const site = await serveAll(t, (path) =>
    path === '/'
      ? page(
          'Home',
          ids.map((id) => `/doc?sid=${id}`),
        )
      : page(`Document ${path}`, [`/doc?sid=${ids[0]}`]),
  )
  const { stored } = await crawl(site.at('/'))
  for (const id of ids) t.ok(stored.includes(site.at(`/doc?sid=${id}`)), id)
})

t.test('short pages with much around them are pages, though missing ones are told by the same frame', async (t) => {
  const frame = Array.from({ length: 150 }, (_, i) => `menu${i}`).join(' ')
  const make = (title: string, text: string) => page(title).replace('</ul>', `</ul><p>${text}</p><p>${frame}</p>`)
  const real: Record<string, string> = {
    '/': page('Home', ['/gone', ...Array.from({ length: 8 }, (_, i) => `/item/${i}`)]),
  }
  for (let i = 0; i < 8; i++) real[`/item/${i}`] = make('Shop', `article a${i}${i} in colour c${i}`)
  const site = await serveAll(t, (path) => real[path] ?? make('Shop', 'sorry not found'))
  const { stored, of } = await crawl(site.at('/'), { concurrency: 1 })
  t.equal(await of(site.at('/gone')), 'soft-404')
  for (let i = 0; i < 8; i++) t.ok(stored.includes(site.at(`/item/${i}`)), `item ${i}`)
})

t.test('a redirect chain of start addresses ends where the site ends', async (t) => {
  const site = await serveSite(t, { '/': redirect('/home'), '/home': page('Home') })
  const { stored } = await crawl(site.at('/'))
  t.same(stored, [site.at('/home')])
})

t.test('credentials in addresses of any scheme are kept nowhere', async (t) => {
  const secrets = ['http://u:hush1@127.0.0.1:1/', 'ftp://u:hush2@files.test/x', 'sftp://u:hush3@files.test/x']
  const site = await serveSite(t, {
    '/': page('Home', secrets),
    '/to': redirect('ftp://u:hush4@files.test/'),
    '/too': redirect('http://u:hush5@127.0.0.1:1/'),
    '/robots.txt': (_request, response) => void response.end('Sitemap: http://u:hush6@127.0.0.1:1/\n'),
  })
  const actions: unknown[] = []
  const { events, report, workload } = await crawl(
    [site.at('/'), site.at('/to'), site.at('/too'), site.at('/').replace('http://', 'http://u:hush7@')],
    { onAction: (action) => actions.push(action) },
  )
  const kept = await workload.listSkipped(100)
  t.ok(kept.length >= 2)
  for (const seed of ['http://u:hush8@[bad', 'http//u:hush9@x', 'ftp://u:hush@files.test/']) {
    const error = await crawl(seed).catch((error: Error) => error.message)
    t.match(error, /no start address|cannot be crawled/)
    t.notMatch(error, /hush/)
  }
  t.notMatch(JSON.stringify([events, report, actions, kept]), /hush/)
})
