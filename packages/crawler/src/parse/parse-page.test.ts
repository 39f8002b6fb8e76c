import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js'
import '@exodus/bytes/encoding.js'
import fc from 'fast-check'
import t from 'tap'
import { type ParseInput, parsePage } from './parse-page.js'
import type { ParsedPage } from './parsed-page.js'

const URL_ = 'http://site.test/dir/page.html'

function parse(body: Buffer | string, more: Partial<ParseInput> = {}): ParsedPage {
  const page = parsePage({ url: URL_, contentType: 'text/html', body: Buffer.from(body as string), ...more })
  if (page === null) throw new Error('not taken for text')
  return page
}

const urls = (body: string, more?: Partial<ParseInput>): string[] => parse(body, more).links.map((link) => link.url)

/** Text in a legacy encoding, as bytes. */
function encode(text: string, label: string): Buffer {
  const escaped = percentEncodeAfterEncoding(label, text, '%')
  return Buffer.from(
    escaped.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}

t.test('the oddities that peers get wrong', async (t) => {
  const CHINESE = '中文网页的标题，用国标码写成，没有声明'
  const gbk = (head: string) =>
    encode(`<html><head>${head}<title>${CHINESE}</title></head><body><p>${CHINESE}</p></body>`, 'gbk')
  const labelled = parse(gbk('<meta http-equiv="Content-Type" content="text/html; charset=gb2312">'))
  t.strictSame(
    [labelled.title, labelled.charset, labelled.charsetSource],
    [CHINESE, 'gb18030', 'meta'],
    'GBK as gb2312',
  )
  const bare = parse(gbk(''))
  t.strictSame([bare.title, bare.charset, bare.charsetSource], [CHINESE, 'gb18030', 'chardet'], 'GBK without any label')
  const header = parse(gbk(''), { charsetLabel: 'GBK' })
  t.strictSame([header.title, header.charset, header.charsetSource], [CHINESE, 'gb18030', 'http'])
  const korean = parse(encode('<meta charset=euc-kr><title>한국어 문서</title>', 'euc-kr'))
  t.strictSame(
    [korean.title, korean.charset, korean.charsetSource],
    ['한국어 문서', 'euc-kr', 'meta'],
    'EUC-KR by meta',
  )
  const utf16 = Buffer.from(`\ufeff<title>${CHINESE}</title>`, 'utf16le')
  t.strictSame([parse(utf16).title, parse(utf16).charset, parse(utf16).charsetSource], [CHINESE, 'utf-16le', 'bom'])
  t.equal(parse(Buffer.from(utf16).swap16()).title, CHINESE, 'UTF-16 BE with BOM')
  t.equal(parse(utf16.subarray(2)).charsetSource, 'utf16-nul', 'UTF-16 without')
  t.equal(parse(utf16.subarray(2)).title, CHINESE)
  t.equal(
    parse('\ufeff<meta charset=gbk><title>中</title>', { charsetLabel: 'big5' }).title,
    '中',
    'a mark before all labels',
  )
  t.equal(parse('<meta charset=gbk><title>中</title>', { charsetLabel: 'utf-8' }).title, '中', 'the header before meta')
  t.equal(parse('<title>中</title>', { charsetLabel: 'foo' }).charsetSource, 'utf8', 'no such charset')
  t.equal(parse('<?xml version="1.0" encoding="utf-8"?><html><title>中</title>').charsetSource, 'xml')
  t.equal(parse(Buffer.from('<title>中文</title>').subarray(0, 12)).charset, 'utf-8', 'cut within a character')
  const cut = parse(gbk('<meta charset=gbk>').subarray(0, 60))
  t.ok(cut.title.startsWith('中文'), 'GBK cut within a character')

  t.strictSame(urls('<base href="/other/"><a href="x.html">x</a>'), ['http://site.test/other/x.html'], 'base href')
  t.strictSame(urls('<a href="x.html">x</a><base href="../">'), ['http://site.test/x.html'], 'also one that comes late')
  t.strictSame(
    urls(
      '<base href="javascript:x"><base href=""><base target=x><base href="http://cdn.test/a/"><base href="/b/"><a href=x>',
    ),
    ['http://cdn.test/a/x'],
    'the first that is http counts',
  )
  t.strictSame(urls('<meta http-equiv="Refresh" content="0; URL=\'next.html\'">'), ['http://site.test/dir/next.html'])
  t.strictSame(urls('<noscript><meta http-equiv=refresh content="0;url=no.html"></noscript><a href=y>'), [
    'http://site.test/dir/y',
  ])
  t.strictSame(urls('<noscript><a href=inside>x</a>words</noscript>'), ['http://site.test/dir/inside'])
  t.equal(parse('<noscript>words</noscript>').text, 'words')
  t.strictSame(urls('<a href="/文档/页.html">'), ['http://site.test/%E6%96%87%E6%A1%A3/%E9%A1%B5.html'], 'raw UTF-8')
  t.strictSame(
    urls('<a href="?a=1&amp;b=2&copy=3">'),
    ['http://site.test/dir/page.html?a=1&b=2&copy=3'],
    'entities in href',
  )
  t.strictSame(urls('<a href="/%7Eme/"><a href="/~me/">'), ['http://site.test/~me/'], '%7E is ~')
  t.strictSame(
    urls(
      '<template><a href=t>t</a><template></template><a href=t2></template><!-- <a href=c> -->' +
        '<script>document.write("<a href=s>")</script><style>/*<a href=s>*/</style><a href=yes>',
    ),
    ['http://site.test/dir/yes'],
    'nothing from templates, comments, scripts',
  )
  const follow = parse(
    '<a href=1 rel="noopener NoFollow">a</a><a href=2 rel=ugc>b</a><a href=3>c</a><a href=1 rel=nofollow>',
  )
  t.strictSame(
    follow.links.map((link) => link.nofollow),
    [true, true, false],
  )
  t.equal(
    parse('<a href=1 rel=nofollow>a</a><a href=1>a</a>').links[0]?.nofollow,
    false,
    'one link that may be followed',
  )
  t.strictSame(parse('<meta name=ROBOTS content="NOFOLLOW">').robots, { index: true, follow: false })
  t.strictSame(parse('<meta name=spindle content=noindex>').robots, { index: false, follow: true })
  t.strictSame(parse('<meta name=googlebot content=noindex>').robots, { index: true, follow: true })
  t.strictSame(parse('<p>x', { xRobotsTag: 'none' }).robots, { index: false, follow: false })
})

t.test('links', async (t) => {
  const kinds = parse(
    '<a href=a>A <b>link</b></a><map><area href=b alt="The area"></map><iframe src=c><a href=no></iframe>' +
      '<meta http-equiv=refresh content="5;url=d">',
  )
  t.strictSame(
    kinds.links.map(({ url, kind, text, scheme }) => [url.slice(21), kind, text, scheme]),
    [
      ['a', 'a', 'A link', 'http'],
      ['b', 'area', 'The area', 'http'],
      ['c', 'iframe', '', 'http'],
      ['d', 'refresh', '', 'http'],
    ],
  )
  t.strictSame(urls('<frameset><frame src=a><frame src=b></frameset><noframes><a href=c></noframes>'), [
    'http://site.test/dir/a',
    'http://site.test/dir/b',
  ])
  t.strictSame(
    urls(
      `<a href=javascript:x()><a href="jAvA\tscript:x"><a href="  data:x"><a href=blob:x><a href=about:blank><a href="#x">` +
        `<a href=""><a href><a href="http://[bad"><a href="http://a.test:99999/"><a name=x><a href="vbscript:x">`,
    ),
    [],
  )
  t.strictSame(
    parse('<a href=mailto:a@b.test><a href=ftp://f.test/x><a href=file:///etc/passwd>').links.map(
      (link) => link.scheme,
    ),
    ['other', 'other', 'other'],
  )
  t.strictSame(urls('<a href="x#1">1</a><a href=x#2>2</a><a href=./x>3</a><a href="http://SITE.test:80/dir/x">4</a>'), [
    'http://site.test/dir/x',
  ])
  t.equal(parse('<a href=x><img src=i></a><a href=x>Text</a>').links[0]?.text, 'Text', 'the first text there is')
  t.equal(parse('<a href="./x"> </a><a href=x>Text</a>').links[0]?.text, 'Text')
  t.strictSame(urls(`<a href=a><a href='b'><a href = "c"><a href=d/><A HREF=e\n><a href= "\n f\n\t g ">`), [
    'http://site.test/dir/a',
    'http://site.test/dir/b',
    'http://site.test/dir/c',
    'http://site.test/dir/d/',
    'http://site.test/dir/e',
    'http://site.test/dir/f%20g',
  ])
  t.strictSame(urls('<a href="//user:pw@o.test/x?#y"><a href="..\\up">'), ['http://o.test/x', 'http://site.test/up'])
  t.strictSame(urls('<svg><a xlink:href="s1"><text>x</text></a><a href=s2></a></svg>'), [
    'http://site.test/dir/s1',
    'http://site.test/dir/s2',
  ])
  t.strictSame(urls('<a href="?q=中文">', { charsetLabel: 'utf-8' }), [
    'http://site.test/dir/page.html?q=%E4%B8%AD%E6%96%87',
  ])
  t.strictSame(
    parse(encode('<meta charset=gb2312><a href="/中?q=中#中">', 'gbk')).links.map((link) => link.url),
    ['http://site.test/%E4%B8%AD?q=%D6%D0'],
    'a query is escaped in the encoding of its page, a path never',
  )
  const many = parse(Array.from({ length: 50 }, (_, i) => `<a href=p${i}><a href=p${i}#x>`).join(''), { maxLinks: 20 })
  t.equal(many.links.length, 20)
  t.equal(many.linksTruncated, true)
  t.equal(parse('<a href=a><a href=a#1>', { maxLinks: 1 }).linksTruncated, false)
  const refresh = (content: string) =>
    urls(`<meta http-equiv=refresh content="${content}">`).map((url) => url.slice(21))
  t.strictSame(refresh('0;x'), ['x'])
  t.strictSame(refresh(' 3 , URL = x y'), ['x%20y'])
  t.strictSame(refresh("0;url='x'z"), ['x'])
  t.strictSame(refresh('0.5; x'), ['x'])
  t.strictSame(refresh('100;url=x'), ['x'])
  for (const none of ['101;url=x', '5', '0;', 'url=x', '0;url=javascript:x', '0;url=#top', '', '0;url=']) {
    t.strictSame(refresh(none), [], none)
  }
})

t.test('title, text and what the head says', async (t) => {
  const page = parse(
    `<!doctype html><html lang="zh-CN"><head><title>  A &amp; B\n C</title><meta name=Description content=" what  it is ">
     <link rel="alternate" href="/no"><link rel="Canonical" href="//site.test/canon#x"><link rel=canonical href=/second>
     <meta property="article:published_time" content="2024-05-06T07:08:09+08:00"></head>
     <body><h1>Head</h1><p>One <b>t</b>wo<br>three</p><ul><li>four<li>five</ul><table><tr><td>a<td>b<tr><td>c</table>
     <script>no</script><style>no</style><textarea>area</textarea><title>no</title></body>`,
  )
  t.equal(page.title, 'A & B C')
  t.equal(page.text, 'Head\nOne two\nthree\nfour\nfive\na b\nc')
  t.equal(page.description, 'what it is')
  t.equal(page.lang, 'zh-cn')
  t.equal(page.canonical, 'http://site.test/canon')
  t.equal(page.published, '2024-05-05T23:08:09Z')
  t.equal(
    parse('<link rel=canonical href="file:///usr/x"><link rel=canonical href=/y>').canonical,
    'http://site.test/y',
  )
  t.equal(parse('<link rel=canonical href="file:///usr/x">').canonical, undefined)
  t.equal(parse('<title> </title><h1>The <i>heading</i></h1>').title, 'The heading')
  t.equal(parse('<meta property=og:title content=Shared><h1>x</h1>').title, 'Shared')
  t.equal(
    parse('<svg><title>Picture</title></svg><title>Page</title>').title,
    'Page',
    'the title of a picture is not the page',
  )
  t.equal(parse(`<title>${'长'.repeat(600)}</title>`).title.length, 500)
  t.equal(parse('<html xml:lang=EN_us>').lang, 'en-us')
  t.equal(parse('<meta http-equiv=content-language content="de, en">').lang, 'de')
  t.equal(parse('<html lang="no such language">').lang, '')
  t.equal(
    parse('<p>中文\n换行</p><p>and\nEnglish</p><p>한국\n어</p>').text,
    '中文换行\nand English\n한국 어',
    'wrapped lines',
  )
  t.equal(parse('<p>中<b>\n文</b></p>').text, '中文')
  t.equal(parse('<p>a\u0000b\u0007c &#xD800; so\u00adft &shy;x').text, 'abc \ufffd soft x', 'no control characters')
  t.equal(parse('<xmp><b>raw</b></xmp><plaintext><a href=x>').text, '<b>raw</b>\n<a href=x>')
  t.equal(
    parse('<svg><style>.a{}</style><script>x<a href=y></script><text>label</text></svg> after').text,
    'label after',
  )
  t.equal(parse('<svg><![CDATA[a<b]]></svg><![CDATA[no]]>').text, 'a<b')
  t.equal(parse('<p constructor=x __proto__=y>w<constructor>x</constructor>').text, 'wx')

  const body = `<p>${'Content of the page. '.repeat(20)}</p>`
  const chrome = '<nav>menu</nav><header>top</header>'
  t.notMatch(parse(`${chrome}${body}<footer>bottom</footer><aside>side</aside>`).text, /menu|top|bottom|side/)
  t.equal(parse(`${chrome}<p>short</p>`).text, 'menu\ntop\nshort', 'not where hardly anything else is left')
  t.equal(parse(`${chrome}<main>short</main>`).text, 'short', 'but where the page has a main part')
  t.equal(
    parse('<article><header><h1>H</h1></header><nav>no</nav><aside>note</aside><footer>f</footer></article>').text,
    'H\nnote\nf',
    'header, footer and aside of an article belong to it',
  )
  t.match(parse(`<nav>menu${'x'.repeat(9)}<p>${body}`).text, /menu/, 'a nav that is never closed loses nothing')

  const date = (head: string) => parse(head).published
  t.equal(date('<meta name=date content="2024/5/6">'), '2024-05-06')
  t.equal(date('<meta name=pubdate content="2024年5月6日">'), '2024-05-06')
  t.equal(date('<meta name=date content="2024-05-06 10:00">'), '2024-05-06', 'a time without zone')
  t.equal(date('<meta itemprop=datePublished content="Mon, 06 May 2024 12:00:00 GMT">'), '2024-05-06T12:00:00Z')
  t.equal(date('<time datetime="2023-01-02">x</time><time datetime="2024-01-02">'), '2023-01-02')
  t.equal(date('<time datetime="2023-01-02"></time><meta name="DC.Date" content="2020-01-01">'), '2020-01-01')
  for (const junk of ['2024-02-31', 'tomorrow', '2024', '0000-00-00', '12', '']) {
    t.equal(date(`<meta name=date content="${junk}">`), undefined, junk)
  }
})

t.test('types', async (t) => {
  const kind = (contentType: string, body: Buffer | string) => {
    return parsePage({ url: URL_, contentType, body: Buffer.from(body as string) })?.kind
  }
  const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0', 'latin1')
  t.equal(kind('text/html', 'x'), 'html')
  t.equal(kind('application/xhtml+xml', '<html/>'), 'html')
  t.equal(kind('application/xml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>'), 'html')
  t.equal(kind('application/xml', '<rss/>'), undefined)
  t.equal(kind('text/plain', '<html>'), 'text')
  t.equal(kind('text/markdown', '# x'), 'text')
  for (const type of ['', 'application/octet-stream']) {
    t.equal(kind(type, '\n <!DOCTYPE HTML><p>x'), 'html', type)
    t.equal(kind(type, Buffer.from('\ufeff<html><p>x', 'utf16le')), 'html', type)
    t.equal(kind(type, 'plain words'), 'text', type)
    t.equal(kind(type, png), undefined, type)
  }
  t.equal(kind('text/html', png), undefined, 'a picture labelled as HTML')
  t.equal(kind('text/html', 'PK\x03\x04xxx'), undefined)
  t.equal(kind('text/plain', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1')), undefined)
  t.equal(kind('text/plain', Buffer.from([1, 2, 3, 0, 0, 7, 1, 4, 9, 0, 2, 5, 0, 3])), undefined)
  t.equal(kind('text/plain', Buffer.from('中文文字，没有标记', 'utf16le')), 'text', 'UTF-16 is not binary')
  for (const type of ['image/png', 'text/css', 'text/javascript', 'application/json', 'application/pdf', 'nonsense']) {
    t.equal(kind(type, 'x'), undefined, type)
  }
  t.equal(kind('text/html', ''), 'html')
  const text = parse('  one\r\n\ttwo\rthree\n', { contentType: 'text/plain' })
  t.equal(text.text, 'one\n\ttwo\nthree')
  t.strictSame([text.title, text.links.length, text.kind], ['', 0, 'text'])
  const xhtml = parse(
    '<html xmlns="x"><head><script src="x"/><title/><title>T</title></head><body><p>a<a href="l"/>b</p></body></html>',
    {
      contentType: 'application/xhtml+xml',
    },
  )
  t.strictSame([xhtml.title, xhtml.text, xhtml.links.length], ['T', 'ab', 1], 'in XHTML a tag can close itself')
})

t.test('hostile pages are read in time linear in their length', async (t) => {
  const timed = (name: string, body: string): ParsedPage => {
    const before = process.cpuUsage()
    const page = parse(body)
    const { user, system } = process.cpuUsage(before)
    t.ok((user + system) / 1000 < 5000, `${name}: ${Math.round((user + system) / 1000)} ms`)
    return page
  }
  t.equal(timed('nested tags', `${'<div>'.repeat(100_000)}deep`).text, 'deep')
  t.equal(timed('nested svg', `<svg>${'<g>'.repeat(100_000)}x${'</y>'.repeat(100_000)}</svg>end`).text, 'xend')
  t.equal(
    timed('attributes', `<a ${Array.from({ length: 100_000 }, (_, i) => `a${i}=v`).join(' ')} href=x>y`).links.length,
    1,
  )
  t.equal(timed('comments', `${'<!---->'.repeat(1_000_000)}x`).text, 'x')
  t.equal(timed('unclosed comments', `<p>x${'<!--'.repeat(500_000)}`).text, 'x')
  t.equal(timed('one line', 'word '.repeat(2_000_000)).text.length, 9_999_999)
  t.equal(timed('entities', '&amp;'.repeat(1_000_000)).text.length, 1_000_000)
  t.equal(timed('broken entities', '&#x'.repeat(1_000_000)).text.length, 3_000_000)
  t.equal(
    timed('links', Array.from({ length: 200_000 }, (_, i) => `<a href=p${i}>x</a>`).join('')).linksTruncated,
    true,
  )
  timed('one link many times', '<a href="x#y">t</a>'.repeat(300_000))
  timed('an endless title', `<title>${'x '.repeat(2_000_000)}`)
  timed('a huge attribute', `<a href="${'x'.repeat(5_000_000)}">`)
  timed('a huge tag name', `<${'x'.repeat(5_000_000)}>`)
  timed('open angle brackets', '<'.repeat(3_000_000))
  timed('scripts never closed', '<script><!--<script>'.repeat(200_000))
  timed('NUL', `${'x'.repeat(2000)}${'\0'.repeat(3_000_000)}`)
  timed('carriage returns', '\r'.repeat(3_000_000))
  timed('templates', `${'<template>'.repeat(200_000)}${'</template>'.repeat(200_000)}`)
  timed('metas', '<meta name=robots content=noindex><base href=/x><link rel=canonical href=/y>'.repeat(50_000))
})

t.test('any bytes whatever give a page of clean text, or none', async (t) => {
  const types = fc.constantFrom(
    '',
    'text/html',
    'text/plain',
    'application/xhtml+xml',
    'application/octet-stream',
    'image/png',
  )
  const labels = fc.constantFrom(
    undefined,
    'utf-8',
    'gb2312',
    'big5',
    'euc-kr',
    'shift_jis',
    'iso-2022-jp',
    'utf-16be',
    'foo',
  )
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 12 }),
    fc
      .constantFrom(
        '<a href="',
        '">',
        '<title>',
        '</',
        '<!--',
        '<meta charset=',
        '&#',
        '<svg><',
        '\ud83d\ude00',
        ' ',
        '<base href=',
      )
      .map((text) => new Uint8Array(Buffer.from(text))),
  )
  const property = fc.property(
    types,
    labels,
    fc.array(piece, { maxLength: 12 }),
    (contentType, charsetLabel, pieces) => {
      const page = parsePage({ url: URL_, contentType, charsetLabel, body: Buffer.concat(pieces) })
      if (page === null) return true
      const all = [page.title, page.text, page.description, ...page.links.flatMap(({ url, text }) => [url, text])]
      // encodeURIComponent throws on half a surrogate pair
      return all.every((text) => encodeURIComponent(text) !== '' || text === '') && !/[^\P{Cc}\t\n]/u.test(all.join(''))
    },
  )
  fc.assert(property, { numRuns: 3000, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) })
  const cutPair = parse(`<title>${' '.repeat(3999)}😀</title>`)
  t.ok(encodeURIComponent(cutPair.title) !== undefined)
})
