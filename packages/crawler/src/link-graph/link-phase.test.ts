/** What links say of pages, from real crawls of sites on loopback: link texts, ranks, and that only the set of pages decides. */
import { appendFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PageField } from '@spindle/core'
import { IndexReader } from '@spindle/index'
import t from 'tap'
import { Crawl, type CrawlPlace, type CrawlSettings } from '../crawl.js'
import type { SpiderEvent } from '../spider-events.js'
import { type Route, redirect, serveSite } from '../test-support/test-site.js'
import type { LinkReport } from './link-phase.js'

/** What the index has of a page by its links. */
interface Linked {
  readonly anchor: readonly string[]
  readonly pageRank: number | undefined
  readonly hub: number | undefined
  readonly authority: number | undefined
}

async function run(place: CrawlPlace, seeds: readonly string[], more: Partial<CrawlSettings> = {}) {
  const events: SpiderEvent[] = []
  const crawl = await Crawl.open(place)
  try {
    await crawl.run({ seeds, delay: 0, retryDelay: 1, onEvent: (event) => events.push(event), ...more })
  } finally {
    await crawl.close()
  }
  return events.filter((event) => event.type === 'linked') as LinkReport[]
}

/** By path. */
async function linked(data: string): Promise<Map<string, Linked>> {
  const reader = await IndexReader.open(join(data, 'index'))
  const found = new Map<string, Linked>()
  for (const segment of reader.segments) {
    const columns = await Promise.all(
      [PageField.pageRank, PageField.hub, PageField.authority].map((field) => segment.docValues(field)),
    )
    for (let doc = 0; doc < segment.maxDoc; doc++) {
      if (segment.liveDocs?.get(doc) === false) continue
      const document = await segment.document(doc)
      const [pageRank, hub, authority] = columns.map((column) => column?.numbers(doc)[0])
      const anchor = document.get(PageField.anchor)?.split('\n') ?? []
      found.set(new URL(document.get(PageField.url)!).pathname, { anchor, pageRank, hub, authority })
    }
  }
  await reader.close()
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function html(title: string, body: string, head = ''): string {
  return `<!doctype html><title>${title}</title>${head}<h1>${title}</h1><p>Text of ${title}, which is long enough to be one.</p>${body}`
}

const a = (href: string, text: string, more = '') => `<a href="${href}"${more}>${text}</a>`

/** A site with most things that can befall a link. */
function oddSite(): Record<string, Route> {
  const menu = [a('/', 'Start'), a('/about', 'Wer wir sind'), a('/2', 'next')].join(' ')
  const routes: Record<string, Route> = {
    '/': html(
      'Silk',
      menu +
        a('/silk', 'the spinning of silk') +
        a('/old', 'history of the wheel') +
        a('/hidden', 'not to be followed', ' rel="nofollow"') +
        a('/loom.html?utm_source=start', 'looms') +
        a('/many', 'a list of all'),
    ),
    '/about': html('About us', menu + a('/silk', '丝绸的历史') + a('/about', 'myself')),
    '/silk': html('Silk making', menu + a('/silk#dye', 'dyeing') + a('/wheel', '下一页')),
    '/old': redirect('/older', 301),
    '/older': redirect('/wheel', 302),
    '/wheel': html('The wheel', menu + a('/silk', 'Silk making') + a('/silk', 'silk')),
    '/hidden': html('Hidden', menu),
    '/loom.html': html('Loom', menu + a('/noindex', 'hidden from the index')),
    '/noindex': html(
      'Private',
      menu + a('/wheel', 'a word of the hidden page'),
      '<meta name="robots" content="noindex">',
    ),
    '/nofollow': html('Quiet', menu + a('/silk', 'never heard'), '<meta name="robots" content="nofollow">'),
    '/many': html(
      'Many',
      menu + a('/nofollow', 'quiet page') + Array.from({ length: 40 }, (_, i) => a(`/p${i}`, 'common words')).join(' '),
    ),
    '/2': html('Second', menu + a('/silk', '12') + a('/wheel', 'http://wheel.example/')),
  }
  for (let i = 0; i < 40; i++) routes[`/p${i}`] = html(`Page ${i}`, menu + a(`/p${(i + 1) % 40}`, `unlike ${i}`))
  return routes
}

t.test('pages are known by what others call them', async (t) => {
  const site = await serveSite(t, oddSite())
  const data = t.testdir()
  const [report] = await run({ data }, [site.at('/')])
  const found = await linked(data)
  t.same(found.get('/silk')?.anchor, ['the spinning of silk', '丝绸的历史'], 'not what the title says, nor a number')
  t.same(found.get('/wheel')?.anchor, ['a word of the hidden page', 'history of the wheel'], 'by way of redirects')
  t.same(found.get('/loom.html')?.anchor, ['looms'], 'without tracking parameters')
  t.same(found.get('/about')?.anchor, ['Wer wir sind'])
  t.same(found.get('/2')?.anchor, [], 'words for finding one’s way')
  t.same(found.get('/nofollow')?.anchor, ['quiet page'])
  t.same(found.get('/p3')?.anchor, ['unlike 2'], 'what a site calls many pages tells none of them apart')
  t.notOk(found.has('/hidden'))
  t.notOk(found.has('/noindex'))
  t.equal(report?.pages, found.size + 1)
  const rank = (path: string) => found.get(path)!.pageRank!
  t.ok(rank('/wheel') > rank('/loom.html'), 'two links count more than one')
  t.ok(rank('/about') > rank('/p3'))
  const mean = [...found.values()].reduce((sum, { pageRank }) => sum + pageRank!, 0) / found.size
  t.ok(mean > 0.9 && mean < 1.1, `mean ${mean}`)
  const hubs = [...found].sort((x, y) => (y[1].hub ?? 0) - (x[1].hub ?? 0))
  t.equal(hubs[0]?.[0], '/many', 'the page that lists the others')
  t.equal(found.get('/nofollow')?.hub, undefined)
  t.same(readdirSync(join(data, 'links')), ['links.log'])
  // Nothing has changed: nothing is done.
  t.same(await run({ data }, []), [])
})

t.test(
  'only the set of pages decides, not their order, nor how often the crawl was stopped or its files were lost',
  async (t) => {
    const site = await serveSite(t, oddSite())
    const dir = t.testdir()
    const whole = join(dir, 'whole')
    await run({ data: whole }, [site.at('/')])
    const expected = await linked(whole)
    const deep = join(dir, 'deep')
    const { depthFirst } = await import('../frontier/crawl-order.js')
    await run({ data: deep }, [site.at('/')], { order: depthFirst, ordered: true })
    t.same(await linked(deep), expected, 'another order')
    const pieces = join(dir, 'pieces')
    let phases = 0
    for (let pages = 7; pages < 60; pages += 9) {
      phases += (await run({ data: pieces }, [site.at('/')], { maxPages: pages })).length
      // The log is torn, foreign or gone.
      const log = join(pieces, 'links', 'links.log')
      if (pages % 2 === 0) appendFileSync(log, Buffer.alloc(100, 7))
      else if (pages % 3 === 0) writeFileSync(log, 'rubbish')
      else rmSync(log)
    }
    await run({ data: pieces }, [site.at('/')])
    t.ok(phases > 3, `${phases} times`)
    t.same(await linked(pieces), expected, 'in pieces')
    const late = join(dir, 'late')
    await run({ data: late, index: false }, [site.at('/')])
    await run({ data: late }, [])
    t.same(await linked(late), expected, 'indexed later')
    const again = await Crawl.open({ data: pieces })
    try {
      await again.compact({ force: true })
      rmSync(join(pieces, 'links', 'links.log'))
      await again.applyLinks(undefined, true)
      t.same(await linked(pieces), expected, 'compacted')
      await again.reindex({ parse: undefined })
      t.same(await linked(pieces), expected, 'indexed anew')
    } finally {
      await again.close()
    }
  },
)

t.test('a recrawl changes what links say', async (t) => {
  let version = 1
  const changing: Route = (_request, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(
        version === 1
          ? html('Start', a('/silk', 'soft thread') + a('/wool', 'of the sheep'))
          : html('Start', a('/silk', 'from the worm') + a('/moved', 'of the sheep') + a('/wool', 'Wool')),
      )
  const gone: Route = (_request, response) => {
    if (version === 1)
      response.writeHead(200, { 'content-type': 'text/html' }).end(html('Wool', a('/silk', 'its rival')))
    else response.writeHead(301, { location: '/felt' }).end()
  }
  const site = await serveSite(t, {
    '/': changing,
    '/silk': html('Silk', ''),
    '/wool': gone,
    '/moved': redirect('/felt'),
    '/felt': html('Felt', ''),
  })
  const data = t.testdir()
  await run({ data }, [site.at('/')])
  const before = await linked(data)
  t.same(before.get('/silk')?.anchor, ['its rival', 'soft thread'])
  t.same(before.get('/wool')?.anchor, ['of the sheep'])
  version = 2
  const [report] = await run({ data }, [site.at('/')], { recrawl: {} })
  const after = await linked(data)
  t.same([...after.keys()], ['/', '/felt', '/silk'])
  t.same(after.get('/silk')?.anchor, ['from the worm'])
  t.same(after.get('/felt')?.anchor, ['Wool', 'of the sheep'])
  t.equal(report?.renewed, 2)
  const fresh = join(t.testdir({}), 'fresh')
  await run({ data: fresh }, [site.at('/')])
  t.same(await linked(fresh), after, 'as a crawl that knows nothing else')
})
