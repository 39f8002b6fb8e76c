/** What can be typed into the search box, through the API of a server over a small index. */
import t, { type Test } from 'tap'
import { attribute, auditPage } from './test-support/page-audit.js'
import { type FixturePage, indexPages, openApp } from './test-support/site-fixture.js'

const PAGES: readonly FixturePage[] = [
  {
    url: 'http://silk.example/road/index.html',
    title: 'The Silk Road',
    body: 'Merchants walked the silk road to Samarkand.',
    lang: 'en',
    date: '2024-01-15',
  },
  {
    url: 'https://www.silk.example/Weaving.pdf',
    title: 'Weaving',
    body: 'Silk is woven on a loom. The road of a weaver is long.',
    lang: 'en',
    type: 'pdf',
    date: '2024-02-01',
  },
  {
    url: 'http://www.silk.example/tea/list.xlsx?all',
    title: 'Tea',
    body: 'Teas: oolong, puerh.',
    type: 'office',
    date: '2023-12-31',
  },
  {
    url: 'http://tea.example:8080/oolong.docx',
    title: 'Oolong tea',
    body: 'A tea from Fujian, colour of the cup: amber.',
    type: 'office',
    lang: 'en',
    date: '2024-05-06',
  },
  {
    url: 'http://notsilk.example/',
    title: '丝绸之路',
    body: '丝绸之路从长安到撒马尔罕。',
    lang: 'zh',
    date: '2025-01-01',
  },
]

const data = t.testdir()
await indexPages(data, PAGES)
const { app, close } = await openApp(data)
t.teardown(close)

/** Numbers of the pages found, in their order above. */
async function found(query: string, rest = ''): Promise<number[]> {
  const answer = (await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}${rest}`)).json()
  return answer.hits.map((hit: { url: string }) => PAGES.findIndex(({ url }) => url === hit.url)).sort()
}

async function expectAll(t: Test, table: readonly (readonly [query: string, pages: readonly number[]])[]) {
  for (const [query, pages] of table) t.same(await found(query), pages, query)
}

t.test('2.5 AND OR NOT + - "phrase" (group) field: ^boost', async (t) => {
  await expectAll(t, [
    ['silk AND road', [0, 1]],
    ['loom OR puerh', [1, 2]],
    ['silk NOT loom', [0]],
    ['+silk -loom', [0]],
    ['"silk road"', [0]],
    ['(silk OR tea) AND (loom OR puerh)', [1, 2]],
    ['title:tea', [2, 3]],
    ['title:(silk OR weaving)', [0, 1]],
    ['tea^0 oolong^3', [2, 3]],
    ['丝绸 AND 长安', [4]],
  ])
  const first = async (query: string) => (await app.inject(`/api/v1/search?q=${query}`)).json().hits[0].url
  t.not(await first('loom%5E9%20puerh'), await first('loom%20puerh%5E9'), 'a boost decides')
})

t.test('2.5 Wildcard, prefix, fuzzy ~n, range [a TO b], regex', async (t) => {
  await expectAll(t, [
    ['merch*', [0]],
    ['l?om', [1]],
    ['*long', [1, 2, 3]],
    ['samarcand~1', [0]],
    ['samarcand', []],
    ['Olong~', [2, 3]],
    ['/(loom|puer.)/', [1, 2]],
    ['title:[tea TO tez]', [2, 3]],
    ['title:{tea TO weaving]', [0, 1]],
    ['date:[2024-02 TO 2024-05}', [1]],
    ['date:2024', [0, 1, 3]],
    ['丝绸*', [4]],
  ])
})

t.test('2.5 NEAR/ADJ, slop, spans/intervals', async (t) => {
  await expectAll(t, [
    ['"merchants road"~4', [0]],
    ['"merchants road"~2', []],
    ['silk NEAR/9 loom', [1]],
    ['loom ADJ/9 silk', []],
    ['silk ADJ/9 loom', [1]],
  ])
})

t.test('2.5 site: inurl: intitle: filetype: lang: date: before/after', async (t) => {
  await expectAll(t, [
    ['site:silk.example', [0, 1, 2]],
    ['site:www.silk.example', [1, 2]],
    ['site:SILK.example silk', [0, 1]],
    ['silk -site:www.silk.example', [0]],
    ['site:https://silk.example/road/', [0]],
    ['site:tea.example:8080', [3]],
    ['site:example tea', [2]],
    ['silk site:(silk.example OR notsilk.example)', [0, 1]],
    ['site:*.silk.example', [1, 2]],
    ['inurl:road', [0]],
    ['inurl:WEAVING', [1]],
    ['inurl:silk.example/road', [0]],
    ['inurl:"list.xlsx?all"', [2]],
    ['inurl:list', [2]],
    ['intitle:tea', [2, 3]],
    ['intitle:"silk road"', [0]],
    ['filetype:pdf', [1]],
    ['filetype:office', [2, 3]],
    ['filetype:docx', [3]],
    ['filetype:.PDF silk', [1]],
    ['lang:zh', [4]],
    ['lang:zh-TW', [4]],
    ['before:2024', [2]],
    ['after:2024-02', [3, 4]],
    ['before:2024-02-01 silk', [0]],
    ['after:2024 OR before:2024', [2, 4]],
    ['silk date:2024-01', [0]],
  ])
  t.same(await found('tea before:then', '&strict=1').catch(() => 'error'), 'error')
  const wrong = await app.inject('/api/v1/search?q=tea%20before:then&strict=1')
  t.match([wrong.statusCode, wrong.json().error.code, wrong.json().error.message], [400, 'QUERY_SYNTAX', /character 5/])
  t.match((await app.inject('/search?q=tea%20before:then&hl=en')).body, /could not be understood: before:then/)
})

t.test('2.5 sort: in the query', async (t) => {
  const urls = async (query: string) =>
    (await app.inject(`/api/v1/search?q=${query}`)).json().hits.map((hit: { url: string }) => hit.url)
  t.same(await urls('silk%20tea%20sort:date'), await urls('silk%20tea&sort=date'))
  t.same(
    await urls('silk%20tea%20sort:date'),
    [3, 1, 0, 2].map((i) => PAGES[i]!.url),
  )
  t.same((await app.inject('/api/v1/search?q=silk%20sort:size&strict=1')).json().error.code, 'QUERY_SYNTAX')
  t.same(await urls('silk%20sort:size'), await urls('silk'))
})

t.test('the order in a query shows in the control of the order, whose links change it', async (t) => {
  const sorts = async (address: string) => {
    const page = auditPage((await app.inject(address)).body)
    const links = page.all('a').filter((a) => /^(Best match|Newest) first$/.test(page.text(a).trim()))
    return links.map((a) => [attribute(a, 'href'), attribute(a, 'aria-current') === 'true'])
  }
  t.same(await sorts('/search?q=silk+sort:date&hl=en'), [
    ['/search?q=silk&hl=en', false],
    ['/search?q=silk&sort=date&hl=en', true],
  ])
  t.same(await sorts('/search?q=silk+sort:relevance&sort=date&hl=en'), [
    ['/search?q=silk&hl=en', true],
    ['/search?q=silk&sort=date&hl=en', false],
  ])
  t.same((await sorts('/search?q=%22silk+road%22+silk+sort:date+road&hl=en'))[0], [
    '/search?q=%22silk+road%22+silk++road&hl=en',
    false,
  ])
})

t.test('2.5 Forgiving parser (never an error for any input), full-width punctuation accepted', async (t) => {
  await expectAll(t, [
    ['（silk） －loom', [0]],
    ['“silk road”', [0]],
    ['title：tea', [2, 3]],
    ['「丝绸之路」', [4]],
    ['what is silk?', [0, 1]],
    ['silk [2024', [0, 1]],
    ['"silk', [0, 1]],
  ])
  const broken = [
    '(',
    '"',
    '[',
    '{',
    '\\',
    'AND AND',
    '+-!',
    'title:',
    ':x',
    'a^',
    'a~~',
    '[a TO',
    '/(a+',
    '*'.repeat(50),
    'NOT NOT',
  ]
  for (const query of broken) {
    const reply = await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}`)
    t.equal(reply.statusCode, 200, query)
    t.equal((await app.inject(`/search?q=${encodeURIComponent(query)}`)).statusCode, 200, query)
  }
})

t.test('limits: what a visitor may ask', async (t) => {
  const status = async (query: string, rest = '') => {
    const reply = await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}${rest}`)
    return reply.statusCode === 200 ? 200 : reply.json().error.code
  }
  const table: [string, number | string][] = [
    ['('.repeat(21), 'QUERY_TOO_COMPLEX'],
    ['NOT '.repeat(240), 'QUERY_TOO_COMPLEX'],
    ['"silk road"~1000000000', 'QUERY_TOO_COMPLEX'],
    [`"${'a '.repeat(65)}"`, 'QUERY_TOO_COMPLEX'],
    ['/((((((((((a{1,99}){1,99}){1,99}){1,99})))))))/', 'REGEX_TOO_COMPLEX'],
    ['/(a+)+b/', 200],
    ['*', 200],
    ['*a', 200],
    ['?*?*?*', 200],
    ['a~', 200],
    ['a~99', 200],
    ['a^1e308 b^-1 c^NaN d^0', 200],
    ['[a TO z]', 200],
    ['[* TO *]', 200],
    ['date:[2025 TO 2024]', 200],
  ]
  for (const [query, expected] of table) t.equal(await status(query), expected, query.slice(0, 40))
  t.equal(await status('date:[2024-02-30 TO *]', '&strict=1'), 'QUERY_SYNTAX')
  t.equal(await status('date:[2025 TO 2024] silk', '&strict=1'), 200)
})

t.test('where the words of a pattern are too many, the answer says that not all was looked through', async (t) => {
  const data = t.testdir()
  const words = Array.from({ length: 400 }, (_, i) => `k${i}x`).join(' ')
  await indexPages(data, [
    { url: 'http://a.example/', title: 'One', body: `${words} common` },
    { url: 'http://b.example/', title: 'Two', body: 'common k1x' },
  ])
  const { app, close } = await openApp(data, { expansionLimit: 200 })
  t.teardown(close)
  const told = /<li class="warning">A part of the index could not be searched/
  for (const query of ['k*', 'k*x', '/k[0-9]+x/', 'body:[k TO l]']) {
    const q = encodeURIComponent(query)
    const answer = await app.inject(`/api/v1/search?q=${q}`)
    t.match([answer.statusCode, answer.json()], [200, { partial: true, timedOut: false }], query)
    const page = await app.inject(`/search?q=${q}&hl=en`)
    t.equal(page.statusCode, 200)
    t.match(page.body, told, query)
  }
  t.match((await app.inject('/api/v1/search?q=common')).json(), { partial: false, total: 2 })
  t.notMatch((await app.inject('/search?q=common&hl=en')).body, told)
})
