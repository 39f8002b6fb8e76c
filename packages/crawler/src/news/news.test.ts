/** News from a site on loopback: lists, articles with dates, and what is new the next time. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PageField } from '@spindle/core'
import { ChineseAnalyzer, IndexSearcher, MatchAllQuery, QueryParser } from '@spindle/index'
import t, { type Test } from 'tap'
import { Crawl } from '../crawl.js'
import type { PageLink, ParsedPage } from '../parse/parsed-page.js'
import { runCommand } from '../test-support/run-command.js'
import { type Route, serveSite } from '../test-support/test-site.js'
import { newsCrawl } from './news-crawl.js'
import { isArticle, newsItems } from './news-items.js'

interface Article {
  readonly path: string
  readonly title: string
  readonly date: string
  readonly text: string
}

const ARTICLES: Article[] = [
  {
    path: '/2026/11/28/silk-road-museum-opens.html',
    title: 'Silk Road museum opens its doors',
    date: '2026-11-28',
    text: 'Visitors came early.',
  },
  {
    path: '/2026/11/29/loom-found-in-old-mill.html',
    title: 'Old loom found in a mill near the river',
    date: '2026-11-29',
    text: 'It still works.',
  },
  {
    path: '/news/content_4711009.shtml',
    title: '丝绸博物馆新馆在杭州正式开放',
    date: '2026-11-30',
    text: '新馆展出了三千件文物。',
  },
  {
    path: '/2026/11/30/spinning-wheel-championship-results/',
    title: 'Spinning wheel championship: the results',
    date: '2026-11-30',
    text: 'A record was set.',
  },
]

function article({ title, date, text }: Article): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: title,
    datePublished: `${date}T08:00:00Z`,
    author: { '@type': 'Person', name: 'A. Weaver' },
  }
  return `<!doctype html><html><head><title>${title} – The Daily Thread</title><script type="application/ld+json">${JSON.stringify(data)}</script></head>
    <body><nav><a href="/">Home</a> <a href="/culture/">Culture</a></nav><article><h1>${title}</h1><p>${text} ${text}</p></article>
    <aside><a href="/2026/11/28/silk-road-museum-opens.html">Read this as well: the museum of the Silk Road</a></aside></body></html>`
}

function list(title: string, articles: readonly Article[]): string {
  const items = articles.map(
    ({ path, title }, i) => `<li>${i === 1 ? '[2026-11-29] ' : ''}<a href="${path}">${title}</a></li>`,
  )
  return `<!doctype html><title>${title}</title><nav><a href="/">Home</a> <a href="/culture/">Culture</a> <a href="/about-this-newspaper">About</a></nav><ul>${items.join('')}</ul>`
}

/** A newspaper that grows. */
async function newspaper(t: Test) {
  const published = ARTICLES.slice(0, 3)
  const html = (body: () => string): Route => {
    return (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body())
  }
  const routes: Record<string, Route> = {
    '/': html(() => list('The Daily Thread', published)),
    '/culture/': html(() => list('Culture', published)),
    '/about-this-newspaper': '<title>About</title><p>We spin.',
  }
  for (const one of ARTICLES) {
    const body = article(one)
    routes[one.path] = (request, response) => {
      if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304, { etag: '"1"' }).end()
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag: '"1"' }).end(body)
    }
  }
  const site = await serveSite(t, routes)
  return { site, publish: () => void published.unshift(ARTICLES[3]!) }
}

async function crawl(...args: string[]) {
  const { code, err, objects } = await runCommand('crawl', ...args)
  return { code, err, items: objects.filter(({ type }) => type === 'item'), done: objects.at(-1) }
}

/** Titles found, best first, or newest first for no words. */
async function search(data: string, words?: string): Promise<string[]> {
  const searcher = await IndexSearcher.open(join(data, 'index'))
  try {
    const fields = { fields: { [PageField.title]: 2, [PageField.body]: 1, [PageField.anchor]: 2 } }
    const query = words === undefined ? new MatchAllQuery() : QueryParser.parse(words, fields, new ChineseAnalyzer())
    const sort = words === undefined ? { sort: [{ field: PageField.published, order: 'desc' as const }] } : {}
    const hits = await searcher.search(query, { limit: 20, ...sort })
    return await Promise.all(
      Array.from({ length: hits.length }, async (_, i) => (await hits.doc(i)).get(PageField.title)!),
    )
  } finally {
    await searcher.close()
  }
}

t.test('a news site from its front page to the search, and again when there is more', async (t) => {
  const { site, publish } = await newspaper(t)
  const dir = t.testdir()
  const data = join(dir, 'data')
  const args = [site.at('/'), '--preset', 'news', '--data', data, '--delay', '0', '--json']
  const first = await crawl(...args)
  t.equal(first.code, 0, first.err)
  t.same(
    first.items.map(({ url, title, date }) => ({ path: new URL(url).pathname, title, date })),
    [
      { path: ARTICLES[0]!.path, title: ARTICLES[0]!.title, date: '2026-11-28' },
      { path: ARTICLES[1]!.path, title: ARTICLES[1]!.title, date: '2026-11-29' },
      { path: ARTICLES[2]!.path, title: ARTICLES[2]!.title, date: undefined },
    ],
  )
  t.equal((await search(data, '丝绸博物馆'))[0], `${ARTICLES[2]!.title} – The Daily Thread`)
  t.match((await search(data, 'loom mill'))[0], /^Old loom found/)
  t.same(
    (await search(data)).slice(0, 3).map((title) => title.split(' – ')[0]),
    [2, 1, 0].map((i) => ARTICLES[i]!.title),
    'newest first',
  )
  const asked = site.requests.length
  const soon = await crawl(...args)
  t.equal(soon.code, 0, soon.err)
  t.same(soon.items, [])
  t.ok(site.requests.length <= asked + 1, 'too soon for anything but robots.txt')
  publish()
  const config = join(dir, 'spindle.config.json')
  writeFileSync(
    config,
    JSON.stringify({ data, crawl: { preset: 'news', olderThan: '0s', delay: 0, seeds: [site.at('/')] } }),
  )
  const later = await crawl('--config', config, '--json')
  t.equal(later.code, 0, later.err)
  t.same(
    later.items.map(({ title }) => title),
    [ARTICLES[3], ...ARTICLES.slice(0, 3)].map((one) => one!.title),
    'of lists that have changed',
  )
  t.match((await search(data, 'championship'))[0], /^Spinning wheel championship/)
  t.match(await crawl(site.at('/'), '--preset', 'shop'), { code: 2, err: /preset.*news/ })
})

t.test('articles are left alone when they are old', async (t) => {
  const { site } = await newspaper(t)
  const data = t.testdir()
  const run = async (ahead: number) => {
    const crawl = await Crawl.open({ data })
    const { length } = site.requests
    await crawl.run({
      seeds: [site.at('/')],
      delay: 0,
      recrawl: {},
      maxDepth: 2,
      ...newsCrawl(
        () => {},
        () => Date.now() + ahead,
      ),
    })
    await crawl.close()
    return site.requests.slice(length).map(({ path }) => path)
  }
  await run(0)
  const before = await search(data)
  const young = await run(0)
  t.ok(ARTICLES.slice(0, 3).every(({ path }) => young.includes(path)))
  const old = await run(3 * 86_400_000)
  t.ok(old.includes('/') && old.includes('/culture/'))
  t.notOk(ARTICLES.some(({ path }) => old.includes(path)))
  t.same(await search(data), before)
})

t.test('what is a headline and what is not', (t) => {
  const parsed = (links: readonly (readonly [string, string])[], more: Partial<ParsedPage> = {}): ParsedPage => ({
    kind: 'html',
    title: '',
    text: '',
    description: '',
    lang: '',
    charset: 'utf-8',
    charsetSource: 'utf8',
    baseUrl: 'http://n.example/',
    canonical: undefined,
    robots: { index: true, follow: true },
    published: undefined,
    linksTruncated: false,
    links: links.map(([url, text]): PageLink => ({ url, text, kind: 'a', nofollow: false, scheme: 'http' })),
    ...more,
  })
  const url = 'http://n.example/'
  const at = (path: string) => `http://n.example${path}`
  const good = [
    [at('/2024/3/articles-of-the-week-in-short'), 'A headline of several words'],
    [at('/a/20240305/12.html'), '国务院发布新规定'],
    [at('/view?id=1234567'), '2024年3月5日 地方新闻一则短讯'],
    [at('/2024-02-30/impossible'), 'A date that no calendar has in it'],
  ] as const
  const bad = [
    [at('/sport/'), 'All the sport of the whole week'],
    [at('/2024/03/05/x.html'), 'More'],
    [at('/12345'), '12345 67890 12345 67890'],
    [at('/2024/03/05/y.html'), 'x'.repeat(300)],
    [url, 'This very page and its headline'],
  ] as const
  t.same(newsItems({ url, parsed: parsed([...bad, ...good]) }), [
    { url: good[0][0], title: good[0][1], date: undefined },
    { url: good[1][0], title: good[1][1], date: '2024-03-05' },
    { url: good[2][0], title: '地方新闻一则短讯', date: '2024-03-05' },
    { url: good[3][0], title: good[3][1], date: undefined },
  ])
  t.same(newsItems({ url, parsed: parsed(good.slice(0, 2)) }), [], 'two links make no list')
  t.same(newsItems({ url, parsed: parsed(good, { schemaTypes: ['NewsArticle'] }) }), [], 'nor does an article')
  t.ok(isArticle(parsed([], { published: '2024-01-01', publishedFrom: 'meta' })))
  t.notOk(isArticle(parsed([], { published: '2024-01-01', publishedFrom: 'time' })))
  t.notOk(isArticle(parsed([], { schemaTypes: ['WebSite', 'ItemList'] })))
  const many = Array.from({ length: 5000 }, (_, i) => [at(`/n/${10_000 + i}`), `The headline of article ${i}`] as const)
  t.equal(newsItems({ url, parsed: parsed(many) }).length, 500)
  t.end()
})
