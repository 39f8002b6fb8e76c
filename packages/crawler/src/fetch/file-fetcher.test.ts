/** Local files: what is read, what is not, and a crawl of a folder. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { MemoryWorkload } from '../frontier/memory-workload.js'
import { checkSeed, Spider } from '../spider.js'
import type { SpiderEvent } from '../spider-events.js'
import { page, serveSite } from '../test-support/test-site.js'
import { ByteBudget } from './byte-budget.js'
import { Fetcher } from './fetcher.js'
import { ENTRIES_PER_PAGE } from './file-fetcher.js'
import { localAddress } from './local-address.js'
import { failure, localFetcher } from './test-support/servers.js'

function urlOf(path: string): string {
  return pathToFileURL(path).href
}

/** A fetcher for the files below a folder. */
function folderFetcher(t: Test, folder: string): Fetcher {
  return localFetcher(t, { fileRoots: () => [`${urlOf(folder)}/`], maxBody: 1_000_000 })
}

t.test('files as a web server gives them', async (t) => {
  const folder = t.testdir({
    'a page.html': '<p>页',
    'notes.md': '# Notes',
    noending: 'text',
    'big.txt': 'x'.repeat(2_000_000),
    'exact.txt': 'y'.repeat(1_000_000),
    'empty.html': '',
    sub: { 'index.html': 'index', 'x.html': 'x' },
  })
  const fetcher = folderFetcher(t, folder)
  const get = (name: string) => fetcher.fetch(`${urlOf(folder)}/${name}`)
  const result = await get('a%20page.html?query#part')
  t.match(result, { status: 200, contentType: 'text/html', charsetLabel: undefined, truncated: false })
  t.equal(result.body.toString(), '<p>页')
  t.equal((await get('notes.md')).contentType, 'text/markdown')
  t.equal((await get('noending')).contentType, '', 'the parser looks at the bytes')
  const big = await get('big.txt')
  t.strictSame([big.body.length, big.truncated], [1_000_000, true])
  const exact = await get('exact.txt')
  t.strictSame([exact.body.length, exact.truncated], [1_000_000, false])
  t.strictSame((await get('empty.html')).body.length, 0)
  for (const missing of ['missing', 'noending/x', 'sub/index.html/', 'a%2Fb', 'a%00b', 'x'.repeat(300)])
    t.equal((await get(missing)).status, 404, missing)
  t.match(await get('sub'), { status: 301, location: `${urlOf(folder)}/sub/` })
  t.equal((await get('sub/')).body.toString(), 'index')
})

t.test('conditions, as of a web server', async (t) => {
  const folder = t.testdir({ 'a.html': 'a' })
  const path = join(folder, 'a.html')
  utimesSync(path, 1_700_000_000, 1_700_000_000)
  const fetcher = folderFetcher(t, folder)
  const { headers } = await fetcher.fetch(urlOf(path))
  t.equal(headers.get('last-modified'), 'Tue, 14 Nov 2023 22:13:20 GMT')
  const ask = async (conditions: Record<string, string>) =>
    (await fetcher.fetch(urlOf(path), { headers: conditions })).status
  t.equal(await ask({ 'if-none-match': headers.get('etag')! }), 304)
  t.equal(await ask({ 'if-modified-since': headers.get('last-modified')! }), 304)
  appendFileSync(path, 'b')
  t.equal(await ask({ 'if-none-match': headers.get('etag')!, 'if-modified-since': 'x' }), 200)
})

t.test('a folder without an index page is a list of what is in it', async (t) => {
  const folder = t.testdir({ 'b & "c".html': '', '<a>.txt': '', '#1.html': '', '.hidden': '', sub: {} })
  const fetcher = folderFetcher(t, folder)
  const { body, contentType } = await fetcher.fetch(`${urlOf(folder)}/`)
  t.equal(contentType, 'text/html')
  const links = [...body.toString().matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)
  t.strictSame(
    links.map((link) => decodeURIComponent(link.slice(urlOf(folder).length + 1).replaceAll('&#38;', '&'))),
    ['#1.html', '<a>.txt', 'b & "c".html', 'sub/'],
  )
  t.match(body.toString(), '<meta name="robots" content="noindex">')
  for (const link of links) t.equal((await fetcher.fetch(link.replaceAll('&#38;', '&'))).status, 200, link)
  const many = t.testdir({})
  for (let i = 0; i < ENTRIES_PER_PAGE + 2; i++) writeFileSync(join(many, `${10_000 + i}.txt`), '')
  const pages = folderFetcher(t, many)
  const first = (await pages.fetch(`${urlOf(many)}/`)).body.toString()
  t.match(first, `href="?from=${ENTRIES_PER_PAGE}"`)
  const second = (await pages.fetch(`${urlOf(many)}/?from=${ENTRIES_PER_PAGE}`)).body.toString()
  t.equal(second.match(/href=/g)?.length, 2)
})

t.test('nothing outside of the folder, by whatever way', async (t) => {
  const place = t.testdir({ secret: { 'secret.txt': 'secret' }, root: { 'a.html': 'a', sub: { 'b.html': 'b' } } })
  const root = join(place, 'root')
  symlinkSync(join(place, 'secret'), join(root, 'out'))
  symlinkSync(join(place, 'secret', 'secret.txt'), join(root, 'index.html'))
  symlinkSync('.', join(root, 'sub', 'loop'))
  symlinkSync('../a.html', join(root, 'sub', 'a.html'))
  symlinkSync('nothing', join(root, 'dangling'))
  symlinkSync('circle', join(root, 'circle'))
  const fetcher = folderFetcher(t, root)
  const get = (name: string) => fetcher.fetch(`${urlOf(root)}/${name}`)
  for (const name of ['../secret/secret.txt', 'out/secret.txt', 'out/', 'out', 'index.html', '%2e%2e/secret/'])
    t.equal((await failure(get(name))).reason, 'blocked-address', name)
  t.equal((await failure(fetcher.fetch('file:///etc/passwd'))).reason, 'blocked-address')
  t.equal((await failure(fetcher.fetch('file://server/share/x'))).reason, 'unsupported-scheme')
  t.match((await get('')).body.toString(), 'Index of', 'its index page leads out of it')
  t.match(await get('sub/loop/'), { status: 301, location: `${urlOf(root)}/sub/` }, 'a circle is one folder')
  t.match(await get('sub/loop/loop/b.html'), { status: 301, location: `${urlOf(root)}/sub/b.html` })
  t.match(await get('sub/a.html'), { status: 301, location: `${urlOf(root)}/a.html` })
  t.equal((await get('dangling')).status, 404)
  t.equal((await get('circle')).status, 403)
  t.equal(
    (await failure(new Fetcher().fetch(urlOf(join(root, 'a.html'))))).reason,
    'unsupported-scheme',
    'without a folder',
  )
  if (spawnSync('mkfifo', [join(root, 'pipe')]).status === 0) {
    t.equal((await get('pipe')).status, 403, 'a pipe is no file, and is not waited for')
  }
  const linked = join(place, 'linked')
  symlinkSync(root, linked)
  const byLink = folderFetcher(t, linked)
  t.equal((await byLink.fetch(`${urlOf(linked)}/a.html`)).body.toString(), 'a', 'the folder itself may be a link')
  t.match(await byLink.fetch(`${urlOf(linked)}/sub/a.html`), { location: `${urlOf(linked)}/a.html` })
})

t.test('large files wait for their place', async (t) => {
  const folder = t.testdir({ 'a.txt': 'a'.repeat(800_000), 'b.txt': 'b'.repeat(800_000) })
  const fetcher = folderFetcher(t, folder)
  const budget = new ByteBudget(1_000_000)
  const first = await fetcher.fetch(`${urlOf(folder)}/a.txt`, { budget })
  let done = false
  const second = fetcher.fetch(`${urlOf(folder)}/b.txt`, { budget }).then((result) => {
    done = true
    return result
  })
  await fetcher.fetch(`${urlOf(folder)}/`)
  t.equal(done, false)
  first.release()
  const { body, release } = await second
  t.equal(body.length, 800_000)
  release()
})

t.test('start addresses', (t) => {
  const folder = t.testdir({ docs: { 'a b.html': '' } })
  const docs = join(folder, 'docs')
  t.equal(localAddress(docs), `${urlOf(docs)}/`)
  t.equal(localAddress(`${docs}/`), `${urlOf(docs)}/`)
  t.equal(localAddress(relative(process.cwd(), docs)), `${urlOf(docs)}/`)
  t.equal(localAddress(join(docs, 'a b.html')), `${urlOf(docs)}/a%20b.html`)
  t.equal(localAddress(urlOf(docs)), `${urlOf(docs)}/`)
  for (const other of ['https://example.org/', 'example.org', join(docs, 'missing'), 'file://server/x', 'ftp://x/', ''])
    t.equal(localAddress(other), undefined, other)
  t.equal(checkSeed(docs), `${urlOf(docs)}/`)
  t.throws(() => checkSeed('ftp://example.org/'), { code: 'SEED_INVALID', message: /ftp: is not supported/ })
  t.throws(() => checkSeed('file://server/share'), { code: 'SEED_INVALID' })
  t.throws(() => checkSeed('file:///no/such/file'), { code: 'SEED_INVALID', message: /file or folder that is there/ })
  t.throws(() => checkSeed('no-such-folder'), { code: 'SEED_INVALID', message: /file or folder that is there/ })
  t.end()
})

t.test('a crawl of a folder', async (t) => {
  const place = t.testdir({
    outside: { 'o.html': 'outside' },
    site: { deep: { 'leaf.txt': 'leaf' }, 'other.html': '<p>other' },
  })
  const site = join(place, 'site')
  const web = await serveSite(t, { '/': page('web') })
  const links = [
    'other.html?x=1',
    'other.html#part',
    './deep/',
    '../outside/o.html',
    web.at('/'),
    'mailto:a@b',
    'ftp://x/',
  ]
  writeFileSync(join(site, 'start.html'), page('Start', links))
  symlinkSync('.', join(site, 'deep', 'loop'))
  mkdirSync(join(site, 'empty'))
  const start = `${urlOf(site)}/start.html`
  const events: SpiderEvent[] = []
  const workload = new MemoryWorkload()
  // The delay is for hosts: were it kept here, the crawl would take a day.
  const options = { workload, delay: 10_000_000, onEvent: (event: SpiderEvent) => void events.push(event) }
  const report = await new Spider({ seeds: [start], ...options }).start()
  t.equal(report.reason, 'finished')
  const ended = async (path: string) => (await workload.get(`${urlOf(site)}/${path}`))?.disposition
  t.equal(await ended('start.html'), 'fetched')
  t.equal(await ended('other.html'), 'fetched', 'once, whatever its query')
  t.equal(await ended('deep/'), 'noindex', 'the list of a folder is no page to find')
  t.equal(await ended('deep/leaf.txt'), 'fetched')
  t.equal(await ended('deep/loop'), 'redirect')
  t.equal(await ended('empty/'), undefined, 'nothing leads there')
  const skipped = async (url: string) => (await workload.getSkipped(url))?.reason
  t.equal(await skipped(urlOf(join(place, 'outside', 'o.html'))), 'off-host')
  t.equal(await skipped(web.at('/')), 'off-host')
  t.equal(await skipped('ftp://x/'), 'other-scheme')
  t.strictSame(web.paths(), [])
  t.equal(report.pages, 4)

  rmSync(join(site, 'other.html'))
  const again = await new Spider({ seeds: [site], delay: 10_000_000 }).start()
  t.equal(again.reason, 'finished')
  t.equal(again.error['http-404'], 1, 'a link to a file that is gone')
})
