/** H1–H3, H5–H8 of hostile servers: redirects. The spider follows them, each hop by its own rules. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { MemoryWorkload } from '../frontier/memory-workload.js'
import { Spider } from '../spider.js'
import type { SpiderOptions } from '../spider-options.js'
import { page, redirect, serveSite } from '../test-support/test-site.js'
import { type Handler, httpServer, localFetcher, rawServer, tcpServer } from './test-support/servers.js'

/** Crawls without a delay. @returns how each address ended */
async function crawl(seeds: readonly string[], options: Partial<SpiderOptions> = {}) {
  const workload = new MemoryWorkload()
  const report = await new Spider({ seeds, workload, delay: 0, retryDelay: 1, site: 'any', ...options }).start()
  const ended = async (url: string) => (await workload.get(url))?.disposition
  return { report, ended, workload }
}

t.test('H1, H2: circles and endless rows of redirects', async (t) => {
  const site = await serveSite(t, {
    '/self': redirect('/self'),
    '/a': redirect('/b'),
    '/b': redirect('/a'),
    '/after': page('a page that comes after all of them'),
    ...Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`/r?${i}`, redirect(`/r?${i + 1}`)])),
  })
  const { report, ended } = await crawl(['/self', '/a', '/r?0', '/after'].map((path) => site.at(path)))
  t.equal(await ended(site.at('/self')), 'redirect-loop')
  t.equal(await ended(site.at('/b')), 'redirect-loop')
  t.equal(await ended(site.at('/r?10')), 'redirect-limit')
  t.equal(site.paths().filter((path) => path.startsWith('/r?')).length, 11, '11 requests at most')
  t.equal(site.paths().filter((path) => path === '/self').length, 1)
  t.equal(report.pages, 1, 'no such address is a page')
})

t.test('H3, H5: redirects to addresses of this machine and to other schemes', async (t) => {
  const victim = await tcpServer(t)
  const secret = join(t.testdir({}), 'secret.txt')
  writeFileSync(secret, 'secret')
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:7f00:1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
  ]
  const targets = hosts.map((host) => `http://${host.startsWith('[') ? host : encodeURI(host)}:${victim.port}/`)
  targets.push('http://10.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'http://[fd00::1]/')
  const schemes = [
    pathToFileURL(secret).href,
    'data:text/html,x',
    'javascript:alert(1)',
    'ftp://127.0.0.1/',
    'gopher://127.0.0.1/',
  ]
  const site = await serveSite(t, {
    ...Object.fromEntries(targets.map((target, i) => [`/address${i}`, redirect(target)])),
    ...Object.fromEntries(schemes.map((target, i) => [`/scheme${i}`, redirect(target)])),
    '/link': page('links to a file', [pathToFileURL(secret).href]),
  })
  const seeds = [...targets.map((_, i) => `/address${i}`), ...schemes.map((_, i) => `/scheme${i}`), '/link']
  const { report, ended, workload } = await crawl(seeds.map((path) => site.at(path)))
  for (const target of targets) t.equal(await ended(new URL(decodeURI(target)).href), 'blocked-address', target)
  for (const [i, scheme] of schemes.entries())
    t.equal(await ended(site.at(`/scheme${i}`)), 'unsupported-scheme', scheme)
  t.equal(victim.connections(), 0)
  t.equal(report.pages, 1, 'the page with the link alone')
  t.match(await workload.getSkipped(pathToFileURL(secret).href), { reason: 'other-scheme' })
})

t.test('H5: also where files are a part of the crawl, pages of the web lead to none', async (t) => {
  const folder = t.testdir({ 'index.html': '<title>Local</title>', 'other.html': '<title>Other</title>' })
  const other = pathToFileURL(join(folder, 'other.html')).href
  const site = await serveSite(t, {
    '/': page('web', [other], `<link rel="canonical" href="${other}">`),
    '/moved': redirect(other),
    '/refresh': page('refresh', [], `<meta http-equiv="refresh" content="0; url=${other}">`),
    '/robots.txt': redirect(other),
  })
  const seeds = [site.at('/'), site.at('/moved'), site.at('/refresh'), `${pathToFileURL(folder).href}/`]
  const { ended } = await crawl(seeds, { site: 'host' })
  t.equal(await ended(`${pathToFileURL(folder).href}/`), 'fetched')
  t.equal(await ended(site.at('/')), 'fetched')
  t.equal(await ended(site.at('/moved')), 'unsupported-scheme')
  t.equal(await ended(other), undefined)
})

t.test('H6: scope, robots and settings are those of the host that a redirect leads to', async (t) => {
  const target = await serveSite(t, { '/robots.txt': 'User-agent: *\nDisallow: /private', '/': page('Target') })
  const site = await serveSite(t, { '/': redirect(target.at('/private')), '/off': redirect('http://elsewhere.test/') })
  const seeds = [site.at('/'), site.at('/off'), target.at('/')]
  const { ended, workload } = await crawl(seeds, { site: 'host' })
  t.equal(await ended(target.at('/private')), 'robots')
  t.notOk(target.paths().includes('/private'))
  t.match(await workload.getSkipped('http://elsewhere.test/'), { reason: 'off-host' })

  const seen: string[] = []
  const origin = await httpServer(t, (request, response) => {
    const { authorization = '-', cookie = '-', 'x-key': key = '-' } = request.headers
    seen.push(`${authorization} ${cookie} ${String(key)}`)
    response.writeHead(302, { location: `http://127.0.0.2:1/`, 'set-cookie': 'sid=1' }).end()
  })
  const { port } = new URL(origin)
  const headers = { cookie: 'fixed=1', 'x-key': 'k' }
  const sites = new Map([[origin, { auth: { user: 'me', password: 'pw' }, headers }]])
  const fetcher = localFetcher(t, {
    sites,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  await fetcher.fetch(`${origin}/`)
  await fetcher.fetch(`${origin}/`)
  await fetcher.fetch(`http://other.test:${port}/`)
  t.strictSame(
    seen,
    ['Basic bWU6cHc= fixed=1 k', 'Basic bWU6cHc= fixed=1; sid=1 k', '- - -'],
    'what was set for one origin, and its cookies, go nowhere else',
  )
})

t.test('H7: redirects that lead nowhere', async (t) => {
  const site = await serveSite(t, {
    '/none': (_request, response) => void response.writeHead(302).end(),
    '/empty': redirect(''),
    '/malformed': redirect('http://[bad'),
  })
  const { ended } = await crawl(['/none', '/empty', '/malformed'].map((path) => site.at(path)))
  for (const path of ['/none', '/empty', '/malformed']) t.equal(await ended(site.at(path)), 'bad-redirect', path)
})

t.test('H7, H8: redirects are returned, not followed; a broken body does no harm', async (t) => {
  const to = (location: string | undefined, body = 'moved'): Handler => {
    return (_request, response) => response.writeHead(302, location === undefined ? {} : { location }).end(body)
  }
  const origin = await httpServer(t, {
    '/relative': to('../b/./c#top'),
    '/scheme-relative': to('//example.org/x'),
    '/file': to('file:///etc/passwd'),
    '/malformed': to('http://[bad'),
    '/empty': to(''),
    '/none': to(undefined),
    '/big': to('/target', 'x'.repeat(5 << 20)),
    '/broken': (_request, response) => {
      response.writeHead(302, { location: '/target', 'content-length': '1000', 'content-encoding': 'nonsense' })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    },
  })
  const fetcher = localFetcher(t)
  const location = async (path: string) => (await fetcher.fetch(`${origin}/${path}`)).location
  t.equal(await location('relative'), `${origin}/b/c`)
  t.equal(await location('scheme-relative'), 'http://example.org/x')
  t.equal(await location('file'), 'file:///etc/passwd', 'the scope decides about it')
  t.equal(await location('malformed'), undefined)
  t.equal(await location('empty'), undefined)
  t.equal(await location('none'), undefined)
  t.equal(await location('big'), `${origin}/target`)
  t.equal(await location('broken'), `${origin}/target`, 'a redirect needs no body')

  const raw = await rawServer(t, (socket, connection) => {
    const path = connection === 1 ? '/页' : Buffer.from([0x2f, 0xd2, 0xb3])
    socket.write('HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nConnection: close\r\nLocation: ')
    socket.write(path)
    socket.end('\r\n\r\n')
  })
  t.equal((await fetcher.fetch(raw)).location, `${raw}%E9%A1%B5`, 'raw UTF-8')
  t.equal((await fetcher.fetch(raw)).location, `${raw}%D2%B3`, 'raw bytes of another encoding stay those bytes')
})
