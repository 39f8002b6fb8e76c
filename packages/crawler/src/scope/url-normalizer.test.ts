import { existsSync, readFileSync } from 'node:fs'
import { normalizeUrl, resolveUrl } from '@spindle/core'
import fc from 'fast-check'
import t from 'tap'
import { UrlNormalizer } from './url-normalizer.js'

const CONFORMANCE = new URL('../../../../../shared/data/conformance/url-normalize/', import.meta.url)
const skip = existsSync(CONFORMANCE) ? false : 'needs ../shared/data'

function normalize(url: string, normalizer = new UrlNormalizer()): string | undefined {
  const canonical = normalizeUrl(url)
  return canonical === undefined ? undefined : normalizer.normalize(canonical)
}

t.test('session ids, tracking, order', async (t) => {
  const at = 'http://a.test'
  const cases: [from: string, to: string][] = [
    ['/x;jsessionid=1A2B3C?q=1', '/x?q=1'],
    ['/a/b/..;jsessionid=1/c', '/a/c'],
    ['/.;jsessionid=1', '/'],
    ['/x.do;JSESSIONID=1A2B3C.node1', '/x.do'],
    ['/a;sid=7/b;phpsessid=9', '/a/b'],
    ['/PHPSESSID=abc123/page', '/page'],
    ['/page/PHPSESSID=abc123', '/page'],
    ['/(S(lit3py55t21z5v55vlm25s55))/page.aspx', '/page.aspx'],
    ['/page(1)', '/page(1)'],
    ['/f(x)/g(y)', '/f(x)/g(y)'],
    ['/x?PHPSESSID=1&a=2', '/x?a=2'],
    ['/x?sid=0123456789abcdef0123456789abcdef', '/x'],
    ['/x?sid=42', '/x?sid=42'],
    ['/x?session=summer-semester-2026', '/x?session=summer-semester-2026'],
    ['/x?ASPSESSIONIDABCD=1&CFID=2&CFTOKEN=3', '/x'],
    ['/x?utm_source=a&utm_medium=b&gclid=c&fbclid=d&spm=e', '/x'],
    ['/x?UTM_Source=a&q=1', '/x?q=1'],
    ['/x?b=2&a=1', '/x?a=1&b=2'],
    ['/x?b[]=2&a=1&b[]=1', '/x?a=1&b[]=2&b[]=1'],
    ['/x?b&a', '/x?a&b'],
    ['/x?&a=1&&b=2&', '/x?a=1&b=2'],
    ['/x?', '/x'],
    ['/x?utmost=1', '/x?utmost=1'],
    ['/x?a=b;jsessionid=1', '/x?a=b;jsessionid=1'],
    ['/x?%75tm_source=1', '/x'],
  ]
  for (const [from, to] of cases) t.equal(normalize(at + from), at + to, from)
  const kept = new UrlNormalizer({ sessionIds: false, trackingParameters: false, sortParameters: false })
  for (const path of ['/x;jsessionid=1?PHPSESSID=2&utm_source=3&a=4', '/PHPSESSID=a/x', '/x?b&a']) {
    t.equal(normalize(at + path, kept), at + path, 'each can be switched off')
  }
  const own = new UrlNormalizer({ removeParameters: ['print', 'sort*'], keepParameters: ['utm_id', 'PHPSESSID'] })
  t.equal(normalize(`${at}/x?Print=1&sortBy=2&utm_id=3&utm_x=4&phpsessid=5`, own), `${at}/x?phpsessid=5&utm_id=3`)
  t.equal(normalize(`${at}/x?a=1`, new UrlNormalizer({ removeQuery: true })), `${at}/x`)
})

t.test('normalising twice changes nothing, and gives canonical addresses', async (t) => {
  const part = fc.oneof(
    fc.constantFrom(
      ';jsessionid=1',
      '/PHPSESSID=1',
      '/(S(abcdefgh))',
      '?',
      '&',
      'utm_source=1',
      'b=1',
      'a',
      '/',
      '%7E',
      '=',
    ),
    fc.string(),
  )
  const normalizer = new UrlNormalizer()
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const once = normalize(`http://a.test/${parts.join('')}`, normalizer)
      if (once === undefined) return true
      return normalizer.normalize(once) === once && normalizeUrl(once) === once
    }),
    { numRuns: 3000 },
  )
  t.pass('3,000 addresses')
})

/** Cases of crawler-commons that are meant otherwise here, each with the reason. */
const DIFFERENT = new Map<string, string>([
  ['http://foo.com/aa/bb//foo.html', '//'],
  ['http://foo.com//aa//bb//foo.html', '//'],
  ['http://foo.com////aa////bb////foo.html', '//'],
  ['http:////', 'no host: no address at all'],
  ['file:/path/index.html', 'files are written file:///, as the WHATWG standard has it'],
  ['file:/var/www/html/////./bar/index.html', 'as above'],
  ['file:/var/www/html/foo/../bar/index.html', 'as above'],
  ['ftp:/', 'no host: no address at all'],
  ['http://x.com/?x[y]=1', 'the WHATWG standard leaves brackets in a query as they are'],
  [
    'https://www.last.fm/music/Prefuse+73/_/90%+of+My+Mind+Is+With+You',
    'a percent sign that escapes nothing stays, as in browsers: the server must get what the link says',
  ],
  ['http://www.example.com/a/c/../b/search?q=foobar^', 'the WHATWG standard leaves ^ and ` in a query as they are'],
  ['http://www.example.com/a/c/../b/search?q=foobar`', 'as above'],
  ['http://foo.com/index?b=&a=1', 'an empty value may mean something else than no value'],
  ['http://foo.com/index?&=1&a=1', 'a parameter without a name is still one'],
])

/** Two slashes are a path of their own: some servers make a difference, and whether this one does its answer tells. */
const SLASHES = '//'

t.test('crawler-commons cases', { skip }, async (t) => {
  const lines = readFileSync(new URL('weirdToNormalizedUrls.csv', CONFORMANCE), 'utf8').split('\n')
  let differences = 0
  let cases = 0
  for (const line of lines) {
    const [, from = '', to = ''] = /^(.*?)\s*,\s*(\S+)\s*$/.exec(line) ?? []
    if (from === '' || to === '') continue
    cases++
    // Control characters did not survive in the file.
    if (to.includes('%1A') || to.includes('%01')) continue
    const actual = from.startsWith('http') ? normalize(from) : normalizeUrl(from)
    const reason = DIFFERENT.get(from)
    if (reason === undefined) t.equal(actual, to, from)
    else {
      differences++
      t.not(actual, to, `${from}: ${reason === SLASHES ? 'slashes are not merged' : reason}`)
    }
  }
  t.ok(cases >= 50, `${cases} cases`)
  t.equal(differences, DIFFERENT.size, 'no difference is listed that is none')
  const resolved = readFileSync(new URL('url-resolve.csv', CONFORMANCE), 'utf8').replaceAll('"', '').split('\n')
  for (const line of resolved) {
    const [reference, base, expected] = line.split(', ')
    if (reference === undefined || base === undefined || expected === undefined) continue
    // Canonical addresses have neither credentials nor fragment, and escapes in upper case.
    const canonical = normalizeUrl(expected)
    t.equal(resolveUrl(reference, base), canonical, line)
  }
  for (const url of readFileSync(new URL('invalidUrls.csv', CONFORMANCE), 'utf8').trim().split('\n')) {
    t.equal(normalizeUrl(url), undefined, url)
  }
})
