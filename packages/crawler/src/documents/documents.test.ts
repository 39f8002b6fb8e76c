import { readFileSync } from 'node:fs'
import { decodeSections, encodeSections, sectionAt } from '@spindle/core'
import { unzipSync, type Zippable, zipSync } from 'fflate'
import t from 'tap'
import type { ParsedPage } from '../parse/parsed-page.js'
import { DocumentReader } from './document-reader.js'
import { readPage } from './read-page.js'
import { pdfOf } from './test-support/write-pdf.js'

const FOLDER = new URL('../../test-data/documents/', import.meta.url)
const reader = new DocumentReader()
t.teardown(() => reader.close())

async function read(body: Buffer, url: string, contentType = ''): Promise<ParsedPage> {
  const page = await readPage({ url, contentType, body }, { documents: reader })
  if (page === null) throw new Error(`${url} is no document`)
  return page
}

function readFixture(name: string): Promise<ParsedPage> {
  return read(readFileSync(new URL(name, FOLDER)), `http://a.example/${name}`)
}

/** The heading and page of the section that a phrase lies in, as the index will tell it. */
function placeOf(page: ParsedPage, phrase: string): { readonly page?: number; readonly heading?: string } | undefined {
  const at = page.text.indexOf(phrase)
  if (at < 0) throw new Error(`"${phrase}" is not in the text: ${page.text}`)
  const found = sectionAt(decodeSections(encodeSections(page.sections ?? [])), at)
  if (found === undefined) return undefined
  const { start, ...rest } = found
  return rest
}

const GUIDE = [
  '图书馆使用指南\n本馆每天早上八点开放，晚上十点关闭。读者凭校园卡入馆，首次借书须先登记。\n',
  'The library opens at eight in the morning. Readers enter with their campus card.\n',
  '借阅规则\n每位读者最多可借二十册图书，借期三十天，可续借一次。逾期每天罚款一角。\n',
  'Interlibrary Loan\nBooks that are not held here can be ordered from seven partner libraries; delivery takes about a fortnight.\n',
  '古籍阅览\n善本古籍只在三楼阅览室阅览，不得外借。拍照须经管理员同意。\n',
  'Rare books stay on the third floor; the reading room keeps a steady temperature of eighteen degrees.',
]

t.test('a PDF with Chinese fonts: text, title, pages, links', async (t) => {
  const page = await readFixture('guide.pdf')
  for (const part of GUIDE) t.ok(page.text.includes(part.trimEnd()), part)
  t.match(page, { kind: 'pdf', title: '图书馆使用指南 Library Guide' })
  t.equal(page.sections?.length, 3)
  t.equal(placeOf(page, '校园卡')?.page, 1)
  t.equal(placeOf(page, '逾期')?.page, 1)
  t.same(placeOf(page, 'fortnight'), { page: 2, heading: 'Interlibrary Loan' })
  t.equal(placeOf(page, '红楼梦')?.page, 2)
  t.same(placeOf(page, '善本'), { page: 3, heading: '古籍阅览' })
  t.same(
    page.links.map(({ url }) => url),
    ['https://library.example/card'],
  )
})

t.test('the same text in Word, OpenDocument and EPUB', async (t) => {
  for (const name of ['guide.docx', 'guide.odt', 'guide.epub']) {
    const page = await readFixture(name)
    for (const part of GUIDE) t.ok(page.text.includes(part), `${name}: ${part}`)
    t.match(page.text, /书名 ?\n?册数\n红楼梦 ?\n?120\nWalden ?\n?3\n/, name)
    t.match(page, { kind: 'office', title: '图书馆使用指南 Library Guide' }, name)
    t.match(page.links, [{ url: 'https://library.example/card', text: 'campus card' }], name)
    t.equal(page.author, undefined, `${name}: nobody`)
    if (name !== 'guide.epub') t.same(placeOf(page, 'fortnight'), { heading: 'Interlibrary Loan' }, name)
  }
})

t.test('a book that was packed together with its folder', async (t) => {
  const members: Zippable = {}
  const whole = unzipSync(readFileSync(new URL('guide.epub', FOLDER)))
  for (const [name, bytes] of Object.entries(whole)) members[`book/${name}`] = bytes
  const page = await read(Buffer.from(zipSync(members)), 'http://a.example/x.epub')
  t.match(page, { kind: 'office', title: '图书馆使用指南 Library Guide', text: /借阅规则/ })
})

t.test('slides in order with their titles and notes', async (t) => {
  for (const name of ['talk.odp', 'talk.pptx']) {
    const page = await readFixture(name)
    t.match(page, { kind: 'office', title: '河流与桥梁 Rivers and Bridges', author: '林远' }, name)
    t.match(page.keywords?.join(' '), '桥梁 rivers', name)
    t.same(placeOf(page, '赵州桥建于隋代，跨度三十七米。'), { page: 1, heading: '石拱桥的历史' }, name)
    t.equal(placeOf(page, 'spandrel arches')?.page, 1, `${name}: notes`)
    t.same(placeOf(page, '悬索桥适合宽阔的江面。'), { page: 2, heading: 'Suspension Bridges' }, name)
  }
})

t.test('sheets with their values, formulas calculated, dates as dates', async (t) => {
  for (const name of ['prices.ods', 'prices.xlsx']) {
    const page = await readFixture(name)
    t.match(page, { kind: 'office', title: '文具价目 Stationery' }, name)
    t.match(page.text, '宣纸 rice paper 12 35.5 426 2024-05-06\n端砚 1 880 880 2024-06-01\n', name)
    t.same(placeOf(page, '端砚'), { page: 1, heading: '价目' }, name)
    t.same(placeOf(page, '泾县造纸厂'), { page: 2, heading: 'Suppliers' }, name)
  }
})

t.test('what is protected by a password says so', async (t) => {
  for (const name of ['encrypted.docx', 'encrypted.odt', 'encrypted.pdf']) {
    await t.rejects(readFixture(name), { name: 'DocumentError', fault: 'document-encrypted' }, name)
  }
})

t.test('a PDF whose Chinese font is not embedded', async (t) => {
  // 中文 in GBK: most PDFs of older Chinese office programs name the font and leave it to the reader.
  for (const [encoding, ordering, codes] of [
    ['GBK-EUC-H', 'GB1', 'd6d0cec4'],
    ['UniGB-UCS2-H', 'GB1', '4e2d6587'],
    ['ETen-B5-H', 'CNS1', 'a4a4a4e5'],
    ['90ms-RKSJ-H', 'Japan1', '92868ab6'.replace('8ab6', '95b6')],
    ['KSCms-UHC-H', 'Korea1', 'f1e9d9fe'],
  ] as const) {
    const page = await read(pdfOf({ encoding, ordering, pages: [codes] }), 'http://a.example/x.pdf', 'application/pdf')
    t.equal(page.text, '中文', encoding)
  }
})

t.test('a word divided at the end of a line is one, a hyphen of its own stays, rows of dots do not', async (t) => {
  const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex')
  const page = await read(
    pdfOf({
      pages: [[hex('a manip-'), hex('ulation by non-'), hex('Han readers . . . . . . .'), hex('12')], hex('next page')],
    }),
    'http://a.example/x.pdf',
  )
  t.equal(page.text, 'a manipulation by non-Han readers 12\nnext page')
  t.same(page.sections, [
    { start: 0, page: 1 },
    { start: 37, page: 2 },
  ])
})

t.test('Markdown: front matter, headings with the names that addresses use, links, embedded HTML', async (t) => {
  const body = Buffer.from(`---
title: "漫游指南"
tags: [旅行, guide]
author: 李明
date: 2024-05-06
lang: zh
---
# Getting *Started*

See [the map](maps/china.html) and <b>bold</b> text,
wrapped.

## 第一章 出发!

\`\`\`js
const answer = 42
\`\`\`

| a | b |
|---|---|
| 一 | 二 |

## 第一章 出发!
完
`)
  const page = await read(body, 'http://a.example/docs/guide.md', 'text/plain')
  t.match(page, {
    kind: 'text',
    title: '漫游指南',
    author: '李明',
    published: '2024-05-06',
    lang: 'zh',
    keywords: ['旅行', 'guide'],
  })
  t.match(page.text, /^Getting Started\nSee the map and bold text, wrapped\.\n第一章 出发!\nconst answer = 42/)
  t.match(page.links, [{ url: 'http://a.example/docs/maps/china.html', text: 'the map' }])
  t.same(
    page.sections?.map(({ anchor }) => anchor),
    ['getting-started', '第一章-出发', '第一章-出发-1'],
  )
  const plain = await readPage(
    { url: 'http://a.example/x.txt', contentType: 'text/plain', body },
    { documents: reader },
  )
  t.match(plain?.text, /^---\ntitle/, 'the same as plain text is left as it is')
})

t.test('feeds: RSS in GB2312 with the entities of HTML, Atom with markup; entries and where they lead', async (t) => {
  const rss = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="gb2312"?><rss version="2.0"><channel><title>'),
    Buffer.from('d0c2cec5', 'hex'), // 新闻
    Buffer.from(
      `</title><link>http://a.example/</link><description>daily&nbsp;news</description><language>zh-cn</language>
      <image><title>logo</title><link>http://a.example/logo</link></image>
      <item><title>One &amp; two</title><link>/1.html</link><pubDate>Mon, 06 May 2024 12:00:00 GMT</pubDate>
      <description>&lt;p&gt;First &lt;b&gt;entry&lt;/b&gt;&lt;/p&gt;</description></item>
      <item><title><![CDATA[Three < four]]></title><link>http://a.example/2.html</link><content:encoded><![CDATA[<p>Second</p>]]></content:encoded></item>
      </channel></rss>`,
    ),
  ])
  const page = await read(rss, 'http://a.example/feed', 'text/xml')
  t.match(page, { kind: 'feed', title: '新闻', lang: 'zh-cn', published: '2024-05-06T12:00:00Z' })
  t.equal(page.text, '新闻\ndaily\u00a0news\nOne & two\nFirst entry\nThree < four\nSecond')
  t.same(
    page.links.map(({ url, text }) => [url, text]),
    [
      ['http://a.example/', '新闻'],
      ['http://a.example/1.html', 'One & two'],
      ['http://a.example/2.html', 'Three < four'],
    ],
  )
  const atom = Buffer.from(`<?xml version="1.0"?><!-- made --><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
    <title>Notes</title><link rel="self" href="http://a.example/atom"/><link href="http://a.example/notes/"/>
    <author><name>Ann</name></author><updated>2024-05-07T00:00:00Z</updated>
    <entry><title type="html">A &lt;i&gt;new&lt;/i&gt; one</title><link href="n1"/>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Body with <b>bold</b> &lt;sic&gt;</p></div></content></entry></feed>`)
  const notes = await read(atom, 'http://a.example/x/atom', 'application/atom+xml')
  t.match(notes, { kind: 'feed', title: 'Notes', author: 'Ann', lang: 'en' })
  t.equal(notes.text, 'Notes\nA new one\nBody with bold <sic>')
  t.same(
    notes.links.map(({ url }) => url),
    ['http://a.example/notes/', 'http://a.example/x/n1'],
  )
  const item = '<item><title>A</title><link>/x</link></item>'
  for (const [what, broken] of [
    ['an end tag of another name', `<rss><channel>${item}<item><title>B</titel></item>${item}</channel></rss>`],
    ['no end', `<rss><channel>${item}${item}<item><title>B`],
    ['bare ampersands', `<rss><channel>${item.replace('A', 'A & B &what;')}${item}</channel></rss>`],
  ] as const) {
    const page = await read(Buffer.from(broken), 'http://a.example/broken', 'application/rss+xml')
    t.ok((page.text.match(/^A/gm)?.length ?? 0) >= 2, `${what}: ${page.text}`)
  }
  const sitemap = Buffer.from('<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>')
  t.equal(
    await readPage({ url: 'http://a.example/s.xml', contentType: 'text/xml', body: sitemap }, { documents: reader }),
    null,
    'a sitemap is no feed',
  )
})

t.test('what is no document is left to the parser of pages; without a reader documents are no text', async (t) => {
  const html = Buffer.from('<!doctype html><title>T</title><p>text of a page called .pdf')
  t.match(await read(html, 'http://a.example/x.pdf', 'text/html'), { kind: 'html', text: 'text of a page called .pdf' })
  t.match(await read(html, 'http://a.example/x.docx', ''), { kind: 'html' })
  const zip = Buffer.from('PK\x03\x04 an archive', 'latin1')
  t.equal(
    await readPage({ url: 'http://a.example/x', contentType: 'application/zip', body: zip }, { documents: reader }),
    null,
  )
  const pdf = readFileSync(new URL('guide.pdf', FOLDER))
  const input = { url: 'http://a.example/x.pdf', contentType: 'application/pdf', body: pdf }
  t.equal(await readPage(input, { documents: undefined }), null)
})
