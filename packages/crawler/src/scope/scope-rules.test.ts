import t from 'tap'
import { parseRange } from './address-ranges.js'
import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'
import { ScopeRules } from './scope-rules.js'
import { parseUrlPattern } from './url-pattern.js'

function reason(scope: ScopeRules, url: string, depth = 0): ScopeReason | 'in' {
  const verdict = scope.check({ url, depth })
  return verdict.inScope ? 'in' : verdict.reason
}

t.test('the usual scope', async (t) => {
  const scope = ScopeRules.fromOptions({ seeds: ['http://a.test/start', 'http://b.test:8080/'], maxDepth: 3 })
  const cases: [url: string, depth: number, verdict: ScopeReason | 'in'][] = [
    ['http://a.test/', 0, 'in'],
    ['https://a.test/x?y', 3, 'in'],
    ['http://a.test/x', 4, 'too-deep'],
    ['http://a.test:81/x', 1, 'off-host'],
    ['http://b.test:8080/x', 1, 'in'],
    ['http://b.test/x', 1, 'off-host'],
    ['http://www.a.test/', 1, 'off-host'],
    ['http://a.test.evil.test/', 1, 'off-host'],
    ['http://constructor/', 1, 'off-host'],
    ['mailto:x@a.test', 1, 'scheme'],
    ['file:///etc/passwd', 1, 'scheme'],
    ['ftp://a.test/x', 1, 'scheme'],
    [`http://a.test/${'x'.repeat(3000)}`, 1, 'url-too-long'],
    ['http://a.test/style.css', 1, 'suffix'],
    ['http://a.test/A.ZIP', 1, 'suffix'],
    ['http://a.test/a.tar.gz?v=1', 1, 'suffix'],
    ['http://a.test/get?file=x.zip', 1, 'in'],
    ['http://a.test/v1.zip/notes', 1, 'in'],
    ['http://a.test/x.pdf', 1, 'in'],
    ['http://a.test/x.html', 1, 'in'],
    ['http://a.test/no-suffix.', 1, 'in'],
    ['http://a.test/.css', 1, 'suffix'],
    ['http://a.test/a/a/b', 1, 'in'],
    ['http://a.test/a/a/', 1, 'in'],
    ['http://a.test/a/a/a/', 1, 'path-trap'],
    ['http://a.test/x/a/a/a?q', 1, 'path-trap'],
    ['http://a.test/a/ab/abc/a', 1, 'in'],
    ['http://a.test/x/y/x/y/x/y/', 1, 'in'],
    ['http://a.test/x/y/x/y/x/y/x/y', 1, 'path-trap'],
    ['http://a.test/0/x/yy/z/x/yy/z/x/yy/z/x/yy/z/', 1, 'path-trap'],
    [`http://a.test${'/1/2'.repeat(3)}?${'/1/2'.repeat(5)}`, 1, 'in'],
    [`http://a.test/${Array.from({ length: 20 }, (_, i) => i).join('/')}`, 1, 'in'],
    [`http://a.test/${Array.from({ length: 21 }, (_, i) => i).join('/')}`, 1, 'path-trap'],
    ['http://a.test////', 1, 'path-trap'],
  ]
  for (const [url, depth, verdict] of cases) t.equal(reason(scope, url, depth), verdict, url.slice(0, 60))
  t.equal(
    reason(ScopeRules.fromOptions({ seeds: ['http://host.zip'] }), 'http://host.zip'),
    'in',
    'a host is no file name',
  )
  t.equal(reason(ScopeRules.fromOptions({ seeds: [], site: 'any' }), 'http://any.test/', 99), 'in')
  const own = ScopeRules.fromOptions({ seeds: ['http://a.test'], excludeSuffixes: ['PDF'] })
  t.equal(reason(own, 'http://a.test/x.pdf'), 'suffix')
  t.equal(reason(own, 'http://a.test/x.zip'), 'in')
})

t.test('rules are objects: the first that objects decides', async (t) => {
  const asked: string[] = []
  const rule = (name: string, verdict: ScopeReason | undefined): ScopeRule => ({
    check: ({ url }: ScopeCandidate) => {
      asked.push(`${name} ${url}`)
      return verdict
    },
  })
  const scope = new ScopeRules([rule('first', undefined), rule('second', 'too-deep'), rule('third', 'scheme')])
  t.equal(reason(scope, 'x'), 'too-deep')
  t.strictSame(asked, ['first x', 'second x'])
  t.equal(reason(new ScopeRules([]), 'x'), 'in')
})

t.test('scope: the registrable domain', async (t) => {
  const scope = ScopeRules.fromOptions({
    seeds: ['http://www.example.co.uk/', 'http://a.github.io/', 'http://127.0.0.1:81/', 'http://[::1]/'],
    site: 'domain',
  })
  const cases: [url: string, verdict: ScopeReason | 'in'][] = [
    ['http://example.co.uk/', 'in'],
    ['https://x.y.example.co.uk:8080/z', 'in'],
    ['http://other.co.uk/', 'off-domain'],
    ['http://example.co.uk.evil.test/', 'off-domain'],
    ['http://notexample.co.uk/', 'off-domain'],
    ['http://b.github.io/', 'off-domain'],
    ['http://a.github.io/x', 'in'],
    ['http://127.0.0.1:82/', 'in'],
    ['http://127.0.0.2/', 'off-domain'],
    ['http://[::1]:8080/', 'in'],
  ]
  for (const [url, verdict] of cases) t.equal(reason(scope, url, 1), verdict, url)
})

t.test('scope: the folder of the start address', async (t) => {
  const scope = ScopeRules.fromOptions({
    seeds: ['http://a.test/docs/guide/index.html', 'http://a.test/blog', 'http://b.test/?x=1', 'http://a.test/v1.2/'],
    site: 'prefix',
  })
  const cases: [url: string, verdict: ScopeReason | 'in'][] = [
    ['http://a.test/docs/guide/', 'in'],
    ['https://a.test/docs/guide/deep/er.html?q', 'in'],
    ['http://a.test/docs/guide', 'in'],
    ['http://a.test/docs/guide?x', 'in'],
    ['http://a.test/docs/guidebook', 'off-prefix'],
    ['http://a.test/docs/', 'off-prefix'],
    ['http://a.test/', 'off-prefix'],
    ['http://a.test/blog', 'in'],
    ['http://a.test/blog/2026', 'in'],
    ['http://a.test/blogs', 'off-prefix'],
    ['http://a.test/v1.2/x', 'in'],
    ['http://a.test/v1.3/x', 'off-prefix'],
    ['http://a.test/docs/guide/../secret', 'off-prefix'],
    ['http://b.test/anything', 'in'],
    ['http://b.test', 'in'],
    ['http://c.test/docs/guide/', 'off-host'],
  ]
  for (const [url, verdict] of cases) t.equal(reason(scope, new URL(url).href, 1), verdict, url)
})

t.test('scope: ranges of addresses', async (t) => {
  const asked: string[] = []
  const answers: Record<string, readonly string[]> = {
    'in.test': ['10.1.2.3'],
    'both.test': ['10.1.2.3', '192.0.2.1'],
    'out.test': ['192.0.2.1'],
    'dual.test': ['10.1.9.9', '2001:db8::1'],
    'six.test': ['2001:db8::1'],
  }
  const scope = ScopeRules.fromOptions({
    seeds: [],
    site: { ranges: ['10.1.0.0/16', '172.16.5.5'] },
    lookUp: async (name) => {
      asked.push(name)
      const found = answers[name]
      if (found === undefined) throw new Error('ENOTFOUND')
      return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
  })
  const literal: [url: string, verdict: ScopeReason | 'in'][] = [
    ['http://10.1.255.255:8080/x', 'in'],
    ['http://10.2.0.0/', 'off-range'],
    ['http://172.16.5.5/', 'in'],
    ['http://172.16.5.6/', 'off-range'],
    ['http://[::ffff:10.1.2.3]/', 'in'],
    ['http://[::1]/', 'off-range'],
    ['http://0xa010203/', 'in'],
    ['http://out.test/', 'in'],
  ]
  for (const [url, verdict] of literal) t.equal(reason(scope, new URL(url).href, 1), verdict, url)
  t.same(asked, [], 'names are looked up before they are fetched, not when they are found')
  const hosts: [host: string, verdict: ScopeReason | undefined][] = [
    ['in.test', undefined],
    ['both.test', 'off-range'],
    ['out.test', 'off-range'],
    ['dual.test', undefined],
    ['six.test', 'off-range'],
    ['unknown.test', undefined],
    ['10.1.0.1', undefined],
    ['10.2.0.1', 'off-range'],
  ]
  for (const [host, verdict] of hosts) t.equal(await scope.checkHost(`http://${host}:81/x`), verdict, host)
  await scope.checkHost('http://in.test/')
  t.equal(asked.filter((name) => name === 'in.test').length, 1, 'once')
  t.equal(scope.namesAddress('10.1.7.7'), true, 'an address in the range may be in a private network')
  t.equal(scope.namesAddress('10.2.7.7'), false)
  for (const bad of ['10.0.0.0/33', '10.0.0/8', 'x', '::1/129', '10.0.0.0/8/8', '10.0.0.0/-1', '']) {
    t.equal(parseRange(bad), undefined, bad)
  }
  t.same(parseRange(' 2001:db8::/32 '), { network: '2001:db8::', prefix: 32, family: 6 })
})

t.test('scope: patterns of the user', async (t) => {
  const matches = (pattern: string, url: string) => parseUrlPattern(pattern).matches(new URL(url).href)
  const cases: [pattern: string, url: string, fits: boolean][] = [
    ['/docs/*', 'http://a.test/docs/x/y?z', true],
    ['/docs/*', 'http://a.test/old/docs/x', false],
    ['/docs', 'http://a.test/docs/x', false],
    ['*.pdf', 'http://a.test/x/y.pdf', true],
    ['*.pdf', 'http://a.test/x/y.pdf?z', false],
    ['*print=1*', 'http://a.test/x?a&print=1', true],
    ['a.test/*', 'http://a.test/x', true],
    ['a.test/*', 'http://a.test:81/x', false],
    ['*.a.test/*', 'http://www.a.test/x', true],
    ['https://*', 'http://a.test/', false],
    ['HTTP://A.test/*', 'http://a.test/', true],
    ['/新闻/*', 'http://a.test/新闻/1', true],
    ['例え.jp/*', 'http://例え.jp/x', true],
    ['/a b/*', 'http://a.test/a b/c', true],
    ['/x?y=1', 'http://a.test/x?y=1', true],
    ['/x?y=1', 'http://a.test/xay=1', false],
    ['/price$', 'http://a.test/price$', true],
    ['/\\d+\\.html$/', 'http://a.test/news/123.html', true],
    ['/\\d+\\.html$/', 'http://a.test/news/x.html', false],
    ['/NEWS/i', 'http://a.test/news', true],
    ['/NEWS/', 'http://a.test/news', false],
    ['/(news|blog)/', 'http://a.test/blog', true],
    ['/*/', 'http://a.test/x/', true],
    ['*', 'http://a.test/x/', true],
  ]
  for (const [pattern, url, fits] of cases) t.equal(matches(pattern, url), fits, `${pattern} ${url}`)
  const evil = parseUrlPattern('/^https?:..(a+)+(a|aa)*$/')
  t.equal(
    evil.matches(`http://${'a'.repeat(2000)}!`),
    false,
    'an expression that would hang a backtracking matcher ends',
  )
  const bad = ['', '/(/', '/(?=a)/', '/(a)\\1/', '/((a{1000}){1000}){1000}/', `/${'a'.repeat(2000)}/`]
  for (const pattern of bad) t.throws(() => parseUrlPattern(pattern), pattern.slice(0, 20))
  const scope = ScopeRules.fromOptions({
    seeds: ['http://a.test/'],
    include: ['/news/*', '/archive/*'],
    exclude: ['*sort=*', '/\\.php/'],
  })
  t.equal(reason(scope, 'http://a.test/news/1', 1), 'in')
  t.equal(reason(scope, 'http://a.test/archive/1', 1), 'in')
  t.equal(reason(scope, 'http://a.test/other', 1), 'not-included')
  t.equal(reason(scope, 'http://a.test/news/1?sort=up', 1), 'excluded')
  t.equal(reason(scope, 'http://a.test/news/x.php', 1), 'excluded')
  t.equal(reason(scope, 'http://b.test/news/1', 1), 'off-host', 'the site comes first')
})

t.test('calendars without end', async (t) => {
  const scope = ScopeRules.fromOptions({ seeds: ['http://a.test/'], now: Date.UTC(2026, 5, 1) })
  const cases: [path: string, verdict: ScopeReason | 'in'][] = [
    ['/calendar/2026/05', 'in'],
    ['/calendar/2028/12/', 'in'],
    ['/calendar/2029/01/', 'calendar-trap'],
    ['/events?month=2031-05', 'calendar-trap'],
    ['/events?year=2031&month=5', 'calendar-trap'],
    ['/events?year=2027&month=5', 'in'],
    ['/x/2031-05-17', 'calendar-trap'],
    ['/x/0001-01-01.html', 'calendar-trap'],
    ['/archive/1851/05/12', 'in'],
    ['/date/1642/05', 'calendar-trap'],
    ['/thread/4000/2', 'in'],
    ['/product/9999-12', 'in'],
    ['/calendar/20310-05', 'in'],
    ['/calendar/2031', 'in'],
  ]
  for (const [path, verdict] of cases) t.equal(reason(scope, `http://a.test${path}`, 1), verdict, path)
})
