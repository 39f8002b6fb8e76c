import t from 'tap'
import { type ParseInput, parsePage } from './parse-page.js'
import type { ParsedPage } from './parsed-page.js'
import { dateAt, parseDate } from './published-date.js'

const URL_ = 'http://site.test/dir/page.html'

function parse(body: string, more: Partial<ParseInput> = {}): ParsedPage {
  const page = parsePage({ url: URL_, contentType: 'text/html', body: Buffer.from(body), ...more })
  if (page === null) throw new Error('not taken for text')
  return page
}

const headings = (page: ParsedPage) =>
  (page.sections ?? []).map(({ level, anchor = '', heading, start }) => [
    level,
    anchor,
    heading,
    page.text.slice(start).split('\n', 1)[0],
  ])

t.test('headings are sections of the text, under the names that lead to them', async (t) => {
  const page = parse(`<title>t</title><p>Before
    <h1 id=top>The <em>whole</em> page</h1><p>First words.
    <section id=outer><h2>By its section</h2><p>One.</section>
    <a name=before></a><h3>By an anchor before</h3><p>Two.
    <h3><a id=within></a>By an anchor within</h3><p>Three.
    <section id=stable><span id=index-0></span><h2>Self link<a class=headerlink href="#stable">¶</a></h2><p>Four.</section>
    <h4><a href="#%E4%B8%AD">中文 heading</a></h4><p>Five.
    <div id=far>Words between<h2>Nameless</h2></div>
    <dl><dt id=os.path>os.path(a, b)<dd>A function.<dt>No name<dd>x</dl>
    <h2 id=empty></h2><h2 id=c>C# and C++</h2>last`)
  t.strictSame(headings(page), [
    [1, 'top', 'The whole page', 'The whole page'],
    [2, 'outer', 'By its section', 'By its section'],
    [3, 'before', 'By an anchor before', 'By an anchor before'],
    [3, 'within', 'By an anchor within', 'By an anchor within'],
    [2, 'stable', 'Self link', 'Self link'],
    [4, '中', '中文 heading', '中文 heading'],
    [2, '', 'Nameless', 'Nameless'],
    [7, 'os.path', 'os.path(a, b)', 'os.path(a, b)'],
    [2, 'c', 'C# and C++', 'C# and C++'],
  ])
})

t.test('sections keep their places where text is left out or cleaned', async (t) => {
  const filler = 'Words enough that the page has a text of its own. '.repeat(10)
  const page = parse(
    `<nav><h2 id=menu>Menu</h2>a b</nav><p>so\u00adft \u0001control<h2 id=a>A\u00ad b</h2>${filler}` +
      `<footer><h3 id=foot>Foot</h3></footer><h2 id=z>Z</h2><p>end`,
  )
  t.strictSame(
    headings(page).map(([, anchor, , line]) => [anchor, line]),
    [
      ['a', 'A b'],
      ['z', 'Z'],
    ],
  )
})

t.test('dates as they are written', async (t) => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['2024-05-06', '2024-05-06'],
    ['2024年3月5日', '2024-03-05'],
    ['2024 年 3 月 5 日 12:30', '2024-03-05'],
    ['二〇二四年十二月三十一日', '2024-12-31'],
    ['二零二四年三月五日', '2024-03-05'],
    ['民國113年3月5日', '2024-03-05'],
    ['令和6年3月5日', '2024-03-05'],
    ['20240305', '2024-03-05'],
    ['20240305T101112Z', '2024-03-05T10:11:12Z'],
    ['2024-03-05T10:11+0800', '2024-03-05T02:11:00Z'],
    ['2024-03-05 10:11:12.345 +08:00', '2024-03-05T02:11:12Z'],
    ['March 5, 2024', '2024-03-05'],
    ['Mar. 5th, 2024 3:04 pm', '2024-03-05'],
    ['5 March 2024', '2024-03-05'],
    ['Tue, 05 Mar 2024 10:11:12 GMT', '2024-03-05T10:11:12Z'],
    ['5. März 2024', '2024-03-05'],
    ['5 de marzo de 2024', '2024-03-05'],
    ['1er août 2024', '2024-08-01'],
    ['05.03.2024', '2024-03-05'],
    ['25/03/2024', '2024-03-25'],
    ['03/25/2024', '2024-03-25'],
    ['05/03/2024', undefined],
    ['2024-02-30', undefined],
    ['2024-13-01', undefined],
    ['5 Smarch 2024', undefined],
    ['2024', undefined],
    ['2024-03-05 and more', undefined],
    ['', undefined],
  ]
  for (const [written, expected] of cases) t.equal(parseDate(written), expected, written)
  t.strictSame(dateAt('2024年3月5日 来源：新华社'), { date: '2024-03-05', length: 9 })
  t.equal(dateAt('12345678901234567890'), undefined)
})

t.test('the date of a page, and where it was found', async (t) => {
  const of = (body: string, more?: Partial<ParseInput>) => {
    const { published, publishedFrom, modified, modifiedFrom } = parse(body, more)
    return [published, publishedFrom, modified, modifiedFrom]
  }
  const article =
    '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-01-01","dateModified":"2024-02-02T00:00:00Z"}</script>'
  const meta = '<meta property="article:published_time" content="2023-01-01"><meta name="lastmod" content="2023-02-02">'
  const micro =
    '<time itemprop=datePublished datetime="2022-01-01">x</time><time itemprop=dateModified>2022年2月2日</time>'
  const plain = '<time>2021年1月1日</time>'
  const text = '<p>发布时间：2020-01-01 10:00 来源：x<p>Last updated on Mar 02, 2020.'
  const dated = { url: 'http://site.test/2019/05/06/page.html' }
  t.strictSame(of(article + meta + micro + plain + text, dated), [
    '2024-01-01',
    'json-ld',
    '2024-02-02T00:00:00Z',
    'json-ld',
  ])
  t.strictSame(of(meta + micro + plain + text, dated), ['2023-01-01', 'meta', '2023-02-02', 'meta'])
  t.strictSame(of(micro + plain + text, dated).slice(0, 2), ['2022-01-01', 'microdata'])
  t.strictSame(of(plain + text, dated), ['2021-01-01', 'time', '2020-03-02', 'text'])
  t.strictSame(of(text, dated), ['2020-01-01', 'text', '2020-03-02', 'text'])
  t.strictSame(of('<p>x', dated), ['2019-05-06', 'url', undefined, undefined])
  for (const path of ['2019/0506/c1-2.html', '2019-05/06/content_1.htm', '20190506/1.html', '2019-05-06-title/']) {
    t.strictSame(of('<p>x', { url: `http://site.test/${path}` }).slice(0, 2), ['2019-05-06', 'url'], path)
  }
  for (const path of ['120190506/', '2019/13/06/', 'v2019.05.06/', '?d=/2019/05/06/']) {
    t.equal(of('<p>x', { url: `http://site.test/${path}` })[0], undefined, path)
  }
  const footer = `<main><p>${'Words of the page. '.repeat(20)}</main><footer>Last updated on Mar 02, 2020.</footer>`
  t.notMatch(parse(footer).text, /updated/)
  t.strictSame(of(footer), [undefined, undefined, '2020-03-02', 'text'], 'in what is left out of the text')
  t.equal(of('<p>the date of 2020-01-01 is not that of the page; 更多 2020-01-01')[0], undefined)
})

t.test('author, keywords, description, title, language', async (t) => {
  const page = parse(`<html><meta name=author content="By Ann Lee"><meta name=author content="https://site.test/bob">
    <meta name=keywords content="one, Two，三、四"><meta name=keywords content="two; five"><meta property="article:tag" content="six">
    <meta property="og:title" content="OG title"><meta property="og:site_name" content="The  Site"><meta property="og:locale" content="en_GB">
    <meta name="twitter:description" content="From Twitter"><p>x`)
  t.match(page, {
    author: 'Ann Lee',
    keywords: ['one', 'Two', '三', '四', 'five', 'six'],
    title: 'OG title',
    siteName: 'The Site',
    lang: 'en-gb',
    description: 'From Twitter',
  })
  t.equal(parse('<meta name="DC.Creator" content="A"><meta name="dc.creator" content="B"><p>x').author, 'A, B')
  t.equal(parse('<meta name=author content="//x"><meta name="citation_author" content="C"><p>x').author, 'C')
  const none = parse('<p>x')
  t.notOk('author' in none || 'keywords' in none || 'sections' in none || 'images' in none || 'siteName' in none)
})

t.test('JSON-LD', async (t) => {
  const linked = (json: string) => parse(`<script type="application/LD+json; charset=utf-8">${json}</script><p>x`)
  const graph = linked(
    JSON.stringify({
      '@context': 'https://schema.org',
      '@graph': [
        { '@type': 'WebPage', name: 'The page', datePublished: '2020-01-01' },
        {
          '@type': ['TechArticle'],
          headline: 'Headline',
          datePublished: '2024-03-05',
          author: [{ '@type': 'Person', name: 'Ann' }, 'Bob'],
          keywords: 'a, b',
          inLanguage: 'zh-Hans',
          comment: { '@type': 'Comment', datePublished: '2025-01-01', author: 'Troll' },
        },
        {
          '@type': 'BreadcrumbList',
          itemListElement: [
            { position: 2, item: { name: 'Second' } },
            { position: 1, name: 'First' },
          ],
        },
      ],
    }),
  )
  t.match(graph, {
    title: 'Headline',
    published: '2024-03-05',
    author: 'Ann, Bob',
    keywords: ['a', 'b'],
    lang: 'zh-hans',
    schemaTypes: ['TechArticle', 'WebPage'],
    breadcrumb: ['First', 'Second'],
  })
  t.equal(linked('<!-- {"@type":"Product","name":"P","description":"D"}; -->').title, 'P', 'in a comment')
  t.equal(linked('//<![CDATA[\n{"@type":"Article","headline":"a\nb"}\n//]]>').title, 'a b', 'a line break in a text')
  for (const junk of [
    '',
    'null',
    '[',
    '{"@type":5}',
    '{"@graph":{"@graph":1}}',
    '{"@type":"Article","author":{"name":{}}}',
  ]) {
    t.equal(linked(junk).title, '', junk)
  }
  const deep = `${'{"@graph":['.repeat(20_000)}${']}'.repeat(20_000)}`
  t.equal(linked(deep).title, '')
  t.equal(linked(`{"@type":"Article","headline":"${'x'.repeat(300_000)}"}`).title, '', 'too long to be read')
  const many = JSON.stringify(Array.from({ length: 5000 }, (_, i) => ({ '@type': 'Article', author: `a${i}` })))
  t.equal(linked(many).author, 'a0')
  const shell = `<div id=root></div><script src=app.js></script><script type="application/ld+json">${JSON.stringify({ '@type': 'Article', articleBody: `First.\n${'The body of the article. '.repeat(20)}` })}</script>`
  t.match(parse(shell).text, /^First\.\nThe body/, 'the text of a page that has no other')
  t.notOk(parse(shell).clientRendered)
})

t.test('pictures are told in words', async (t) => {
  const page = parse(
    '<img src="/a.png" alt="A map of the whole network"><img src=b.png alt=Logo><img src=c.png alt="photo_0001.png">' +
      '<img src=d.png alt="长城秋天的风景照片"><img src=e.png alt="A map of the whole network"><img alt="no source at all">' +
      '<a href=x><img src=f.png alt="Next page"></a><template><img src=g alt="not on the page"></template>',
  )
  t.strictSame(page.images, [
    { url: 'http://site.test/a.png', alt: 'A map of the whole network' },
    { url: 'http://site.test/dir/d.png', alt: '长城秋天的风景照片' },
  ])
  t.equal(page.links[0]?.text, 'Next page', 'a link that is a picture')
  t.equal(parse('<a href=x>Text<img alt="A picture" src=y></a>').links[0]?.text, 'Text')
})

t.test('what stands in and on the controls of forms is no text', async (t) => {
  const { text } = parse(
    '<p>Before<form><label>Your name <input name=n></label><select><option>One<option>Two</select>' +
      '<textarea>typed</textarea><button>Send</button><p>Within</form><label>Outside</label>' +
      '<select><option>Never closed<div>After</div><button>Not closed<div>x</div></section>' +
      '<div><button>b</div>Behind<table><tr><td>a<td>b</table>',
  )
  t.strictSame(text.split('\n'), ['Before', 'Within', 'Outside', 'After', 'Behind', 'a b'])
})

t.test('parts that are marked', async (t) => {
  const page = parse(
    `<title>T</title><h1>H</h1><p>Kept <span data-spindle-ignore>dropped <a href=from-there>link</a></span> words.
    <div data-pagefind-ignore=all><p data-spindle-meta=author>Nobody</p>gone</div>
    <!-- googleoff: all --><p>hidden<a href=hidden>x</a><!--googleon: all--><p>shown
    <!--htdig_noindex--><h2 id=no>No</h2><!--/htdig_noindex--><!-- noindex -->never<!-- /noindex -->
    <p data-spindle-meta="author">Ann <b>Lee</b></p><p data-pagefind-filter="kind:tutorial, with comma">end</p>
    <img data-spindle-filter="picture[src]" src=p.png><i data-spindle-meta="date:2024-03-05"></i>`,
  )
  t.strictSame(page.text.split('\n'), ['H', 'Kept words.', 'shown', 'Ann Lee', 'end'])
  t.strictSame(
    page.links.map(({ url }) => url.slice(21)),
    ['from-there', 'hidden'],
    'links are followed all the same',
  )
  t.match(page, { title: 'T', author: 'Ann Lee', published: '2024-03-05', publishedFrom: 'mark' })
  t.strictSame(page.filters, ['kind:tutorial, with comma', 'picture:p.png'])
  t.equal(parse('<p>a<main data-spindle-body>b<p data-spindle-ignore>c</main>d').text, 'b')
  t.equal(parse('<p>a<!--googleoff: index-->b').text, 'a', 'never switched on again')
  t.equal(parse('<p>a<!--googleoff: snippet-->b').text, 'ab')
  t.equal(parse('<h1 data-spindle-meta=title>Mine</h1><title>Theirs</title>').title, 'Mine')
  const deep = parse(`${'<div>'.repeat(50_000)}<p data-spindle-ignore>x</p>kept`)
  t.equal(deep.text, 'kept')
})

t.test('selectors of a site', async (t) => {
  const body = '<div class=menu>m</div><div id=c><p>a<aside>b</aside><p class=x>c</div><div class="menu big">n</div>'
  const text = (select: string[], ignore: string[] = []) => parse(body, { selectors: { select, ignore } }).text
  t.equal(text(['#c']), 'a\nb\nc')
  t.equal(text(['#c'], ['aside, p.x']), 'a')
  t.equal(text([], ['.menu:not(.big)']), 'a\nb\nc\nn')
  t.equal(text(['#c > p.x']), 'c')
  t.equal(text(['.absent']), parse(body).text, 'all of a page in which nothing is found')
})

t.test('pages that scripts would make', async (t) => {
  const shell = (body: string) => parse(body).clientRendered
  t.equal(shell('<title>App</title><div id="root"></div><script src=a.js></script>'), true)
  t.equal(
    shell('<noscript>You need to enable JavaScript to run this app.</noscript><div></div><script src=a.js></script>'),
    true,
  )
  t.equal(shell('<body><script>render()</script>'), true)
  t.equal(shell('<div id="root"></div>'), undefined, 'no scripts')
  t.equal(shell(`<div id="root">${'Rendered by the server. '.repeat(20)}</div><script src=a.js></script>`), undefined)
  t.equal(
    shell(
      '<script>x</script><noscript>JavaScript is disabled.</noscript><p>No class uses this one, or so it seems; see above.',
    ),
    undefined,
    'a short page of its own words',
  )
  t.equal(shell('<script>x</script><a href=y>z</a>'), undefined)
})

t.test('hostile pages cost what their length costs', async (t) => {
  const timed = (name: string, body: string, more: Partial<ParseInput> = {}): ParsedPage => {
    const before = process.cpuUsage()
    const page = parse(body, more)
    const { user, system } = process.cpuUsage(before)
    t.ok((user + system) / 1000 < 5000, `${name}: ${Math.round((user + system) / 1000)} ms`)
    return page
  }
  const n = 30_000
  t.equal(timed('headings', Array.from({ length: n }, (_, i) => `<h2 id=h${i}>x</h2>`).join('')).sections?.length, 2000)
  timed('a heading that never ends', `<h2>${'<a href="#x">y<span id=z>'.repeat(n)}`)
  timed('names without headings', '<div id=x><a name=y></a>'.repeat(n))
  timed('terms', '<dt id=x>y'.repeat(n))
  timed('controls', '<select><option>x<button>y<label>z<form>'.repeat(n))
  timed('times', '<time>2024年1月<time datetime=x>'.repeat(n))
  timed('years', `<p>${'2024 '.repeat(5 * n)}`)
  timed('almost dates', `<p>${'published: '.repeat(n)}${'更新时间：2024-'.repeat(n)}`)
  timed('pictures', '<img src=x alt="words of a picture">'.repeat(n))
  timed('long pictures', `<img src=x alt="${'a '.repeat(10 * n)}">`)
  timed('keywords', `<meta name=keywords content="${'a,'.repeat(n)}">`.repeat(20))
  timed('scripts of JSON-LD', '<script type="application/ld+json">{"@type":"Article"}</script>'.repeat(n / 4))
  timed('blanks in JSON-LD', `<script type="application/ld+json">${' '.repeat(n)};${' '.repeat(n)}x</script>`)
  timed('deep JSON-LD', `<script type="application/ld+json">${'['.repeat(n)}${']'.repeat(n)}</script>`)
  timed('almost a mount point', `<script>${'<div '.repeat(n)}</script>`)
  timed('notices', `<script></script>${'<noscript>'.repeat(n)}`)
  timed('ignored parts', '<p data-spindle-ignore><b>x'.repeat(n / 4))
  timed('ignoring comments', '<!--googleoff: all--><p>x<!--googleon: all-->'.repeat(n / 4))
  timed('marked values', '<p data-spindle-meta="a,b,c,d,e" data-spindle-filter="f">x'.repeat(n / 4))
  timed('a marked value of many parts', `<p data-spindle-filter="${'a,'.repeat(n)}">x`)
  timed('end tags of nothing in a deep drawing', `<svg>${'<g0>'.repeat(600)}${'</g1>'.repeat(60 * n)}`)
  timed('marked values without text', '<p><div data-spindle-meta=a data-spindle-filter=b>'.repeat(2 * n))
  const parts = { select: [], ignore: ['.a .b .c .d .e'] }
  timed('a selector of many parts', '<div class="b c d">'.repeat(300) + '<i class=e></i>'.repeat(100), {
    selectors: parts,
  })
  const many = `<p data-spindle-ignore>no</p>${'<b>x'.repeat(10 * n)}<p data-spindle-ignore>behind`
  t.match(timed('more tags than a tree holds', many).text, /^x+\nbehind$/)
  const selectors = { select: ['main div p'], ignore: ['div div div > .x, :not(p, [a=b]) .y'] }
  timed('selectors on a deep page', '<div class=z>'.repeat(n / 4), { selectors })
  timed('selectors on a wide page', '<p class=x>a</p>'.repeat(n), { selectors })
  timed('selectors on broken tables', '<table><tr>a<b class=y>'.repeat(2000), { selectors })
})
