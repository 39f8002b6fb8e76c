/** What is offered: queries that were meant, and completions of what is being typed. */
import t from 'tap'
import { attribute, auditPage, textOf } from './test-support/page-audit.js'
import { indexPages, openApp, until } from './test-support/site-fixture.js'

const data = t.testdir()
await indexPages(data, [
  ...Array.from({ length: 8 }, (_, i) => ({
    url: `https://example.org/silk/${i}`,
    title: `Silk porcelain ${i}`,
    body: `The porcelain of the silk road, part ${i}.`,
    lang: i < 4 ? 'en' : 'fr',
  })),
  ...Array.from({ length: 3 }, (_, i) => ({
    url: `https://example.org/zh/${i}`,
    title: `数据库 ${i}`,
    body: '安装数据库和搜索引擎。',
    lang: 'zh',
  })),
  {
    url: 'https://example.org/tea',
    title: 'Tea <b>&',
    body: 'Tea.\nBrewing green tea',
    sections: [{ start: 5, anchor: 'brew', heading: 'Brewing green tea' }],
  },
])
const { app, close } = await openApp(data)
t.teardown(close)

async function meant(query: string, rest = ''): Promise<string | null> {
  const reply = await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}${rest}`)
  t.equal(reply.statusCode, 200, query)
  return reply.json().didYouMean
}

async function suggestions(query: string): Promise<string[]> {
  const reply = await app.inject(`/api/v1/suggest?q=${encodeURIComponent(query)}`)
  t.equal(reply.statusCode, 200, query)
  t.equal(reply.headers['cache-control'], 'no-cache')
  return reply.json().suggestions
}

t.test('did you mean: only what clearly finds more', async (t) => {
  t.equal(await meant('porcelian'), 'porcelain')
  t.equal(await meant('silk porcelian'), 'silk porcelain', 'pages with the other word are no answer')
  t.equal(await meant('数剧库'), '数据库')
  t.equal(await meant('porcelain'), null)
  t.equal(await meant('silk'), null)
  t.equal(await meant('porcelian', '&page=2'), null)
  t.equal(await meant('tea porcelian'), null, 'no page has both words')
  t.equal(await meant('数剧库', '&lang=en'), null, 'none in this language')
  t.equal(await meant('porcelian', '&lang=en'), 'porcelain')
  t.equal(await meant('xyzzy plugh'), null)
})

t.test('did you mean on the result page, before all else where nothing was found', async (t) => {
  for (const [hl, words] of [
    ['en', 'Did you mean'],
    ['zh', '您是不是要找'],
  ] as const) {
    const { body } = await app.inject(`/search?q=porcelian&lang=en&hl=${hl}`)
    const page = auditPage(body)
    t.strictSame(page.faults, [])
    const line = page.all('p').find((p) => attribute(p, 'class') === 'meant')
    t.match(textOf(line!), words)
    const link = page.all('a').find((a) => textOf(a) === 'porcelain')!
    const target = new URL(attribute(link, 'href')!, 'http://localhost')
    t.equal(target.searchParams.get('q'), 'porcelain')
    t.equal(target.searchParams.get('lang'), 'en', 'the limits are kept')
    t.ok(body.indexOf('class="meant"') < body.indexOf('class="none"'))
  }
  t.notMatch((await app.inject('/search?q=porcelain')).body, 'class="meant"')
})

t.test('user-asks 6: pinyin of a query with few hits, as searches of their own', async (t) => {
  const readings = async (query: string, rest = '') => {
    const answer = (await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}${rest}`)).json()
    return answer.pinyin.map((reading: { query: string; total: number }) => `${reading.query} ${reading.total}`)
  }
  t.strictSame(await readings('shujuku'), ['数据库 3'])
  t.strictSame(await readings("Shu ju'ku"), ['数据库 3'])
  t.strictSame(await readings('sousuo yinqing'), ['搜索引擎 3'], 'two words that stand together')
  t.strictSame(await readings('yinqing sousuo'), ['引擎 搜索 3'], 'or apart, where they were typed apart')
  t.strictSame(await readings('yinqingsousuo'), [])
  t.strictSame(await readings('shujuk'), [], 'whole syllables')
  t.strictSame(await readings('ku'), [], 'a syllable is no word')
  t.strictSame(await readings('shujuku', '&lang=en'), [], 'never what finds nothing')
  t.strictSame(await readings('shujuku', '&page=2'), [])
  t.strictSame(await readings('silk'), [])
  t.strictSame(await readings('shujuku -x'), [])
  t.equal((await app.inject('/api/v1/search?q=shujuku')).json().total, 0, 'they are not mixed in')
  const page = auditPage((await app.inject('/search?q=shujuku&lang=zh&hl=en')).body)
  t.strictSame(page.faults, [])
  const line = page.all('p').find((p) => attribute(p, 'class') === 'meant')!
  t.equal(textOf(line), 'Read as pinyin: 数据库 (3 results)')
  const link = page.all('a').find((a) => textOf(a) === '数据库')!
  t.equal(attribute(link, 'href'), '/search?q=%E6%95%B0%E6%8D%AE%E5%BA%93&lang=zh&hl=en')
})

t.test('user-asks 6: words that sound alike are told apart', async (t) => {
  const folder = t.testdir()
  await indexPages(folder, [
    { url: 'http://a.test/1', title: '景点', body: '热门景点。' },
    { url: 'http://a.test/2', title: '经典', body: '经典的书。' },
    { url: 'http://a.test/3', title: '旅游', body: '去看景点。' },
  ])
  const { app, close } = await openApp(folder)
  t.teardown(close)
  const answer = (await app.inject('/api/v1/search?q=jingdian')).json()
  t.strictSame(answer.pinyin, [
    { query: '景点', total: 2 },
    { query: '经典', total: 1 },
  ])
  t.equal(answer.total, 0)
})

t.test('suggestions', async (t) => {
  t.equal((await suggestions('sil')).length, 8)
  t.strictSame(await suggestions('silk porcelain 3'), [])
  t.strictSame(await suggestions('te'), ['Tea <b>&', 'Brewing green tea'])
  t.strictSame(await suggestions('据库 2'), ['数据库 2'])
  t.equal((await suggestions('shujuku')).length, 3)
  t.strictSame(await suggestions(''), [])
  t.strictSame(await suggestions('\u0000*:"('), [])
  t.strictSame((await app.inject('/api/v1/suggest')).json(), { suggestions: [] })
  t.equal((await app.inject(`/api/v1/suggest?q=${'x'.repeat(1001)}`)).statusCode, 400)
  t.equal((await app.inject({ method: 'POST', url: '/api/v1/suggest' })).statusCode, 405)
})

t.test('suggestions follow the index', async (t) => {
  t.strictSame(await suggestions('lacq'), [])
  await indexPages(data, [{ url: 'https://example.org/lacquer', title: 'Lacquer', body: 'Lacquer.' }])
  await until(async () => (await suggestions('lacq'))[0] === 'Lacquer', 'the new title')
})

t.test('without an index there are none', async (t) => {
  const empty = await openApp(t.testdir())
  t.equal((await empty.app.inject('/api/v1/suggest?q=silk')).json().error.code, 'INDEX_NOT_READY')
  await empty.close()
})
