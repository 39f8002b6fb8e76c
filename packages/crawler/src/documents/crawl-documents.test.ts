import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IndexReader } from '@spindle/index'
import t, { type Test } from 'tap'
import { Crawl, type CrawlSettings } from '../crawl.js'
import type { SpiderEvent } from '../spider-events.js'
import { page, type Route, serveSite } from '../test-support/test-site.js'

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../test-data/documents/${name}`, import.meta.url))
}

function answer(body: Buffer | string, type: string): Route {
  return (_request, response) => void response.writeHead(200, { 'content-type': type }).end(body)
}

const FEED = `<rss version="2.0"><channel><title>News</title><link>/</link>
  <item><title>From the feed</title><link>/from-feed.html</link><description>quokka</description></item></channel></rss>`

const ROUTES: Record<string, Route> = {
  '/': page('Home', [
    'guide.pdf',
    'talk.pptx',
    'notes.md',
    'news.xml',
    'broken.pdf',
    'locked.docx',
    'download?id=7',
    'a.zip',
  ]),
  '/guide.pdf': answer(fixture('guide.pdf'), 'application/pdf'),
  '/talk.pptx': answer(fixture('talk.pptx'), 'application/octet-stream'),
  '/download?id=7': answer(fixture('guide.odt'), 'application/octet-stream'),
  '/notes.md': answer('# 笔记\n[next](next.html)', 'text/plain; charset=utf-8'),
  '/news.xml': answer(FEED, 'application/rss+xml'),
  '/broken.pdf': answer('%PDF-1.4 and then nothing', 'application/pdf'),
  '/locked.docx': answer(fixture('encrypted.docx'), 'application/octet-stream'),
  '/next.html': page('Next'),
  '/from-feed.html': page('Listed'),
}

interface Crawled {
  readonly endings: ReadonlyMap<string, string>
  /** type of each address in the index */
  readonly types: ReadonlyMap<string, string>
  readonly paths: readonly string[]
}

async function crawl(t: Test, settings: Partial<CrawlSettings>): Promise<Crawled> {
  const site = await serveSite(t, ROUTES)
  const data = join(t.testdir(), 'data')
  const endings = new Map<string, string>()
  const onEvent = (event: SpiderEvent): void => {
    if (event.type === 'fetched') endings.set(event.url.slice(site.origin.length), event.disposition)
    if (event.type === 'error' || event.type === 'skipped')
      endings.set(event.url.slice(site.origin.length), event.reason)
  }
  const crawl = await Crawl.open({ data })
  try {
    await crawl.run({ seeds: [site.at('/')], delay: 0, onEvent, ...settings })
  } finally {
    await crawl.close()
  }
  const reader = await IndexReader.open(join(data, 'index'))
  const types = new Map<string, string>()
  for (const segment of reader.segments) {
    for (let id = 0; id < segment.maxDoc; id++) {
      const document = await segment.document(id)
      types.set((document.get('url') ?? '').slice(site.origin.length), document.get('type') ?? '')
    }
  }
  await reader.close()
  return { endings, types, paths: site.paths() }
}

t.test('a crawl takes documents in, follows their links, and tells why one cannot be read', async (t) => {
  const { endings, types } = await crawl(t, {})
  t.same(Object.fromEntries([...endings].sort()), {
    '/': 'fetched',
    '/broken.pdf': 'document-broken',
    '/download?id=7': 'fetched',
    '/from-feed.html': 'fetched',
    '/guide.pdf': 'fetched',
    '/locked.docx': 'document-encrypted',
    '/news.xml': 'feed',
    '/next.html': 'fetched',
    '/notes.md': 'fetched',
    '/talk.pptx': 'fetched',
  })
  t.same(Object.fromEntries([...types].sort()), {
    '/': 'html',
    '/download?id=7': 'office',
    '/from-feed.html': 'html',
    '/guide.pdf': 'pdf',
    '/news.xml': 'feed',
    '/next.html': 'html',
    '/notes.md': 'text',
    '/talk.pptx': 'office',
  })
})

t.test('without documents they are not asked for where their names tell, and are no text elsewhere', async (t) => {
  const { endings, types, paths } = await crawl(t, { documents: false })
  t.same(paths.toSorted(), ['/', '/download?id=7', '/from-feed.html', '/news.xml', '/notes.md'])
  t.match(Object.fromEntries(endings), {
    '/download?id=7': 'non-text',
    '/news.xml': 'non-text',
    '/notes.md': 'fetched',
  })
  t.notOk([...types.values()].some((type) => type !== 'html' && type !== 'text'))
})
