import t from 'tap'
import { parsePage } from '../parse-page.js'
import { FRAME, MAIN, MENU, markOfNames, NAVIGATION, PLAIN, SIDE } from './element-marks.js'

function text(body: string, contentType = 'text/html'): string {
  const page = parsePage({ url: 'http://site.test/dir/page.html', contentType, body: Buffer.from(body) })
  if (page === null) throw new Error('not taken for text')
  return page.text
}

const PROSE = 'Words of the page itself, enough of them to be one. '.repeat(5).trim()
const links = (...names: string[]): string => names.map((name) => `<li><a href="/${name}">${name}</a></li>`).join('')

t.test('what frames a page is left out', async (t) => {
  const frames: Record<string, string> = {
    'navigation by role': `<div role="navigation">${links('one')}</div>`,
    'search by role': '<div role="search">Find</div>',
    Sphinx: '<div class="related" role="navigation"><h3>Navigation</h3></div><div class="sphinxsidebar">Contents</div>',
    DocBook: '<div class="navheader"><table><tr><td><a href=p>Prev</a><th>Chapter</table></div>',
    Publican: `<ul class="docnav top">${links('上一页')}</ul><p id="title"><a href=x></a></p>`,
    'skip links': '<a class="skip-link" href="#main">Skip to content</a><span class="sr-only">for readers</span>',
    mdBook: '<div id="menu-bar" class="menu-bar sticky"><h1 class="menu-title">The Book</h1></div>',
    MediaWiki:
      '<div class="printfooter">Retrieved from x</div><div id="catlinks">Category</div><div id="jump-to-nav">Jump</div>',
    Discuz: '<div id="toptb">设为首页</div><div id="pt" class="bm cl">论坛</div><div id="ft">Powered by</div>',
    WordPress:
      '<div id="secondary" class="widget-area"><ul><li><a href=x>Archives</a></ul></div><p class="post-navigation">next</p>',
    cookies: '<div class="cookie-consent-banner" hidden>We use cookies</div><div class="CookieBar">Cookies!</div>',
    'no scripts': '<noscript><div>JavaScript is disabled on your browser.</div></noscript>',
    buttons: '<div class="coliru-btn coliru-btn-run-init">Run this code</div><div class="btn-group">Copy</div>',
    'letters of an index': '<div class="genindex-jumpbox"><a href="#A">A</a> | <a href="#B">B</a></div>',
    rustdoc: '<details open><summary class="hideme"><span>Expand description</span></summary></details>',
    hidden:
      '<div hidden>later</div><div style="color:red; display: none">never</div><section aria-hidden="true">x</section>',
    'a paragraph that is never ended': '<p class="copyright">(c) 2024',
    'cells that are never ended': `<table><tr><td class="sidebar">${links('one')}<td>`,
  }
  for (const [name, frame] of Object.entries(frames)) t.equal(text(`${frame}<div>${PROSE}</div>`), PROSE, name)
})

t.test('names that only sound like a frame lose nothing', async (t) => {
  for (const name of [
    'wy-nav-content-wrap',
    'with-sidebar',
    'page has-footer',
    'nav-content',
    'toctree-wrapper',
    'contentheader-x',
    'navigator',
    'rst-content',
    'hd pt',
  ]) {
    t.equal(text(`<div class="${name}">${PROSE}</div><p>${PROSE}</p>`), `${PROSE}\n${PROSE}`, name)
  }
  t.equal(text(`<div class="header">${PROSE}<div class="footer">no</div></div>`), PROSE, 'a frame around everything')
  t.equal(text(`<header><h1>T</h1><p>${PROSE}<p>${PROSE}`), `T\n${PROSE}\n${PROSE}`, 'a header that is never ended')
  t.equal(
    text(`<p>${PROSE}</p><div class="sidebar"><p>${PROSE}</div>`),
    `${PROSE}\n${PROSE}`,
    'a box of running text is none of links',
  )
  t.equal(
    text(`<div id="header"><h1>tool(1)</h1>tool - does things</div><p>${PROSE}`),
    `tool(1)\ntool - does things\n${PROSE}`,
    'a header of text is the title of the content',
  )
  t.equal(text(`<div id="cookies"><h2>Cookies</h2>${PROSE}</div>`), `Cookies\n${PROSE}`, 'a chapter on cookies')
  t.equal(text(`<main><section id="menus">${PROSE}</section>${PROSE}</main>`), `${PROSE}\n${PROSE}`)
  t.equal(text(`<div class="menu">${PROSE}</div><p>${PROSE}`), `${PROSE}\n${PROSE}`, 'the menu of a restaurant')
  t.equal(text(`<body class="nav sidebar"><p>${PROSE}`), PROSE)
  t.equal(text(`<div hidden="until-found">${PROSE}</div><p>${PROSE}`), `${PROSE}\n${PROSE}`)
})

t.test('main and article', async (t) => {
  const main = '<main><header>H</header><div class="toc">toc</div><p>short, not very</main>'
  t.equal(
    text(`<p>Try the new site.</p>${main}<div>end</div>`),
    'H\nshort, not very',
    'only main, where it is most of the page',
  )
  t.match(text(`<main>x</main><p>${PROSE}`), /Words/, 'but not where the page is elsewhere')
  t.equal(text(`<div role="main">${PROSE}<div class="related">r</div></div>menu`), `${PROSE}\nr`)
  t.equal(text(`<div class="sidebar"><main>${PROSE}</main><a href=x>a menu</a></div>`), PROSE)
  t.equal(text(`<div class="entry-content">${PROSE}</div><div>by the way</div>`), PROSE)
  t.equal(text(`<article>${PROSE}</article><article>${PROSE}</article>rest`), `${PROSE}\n${PROSE}`)
})

t.test('the heading above a content that has none', async (t) => {
  const main = `<div id="bodyContent"><div id="siteSub">From a wiki</div>${PROSE}</div>`
  t.equal(text(`<div id="content"><h1>queue::size</h1>${main}</div>`), `queue::size\n${PROSE}`)
  t.equal(text(`<h1>Site</h1><h1>Page</h1><p>by A.</p><main>${PROSE}</main><h1>End</h1>`), `Page\n${PROSE}`, 'the last')
  t.equal(text(`<h1>Site</h1><main><h1>Page</h1>${PROSE}</main>`), `Page\n${PROSE}`, 'not where it has one')
  t.equal(text(`<h1><a href="/">Site</a></h1><main>${PROSE}</main>`), PROSE, 'not the name of the site')
  t.equal(text(`<header><h1>Site</h1></header><main>${PROSE}</main>`), PROSE, 'not of its header')
  t.equal(text(`<h1 hidden>Page</h1><main>${PROSE}</main>`), PROSE, 'not a hidden one')
  t.equal(text(`<h1><img src=x alt=Site></h1>menu<main>${PROSE}</main>`), PROSE, 'not one of a picture')
})

t.test('what a chapter lists of its sections', async (t) => {
  const list = links('5.1', '5.2', '5.3')
  const lines = '5.1\n5.2\n5.3'
  const title = '<div class="titlepage"><div><h1 class="title">Chapter 5</h1></div></div>'
  t.equal(
    text(
      `<div class="navheader">Chapter 5</div>${title}<div class="toc"><p>Contents</p><ul class="toc">${list}</ul></div><hr>${PROSE}`,
    ),
    `Chapter 5\nContents\n${lines}\n${PROSE}`,
    'DocBook',
  )
  t.equal(
    text(`<div class="titlepage"><h1>Book</h1><p>A. Author</p></div><div class="toc">${list}</div><hr>${PROSE}`),
    `Book\nA. Author\n${lines}\n${PROSE}`,
    'below authors',
  )
  t.equal(
    text(`<h1>A</h1><p>${PROSE}</p><ul class="section-toc">${list}</ul>`),
    `A\n${PROSE}\n${lines}`,
    'of a section',
  )
  t.equal(text(`<h2>A.3 Templates</h2><ul class="mini-toc">${list}</ul>`), `A.3 Templates\n${lines}`, 'Texinfo')
  t.equal(text(`<h2>A.3</h2><table class="menu"><tr><td><a href=a>A.3.1</a></table>${PROSE}`), `A.3\nA.3.1\n${PROSE}`)
  t.equal(text(`<div class="sidebar"><h3>Contents</h3><ul class="toc">${list}</ul></div>${PROSE}`), PROSE, 'a sidebar')
  t.equal(text(`${title}${PROSE}<div class="toc">${list}</div>`), `Chapter 5\n${PROSE}`, 'not right below')
  t.equal(text(`<h1>Site</h1><ul class="menu">${list}</ul>${PROSE}`), `Site\n${PROSE}`, 'a menu of a site')
  t.equal(text(`<h1><a href=/>Site</a></h1><ul class="toc">${list}</ul>${PROSE}`), `Site\n${PROSE}`, 'of its name')
  t.equal(text(`<h1>Page</h1><nav class="toc">${list}</nav>${PROSE}`), `Page\n${PROSE}`, 'navigation by its own word')
})

t.test('signs within a line', async (t) => {
  t.equal(text('<h2>Head<a class="headerlink" href="#h" title="Permalink">¶</a></h2><p>x'), 'Head\nx')
  t.equal(text('<h2>Head <span class="mw-editsection">[<a href=e>edit</a>]</span></h2>x'), 'Head\nx')
  t.equal(text('<h2>Cast(x)<a href=c><span class="viewcode-link">[source]</span></a></h2>x'), 'Cast(x)\nx')
  t.equal(
    text('<h4>fn<a class="srclink" href=s>source</a></h4><pre>x</pre><a class="test-arrow" href=p>Run</a>'),
    'fn\nx',
  )
  t.equal(
    text('<h4>fn<span class="notable-traits">ⓘ<span class="tip"><span>Notable traits</span></span></span> where</h4>x'),
    'fn where\nx',
  )
  t.equal(text('<p>Press <b class="button">OK</b>.'), 'Press OK.', 'the name of a button')
  t.equal(text('<dt>dbcont<a class="copiable-link" href="#d"> ¶</a></dt><dd>x'), 'dbcont\nx')
  t.equal(text('<p>one <i aria-hidden="true">sign <i>in</i> it</i>two'), 'one two')
  t.equal(text('<p>one <span class="sr-only">never ended</p><p>two'), 'one\ntwo')
})

t.test('menus without a name, before the first running text', async (t) => {
  const menu = `<div>${links('首页', '新闻', '论坛', '下载')}</div>`
  t.equal(text(`${menu}<h2>标题</h2><p>${'这是正文的内容。'.repeat(8)}`), `标题\n${'这是正文的内容。'.repeat(8)}`)
  t.equal(text(`<a href=mailto:a>A. Author</a><p>${PROSE}`), `A. Author\n${PROSE}`, 'one link is no menu')
  t.equal(text(`${menu}<p>短`), '首页\n新闻\n论坛\n下载\n短', 'a page of links is a page')
})

t.test('rows of links below the heading that the title names', async (t) => {
  const page = (title: string, heading: string) =>
    text(
      `<title>${title}</title><ul>${links('home', 'up', 'next')}</ul><h2>${heading}</h2><h3>Functions</h3><ul>${links('a', 'b', 'c')}</ul><p>${PROSE}`,
    )
  const whole = `Functions\na\nb\nc\n${PROSE}`
  t.equal(page('GMenuModel: Reference', 'GMenuModel'), `GMenuModel\n${whole}`)
  t.equal(page('Reference – Leaving  the Mode', '13.2 Leaving the mode'), `13.2 Leaving the mode\n${whole}`)
  t.equal(
    text(`<title>T1</title><a href=/>Home</a> <a href=/x>x</a><h1>T1</h1><p>${PROSE}`),
    `T1\n${PROSE}`,
    'a line above',
  )
  t.equal(page('Other', 'GMenuModel'), `GMenuModel\nFunctions\n${PROSE}`, 'not below any heading')
  t.equal(
    text(`<title>News – The Site</title><h1>The</h1><ul>${links('a', 'b', 'c')}</ul><h2>The Site</h2><p>${PROSE}`),
    `The\nThe Site\n${PROSE}`,
    'the longest one that it names',
  )
})

t.test('where hardly anything is left, everything is text', async (t) => {
  t.equal(text('<nav>menu</nav><p>short'), 'menu\nshort')
  t.equal(text(`<nav>${links('one', 'two')}</nav><p>short`), 'short', 'but a menu is none')
  t.equal(text(`<nav>${links('one', 'two')}</nav>`), 'one\ntwo', 'unless there is nothing else')
  t.equal(text('<noscript>This page needs JavaScript.</noscript>'), 'This page needs JavaScript.')
  t.equal(
    text(
      '<nav>menu</nav><p>汉字每个都算三个字母，所以这一段短短的中文已经足够长，可以单独当作一页的正文内容，不需要再把菜单加回来，无论菜单里面写了什么，也无论它有多长。</p>',
    ).includes('menu'),
    false,
  )
})

t.test('marks of names', async (t) => {
  const marks = {
    'site-footer-links': FRAME,
    mainContent: MAIN,
    TopLeftHeader: SIDE,
    leftNav: MENU,
    'share-buttons': NAVIGATION,
    nav2: MENU,
    widget_area: SIDE,
    x: PLAIN,
    '': PLAIN,
  }
  for (const [name, mark] of Object.entries(marks)) t.equal(markOfNames(name), mark, name)
  for (let i = 0; i < 10_000; i++) markOfNames(`name-${i}`)
  t.equal(markOfNames('a '.repeat(1e6)), PLAIN, 'a long one is not looked at')
})

t.test('hostile pages cost no more than their length', async (t) => {
  const n = 100_000
  t.equal(text(`${'<div class="sidebar">'.repeat(n)}deep`), 'deep')
  t.equal(text(`${'<div class="nav">a'.repeat(n)}${'</div></section>'.repeat(n)}`).length, 2 * n - 1)
  t.ok(text(`${'<p class="nav"><td hidden></table></nav>x'.repeat(n)}`).length > 0)
  t.equal(text(`${'<span class="sr-only">x'.repeat(n)}`), '')
  t.equal(text(`<p>a${'<li><ul></p></li>x<tr>'.repeat(n)}`).length, 2 * n + 1)
})

t.test('pictures of the frame are left out, too', async (t) => {
  const picture = (alt: string) => `<img src="${alt}.png" alt="${alt}">`
  const page = parsePage({
    url: 'http://site.test/',
    contentType: 'text/html',
    body: Buffer.from(
      `<header>${picture('The company seen from above')}</header><p>${PROSE}${picture('A loom with blue threads')}</p>`,
    ),
  })
  t.same(
    page?.images?.map(({ alt }) => alt),
    ['A loom with blue threads'],
  )
})
