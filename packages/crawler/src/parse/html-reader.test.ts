import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Token, Tokenizer, TokenizerMode } from 'parse5'
import t, { type Test } from 'tap'
import { decodeText } from './decode-text.js'
import { parsePage } from './parse-page.js'
import { REFERENCE_NAMES } from './reference-scanner.js'
import { type RunHandler, RunTokenizer } from './run-tokenizer.js'
import { readByTree } from './test-support/tree-oracle.js'

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Numbers below a bound, the same ones for the same seed. */
function generator(start: number): (bound: number) => number {
  let state = start >>> 0
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 8) % bound
  }
}

const ROUNDS = 6000

/** What a tokenizer makes of a page, neighbouring character tokens as one. */
function tokens(kind: typeof Tokenizer, page: string): string[] {
  const out: string[] = []
  let text = ''
  const flush = (): void => {
    if (text !== '') out.push(JSON.stringify(text))
    text = ''
  }
  const tag = (slash: string) => (token: Token.TagToken) => {
    flush()
    const attrs = token.attrs.map(({ name, value }) => `${name}=${JSON.stringify(value)}`)
    out.push(`<${slash}${token.tagName} ${attrs.join(' ')}${token.selfClosing ? '/' : ''}> ${token.tagID}`)
    if (slash !== '') return
    if (token.tagName === 'script') tokenizer.state = TokenizerMode.SCRIPT_DATA
    else if (token.tagName === 'style') tokenizer.state = TokenizerMode.RAWTEXT
    else if (token.tagName === 'title') tokenizer.state = TokenizerMode.RCDATA
    else if (token.tagName === 'plaintext') tokenizer.state = TokenizerMode.PLAINTEXT
  }
  const characters = (token: Token.CharacterToken): void => {
    text += token.type === Token.TokenType.NULL_CHARACTER ? '\0'.repeat(token.chars.length) : token.chars
  }
  const handler: RunHandler = {
    onStartTag: tag(''),
    onEndTag: tag('/'),
    onCharacter: characters,
    onText: (page, _units, start, end) => {
      text += page.slice(start, end)
    },
    onWhitespaceCharacter: characters,
    onNullCharacter: characters,
    onComment: (token) => {
      flush()
      out.push(`<!--${JSON.stringify(token.data)}-->`)
    },
    onDoctype: (token) => {
      flush()
      out.push(`<!${token.name} ${token.publicId} ${token.systemId}>`)
    },
    onEof: flush,
    onParseError: null,
  }
  const tokenizer = new kind({ sourceCodeLocationInfo: false }, handler)
  if (tokenizer instanceof RunTokenizer) tokenizer.read(page)
  else tokenizer.write(page, true)
  return out
}

t.test('the tokens are those of parse5', async (t) => {
  const pieces = [
    ...[
      '<',
      '>',
      '/',
      '"',
      "'",
      '=',
      '&',
      '!',
      '-',
      '--',
      '<!--',
      '-->',
      '--!>',
      '&amp;',
      '&lt',
      '&#x41;',
      '&notit;',
      '&#0;',
      '&nbsp;',
      '&Eacute;',
      '&nbs',
      '&#187;',
      '&#',
      '39;',
      ';',
    ],
    ...[
      '\r',
      '\n',
      '\r\n',
      '\t',
      ' ',
      '\f',
      '\0',
      'a',
      'B',
      'word',
      '中文',
      '😀',
      '\ufeff',
      'é',
      '\u0085',
      '1',
      '_',
      ':',
    ],
    ...[
      '<a href="x">',
      '<A HREF=x Class = "y" ID=\'z\'/>',
      '<FoReIgNoBjEcT X.Y:Z_0 = a/b>',
      '<a b="1" c=\'2\' b="3">',
      '<p x="y"z="w" v="a&amp;b">',
      '<a href="?a=1&amp;b=2&c=3&copy=4" title=&quot;x&#39;y>',
      "<a href=?a&amp;b&nbsp; title='&lt;\"&gt;&amp'>",
      ' d="e"',
      " f='g' ",
      ' data-spindle-body="x"',
      "<b c='d",
      '<A B=C',
      '</a>',
      '<p/>',
      '<!doctype html>',
      '<![CDATA[',
      ']]>',
      '<?xml',
      '<1',
      '</1',
    ],
    ...[
      '<script>',
      '</script>',
      '<style>',
      '</style >',
      '<title>',
      '</title',
      '<plaintext>',
      '<x-y a-b=c d>',
      '<\0',
      'a\0=',
    ],
  ]
  const random = generator(seed)
  t.comment(`SEED=${seed}`)
  let compared = 0
  for (let round = 0; round < ROUNDS; round++) {
    let page = ''
    for (let n = 1 + random(14); n > 0; n--) page += pieces[random(pieces.length)]
    const expected = tokens(Tokenizer, page)
    const found = tokens(RunTokenizer, page)
    compared++
    if (found.join('\n') === expected.join('\n')) continue
    t.strictSame(found, expected, JSON.stringify(page))
    break
  }
  t.equal(compared, ROUNDS)
  for (const count of [64, 65, 66, 140]) {
    const attributes = Array.from({ length: count }, (_, i) => `a${i % 70}="${i}"`).join(' ')
    const page = `<p ${attributes} A1=x a2>text</P ${attributes}>`
    t.strictSame(tokens(RunTokenizer, page), tokens(Tokenizer, page), `${count} attributes`)
  }
  const numbers = [
    0, 9, 10, 13, 31, 32, 39, 126, 127, 128, 159, 160, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xfdd0, 0xffff, 0x1f600,
  ]
  const references = [...REFERENCE_NAMES, ...numbers.map((number) => `#${number}`), '#0000039', '#00000039', '#1114112']
  for (const name of references.flatMap((name) => [name, name.toUpperCase(), name.slice(0, -1)])) {
    const page = `a&${name};b&${name}c&${name}`
    t.strictSame(tokens(RunTokenizer, page), tokens(Tokenizer, page), name)
  }
  const long = `${'text &amp; more\r\n'.repeat(20_000)}<p title="${'v\r\nw&lt;'.repeat(20_000)}"><!--${'c - \r<'.repeat(20_000)}-->`
  t.strictSame(
    tokens(RunTokenizer, long),
    tokens(Tokenizer, long),
    'over the size at which parse5 drops what it has read',
  )
})

function compare(t: Test, page: string, url: string, name: string): void {
  const body = Buffer.from(page)
  const found = parsePage({ url, contentType: 'text/html', body, maxLinks: 100_000 })
  const expected = readByTree(decodeText(body, undefined, true).text, url)
  t.strictSame(
    { links: found?.links.map((link) => link.url), anchors: found?.links.map((link) => link.text), text: found?.text },
    { links: expected.links, anchors: expected.anchors, text: expected.text },
    name,
  )
  if (expected.title !== '') t.equal(found?.title, expected.title, name)
}

t.test('snippets read as by a tree', async (t) => {
  const snippets = [
    '<title>a</title><title>b</title><p>c',
    '<title><b>x</b> &amp; </tit</title>y',
    '<a href=1>one<p>two</p></a> <a href=2>three<a href=3>four</a> five',
    '<p>a<ul><li>b<li>c</ul>d<dl><dt>e<dd>f</dl>',
    '<table><tr><td>a<td><a href=x>b</a><th>c<tr><td>d</table>e',
    '<script>if (a < b) document.write("</a><a href=x>")</script>after',
    '<script><!-- <script> </script> --></script>after',
    '<script type="text/template"><a href=x></a></script>',
    '<style>a::before { content: "</p><a href=x>" }</style>after',
    '<textarea><a href=x></textarea><a href=y>',
    '<xmp><a href=x></xmp><iframe src=f><a href=x></iframe><noembed><a href=x></noembed>',
    '<template><title>no</title><a href=x>no</a><meta http-equiv=refresh content="0;url=x"></template>yes',
    '</template><a href=x>a</a></a></script></b></span>b',
    '<noscript><meta http-equiv=refresh content="0;url=x"><a href=y>z</a></noscript><meta http-equiv=refresh content="1;url=w">',
    '<head><noscript><style>x</style></noscript></head><body>y',
    '<svg><title>x</title><a href=s>t</a><style>.a{}</style></svg><title>y</title>',
    '<svg><desc><a href=d>x<b>y</b></a></desc><g/><path/></svg>z',
    '<svg><foreignObject><p>a<style><a href=x></style></p></foreignObject><script>b</script></svg>c',
    '<math><mi>a</mi><annotation-xml encoding="text/html"><p>b</p></annotation-xml></math>c',
    '<svg><p>out<a href=x>y</a>',
    '<svg><![CDATA[<a href=x>]]></svg><![CDATA[<a href=y>]]>',
    '<nav>n</nav><main>m<nav>o</nav><aside>p</aside></main><footer>f</footer>',
    '<header>h</header><p>short</p>',
    `<aside>s</aside><p>${'long enough '.repeat(20)}</p>`,
    '<pre>\n a\n  b </pre><p>c&nbsp;d&#32; e</p>',
    '<p>中文\n换行 <b>中</b>\n文',
    '<a href=x><img alt=y></a><a href=x>text</a><area href=z alt="an area">',
    '<base href="javascript:x"><base href="/b/"><base href="/c/"><a href=d>',
    '<a name=x>no link<a href>empty<a href=#x>self',
    '<h1>a<br>b</h1><button>c</button><label>d<input></label>',
    '<plaintext><a href=x>',
    '<p>a<!-- b -- c --!>d<!>e<?php f ?>g</ h>i',
    '<div hidden>a</div><details><summary>b</summary>c</details>',
    '<frameset><frame src=a><frame src=b><noframes><a href=c></noframes></frameset>',
    '<p \u0000 a=b>x\u0000y</p><a href="q\u0000r">z',
  ]
  for (const snippet of snippets) compare(t, snippet, 'http://site.test/dir/page.html', snippet)
})

t.test('random pages read as by a tree', async (t) => {
  // without the constructions in which the tree builder moves, drops elements, which the page reader on purpose does not
  const names = 'p div a b em ul li script style title textarea template iframe xmp h1 br img span pre'.split(' ')
  const random = generator(seed)
  t.comment(`SEED=${seed}`)
  for (let round = 0; round < 1500; round++) {
    let page = '<!doctype html><body>'
    let id = 0
    for (let n = 1 + random(10); n > 0; n--) {
      const name = names[random(names.length)]!
      const what = random(10)
      if (what < 5) page += `<${name}${name === 'a' ? ` href=l${id++}` : name === 'iframe' ? ` src=f${id++}` : ''}>`
      else if (what < 9) page += `</${name}>`
      else page += '<!-- <a href=c> -->'
      if (random(2) === 0) page += ` w${id++}`
    }
    const found = parsePage({ url: 'http://site.test/', contentType: 'text/html', body: Buffer.from(page) })
    const expected = readByTree(page, 'http://site.test/')
    const words = (text: string | undefined) => text?.split(/\s+/).sort().join(' ')
    if (
      found?.links.map((link) => link.url).join(' ') === expected.links.join(' ') &&
      words(found.text) === words(expected.text)
    ) {
      continue
    }
    t.strictSame([found?.links.map((link) => link.url), found?.text], [expected.links, expected.text], page)
    break
  }
  t.pass()
})

/** Folders with HTML documentation on this machine. */
const SITES = process.env.SPINDLE_TEST_SITES ?? '/usr/share/doc'

function htmlFiles(root: string, limit: number): string[] {
  const files: string[] = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined && files.length < limit; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile() && /\.x?html?(?:\.[\w.-]+)?$/.test(entry.name) && !entry.name.endsWith('.gz'))
        files.push(path)
    }
  }
  return files
}

const realFiles = existsSync(SITES) ? htmlFiles(SITES, 20_000) : []

t.test('real pages read as by a tree', { skip: realFiles.length > 0 ? false : `no HTML below ${SITES}` }, async (t) => {
  // evenly over what there is, about a second's work
  const step = Math.max(1, Math.floor(realFiles.length / 40))
  let pages = 0
  for (let i = 0; i < realFiles.length; i += step) {
    const file = realFiles[i]!
    const url = `http://site.test${pathToFileURL(file).pathname}`
    const body = readFileSync(file)
    const found = parsePage({ url, contentType: 'text/html', body, maxLinks: 100_000 })
    if (found === null) continue
    pages++
    const expected = readByTree(decodeText(body, undefined, true).text, url)
    t.strictSame(
      found.links.map((link) => link.url),
      expected.links,
      `links of ${file}`,
    )
    t.equal(found.text, expected.text, `text of ${file}`)
    if (expected.title !== '') t.equal(found.title, expected.title, `title of ${file}`)
  }
  t.ok(pages > 0)
})
