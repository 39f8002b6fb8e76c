/**
 * Hostile sites by their rows: H45–H48, H57 and H62, what pages hold. Real spiders against real servers; each crawl goes on to the
 * page behind the hostile ones.
 */
import { highlight, IndexSearcher, QueryParser } from '@spindle/index'
import t, { type Test } from 'tap'
import { LocalIndexSink } from './indexing/local-index-sink.js'
import type { PageRecord } from './pages/stored-page.js'
import { MAX_LINKS } from './parse/parse-page.js'
import { formatReport } from './report/crawl-report.js'
import { crawl } from './test-support/site-crawl.js'
import { page, type Route, serveSite } from './test-support/test-site.js'

function bytes(body: Buffer | string, type = 'text/html'): Route {
  const headers = type === '' ? {} : { 'content-type': type }
  return (_request, response) => void response.writeHead(200, headers).end(body)
}

/** Crawls a site of these paths and one more page; the records by path. */
async function read(t: Test, routes: Readonly<Record<string, Route>>) {
  const site = await serveSite(t, {
    ...routes,
    '/': page('Home', [...Object.keys(routes), '/last']),
    '/last': page('Last'),
  })
  const pages = new Map<string, PageRecord>()
  const result = await crawl(site.at('/'), {
    // in order: the last page comes behind the others
    concurrency: 1,
    processPage: (record) => void pages.set(new URL(record.url).pathname, record),
  })
  t.equal(result.report.reason, 'finished')
  t.ok(pages.has('/last'), 'the crawl goes on')
  return { ...result, pages, of: (path: string) => result.of(site.at(path)) }
}

t.test('H45: what is said of the encoding, and what is so', async (t) => {
  const gbk = Buffer.concat([
    Buffer.from('<title>'),
    Buffer.from('d6d0b9fab5c4c8cb', 'hex'),
    Buffer.from('</title><p>'),
    Buffer.from('d6d0b9fab5c4c8cb', 'hex'),
  ])
  const wide = Buffer.from('<title>中国的人</title><p>中国的人', 'utf16le')
  const utf8 = Buffer.from('<title>中国的人</title><p>中国的人')
  // 喆 is in GBK, 𠮷 in GB18030 alone
  const wider = Buffer.concat([gbk, Buffer.from('86b4', 'hex'), Buffer.from('9534b235', 'hex')])
  const meta = (label: string, ...bytes: Buffer[]) => Buffer.concat([Buffer.from(`<meta charset=${label}>`), ...bytes])
  const bom = Buffer.from('efbbbf', 'hex')
  const changes = Buffer.concat([utf8, gbk, Buffer.from([0xff, 0xfe, 0x80])])
  const { pages, report } = await read(t, {
    '/bom-over-header-and-meta': bytes(Buffer.concat([bom, meta('big5'), utf8]), 'text/html; charset=gb2312'),
    '/header-over-meta': bytes(meta('utf-8', gbk), 'text/html; charset=GB2312'),
    '/meta': bytes(meta('gb2312', gbk)),
    '/meta-on-wider-bytes': bytes(meta('gb2312', wider)),
    '/bytes-alone': bytes(Buffer.concat([gbk, gbk])),
    '/utf-16-without-bom': bytes(wide),
    '/foo': bytes(utf8, 'text/html; charset=foo'),
    '/foo-over-meta': bytes(meta('gbk', gbk), 'text/html; charset=foo'),
    '/cut': bytes(utf8.subarray(0, utf8.length - 1)),
    '/cut-gbk': bytes(gbk.subarray(0, gbk.length - 1), 'text/html; charset=gbk'),
    '/changes': bytes(changes, 'text/html; charset=utf-8'),
    '/wrong-header': bytes(Buffer.concat([utf8, utf8]), 'text/html; charset=iso-8859-1'),
  })
  const found = (path: string) => {
    const { charset, charsetSource, charsetDoubt } = pages.get(path)!.parsed
    return [charset, charsetSource, charsetDoubt?.reason]
  }
  t.strictSame(found('/bom-over-header-and-meta'), ['utf-8', 'bom', undefined])
  t.strictSame(found('/header-over-meta'), ['gb18030', 'http', undefined])
  t.strictSame(found('/meta'), ['gb18030', 'meta', undefined])
  t.strictSame(found('/meta-on-wider-bytes'), ['gb18030', 'meta', undefined])
  t.match(pages.get('/meta-on-wider-bytes')?.parsed.text, '喆𠮷')
  t.strictSame(found('/bytes-alone'), ['gb18030', 'chardet', undefined])
  t.strictSame(found('/utf-16-without-bom'), ['utf-16le', 'utf16-nul', undefined])
  t.strictSame(found('/foo'), ['utf-8', 'utf8', undefined])
  t.strictSame(found('/foo-over-meta'), ['gb18030', 'meta', undefined])
  t.strictSame(found('/cut'), ['utf-8', 'utf8', undefined])
  t.strictSame(found('/cut-gbk'), ['gb18030', 'http', undefined])
  t.strictSame(found('/changes'), ['utf-8', 'http', 'invalid'])
  t.strictSame(found('/wrong-header'), ['windows-1252', 'http', 'utf-8'])
  for (const [path, { parsed }] of pages) {
    if (path !== '/' && path !== '/last' && path !== '/wrong-header') t.equal(parsed.title, '中国的人', path)
    t.notMatch(parsed.text, /\p{Cs}/u, path)
  }
  t.equal(report.charsetDoubts, 2)
  t.strictSame(
    report.doubtful.map(({ url, ...rest }) => [new URL(url).pathname, rest]),
    [
      ['/changes', { charset: 'utf-8', reason: 'invalid', bytesLike: 'gb18030' }],
      ['/wrong-header', { charset: 'windows-1252', reason: 'utf-8', bytesLike: 'utf-8' }],
    ],
  )
  const table = formatReport(report)
  t.match(table, /^charset-doubt +2 +may have been/m)
  t.match(table, /wrong-header \(read as windows-1252; its bytes are valid UTF-8; looks like utf-8\)/)
})

t.test('H46: characters that are none', async (t) => {
  const odd = [
    '<title>a\0b&#xD800;c&#0;d</title><p>x\0y&#xDFFF;z\u0085\u0001\u202eabc\u200bdef&#x110000;',
    '<p>nul\0byte c1\u0090control bi\u202edi\u202c zero\u200bwidth join\u2060er mark\u200eed &#x9f;entity&#x1;ed so\u00adft',
    '<p>天\0安\u200b门\u202e广\u2066场',
  ].join('')
  const { pages } = await read(t, { '/odd': bytes(odd, 'text/html; charset=utf-8') })
  const page = pages.get('/odd')!
  const { title, text } = page.parsed
  for (const part of [title, text]) {
    t.notMatch(part, /\p{Cs}/u)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    t.notMatch(part, /[\0-\x08\x0e-\x1f\x7f]/)
  }
  t.notMatch(text, /[\u200b\u200e\u202a-\u202e\u2060\u2066-\u2069\u00ad]/)
  t.match(text, 'abcdef')
  const path = t.testdir()
  const sink = await LocalIndexSink.open(path, { crawlId: 'odd' })
  await sink.put({ ...page, sequence: 1, offset: 0, end: 1 })
  await sink.commit({ sequence: 1, offset: 1 })
  await sink.close()
  const searcher = await IndexSearcher.open(path)
  t.teardown(() => searcher.close())
  const { analyzers } = searcher.reader
  for (const word of ['nulbyte', 'c1control', 'bidi', 'zerowidth', 'joiner', 'marked', 'soft', '天安门广场']) {
    const query = QueryParser.parse(`"${word}"`, 'body', analyzers.forField('body'))
    t.equal((await searcher.search(query)).length, 1, `${word} is found`)
    const { html } = highlight(query, 'body', text, analyzers.forField('body'))
    t.match(html, `<em>${word}</em>`)
  }
})

t.test('H47, H48: deep, wide and endless pages', async (t) => {
  const before = process.memoryUsage().rss
  const cpu = process.cpuUsage()
  const { pages, of } = await read(t, {
    '/deep': bytes(`${'<div>'.repeat(800_000)}deep end`),
    '/attributes': bytes(`<p ${Array.from({ length: 100_000 }, (_, i) => `a${i}=b`).join(' ')}>wide end`),
    '/entities': bytes(`${'&amp;'.repeat(1_000_000)}many`),
    '/comments': bytes(`${'<!---->'.repeat(1_000_000)}after`),
    '/line': bytes(`<title>Line</title>${'word '.repeat(10_000_000)}`),
    '/links': bytes(Array.from({ length: 1_000_000 }, (_, i) => `<a href=#${i}>`).join('')),
    '/nodes': bytes(`<p>${'x<b></b>'.repeat(1_000_000)}`),
  })
  t.match(pages.get('/deep')?.parsed.text, /deep end/)
  t.match(pages.get('/attributes')?.parsed.text, /wide end/)
  t.match(pages.get('/comments')?.parsed.text, /after/)
  t.equal(await of('/line'), 'oversize', 'cut at 10 MiB')
  t.ok(pages.get('/line')!.body.length <= 10 * 1024 * 1024)
  t.ok(pages.get('/links')!.parsed.links.length <= 5000)
  const { user, system } = process.cpuUsage(cpu)
  t.ok(user + system < 60e6, `${(user + system) / 1e6} CPU seconds`)
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  // The test itself holds the pages: some 100 MB.
  t.ok(grown < 600, `${grown} MB`)
})

t.test('H48: more links than are taken', async (t) => {
  const many = Array.from({ length: MAX_LINKS + 5000 }, (_, i) => `/nothing/${i}`)
  const site = await serveSite(t, { '/': page('Home', many) })
  const { report } = await crawl(site.at('/'), { include: ['*/nothing/1', '*/'], concurrency: 1 })
  t.equal(report.skipped['not-included'], MAX_LINKS - 1)
})

t.test('H57: labels that are wrong or missing', async (t) => {
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(500, 7)])
  const zip = Buffer.concat([Buffer.from('504b0304140000000800', 'hex'), Buffer.alloc(500, 0x9c)])
  const exe = Buffer.concat([Buffer.from('4d5a90000300000004000000ffff0000', 'hex'), Buffer.alloc(500)])
  const html = page('A page')
  const { pages, of } = await read(t, {
    '/png': bytes(png),
    '/zip': bytes(zip),
    '/exe': bytes(exe),
    '/octets': bytes(html, 'application/octet-stream'),
    '/nothing': bytes(html, ''),
    '/empty': bytes(html, ' '),
    '/junk': bytes(html, 'text/html; charset="'),
  })
  for (const path of ['/octets', '/nothing', '/empty', '/junk']) t.equal(pages.get(path)?.parsed.title, 'A page', path)
  for (const path of ['/png', '/zip', '/exe']) {
    t.notOk(pages.has(path), path)
    t.match(String(await of(path)), /^(?:non-text|document-)/, path)
  }
})
