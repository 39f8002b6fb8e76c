import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { isUrlList, MAX_LISTED, readUrlList } from './url-list.js'

const CONFORMANCE = new URL('../../../../../shared/data/conformance/sitemap/', import.meta.url)
const skip = existsSync(CONFORMANCE) ? false : 'needs ../shared/data'

async function read(text: string | Buffer, isNamed = true) {
  return await readUrlList(typeof text === 'string' ? Buffer.from(text) : text, isNamed, Date.UTC(2026, 0, 1))
}

const urlset = (inner: string) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inner}</urlset>`
const url = (loc: string, more = '') => `<url><loc>${loc}</loc>${more}</url>`

/** What is to be found in each file: kind, number of addresses, and the first and last of them. */
const FILES: Record<string, [kind: string, count: number, first: string, last: string]> = {
  'crawler-commons/atom.xml': [
    'feed',
    1,
    'http://example.org/2003/12/13/atom03.html',
    'http://example.org/2003/12/13/atom03.html',
  ],
  'crawler-commons/do-not-visit.txt': [
    'sitemap',
    1,
    'http://www.example.com/do-not-visit-here',
    'http://www.example.com/do-not-visit-here',
  ],
  'crawler-commons/sitemap-with-bom.txt': [
    'sitemap',
    2,
    'http://www.domain.com/page1.html',
    'http://www.domain.com/page2.html',
  ],
  'crawler-commons/sitemap.txt': ['sitemap', 2, 'http://www.domain.com/page1.html', 'http://www.domain.com/page2.html'],
  // theirs refuses a wrong namespace unless told otherwise; many sites have one, and nothing else can be meant
  'crawler-commons/sitemap.badns.xml': ['sitemap', 2, 'http://www.example.com/1', 'http://www.example.com/2'],
  'crawler-commons/sitemap.txt.gz': [
    'sitemap',
    5,
    'http://www.example.com/',
    'http://www.example.com/catalog?item=83&desc=vacation_usa',
  ],
  'stormcrawler/stormcrawler.sitemap.xml.gz': [
    'sitemap',
    6,
    'https://stormcrawler.apache.org/',
    'https://stormcrawler.apache.org/support/',
  ],
  'crawler-commons/xmlSitemap.gz': [
    'sitemap',
    5,
    'http://www.example.com/',
    'http://www.example.com/catalog?item=83&desc=vacation_usa',
  ],
}

t.test('sitemaps and feeds of crawler-commons and StormCrawler', { skip }, async (t) => {
  let files = 0
  for (const entry of readdirSync(CONFORMANCE, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.json')) continue
    const path = `${entry.parentPath}/${entry.name}`
    const name = path.slice(path.indexOf('/sitemap/') + '/sitemap/'.length)
    const body = readFileSync(path)
    const list = await readUrlList(body, true)
    files++
    if (list === undefined) {
      t.fail(`${name} is a list`)
      continue
    }
    const { kind, entries, truncated } = list
    t.notOk(truncated, name)
    const expected = FILES[name]
    if (expected !== undefined) {
      t.same([kind, entries.length, entries[0]?.reference, entries.at(-1)?.reference], expected, name)
    } else {
      // As many as there are addresses of pages in the text; those of pictures and films do not count.
      const text = body.toString('utf8').replace(/<!--[\s\S]*?-->/g, '')
      const pattern = kind === 'feed' ? /<item[\s>]/g : /<(?:sit:)?(?:loc>|sitemap>\s*http)/g
      t.equal(entries.length, text.match(pattern)?.length, `${name}: all`)
      t.ok(
        entries.every(({ reference }) => URL.canParse(reference)),
        `${name}: addresses`,
      )
    }
    if (!name.endsWith('.txt') && !name.endsWith('gz')) t.ok(isUrlList(body), `${name} is known as one`)
  }
  t.equal(files, Object.keys(FILES).length + 22, `${files} files`)
})

interface Inline {
  readonly test: string
  readonly content: string
  readonly expect_urls: readonly number[]
  readonly expect_sitemaps: readonly number[]
  readonly expects_exception: boolean
}

t.test('inline cases of crawler-commons', { skip }, async (t) => {
  const cases: Inline[] = JSON.parse(readFileSync(new URL('crawler-commons-inline.json', CONFORMANCE), 'utf8'))
  t.ok(cases.length > 0)
  for (const { test, content, expect_urls, expect_sitemaps, expects_exception } of cases) {
    const list = await read(content)
    // Where theirs throws, what can be read is taken; where theirs has a strict and a lenient answer, ours is the lenient one.
    const expected = expects_exception ? 1 : (expect_urls.at(-1) ?? expect_sitemaps.at(-1))
    t.equal(list?.entries.length, expected, test)
    t.equal(list?.kind, expect_sitemaps.length > 0 ? 'sitemap-index' : 'sitemap', test)
  }
})

t.test('sitemaps: what is taken and what is not', async (t) => {
  const urls = async (text: string | Buffer) => (await read(text))?.entries.map(({ reference }) => reference)
  t.same(await urls(urlset(url(' http://a.test/?a=1&amp;b=2 ') + url('<![CDATA[http://a.test/<x>]]>'))), [
    'http://a.test/?a=1&b=2',
    'http://a.test/<x>',
  ])
  t.same(await urls(urlset(url('', '<image:image><image:loc>http://a.test/i.png</image:loc></image:image>'))), [])
  t.same(await urls(urlset('<loc>http://a.test/astray</loc>')), [])
  t.same(await urls('<html><url><loc>http://a.test/</loc></url></html>'), undefined)
  t.same(
    await urls(`${urlset(url('http://a.test/1')).replace('</urlset>', '')}<url><loc>http://a.test/cu`),
    ['http://a.test/1'],
    'an address cut off is none',
  )
  t.same(await urls('no address\n# comment\n'), undefined)
  t.same(await urls('http://a.test/1\r\nftp://a.test/\r\n\r\nhttp://a.test/2'), ['http://a.test/1', 'http://a.test/2'])
  t.equal(await read('http://a.test/1\n', false), undefined, 'text is a sitemap only where it is named as one')
  const utf16 = Buffer.from(`\ufeff${urlset(url('http://a.test/中'))}`, 'utf16le')
  t.same(await urls(utf16), ['http://a.test/中'])
  const latin = Buffer.from(urlset(url('http://a.test/é')).replace('"1.0"', '"1.0" encoding="ISO-8859-1"'), 'latin1')
  t.same(await urls(latin), ['http://a.test/é'])
  t.same(await urls(gzipSync(urlset(url('http://a.test/')))), ['http://a.test/'])
  const dates = [
    '2025-01-02',
    '2025-01-02T03:04:05+08:00',
    'Thu, 02 Jan 2025 03:04:05 GMT',
    'yesterday',
    '9999-01-01',
    '0001-01-01',
    '',
  ]
  const dated = await read(urlset(dates.map((date) => url('http://a.test/', `<lastmod>${date}</lastmod>`)).join('')))
  t.same(
    dated?.entries.map(({ lastModified }) =>
      lastModified === undefined ? '' : new Date(lastModified).toISOString().slice(0, 10),
    ),
    ['2025-01-02', '2025-01-01', '2025-01-02', '', '', '', ''],
    'junk and impossible dates are left out',
  )
})

t.test('feeds: the links of items', async (t) => {
  const urls = async (text: string) => (await read(text, false))?.entries.map(({ reference }) => reference)
  const rss = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>http://a.test/</link><atom:link href="http://a.test/feed" rel="self"/>
    <item><link>http://a.test/1</link><atom:link href="http://a.test/other"/></item>
    <item><guid>http://a.test/2</guid></item><item><guid isPermaLink="false">tag:a.test,3</guid></item>
    <item><link>/4</link><guid>http://a.test/five</guid></item></channel></rss>`
  t.same(await urls(rss), ['http://a.test/1', 'http://a.test/2', '/4'])
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://a.test/"/>
    <entry><link rel="self" href="/self"/><link href="/plain"/><link rel="alternate" href="/page"/><content><a href="/x"/><link href="/y"/></content></entry>
    <entry><link href="/only"/></entry><entry><id>x</id></entry></feed>`
  t.same(await urls(atom), ['/page', '/only'])
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="x"><link>http://a.test/</link></channel>
    <item rdf:about="http://a.test/1"><link>http://a.test/1</link><dc:date>2025-01-02</dc:date></item></rdf:RDF>`
  t.same(await urls(rdf), ['http://a.test/1'])
})

t.test('lists are known by their first element', async (t) => {
  const cases: [text: string, isList: boolean][] = [
    ['<urlset>', true],
    ['\ufeff\n<?xml version="1.0"?><!-- x --><!DOCTYPE rss><rss version="2.0">', true],
    ['<sm:sitemapindex xmlns:sm="x">', true],
    ['<feedback>', false],
    ['<html><urlset>', false],
    ['<!doctype html><rss>', true],
    ['text <rss>', false],
    ['', false],
    ['<!-- '.repeat(1000), false],
    ['<!---->'.repeat(580), false],
  ]
  for (const [text, isList] of cases) t.equal(isUrlList(Buffer.from(text)), isList, text.slice(0, 40))
  t.ok(isUrlList(Buffer.from('\ufeff<rss>', 'utf16le')))
})

t.test('hostile lists end early', async (t) => {
  const many = await read(urlset(url('http://a.test/').repeat(60_000)))
  t.equal(many?.entries.length, MAX_LISTED)
  t.equal(many?.truncated, true)
  const lines = await read('http://a.test/\n'.repeat(60_000))
  t.equal(lines?.entries.length, MAX_LISTED)
  const bomb = gzipSync(Buffer.alloc(60 << 20, ' '))
  const unpacked = await read(Buffer.concat([gzipSync(`${urlset(url('http://a.test/1')).slice(0, -9)}`), bomb]))
  t.match(unpacked, { truncated: true, entries: [{ reference: 'http://a.test/1' }] })
  const laughs = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset>${url('http://a.test/&b;')}${url('http://a.test/2')}</urlset>`
  const laughed = await read(laughs)
  t.same(
    laughed?.entries.map(({ reference }) => reference),
    ['http://a.test/&b;', 'http://a.test/2'],
    'no entity is expanded',
  )
  const external = await read(
    '<!DOCTYPE urlset SYSTEM "file:///etc/passwd" [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>&x;</loc></url></urlset>',
  )
  t.same(
    external?.entries.map(({ reference }) => reference),
    ['&x;'],
  )
  t.equal((await read('<urlset>'.repeat(1_000_000)))?.truncated, true, 'nesting')
  t.equal((await read(`<urlset>${'</x>'.repeat(1_000_000)}${url('http://a.test/')}`))?.entries.length, 0, 'faults')
  // Linear in what comes, and without keeping it; a line that is read again with each piece would take minutes.
  const line = await read(gzipSync(`http://a.test/1\nhttp://a.test/${'a'.repeat(48 << 20)}\nhttp://a.test/2\n`))
  t.same(
    line?.entries.map(({ reference }) => reference),
    ['http://a.test/1', 'http://a.test/2'],
    'a line of 48 MiB',
  )
  const prolog = await read(`<!DOCTYPE urlset [${'<!ENTITY a "b">'.repeat(200_000)}]>${urlset(url('http://a.test/'))}`)
  t.equal(prolog?.entries.length ?? 0, 0, 'declarations of 3 MB')
  const cut = gzipSync(urlset(url('http://a.test/').repeat(5000)))
  const half = await read(cut.subarray(0, cut.length - 20))
  t.equal(half?.truncated, true)
  t.ok((half?.entries.length ?? 0) > 100, 'what came before the cut is taken')
})
