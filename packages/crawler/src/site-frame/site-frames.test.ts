/** What the pages of a site have in common, from real crawls of sites on loopback: only the set of pages decides. */
import { join } from 'node:path'
import { decodeSections, PageField } from '@spindle/core'
import { IndexReader } from '@spindle/index'
import t from 'tap'
import { Crawl, type CrawlPlace, type CrawlSettings } from '../crawl.js'
import { depthFirst } from '../frontier/crawl-order.js'
import { type Route, serveSite } from '../test-support/test-site.js'

async function run(place: CrawlPlace, seed: string, more: Partial<CrawlSettings> = {}): Promise<void> {
  const crawl = await Crawl.open(place)
  try {
    await crawl.run({ seeds: [seed], delay: 0, retryDelay: 1, ...more })
  } finally {
    await crawl.close()
  }
}

/** Body, and headings with the text that they lead to, by path. */
async function bodies(data: string): Promise<[string, string, string[]][]> {
  const reader = await IndexReader.open(join(data, 'index'))
  const found: [string, string, string[]][] = []
  for (const segment of reader.segments) {
    for (let doc = 0; doc < segment.maxDoc; doc++) {
      if (segment.liveDocs?.get(doc) === false) continue
      const document = await segment.document(doc)
      const body = document.get(PageField.body) ?? ''
      const sections = decodeSections(document.get(PageField.sections) ?? '[]')
      const headings = sections.map(({ start, heading }) => `${heading}=${body.slice(start, start + heading!.length)}`)
      found.push([new URL(document.get(PageField.url)!).pathname, body, headings])
    }
  }
  await reader.close()
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

const WORDS = {
  en: 'silk wool loom wheel thread dye felt cotton linen hemp'.split(' '),
  zh: '丝绸 羊毛 织机 纺车 棉线 染料 毛毡 棉花 亚麻 大麻'.split(' '),
}
/** Words that no other page has in this order. */
const prose = (i: number, lang: 'en' | 'zh'): string =>
  Array.from({ length: 30 }, (_, k) => WORDS[lang][(i * (k + 3) + k * k) % 10]).join(lang === 'en' ? ' ' : '')

const FRAMES = {
  en: [
    '<div>Weaving for everyone</div><div>Choose a language: de, en, zh</div>',
    '<p>Nothing here is advice.<p>Made by weavers',
  ],
  zh: ['<div>大家的纺织网站</div><div>请选择语言：德文、英文、中文</div>', '<p>本站内容仅供参考，不构成任何建议。'],
} as const

function html(i: number, lang: 'en' | 'zh', version = 1): string {
  const [top, end] = FRAMES[lang]
  const links = [2 * i + 1, 2 * i + 2].map((next) => (next < 40 ? `<a href="/p${next}">on</a>` : ''))
  return `<!doctype html><html lang=${lang}><title>Page ${i}</title>${top}<h1>Page ${i} of ${lang}</h1><p>${prose(i, lang)} ${links.join(' ')}</p>${
    version === 1 ? end : '<p>Another line for all of them.'
  }`
}

function sites(version: () => number): Record<string, Route> {
  const routes: Record<string, Route> = {}
  for (let i = 0; i < 40; i++) {
    routes[`/p${i}`] = (_request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(html(i, i % 3 === 0 ? 'zh' : 'en', version()))
  }
  return routes
}

t.test('what many pages of a site and language say is not found in each of them', async (t) => {
  const site = await serveSite(
    t,
    sites(() => 1),
  )
  const dir = t.testdir()
  const whole = join(dir, 'whole')
  await run({ data: whole }, site.at('/p0'))
  const expected = await bodies(whole)
  t.equal(expected.length, 40)
  for (const [path, body, headings] of expected) {
    t.match(body, /^Page \d+ of (?:en\n[a-z]|zh\n[丝羊织纺棉染毛亚大])/, path)
    t.notMatch(body, /advice|weavers|参考/, path)
    t.match(headings[0], /^(Page \d+ of (?:en|zh))=\1$/, path)
  }

  await run({ data: join(dir, 'deep') }, site.at('/p0'), { order: depthFirst, ordered: true })
  t.same(await bodies(join(dir, 'deep')), expected, 'another order')
  const pieces = join(dir, 'pieces')
  for (const maxPages of [5, 14, 29]) await run({ data: pieces }, site.at('/p0'), { maxPages })
  await run({ data: pieces }, site.at('/p0'))
  t.same(await bodies(pieces), expected, 'in pieces')
  const late = join(dir, 'late')
  await run({ data: late, index: false }, site.at('/p0'))
  await run({ data: late }, site.at('/p0'))
  t.same(await bodies(late), expected, 'indexed later')
})

t.test('a recrawl finds another frame', async (t) => {
  let version = 1
  const site = await serveSite(
    t,
    sites(() => version),
  )
  const dir = t.testdir()
  const data = join(dir, 'data')
  await run({ data }, site.at('/p0'))
  version = 2
  await run({ data }, site.at('/p0'), { recrawl: {} })
  const found = await bodies(data)
  for (const [path, body] of found) t.match(body, /^Page \d+ of (?:en|zh)\n.*$/, path)
  await run({ data: join(dir, 'fresh') }, site.at('/p0'))
  t.same(found, await bodies(join(dir, 'fresh')), 'as a crawl that knows nothing else')
})

t.test('a few pages are compared with nothing', async (t) => {
  const routes = Object.fromEntries(Object.entries(sites(() => 1)).slice(0, 7))
  const site = await serveSite(t, routes)
  const data = t.testdir()
  await run({ data }, site.at('/p0'))
  for (const [path, body] of await bodies(data)) t.match(body, /advice|参考/, path)
})
