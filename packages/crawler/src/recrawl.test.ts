import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { IndexReader, IndexSearcher, Term, TermQuery } from '@spindle/index'
import t, { type Test } from 'tap'
import { Crawl, type CrawlSettings } from './crawl.js'
import { formatReport } from './report/crawl-report.js'
import { MAX_MISSES } from './revisit.js'
import { PROOFS, SAMPLE } from './sources/lastmod-trust.js'
import type { SpiderEvent } from './spider-events.js'
import { page, type Route, serveSite, type TestSite } from './test-support/test-site.js'

/** What the site answers now; a test changes it between crawls. */
interface Content {
  title?: string
  status?: number
  headers?: Record<string, string>
  links?: string[]
  /** Answers a conditional request; undefined to answer in full. */
  onCondition?: (request: IncomingMessage) => { headers?: Record<string, string>; body?: string } | undefined
  /** A 304 whatever is asked. */
  always304?: boolean
}

interface Seen {
  readonly path: string
  readonly etag: string | undefined
  readonly since: string | undefined
}

class Site {
  readonly contents: Record<string, Content>
  readonly seen: Seen[] = []
  site!: TestSite
  readonly data: string
  /** Answers by path that are no pages. */
  readonly raw: Record<string, () => string> = {}

  constructor(contents: Record<string, Content>, data: string) {
    this.contents = contents
    this.data = data
  }

  static async serve(t: Test, contents: Record<string, Content>, more: readonly string[] = []): Promise<Site> {
    const site = new Site(contents, join(t.testdir(), 'data'))
    const routes: Record<string, Route> = {}
    for (const path of [...Object.keys(contents), ...more, '/map.xml']) {
      routes[path] = (request, response) => {
        const { 'if-none-match': etag, 'if-modified-since': since } = request.headers
        site.seen.push({ path, etag, since })
        const raw = site.raw[path]
        if (raw !== undefined) return void response.writeHead(200).end(raw())
        const content = site.contents[path]
        if (content === undefined) return void response.writeHead(404).end()
        const condition = etag === undefined && since === undefined ? undefined : content.onCondition?.(request)
        if (condition !== undefined || content.always304 === true) {
          response.writeHead(304, condition?.headers ?? {})
          const { socket } = response
          return void response.end(() => condition?.body !== undefined && socket?.write(condition.body))
        }
        const headers = { 'content-type': 'text/html; charset=utf-8', ...content.headers }
        response.writeHead(content.status ?? 200, headers)
        // No two pages are the same.
        response.end(`${page(content.title ?? path, content.links ?? [])}<!-- ${path} -->`)
      }
    }
    site.site = await serveSite(t, routes)
    return site
  }

  async crawl(settings: Partial<CrawlSettings> = {}) {
    this.seen.length = 0
    const crawl = await Crawl.open({ data: this.data })
    try {
      const report = await crawl.run({ seeds: [this.site.at('/')], delay: 0, retryDelay: 1, ...settings })
      return { report, pages: crawl.state.pages }
    } finally {
      await crawl.close()
    }
  }

  recrawl(settings: Partial<CrawlSettings> = {}) {
    return this.crawl({ recrawl: {}, ...settings })
  }

  asked(path: string): Seen[] {
    return this.seen.filter((seen) => seen.path === path)
  }

  /** Titles of the index by path. */
  async indexed(): Promise<Record<string, string>> {
    const reader = await IndexReader.open(join(this.data, 'index'))
    const titles: [string, string][] = []
    for (const segment of reader.segments) {
      for (let id = 0; id < segment.maxDoc; id++) {
        if (segment.liveDocs?.get(id) === false) continue
        const document = await segment.document(id)
        titles.push([new URL(document.get('url') ?? '').pathname, document.get('title') ?? ''])
      }
    }
    await reader.close()
    return Object.fromEntries(titles.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

const notModified = () => ({})

t.test('a recrawl fetches with validators and indexes only what has changed', async (t) => {
  const past = new Date(Date.now() - 86_400_000).toUTCString()
  const future = new Date(Date.now() + 86_400_000).toUTCString()
  const links = [
    '/strong',
    '/weak',
    '/date',
    '/future',
    '/odd',
    '/plain',
    '/changed',
    '/gone',
    '/moved',
    '/left',
    '/dated',
  ]
  const site = await Site.serve(
    t,
    {
      '/': { links },
      '/strong': { headers: { etag: '"abc"' }, onCondition: notModified },
      '/weak': { headers: { etag: 'W/"abc"' }, onCondition: () => ({ headers: { etag: '"abc"' } }) },
      '/date': { headers: { 'last-modified': past }, onCondition: notModified },
      '/future': { headers: { 'last-modified': future }, onCondition: notModified },
      '/odd': { headers: { etag: 'no quotes', 'last-modified': 'yesterday' }, onCondition: notModified },
      '/plain': {},
      '/changed': { title: 'old', headers: { etag: '"1"', 'last-modified': past } },
      '/gone': {},
      '/moved': {},
      '/left': {},
      // A site whose clock is a day late is asked by its own clock.
      '/dated': { headers: { 'last-modified': past, date: new Date(Date.now() - 2 * 86_400_000).toUTCString() } },
    },
    ['/new'],
  )
  await site.crawl()
  const before = await site.indexed()
  t.same(Object.keys(before), ['/', ...links].toSorted())
  const records = await recordsOf(site.data)
  site.contents['/changed'] = { title: 'new', headers: { etag: '"2"' }, links: ['/new'] }
  site.contents['/gone'] = { status: 410 }
  site.contents['/moved'] = { status: 301, headers: { location: '/plain' } }
  site.contents['/new'] = { title: 'fresh' }
  const { report, pages } = await site.recrawl()
  t.same({ ...report.complete }, { unchanged: 9, fetched: 2, redirect: 1 })
  t.equal(report.removed, 2)
  const { '/gone': _gone, '/moved': _moved, ...rest } = before
  t.same(await site.indexed(), { ...rest, '/changed': 'new', '/new': 'fresh' })
  t.equal(pages, 11)
  t.equal(await recordsOf(site.data), records + 4, 'two pages, two removals; what has not changed is not written again')
  const conditions = Object.fromEntries(site.seen.map(({ path, etag, since }) => [path, [etag, since]]))
  t.same(conditions['/strong'], ['"abc"', undefined])
  t.same(conditions['/weak'], ['W/"abc"', undefined])
  t.same(conditions['/date'], [undefined, past])
  t.same(conditions['/future'], [undefined, undefined], 'a date in the future is no validator')
  t.same(conditions['/odd'], [undefined, undefined])
  t.same(conditions['/changed'], ['"1"', past])
  t.same(conditions['/dated'], [undefined, undefined])
  t.same(conditions['/new'], [undefined, undefined])
  // Once more, with nothing to do.
  const again = await site.recrawl()
  t.equal(again.report.removed, 0)
  t.equal(await recordsOf(site.data), records + 4)
  t.same(await site.indexed(), { ...rest, '/changed': 'new', '/new': 'fresh' })
})

t.test('a page that is missing stays until the third generation in a row', async (t) => {
  const site = await Site.serve(t, { '/': { links: ['/a', '/b', '/c'] }, '/a': {}, '/b': {}, '/c': {} })
  await site.crawl()
  const all = await site.indexed()
  const { '/b': b } = site.contents
  delete site.contents['/a']
  delete site.contents['/b']
  for (let generation = 1; generation < MAX_MISSES; generation++) {
    site.contents['/c'] = { status: 500 }
    const { report, pages } = await site.recrawl({ retryDelay: 1 })
    t.equal(report.error['http-404'], 2)
    t.equal(report.error['http-500'], 1)
    t.equal(pages, 4)
    t.same(await site.indexed(), all, `generation ${generation}`)
  }
  site.contents['/b'] = b!
  const { report } = await site.recrawl()
  t.equal(report.removed, 1)
  const { '/a': _, ...left } = all
  t.same(await site.indexed(), left, 'b came back in time, and an outage is no answer')
  delete site.contents['/b']
  await site.recrawl()
  t.same(await site.indexed(), left, 'the count began anew')
})

t.test('odd answers of the kind 304 are asked again without validators', async (t) => {
  const headers = { etag: '"1"' }
  const site = await Site.serve(t, {
    '/': { links: ['/other-tag', '/body', '/robots', '/never', '/after'] },
    '/other-tag': { headers, onCondition: () => ({ headers: { etag: '"2"' } }) },
    '/body': { headers, onCondition: () => ({ headers: { 'content-length': '10' }, body: '0123456789' }) },
    '/robots': { headers, onCondition: () => ({ headers: { 'x-robots-tag': 'noindex' } }) },
    '/never': { always304: true },
    '/after': {},
  })
  const first = await site.crawl()
  t.equal(first.report.error['http-304'], 1, 'not modified, but nothing was there')
  t.equal(site.asked('/never').length, 3)
  site.contents['/robots']!.headers = { ...headers, 'x-robots-tag': 'noindex' }
  site.contents['/other-tag']!.title = 'changed'
  const { report } = await site.recrawl()
  t.same({ ...report.complete }, { unchanged: 3, fetched: 1, noindex: 1 })
  t.same(
    site.asked('/other-tag').map(({ etag }) => etag),
    ['"1"', undefined],
  )
  t.equal(site.asked('/body').length, 1)
  const titles = await site.indexed()
  t.equal(titles['/other-tag'], 'changed')
  t.notOk('/robots' in titles, 'a header of a 304 counts')
  t.ok('/body' in titles)
})

t.test('what the rules of the crawl leave out now leaves the index, too', async (t) => {
  let robots = ''
  const site = await Site.serve(t, {
    '/': { links: ['/a/1', '/b/1'] },
    '/a/1': {},
    '/b/1': { links: ['/b/2'] },
    '/b/2': {},
  })
  const rules = {
    rulesFor: async () => ({
      status: 'found' as const,
      sitemaps: [],
      isAllowed: (url: string) => robots === '' || !url.includes(robots),
    }),
  }
  await site.crawl({ robots: rules as never })
  t.same(Object.keys(await site.indexed()), ['/', '/a/1', '/b/1', '/b/2'])
  robots = '/a/'
  const { report } = await site.recrawl({ robots: rules as never, maxDepth: 1 })
  t.same([report.skipped.robots, report.skipped['too-deep']], [1, 1])
  t.equal(site.asked('/b/2').length, 0)
  t.same(Object.keys(await site.indexed()), ['/', '/b/1'])
  robots = ''
  await site.recrawl({ robots: rules as never })
  t.same(Object.keys(await site.indexed()), ['/', '/a/1', '/b/1', '/b/2'], 'and comes back with them')
})

t.test('a recrawl that was stopped goes on; only what is old enough is due', async (t) => {
  const links = Array.from({ length: 30 }, (_, i) => `/${i}`)
  const site = await Site.serve(t, { '/': { links }, ...Object.fromEntries(links.map((path) => [path, {}])) })
  await site.crawl()
  const stop = new AbortController()
  const asked = new Set<string>()
  const { report } = await site.recrawl({
    concurrency: 1,
    signal: stop.signal,
    completePage({ url }) {
      asked.add(url)
      if (asked.size === 10) stop.abort()
    },
  })
  t.equal(report.reason, 'stopped')
  t.equal(Object.keys(await site.indexed()).length, 31, 'what waits again can still be found')
  const rest = await site.recrawl()
  t.equal(rest.report.reason, 'finished')
  t.equal(rest.report.fetched, 31 - asked.size, 'the same generation, no page twice')
  for (const { path } of site.seen) t.notOk(asked.has(site.site.at(path)), path)
  const young = await site.recrawl({ recrawl: { olderThan: 3_600_000 } })
  t.equal(young.report.fetched, 0)
  const all = await site.recrawl()
  t.equal(all.report.fetched, 31)
})

t.test('where much of a host is gone at once its pages stay until that is accepted', async (t) => {
  const links = Array.from({ length: 40 }, (_, i) => `/${i}`)
  const site = await Site.serve(t, { '/': { links }, ...Object.fromEntries(links.map((path) => [path, {}])) })
  const host = site.site.host
  const set = (count: number, content: Content) => {
    for (const path of links.slice(0, count)) site.contents[path] = content
  }
  await site.crawl()
  set(8, { status: 410 })
  const few = await site.recrawl()
  t.equal(few.report.removed, 8, 'a fifth may go')
  t.same(few.report.held, {})
  t.equal(Object.keys(await site.indexed()).length, 33)
  set(20, { status: 410 })
  const events: SpiderEvent[] = []
  const much = await site.recrawl({ onEvent: (event) => events.push(event) })
  t.same([much.report.removed, much.report.error['http-410']], [0, 20])
  t.same(much.report.held, { [host]: { vanished: 12, pages: 33 } })
  t.match(
    events.filter(({ type }) => type === 'held'),
    [{ type: 'held', host, vanished: 12, pages: 33 }],
  )
  t.match(formatReport(much.report), /held: 127\.0\.0\.1:\d+ +12 +of 33 pages are gone at once: .*--accept-removals/)
  t.equal(Object.keys(await site.indexed()).length, 33)
  t.same((await site.crawl()).report.held, much.report.held, 'a crawl that goes on changes nothing')
  set(10, {})
  const back = await site.recrawl()
  t.same(back.report.held, {}, 'half of them are back, and not too many are left')
  t.equal(back.report.removed, 10)
  t.equal(Object.keys(await site.indexed()).length, 31)
  set(30, { status: 500 })
  const down = await site.recrawl()
  t.same([down.report.removed, down.report.held], [0, {}], 'a server in trouble says nothing')
  set(30, { status: 451 })
  t.equal((await site.recrawl()).report.removed, 0)
  t.equal(Object.keys(await site.indexed()).length, 31)
  t.equal((await site.crawl({ acceptRemovals: true })).report.removed, 20)
  t.equal(site.seen.length, 0, 'nothing is asked for that')
  t.equal(Object.keys(await site.indexed()).length, 11)
})

t.test('a robots.txt that closes a whole site does not empty the index', async (t) => {
  const links = Array.from({ length: 20 }, (_, i) => `/${i}`)
  const site = await Site.serve(t, { '/': { links }, ...Object.fromEntries(links.map((path) => [path, {}])) })
  const closed = { rulesFor: async () => ({ status: 'found', sitemaps: [], isAllowed: () => false }) }
  await site.crawl()
  const { report } = await site.recrawl({ robots: closed as never })
  t.same(report.held, { [site.site.host]: { vanished: 21, pages: 21 } })
  t.equal(Object.keys(await site.indexed()).length, 21)
  await site.recrawl({ robots: closed as never, acceptRemovals: true })
  t.same(await site.indexed(), {})
})

t.test('a page whose lastmod is older than its copy is left alone, within bounds', async (t) => {
  const paths = Array.from({ length: 40 }, (_, i) => `/${i}`)
  const lastmod = new Map(paths.map((path) => [path, '2001-01-01']))
  const contents = Object.fromEntries(
    paths.map((path): [string, Content] => [path, { title: 'old', links: ['/linked'] }]),
  )
  const site = await Site.serve(t, { '/': {}, '/linked': {}, ...contents })
  const sitemap = () =>
    `<urlset>${[...lastmod].map(([path, date]) => `<url><loc>${site.site.at(path)}</loc><lastmod>${date}</lastmod></url>`).join('')}</urlset>`
  site.contents['/map.xml'] = {}
  const rules = { status: 'found', isAllowed: () => true, sitemaps: ['/map.xml'] }
  const settings = { robots: { rulesFor: async () => rules } as never, concurrency: 1 }
  site.raw['/map.xml'] = sitemap
  await site.crawl(settings)
  t.equal(Object.keys(await site.indexed()).length, 42)
  const changed = '/17'
  site.contents[changed] = { title: 'new' }
  lastmod.set(changed, new Date().toISOString())
  const { report, pages } = await site.recrawl(settings)
  const alone = report.complete['sitemap-unchanged'] ?? 0
  t.ok(alone >= 20, `${alone} of ${paths.length} left alone`)
  t.ok(40 - alone > PROOFS, 'some are asked all the same')
  t.equal(site.seen.length, 43 - alone)
  t.equal(site.asked(changed).length, 1)
  t.equal(pages, 42)
  t.equal((await site.indexed())[changed], 'new')
  t.equal((await site.indexed())['/3'], 'old')
  t.equal(report.removed, 0)
  // No page is left alone for ever.
  const asked = new Set<string>()
  for (let i = 1; i < SAMPLE; i++) {
    await site.recrawl(settings)
    for (const { path } of site.seen) asked.add(path)
  }
  t.ok(asked.size > 20, `${asked.size} asked in ${SAMPLE - 1} recrawls`)
  // The sitemap says nothing of a change: the first page that shows it ends the trust.
  for (const path of paths) site.contents[path] = { title: 'changed in silence' }
  await site.recrawl(settings)
  t.equal(site.seen.length, 43, 'all were asked')
  const titles = await site.indexed()
  t.ok(paths.every((path) => titles[path] === 'changed in silence'))
  // A sitemap that is gone vouches for nothing.
  site.contents['/map.xml'] = { status: 404 }
  delete site.raw['/map.xml']
  t.equal((await site.recrawl(settings)).report.complete['sitemap-unchanged'], undefined)
})

t.test('the index built anew from the stored pages is the same', async (t) => {
  const site = await Site.serve(t, { '/': { links: ['/a', '/b'] }, '/a': { title: 'alpha' }, '/b': { title: 'beta' } })
  await site.crawl()
  site.contents['/a'] = { title: 'gamma' }
  site.contents['/b'] = { status: 410 }
  await site.recrawl()
  const live = await site.indexed()
  t.same(live, { '/': '/', '/a': 'gamma' })
  const { rm } = await import('node:fs/promises')
  await rm(join(site.data, 'index'), { recursive: true })
  await site.crawl()
  t.same(await site.indexed(), live)
  const searcher = await IndexSearcher.open(join(site.data, 'index'))
  t.equal((await searcher.search(new TermQuery(new Term('title', 'beta')))).length, 0)
  await searcher.close()
})

/** Records in the page store, as the frontier knows. */
async function recordsOf(data: string): Promise<number> {
  const { SqliteWorkload } = await import('./frontier/sqlite-workload.js')
  const workload = await SqliteWorkload.open(join(data, 'frontier', 'frontier.db'))
  const records = Number(workload.meta('pages.sequence'))
  await workload.close()
  return records
}
