/** Narrowing and ordering a result, through the page and the API: counts held against a model, dates, links that take back. */
import { join } from 'node:path'
import { PageField } from '@spindle/core'
import { ChineseAnalyzer, Document, Field, IndexWriter } from '@spindle/index'
import t from 'tap'
import { apiAnswer } from './routes/api-search.js'
import type { SearchResponse } from './search/search-backend.js'
import { attribute, auditPage, textOf } from './test-support/page-audit.js'
import { type FixturePage, indexPages, openApp, until } from './test-support/site-fixture.js'

const SITES = ['a.example', 'b.example', 'c.example:8080', 'xn--fsq.example']
const TYPES = ['html', 'pdf', 'office', 'text']
const LANGS = ['zh', 'en', 'ja', undefined]
const DATES = [undefined, '2023-12-31', '2024-01-01', '2024-02-29T12:00:00Z', '2024-05-06', '2025-01-01T00:00:00Z']

const PAGES: (FixturePage & { site: string; type: string })[] = Array.from({ length: 96 }, (_, i) => {
  const site = SITES[i % 4 === 0 ? 0 : i % SITES.length]!
  const lang = LANGS[(i >> 2) % LANGS.length]
  const date = DATES[i % DATES.length]
  return {
    site,
    url: `http://${site}/${i}.html`,
    title: `Page ${i}`,
    body: i % 3 === 0 ? 'silk and paper 丝绸' : 'silk road 丝绸之路',
    type: TYPES[(i >> 1) % TYPES.length]!,
    ...(lang === undefined ? {} : { lang }),
    ...(date === undefined ? {} : { date }),
  }
})

const data = t.testdir()
await indexPages(data, PAGES)
const { app, close } = await openApp(data)
t.teardown(close)

const get = (url: string) => app.inject({ url })
const api = async (query: string) => (await get(`/api/v1/search?${query}`)).json()

/** Counts of a field among pages, as the API tells them. */
function countsOf(pages: readonly FixturePage[], field: 'site' | 'type' | 'lang') {
  const counts = new Map<string, number>()
  for (const page of pages) {
    const value = field === 'site' ? new URL(page.url).host : page[field]
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

t.test('2.5 Filters and facets: counted exactly, each field without its own limit', async (t) => {
  const all = await api('q=silk')
  t.equal(all.total, PAGES.length)
  for (const field of ['site', 'type', 'lang'] as const) t.same(all.facets[field], countsOf(PAGES, field), field)
  const road = await api('q=silk+AND+road')
  t.same(
    road.facets.site,
    countsOf(
      PAGES.filter(({ body }) => body.includes('road')),
      'site',
    ),
  )
  const narrowed = await api('q=silk&site=a.example&site=b.example&lang=zh')
  const sites = ['a.example', 'b.example']
  const zh = PAGES.filter(({ lang }) => lang === 'zh')
  const both = zh.filter(({ site }) => sites.includes(site))
  t.equal(narrowed.total, both.length)
  t.ok(narrowed.hits.every((hit: { site: string; lang: string }) => sites.includes(hit.site) && hit.lang === 'zh'))
  t.same(narrowed.facets.site, countsOf(zh, 'site'), 'other sites can still be chosen')
  t.same(
    narrowed.facets.lang,
    countsOf(
      PAGES.filter(({ site }) => sites.includes(site)),
      'lang',
    ),
  )
  t.same(narrowed.facets.type, countsOf(both, 'type'))
  for (const { value, count } of narrowed.facets.lang) {
    t.equal((await api(`q=silk&site=a.example&site=b.example&lang=${value}`)).total, count, `choosing ${value}`)
  }
  t.equal((await api('q=silk&lang=zh-TW&lang=ZH_cn')).total, zh.length, 'languages count by their primary tag')
  const absent = await api('q=silk&site=nowhere.example&type=PDF')
  t.equal(absent.total, 0)
  t.same(absent.facets.site.at(-1), { value: 'nowhere.example', count: 0 }, 'a chosen value is told in any case')
  t.same((await api('q=xyzzyx')).facets, { site: [], type: [], lang: [] })
  t.same((await api('q=')).facets, { site: [], type: [], lang: [] })
})

t.test('facets that took too long are left out, and the answer is partial', async (t) => {
  const response: SearchResponse = {
    empty: false,
    total: 1,
    totalRelation: 'eq',
    tookMs: 1,
    timedOut: false,
    partial: false,
    hits: [],
    facets: null,
    notices: [],
    pinyin: [],
    alternatives: [],
  }
  const request = { query: 'x', page: 1, size: 10, filters: { site: [], type: [], lang: [] }, leniency: 'all' as const }
  t.match(apiAnswer(request, response), { partial: true, facets: { site: [], type: [], lang: [] } })
  const { facets: _, ...without } = response
  t.match(apiAnswer(request, without), { partial: false })
})

t.test('dates limit to whole days, months and years', async (t) => {
  const dated = (from: string, to: string) =>
    PAGES.filter(({ date }) => date !== undefined && date >= from && date < to).length
  t.equal((await api('q=silk&from=2024')).total, dated('2024', '9999'))
  t.equal((await api('q=silk&to=2023')).total, dated('0', '2024'))
  t.equal((await api('q=silk&from=2024&to=2024')).total, dated('2024', '2025'))
  t.equal((await api('q=silk&from=2024-02&to=2024-02')).total, dated('2024-02', '2024-03'))
  t.equal((await api('q=silk&from=2024-02-29&to=2024-02-29')).total, dated('2024-02-29', '2024-03'))
  t.equal((await api('q=silk&from=2024-03-01&to=2024-05-05')).total, 0)
  t.equal((await api('q=silk&from=&to=')).total, PAGES.length)
  const combined = await api('q=silk&from=2024&lang=ja&type=pdf')
  t.equal(combined.total, PAGES.filter((p) => p.lang === 'ja' && p.type === 'pdf' && (p.date ?? '') >= '2024').length)
})

t.test('the newest first, those without a date last, through all pages', async (t) => {
  const seen: { url: string; date: string | null }[] = []
  for (let page = 1; page <= 10; page++) {
    const answer = await api(`q=silk&sort=date&page=${page}`)
    t.equal(answer.total, PAGES.length)
    seen.push(...answer.hits)
  }
  t.equal(new Set(seen.map(({ url }) => url)).size, PAGES.length, 'every hit once')
  const dates = seen.map(({ date }) => date ?? '')
  t.same(dates, [...dates].sort().reverse())
  t.same(
    (await api('q=silk')).hits.map((hit: { url: string }) => hit.url),
    (await api('q=silk&sort=relevance')).hits.map((hit: { url: string }) => hit.url),
  )
  const scores = (await api('q=paper&sort=date')).hits.map((hit: { score: number }) => hit.score)
  t.ok(
    scores.every((score: number) => score > 0),
    'hits have their scores',
  )
})

t.test('wrong values are errors for programs and notices for people', async (t) => {
  for (const wrong of [
    'from=yesterday',
    'to=2024-02-30',
    'from=2024-13',
    'from=20240101',
    'sort=size',
    'from=2025&to=2024',
  ]) {
    const reply = await get(`/api/v1/search?q=silk&${wrong}`)
    t.equal(reply.statusCode, 400, wrong)
    t.match(reply.json(), { error: { code: 'BAD_PARAMETER', message: /send/ } })
    t.equal((await get(`/search?q=silk&${wrong}`)).statusCode, 200, wrong)
  }
  t.match((await get('/search?q=silk&from=yesterday')).body, '“yesterday” is no date')
  t.match((await get('/search?q=silk&from=yesterday&hl=zh')).body, '“yesterday”不是日期')
  const swapped = await get('/search?q=silk&from=2025&to=2024')
  t.match(swapped.body, 'name="from" value="2024-01-01"', 'dates in the wrong order change places')
  t.match(swapped.body, 'name="to" value="2025-12-31"')
})

t.test('the page narrows by links that can be taken back', async (t) => {
  const open = async (url: string) => auditPage((await get(url)).body)
  const linksOf = (page: ReturnType<typeof auditPage>) => {
    const panel = page.all('aside')[0]!
    const links: { text: string; href: string; chosen: boolean }[] = []
    const walk = (node: (typeof panel)['childNodes'][number]): void => {
      if ('tagName' in node && node.tagName === 'a') {
        const chosen = attribute(node, 'aria-current') === 'true'
        links.push({ text: textOf(node).replace(/\s+/g, ' ').trim(), href: attribute(node, 'href')!, chosen })
      } else if ('childNodes' in node) for (const child of node.childNodes) walk(child)
    }
    walk(panel)
    return links
  }
  const first = await open('/search?q=silk')
  t.same(first.faults, [])
  const links = linksOf(first)
  for (const name of [
    'Best match first',
    'Newest first',
    'a.example',
    '例.example',
    'Web page',
    'Office document',
    'Chinese',
  ]) {
    t.ok(
      links.some(({ text }) => text.startsWith(name)),
      name,
    )
  }
  t.same(
    links.filter(({ chosen }) => chosen).map(({ text }) => text),
    ['Best match first'],
  )
  const pdf = links.find(({ text }) => text.startsWith('PDF'))!
  t.match(pdf.text, /PDF \d+\d+ pages/, 'the number, and for those who do not see it with its noun')
  const chosen = await open(pdf.href)
  t.same(chosen.faults, [])
  const back = linksOf(chosen).find(({ text }) => text.startsWith('Remove this limit: PDF'))!
  t.equal(back.chosen, true)
  t.equal(back.href, '/search?q=silk')
  const more = linksOf(chosen).find(({ text }) => text.startsWith('Japanese'))!
  t.equal(more.href, '/search?q=silk&type=pdf&lang=ja')
  const order = linksOf(await open(`${more.href}&from=2024&hl=zh`)).find(({ text }) => text === '最新的在前')!
  t.equal(order.href, '/search?q=silk&type=pdf&lang=ja&from=2024&sort=date&hl=zh')
  const sorted = await open(order.href)
  const texts = linksOf(sorted).map(({ text }) => text)
  t.ok(texts.some((text) => text.startsWith('取消此限定: 日语')))
  t.ok(texts.some((text) => text.startsWith('网页')))
  const chips = sorted.all('ul').find((ul) => attribute(ul, 'class') === 'filters')!
  t.match(textOf(chips), /类型：PDF.*语言：日语.*自 2024 起/s)
  const fieldsOf = (form: ReturnType<typeof auditPage>['elements'][number]) =>
    form.childNodes
      .flatMap((node) => ('tagName' in node && node.tagName === 'input' ? [node] : []))
      .filter((input) => attribute(input, 'type') === 'hidden')
      .map((input) => `${attribute(input, 'name')}=${attribute(input, 'value')}`)
  const [box, dates] = sorted.all('form')
  t.same(fieldsOf(box!), ['type=pdf', 'lang=ja', 'from=2024', 'sort=date', 'hl=zh'], 'a new search stays narrowed')
  t.same(fieldsOf(dates!), ['q=silk', 'type=pdf', 'lang=ja', 'sort=date', 'hl=zh'], 'the dates are its own fields')
  const english = sorted.all('a').find((a) => attribute(a, 'hreflang') === 'en')!
  t.equal(attribute(english, 'href'), '/search?q=silk&type=pdf&lang=ja&from=2024&sort=date&hl=en')
  const nothing = await open('/search?q=silk&lang=fr')
  t.ok(
    linksOf(nothing).some(({ text }) => text.startsWith('Chinese')),
    'where nothing is found with a limit, others are offered',
  )
  t.equal((await open('/search?q=xyzzyx')).all('aside').length, 0)
  const one = linksOf(await open('/search?q=silk&site=b.example')).find(({ text }) => text.includes('b.example'))
  t.equal(one?.chosen, true)
})

t.test('an index without dates as moments opens, sorts and has nothing to limit by', async (t) => {
  const folder = t.testdir()
  const writer = await IndexWriter.open(join(folder, 'index'), { analyzer: new ChineseAnalyzer() })
  for (let i = 0; i < 3; i++) {
    const document = new Document()
      .add(Field.keyword(PageField.url, `http://old.example/${i}`))
      .add(Field.text(PageField.title, 'old'))
      .add(Field.text(PageField.body, 'silk'))
      .add(Field.keyword(PageField.date, '2024-01-01'))
    await writer.addDocument(document)
  }
  await writer.commit()
  await writer.close()
  const old = await openApp(folder)
  t.teardown(old.close)
  const answer = async (query: string) => (await old.app.inject({ url: `/api/v1/search?${query}` })).json()
  t.match(await answer('q=silk&sort=date'), { total: 3, facets: { site: [], type: [], lang: [] } })
  t.equal((await answer('q=silk&from=2023')).total, 0)
  t.equal((await old.app.inject({ url: '/search?q=silk&sort=date' })).statusCode, 200)
})

t.test('the facets of a result are those of all its pages', async (t) => {
  const pages = ['', '&page=2', '&size=3', '&sort=date'].map((more) => api(`q=silk+paper&type=pdf&type=html${more}`))
  const [first, ...others] = await Promise.all(pages)
  for (const other of others) t.same(other.facets, first.facets)
  t.strictNotSame((await api('q=silk+paper&type=pdf')).facets, first.facets)
  await indexPages(data, [{ url: 'http://new.example/', title: 'new', body: 'silk paper', type: 'pdf' }])
  await until(async () => (await api('q=new')).total === 1, 'the new page')
  const site = (await api('q=silk+paper&type=pdf&type=html')).facets.site
  t.ok(
    site.some(({ value }: { value: string }) => value === 'new.example'),
    'a newer commit is counted anew',
  )
})
