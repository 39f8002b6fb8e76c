import fc from 'fast-check'
import t from 'tap'
import { hostKey, normalizeUrl, resolveUrl } from './url.js'

t.test('one canonical form for the spellings of an address', (t) => {
  const cases: [string, string][] = [
    ['HTTP://Example.ORG:80/a/./b/../c', 'http://example.org/a/c'],
    ['https://example.org:443', 'https://example.org/'],
    ['http://example.org/%7euser/%e4%b8%ad', 'http://example.org/~user/%E4%B8%AD'],
    ['http://example.org/中文.html', 'http://example.org/%E4%B8%AD%E6%96%87.html'],
    ['http://example.org/a#fragment', 'http://example.org/a'],
    ['http://example.org/a?', 'http://example.org/a'],
    ['http://example.org/a?b=%2f&c=%7E', 'http://example.org/a?b=%2F&c=~'],
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
