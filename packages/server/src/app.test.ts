import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { HOSTILE_TEXTS } from './test-support/hostile-texts.js'
import { attribute, auditPage, textOf } from './test-support/page-audit.js'
import { type FixturePage, indexPages, openApp } from './test-support/site-fixture.js'

const PAGES: FixturePage[] = [
  {
    url: 'https://zh.example.org/%E5%8C%97%E4%BA%AC.html',
    title: '北京天安门广场',
    body: '天安门广场位于北京市中心，是世界上最大的城市广场之一。上海不在这里。',
    lang: 'zh-cn',
    date: '2026-01-02T03:04:05Z',
  },
  {
    url: 'https://example.org/silk-road?view=full',
    title: 'The Silk Road & its <trade>',
    body: 'The silk road was a network of trade routes. Raw silk went west, glass went east.',
    lang: 'en',
  },
  {
    url: 'javascript:alert(document.domain)',
    title: 'evilurl page',
    body: 'a page with an evilurl address',
    lang: 'en',
  },
  ...HOSTILE_TEXTS.map((payload, i) => ({
    url: `https://evil.example/${i}?${encodeURIComponent(payload)}`,
    title: `evilword ${payload} evilword`,
    body: `before ${payload} evilword ${payload} after`,
    lang: payload,
    type: payload,
    date: payload,
  })),
  ...Array.from({ length: 25 }, (_, i) => ({
    url: `https://many.example/${i}.html`,
    title: `pagination number ${i}`,
    body: `pagination ${'filler '.repeat(i)}`,
    lang: 'en',
  })),
]

const data = t.testdir()
await indexPages(data, PAGES)
const server = await openApp(data)
const { app } = server
t.teardown(() => server.close())

function get(url: string, headers: Record<string, string> = {}, on: FastifyInstance = app) {
  return on.inject({ url, headers })
}

function searchUrl(q: string, rest = ''): string {
  return `/search?q=${encodeURIComponent(q)}${rest}`
}

t.test('the home page is one box, in both languages, with one script of ours', async (t) => {
  const en = await get('/')
  t.equal(en.statusCode, 200)
  t.equal(en.headers['content-type'], 'text/html; charset=utf-8')
  t.equal(
    en.headers['content-security-policy'],
    "default-src 'none';script-src 'self';connect-src 'self';style-src 'self';img-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
  )
  t.equal(en.headers['x-content-type-options'], 'nosniff')
  t.equal(en.headers['referrer-policy'], 'no-referrer')
  t.match(en.headers.vary, /accept-language/i)
  const page = auditPage(en.body)
  t.same(page.faults, [])
  t.equal(attribute(page.all('html')[0]!, 'lang'), 'en')
  t.equal(page.all('input').filter((e) => attribute(e, 'type') !== 'hidden').length, 1)
  t.equal(page.all('main').length, 1)
  t.equal(page.all('h1').length, 1)
  t.equal(attribute(page.all('label')[0]!, 'for'), attribute(page.all('input')[0]!, 'id'))
  t.match(en.body, `${PAGES.length} pages can be found here`)
  const zh = await get('/', { 'accept-language': 'zh-CN,en;q=0.5' })
  t.equal(attribute(auditPage(zh.body).all('html')[0]!, 'lang'), 'zh-CN')
  t.match(zh.body, '搜索')
  t.match((await get('/?hl=zh')).body, /name="hl" value="zh"/, 'a chosen language stays in the form')
  for (const link of page.all('link')) {
    const file = await get(attribute(link, 'href')!)
    t.equal(file.statusCode, 200)
    t.match(file.headers['cache-control'], /immutable/)
  }
})

t.test('a search shows titles, addresses, marked snippets, an exact total and the time', async (t) => {
  const reply = await get(searchUrl('天安门'))
  t.equal(reply.statusCode, 200)
  const page = auditPage(reply.body)
  t.same(page.faults, [])
  t.match(page.text(page.all('title')[0]!), '天安门')
  t.equal(attribute(page.all('input')[0]!, 'value'), '天安门')
  const heading = page.all('h2')[0]!
  t.equal(textOf(heading), '北京天安门广场')
  t.equal(attribute(heading, 'lang'), 'zh-cn')
  const link = page.all('a').find((a) => attribute(a, 'href')?.startsWith('https://zh.example.org/'))!
  t.equal(attribute(link, 'rel'), 'noopener nofollow')
  t.match(reply.body, /<bdi>zh\.example\.org<\/bdi>.*北京\.html/s)
  t.ok(page.all('em').some((em) => textOf(em) === '天安门'))
  t.match(reply.body, /1 result <span>\(\d\.\d{3} s\)/)
  t.match(reply.body, '<time datetime="2026-01-02">Jan 2, 2026</time>')
  const english = auditPage((await get(searchUrl('silk', '&hl=zh'))).body)
  t.same(english.faults, [])
  t.equal(textOf(english.all('h2')[0]!), 'The Silk Road & its <trade>')
  const other = english.all('a').find((a) => attribute(a, 'hreflang') === 'en')!
  t.equal(attribute(other, 'href'), '/search?q=silk&hl=en', 'the language switch keeps the query')
})

t.test('parts of a long page that answer are led to, the best first', async (t) => {
  const data = t.testdir()
  const filler = 'Words that nobody asks for. '.repeat(30)
  const headings = ['The whole page', 'Opening boats', 'Rowing <b>boats</b>', 'Nothing', 'Harbours']
  const anchors = ['top', 'open', 'row boats"><i>', undefined, '中文 #1%']
  const texts = [filler, 'a boat is opened', `rowing boats by oars. ${filler}`, 'rowing rowing', 'where boats are']
  let body = ''
  const sections = headings.map((heading, i) => {
    const start = body.length
    body += `${heading}\n${texts[i]}\n`
    const anchor = anchors[i]
    return { start, level: i === 0 ? 1 : 2, heading, ...(anchor === undefined ? {} : { anchor }) }
  })
  const short = { url: 'http://a.example/short', title: 'Short', body: 'rowing boats\nmore', sections: [] }
  await indexPages(data, [{ url: 'http://a.example/long', title: 'Long', body, sections }, short])
  const { app, close } = await openApp(data)
  t.teardown(close)
  const answer = (await app.inject('/api/v1/search?q=rowing+boats')).json()
  const hits: {
    url: string
    sections: { url: string; heading: string; headingHtml: string; snippetHtml: string }[]
  }[] = answer.hits
  t.same(hits.find(({ url }) => url.endsWith('short'))!.sections, [])
  const found = hits.find(({ url }) => url.endsWith('long'))!.sections
  t.equal(found[0]!.heading, 'Rowing <b>boats</b>')
  t.equal(found[0]!.url, 'http://a.example/long#row%20boats%22%3E%3Ci%3E')
  t.equal(found[0]!.headingHtml, '<em>Rowing</em> &lt;b&gt;<em>boats</em>&lt;/b&gt;')
  t.equal(found[0]!.snippetHtml, '', 'the snippet of the page has the same')
  t.notOk(found.some(({ heading }) => heading === 'The whole page' || heading === 'Nothing'))
  const harbours = (await app.inject('/api/v1/search?q=where+harbours')).json().hits[0].sections
  t.equal(harbours[0].url, 'http://a.example/long#%E4%B8%AD%E6%96%87%20%231%25')
  t.equal(harbours[0].snippetHtml, 'where boats are')
  const page = auditPage((await app.inject('/search?q=rowing+boats&hl=en')).body)
  t.same(page.faults, [])
  const list = page.all('ul').find((ul) => attribute(ul, 'class') === 'sections')!
  t.equal(attribute(list, 'aria-label'), 'In this page')
  t.equal(
    page.all('a').filter((a) => attribute(a, 'href')?.includes('/long#')).length,
    found.length,
    'a link for each of them',
  )
})

t.test('the API answers in the published shape', async (t) => {
  const reply = await get('/api/v1/search?q=silk+road&size=3')
  t.equal(reply.statusCode, 200)
  t.equal(reply.headers['access-control-allow-origin'], undefined)
  const answer = reply.json()
  t.same(Object.keys(answer), [
    'query',
    'total',
    'totalRelation',
    'page',
    'size',
    'tookMs',
    'timedOut',
    'partial',
    'next',
    'hits',
    'withAllWords',
    'facets',
    'didYouMean',
    'pinyin',
  ])
  t.match(answer, {
    query: 'silk road',
    total: 1,
    totalRelation: 'eq',
    page: 1,
    size: 3,
    timedOut: false,
    partial: false,
    next: null,
    facets: {},
    didYouMean: null,
  })
  t.type(answer.tookMs, 'number')
  t.ok(answer.tookMs > 0)
  const [hit] = answer.hits
  t.same(Object.keys(hit), [
    'id',
    'url',
    'title',
    'titleHtml',
    'snippetHtml',
    'score',
    'site',
    'type',
    'lang',
    'date',
    'alsoAt',
    'sections',
    'missing',
    'pinned',
  ])
  t.match(hit, {
    url: 'https://example.org/silk-road?view=full',
    title: 'The Silk Road & its <trade>',
    site: 'example.org',
    type: 'html',
    lang: 'en',
    date: null,
  })
  t.match(hit.titleHtml, '&amp;')
  t.match(hit.snippetHtml, '<em>')
  t.ok(hit.score > 0)
  t.match((await get(`/api/v1/search?q=${encodeURIComponent('天安门')}`)).json().hits[0].date, '2026-01-02T03:04:05Z')
  for (const q of ['', '%20', '%EF%BC%8C%E3%80%82', '()']) {
    const nothing = (await get(`/api/v1/search?q=${q}`)).json()
    t.match(nothing, { total: 0, hits: [] }, `"${q}" finds nothing`)
  }
  t.equal((await get('/api/v1/search')).json().total, 0)
  t.equal((await get('/api/v1/search?q=silk+(')).statusCode, 200, 'mistakes are passed over')
  const strict = await get('/api/v1/search?q=silk+(&strict=1')
  t.equal(strict.statusCode, 400)
  t.match(strict.json(), { error: { code: 'QUERY_SYNTAX', message: /character 6/ } })
  t.match((await get(`/api/v1/search?q=${'('.repeat(100)}a`)).json(), { error: { code: 'QUERY_TOO_COMPLEX' } })
})

t.test('paging reaches every hit once, and the total stays', async (t) => {
  const seen = new Set<string>()
  for (const page of [1, 2, 3]) {
    const answer = (await get(`/api/v1/search?q=pagination&page=${page}`)).json()
    t.equal(answer.total, 25)
    t.equal(answer.hits.length, page < 3 ? 10 : 5)
    for (const hit of answer.hits) seen.add(hit.url)
  }
  t.equal(seen.size, 25)
  t.match((await get('/api/v1/search?q=pagination&page=4')).json(), { total: 25, hits: [] })
  const second = auditPage((await get('/search?q=pagination&page=2')).body)
  t.same(second.faults, [])
  const hrefs = second.all('a').map((a) => attribute(a, 'href'))
  t.ok(hrefs.includes('/search?q=pagination') && hrefs.includes('/search?q=pagination&page=3'))
  t.equal(attribute(second.all('ol').find((ol) => attribute(ol, 'class') === 'hits')!, 'start'), '11')
  t.match((await get('/search?q=pagination&page=9')).body, 'There is no page 9')
  t.equal(
    (await get('/api/v1/search?q=pagination&page=1&page=2&q=x')).json().page,
    1,
    'of a repeated field the first counts',
  )
})

t.test('limits by site, type and language', async (t) => {
  t.equal((await get('/api/v1/search?q=pagination&site=many.example')).json().total, 25)
  t.equal((await get('/api/v1/search?q=pagination&site=example.org')).json().total, 0)
  t.equal((await get('/api/v1/search?q=pagination+silk&site=many.example&site=example.org&lang=en')).json().total, 26)
  const page = await get('/search?q=pagination&site=example.org')
  t.match(page.body, 'Site: example.org')
  t.match(page.body, 'Without limits:')
})

t.test('wrong pages, sizes and long queries', async (t) => {
  for (const rest of [
    'page=0',
    'page=-1',
    'page=1e9',
    'page=NaN',
    'size=0',
    'size=1000000',
    'page=99999999999999999999',
  ]) {
    const api = await get(`/api/v1/search?q=silk&${rest}`)
    t.equal(api.statusCode, 400, rest)
    t.match(api.json(), {
      error: { code: 'BAD_PAGE', message: /send a whole number/, requestId: api.headers['x-request-id'] },
    })
    t.equal((await get(`/search?q=silk&${rest}`)).statusCode, 200, rest)
  }
  const long = 'silk '.repeat(300)
  t.match((await get(`/api/v1/search?q=${encodeURIComponent(long)}`)).json(), { error: { code: 'QUERY_TOO_LONG' } })
  const cut = await get(searchUrl(long))
  t.equal(cut.statusCode, 200)
  t.match(cut.body, 'only the beginning was used')
})

t.test('hostile queries change nothing on the page', async (t) => {
  for (const payload of HOSTILE_TEXTS) {
    for (const url of [
      searchUrl(payload),
      searchUrl(`silk ${payload}`, `&site=${encodeURIComponent(payload)}&hl=${encodeURIComponent(payload)}`),
    ]) {
      const reply = await get(url)
      t.equal(reply.statusCode, 200, payload)
      t.same(auditPage(reply.body).faults, [], payload)
      t.notMatch(reply.body, /\b49\b/, 'no template in a query is run')
    }
    const api = await get(`/api/v1/search?q=${encodeURIComponent(payload)}`)
    t.equal(api.statusCode, 200, payload)
    t.match(api.headers['content-type'], 'application/json')
  }
})

t.test('hostile pages in the index change nothing on the page', async (t) => {
  const reply = await get(searchUrl('evilword', '&size=100'))
  const page = auditPage(reply.body)
  t.same(page.faults, [])
  t.equal(page.all('li').filter((e) => attribute(e, 'class') === 'hit').length, HOSTILE_TEXTS.length)
  for (const p of page.all('p').filter((one) => attribute(one, 'class') === 'snippet')) {
    t.same(
      p.childNodes.map(({ nodeName }) => nodeName),
      ['bdi'],
      'a snippet turns nothing around it',
    )
  }
  for (const em of page.all('em')) t.match(textOf(em), /^evilword$/i, 'marks are only ours')
  const evil = auditPage((await get(searchUrl('evilurl'))).body)
  t.same(evil.faults, [])
  t.equal(evil.all('li').filter((li) => attribute(li, 'class') === 'hit').length, 1)
  t.equal(evil.all('a').filter((a) => attribute(a, 'href')?.includes('alert')).length, 0, 'no link to javascript:')
})

t.test('odd queries are answered, fast, and never with a fault of ours', async (t) => {
  const odd = [
    '(',
    '"',
    '[',
    '{',
    '(((((',
    '"""',
    '\\',
    'a\\',
    'AND AND',
    'OR',
    'NOT',
    '+-!',
    'field:',
    ':x',
    'title:',
    'title:"',
    'nofield:x',
    'a^',
    'a^^2',
    'a^-1',
    'a^NaN',
    'a^1e308',
    'a~~',
    '[a TO',
    '*',
    '?',
    '-silk',
    '+',
    '＋－！（）＂：',
    '（天安门',
    '“天安门”',
    '天',
    '&&',
    '||',
    '!!',
    'silk AND',
    'constructor',
    '__proto__',
    'toString hasOwnProperty',
    '\ufffd',
    '\u0301'.repeat(900),
    `a${'\u0300'.repeat(999)}`,
    '😀'.repeat(500),
    '👨‍👩‍👧‍👦'.repeat(80),
    'نص عربي',
    '"'.repeat(999),
    '-'.repeat(999),
    'a '.repeat(500),
    '天'.repeat(1000),
    '研究生命起源'.repeat(166),
    `"${'天安'.repeat(400)}"`,
    'a:'.repeat(500),
    `${'('.repeat(15)}a${')'.repeat(15)}`,
  ]
  for (const q of odd) {
    const before = process.cpuUsage()
    const reply = await get(searchUrl(q))
    const { user, system } = process.cpuUsage(before)
    t.equal(reply.statusCode, 200, q.slice(0, 40))
    t.same(auditPage(reply.body).faults, [], q.slice(0, 40))
    const cpu = (user + system) / 1000
    t.ok(cpu < 500, `${q.slice(0, 20)} took ${cpu.toFixed(1)} ms of processor time`)
    t.ok([200, 400].includes((await get(`/api/v1/search?q=${encodeURIComponent(q)}`)).statusCode))
  }
  for (const raw of ['%zz', '%', '%ED%A0%80', '%C0%AE', 'a%00b', 'a%0d%0aSet-Cookie:%20x=1']) {
    const reply = await get(`/search?q=${raw}`)
    t.equal(reply.statusCode, 200, raw)
    t.equal(reply.headers['set-cookie'], undefined)
  }
  const deep = await get(searchUrl(`${'('.repeat(450)}a`))
  t.ok([200, 400].includes(deep.statusCode), 'deep nesting is answered')
  t.same(auditPage(deep.body).faults, [])
})

t.test('an empty result helps on', async (t) => {
  const quoted = await get(searchUrl('"road silk"'))
  t.match(quoted.body, 'Nothing found')
  t.match(quoted.body, 'Without quotation marks:')
  t.match(quoted.body, /href="\/search\?q=road\+silk"/)
  const excluded = await get(searchUrl('silk -trade'))
  t.match(excluded.body, 'Without excluded words:')
  const hopeless = await get(searchUrl('xyzzyx'))
  t.match(hopeless.body, 'Nothing found')
  t.notMatch(hopeless.body, 'These searches do find something', 'no search is offered that finds nothing')
  t.same(auditPage(quoted.body).faults, [])
  const blank = await get('/search?q=')
  t.equal(blank.statusCode, 200)
  t.match(blank.body, 'pages can be found here', 'a search for nothing shows the home page')
  t.match((await get(searchUrl('，。！'))).body, 'There is no word to search for')
})
