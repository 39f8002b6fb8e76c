/** One small site of oddities, each of which trips some spider: all of them are right here, with the default settings. */
import { createMultibyteEncoder } from '@exodus/bytes/multi-byte.js'
import t from 'tap'
import { MemoryWorkload } from './frontier/memory-workload.js'
import { Spider } from './spider.js'
import { page, type Route, redirect, serveSite } from './test-support/test-site.js'

/** A page as bytes, with a type that says nothing of its encoding. */
function bytes(body: Uint8Array): Route {
  return (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(body)
}

const CHINESE = '清华大学图书馆开放时间和借阅规则说明'
const KOREAN = '서울대학교 도서관 이용 안내'
const encode = (label: 'gbk' | 'euc-kr', text: string) => createMultibyteEncoder(label)(text)

t.test('a site of oddities', async (t) => {
  const folder = page('Folder')
  const site = await serveSite(t, {
    '/robots.txt': (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end(
          `User-agent: *\nDisallow: /private\nAllow: /private/open\nDisallow: /*/draft-*.html\nSitemap: http://${request.headers.host}/map.xml\n`,
        ),
    '/map.xml': (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end(`<urlset><url><loc>http://${request.headers.host}/only-in-the-sitemap</loc></url></urlset>`),
    '/': page('Start', [
      '/private/x',
      '/private/open',
      '/notes/draft-1.html',
      '/notes/final.html',
      '/meta-nofollow',
      '/base',
      '/refresh',
      '/noscript',
      '/中文/页.html',
      '/query?a=1&amp;b=2',
      '/%7Etilde',
      '/~tilde',
      '/sub',
      '/sub/',
      '/sub/index.html',
      '/missing',
      '/gbk-meta',
      '/euckr-meta',
      '/utf16',
      '/gbk-bare',
    ]).replace(
      '</ul>',
      `<li><a href="/nofollow" rel="nofollow">n</a><template><a href="/template">t</a></template>
       <script>document.write("<a href='/script'>s</a>")</script></ul>`,
    ),
    '/private/open': page('Open'),
    '/notes/final.html': page('Final'),
    '/meta-nofollow': page('No follow', ['/behind-nofollow'], '<meta name="robots" content="nofollow">'),
    '/base': page('Base', ['leaf.html'], '<base href="/elsewhere/">'),
    '/elsewhere/leaf.html': page('Leaf'),
    '/refresh': page('Refresh', [], '<meta http-equiv="refresh" content="0; url=/refreshed">'),
    '/refreshed': page('Refreshed'),
    '/noscript': page('Noscript', [], '<noscript><meta http-equiv="refresh" content="0; url=/for-others"></noscript>'),
    '/%E4%B8%AD%E6%96%87/%E9%A1%B5.html': page('Raw'),
    '/query?a=1&b=2': page('Query'),
    '/~tilde': page('Tilde'),
    '/sub': redirect('/sub/', 301),
    '/sub/': folder,
    '/sub/index.html': folder,
    '/only-in-the-sitemap': page('Listed'),
    '/gbk-meta': bytes(encode('gbk', `<meta charset="gb2312"><title>${CHINESE}镕</title><p>${CHINESE.repeat(3)}`)),
    '/euckr-meta': bytes(
      encode(
        'euc-kr',
        `<meta http-equiv="Content-Type" content="text/html; charset=euc-kr"><title>${KOREAN}</title><p>${KOREAN.repeat(3)}`,
      ),
    ),
    '/utf16': bytes(Buffer.from(`\ufeff<title>${CHINESE}</title><p>${CHINESE}`, 'utf16le')),
    '/gbk-bare': bytes(encode('gbk', `<title>${CHINESE}</title><p>${CHINESE.repeat(5)}，。`)),
  })
  const workload = new MemoryWorkload()
  const titles = new Map<string, string>()
  const report = await new Spider({
    seeds: [site.at('/')],
    workload,
    delay: 0,
    processPage: ({ url, parsed }) => void titles.set(decodeURI(new URL(url).pathname), parsed.title),
  }).start()
  const of = async (path: string) => {
    const url = new URL(path, site.at('/')).href
    return (await workload.get(url))?.disposition ?? (await workload.getSkipped(url))?.reason
  }
  const rows: [row: string, path: string, outcome: string | undefined][] = [
    ['robots Disallow', '/private/x', 'robots'],
    ['a longer Allow', '/private/open', 'fetched'],
    ['* in a rule', '/notes/draft-1.html', 'robots'],
    ['what the * does not fit', '/notes/final.html', 'fetched'],
    ['rel=nofollow', '/nofollow', 'nofollow'],
    ['meta robots nofollow', '/behind-nofollow', 'nofollow'],
    ['base href', '/elsewhere/leaf.html', 'fetched'],
    ['base href', '/leaf.html', undefined],
    ['meta refresh', '/refreshed', 'fetched'],
    ['meta refresh in noscript', '/for-others', undefined],
    ['raw UTF-8', '/%E4%B8%AD%E6%96%87/%E9%A1%B5.html', 'fetched'],
    ['&amp;', '/query?a=1&b=2', 'fetched'],
    ['%7E is ~', '/~tilde', 'fetched'],
    ['template', '/template', undefined],
    ['script strings', '/script', undefined],
    ['a sitemap named in robots.txt', '/only-in-the-sitemap', 'fetched'],
    ['404 pages', '/missing', 'http-404'],
  ]
  for (const [row, path, outcome] of rows) t.equal(await of(path), outcome, row)
  const sub = await Promise.all(['/sub', '/sub/', '/sub/index.html'].map(of))
  t.same([sub[0], ...sub.slice(1).sort()], ['redirect', 'duplicate', 'fetched'], 'a folder is one page')
  t.equal(titles.get('/gbk-meta'), `${CHINESE}镕`, 'GBK that its meta calls gb2312')
  t.equal(titles.get('/euckr-meta'), KOREAN, 'EUC-KR by meta')
  t.equal(titles.get('/utf16'), CHINESE, 'UTF-16 with a mark')
  t.equal(titles.get('/gbk-bare'), CHINESE, 'GBK without any label')
  t.notOk(titles.has('/missing'), '404 pages are not stored')
  t.equal(site.paths().filter((path) => path === '/~tilde').length, 1)
  t.equal(report.pages, titles.size)
  t.equal(report.reason, 'finished')
  t.equal(site.requests[0]?.path, '/robots.txt')
})
