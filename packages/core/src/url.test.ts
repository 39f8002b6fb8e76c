import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { canonicalUrl, hostKey, normalizeUrl, parseUrl, resolveUrl } from './url.js'

const CASES = new URL('../../../../shared/data/conformance/url/urltestdata.json', import.meta.url)

t.test('one canonical form for the spellings of an address', (t) => {
  const cases: [string, string][] = [
    ['HTTP://Example.ORG:80/a/./b/../c', 'http://example.org/a/c'],
    ['https://example.org:443', 'https://example.org/'],
    ['http://example.org/%7euser/%e4%b8%ad', 'http://example.org/~user/%E4%B8%AD'],
    ['http://example.org/中文.html', 'http://example.org/%E4%B8%AD%E6%96%87.html'],
    ['http://example.org/a#fragment', 'http://example.org/a'],
    ['http://example.org/a?', 'http://example.org/a'],
    ['http://example.org/a?b=%2f&c=%7E', 'http://example.org/a?b=%2F&c=~'],
    // a percent sign that escapes nothing does not become the begin of an escape
    ['http://example.org/%%330', 'http://example.org/%%330'],
    ['http://example.org/%a%33?%2%35%67', 'http://example.org/%a%33?%2%35g'],
    ['http://example.org/%41%33%7e', 'http://example.org/A3~'],
    ['http://user:secret@example.org/', 'http://example.org/'],
    ['http://例え.jp/', 'http://xn--r8jz45g.jp/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://example.org/a%2Fb', 'http://example.org/a%2Fb'],
    ['http://example.org/100%', 'http://example.org/100%'],
  ]
  for (const [text, expected] of cases) t.equal(normalizeUrl(text), expected, text)
  t.equal(normalizeUrl('http://[bad'), undefined, 'no address')
  t.equal(normalizeUrl('relative.html'), undefined, 'no absolute address')
  t.end()
})

t.test('references resolve against the page that holds them', (t) => {
  const base = 'http://example.org/a/b.html?x=1'
  t.equal(resolveUrl('../c.html#top', base), 'http://example.org/c.html')
  t.equal(resolveUrl('?y=2', base), 'http://example.org/a/b.html?y=2')
  t.equal(resolveUrl('//other.org/x', base), 'http://other.org/x')
  t.equal(resolveUrl('mailto:a@example.org', base), 'mailto:a@example.org')
  t.equal(resolveUrl('http://[', base), undefined)
  t.equal(hostKey('http://example.org:8080/x'), 'example.org:8080')
  t.end()
})

t.test('normalising twice changes nothing', (t) => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string(), (url, tail) => {
      const once = normalizeUrl(url + tail)
      return once === undefined || normalizeUrl(once) === once
    }),
    { numRuns: 500 },
  )
  t.pass('500 random addresses')
  t.end()
})

interface Case {
  readonly input: string
  readonly base: string | null
  readonly failure?: boolean
  readonly href?: string
}

/** Cases that Node.js 20 answers otherwise, because the standard changed after it; a newer Node.js may answer them as asked. */
const NEWER_THAN_NODE = new Map<string, string>([
  ['non-special:opaque \t\t  #hi', 'blanks at the end of an opaque path'],
  ['non-special:opaque\t\t  \r #hi', 'blanks at the end of an opaque path'],
  ['http://10.0.0.xn--pokxncvks', 'an empty punycode label'],
  ['file://xn--/p', 'an empty punycode label'],
  ['https://xn--/', 'an empty punycode label'],
  ['foo://host/ !"$%&\'()*+,-./:;<=>@[\\]^_`{|}~', 'the circumflex in a path is escaped'],
  ['wss://host/ !"$%&\'()*+,-./:;<=>@[\\]^_`{|}~', 'the circumflex in a path is escaped'],
])

/**
 * Cases of the web platform tests (the WHATWG URL standard's own): what is asked of an address here is its canonical form, so
 * the expected address is put into that form as well.
 */
t.test('WHATWG URL cases', { skip: existsSync(CASES) ? false : 'needs ../shared/data' }, (t) => {
  const cases = (JSON.parse(readFileSync(CASES, 'utf8')) as Case[]).filter((one) => typeof one === 'object')
  t.ok(cases.length > 400, `${cases.length} cases`)
  for (const { input, base, failure, href } of cases) {
    const actual = base === null ? normalizeUrl(input) : resolveUrl(input, base)
    if (NEWER_THAN_NODE.has(input)) {
      t.type(actual ?? '', 'string', `${JSON.stringify(input)} does not throw`)
      continue
    }
    const label = `${JSON.stringify(input).slice(0, 80)} at ${base}`
    if (failure === true || href === undefined) t.equal(actual, undefined, label)
    else {
      const expected = parseUrl(href)
      t.equal(expected?.href, href, `${label}: the expected address is one`)
      t.equal(actual, expected === undefined ? undefined : canonicalUrl(expected), label)
    }
  }
  t.end()
})

t.test('hostile addresses', (t) => {
  const base = 'http://example.org/a/b'
  const cases: [string, string | undefined][] = [
    ['http://例え.jp/', 'http://xn--r8jz45g.jp/'],
    ['http://xn--a/', undefined],
    ['http://xn--a.test/', undefined],
    ['http://аpple.test/', 'http://xn--pple-43d.test/'],
    ['http://example.org.:80/', 'http://example.org./'],
    ['http://example.org:0/', 'http://example.org:0/'],
    ['http://example.org:99999/', undefined],
    ['http://us%65r:p%40ss@example.org/x', 'http://example.org/x'],
    ['/%2e%2E/x', 'http://example.org/x'],
    ['/a%2Fb', 'http://example.org/a%2Fb'],
    ['/%zz', 'http://example.org/%zz'],
    ['/%', 'http://example.org/%'],
    ['\\x\\y', 'http://example.org/x/y'],
    ['/a\tb\nc', 'http://example.org/abc'],
    ['/\ud800', 'http://example.org/%EF%BF%BD'],
    ['?\ud83d\ude00', 'http://example.org/a/b?%F0%9F%98%80'],
    ['?%B9%E3%B2%A5', 'http://example.org/a/b?%B9%E3%B2%A5'],
    ['http:///x', 'http://x/'],
    ['http://', undefined],
  ]
  for (const [input, expected] of cases) t.equal(resolveUrl(input, base), expected, JSON.stringify(input))
  t.end()
})
