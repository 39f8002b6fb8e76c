import t from 'tap'
import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'
import { ScopeRules } from './scope-rules.js'

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
  t.equal(reason(ScopeRules.fromOptions({ seeds: [], sameHost: false }), 'http://any.test/', 99), 'in')
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
