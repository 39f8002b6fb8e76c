import { existsSync, readFileSync } from 'node:fs'
import { normalizeUrl, resolveUrl } from '@spindle/core'
import fc from 'fast-check'
import t from 'tap'
import { LinkResolver } from './link-resolver.js'

const URL_TESTS = new URL('../../../../../shared/data/conformance/url/urltestdata.json', import.meta.url)

t.test('the short way gives what the long way gives', async (t) => {
  const bases = [
    'http://site.test/',
    'http://site.test/a/b/c.html?q=x/y',
    'https://site.test:8443/a//b/%E4%B8%AD/',
    'http://[::1]:8080/x/y',
    'http://site.test/a/b/../c/./d',
    'file:///usr/share/doc/x.html',
  ].map((base) => resolveUrl('', base) ?? '')
  const piece = fc.constantFrom(
    '..',
    '.',
    '/',
    '//',
    'a',
    'B.html',
    '~me',
    '-_',
    'x:y',
    ':',
    '?q=1',
    '?',
    '?a/b&c=d:./?',
    "'",
    '#f',
    'http://other.test/',
    'https://Other.test:443/x?é',
    '%7E',
    '%zz',
    ' ',
    '中',
    ';',
    '@',
    '\\',
    '&',
    '|',
    '"',
    '..a',
    '.x',
    'C|',
    '',
  )
  fc.assert(
    fc.property(fc.constantFrom(...bases), fc.array(piece, { maxLength: 7 }), (base, pieces) => {
      const reference = pieces.join('')
      return new LinkResolver(base, 'utf-8').resolve(reference) === resolveUrl(reference, base)
    }),
    { numRuns: 5000, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) },
  )
  fc.assert(
    fc.property(fc.constantFrom(...bases), fc.string({ unit: 'binary', maxLength: 12 }), (base, reference) => {
      return new LinkResolver(base, 'utf-8').resolve(reference) === resolveUrl(reference, base)
    }),
    { numRuns: 3000, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) },
  )
  t.pass()
})

interface UrlCase {
  readonly input: string
  readonly base: string | null
  readonly href?: string
  readonly failure?: boolean
  /** a failure without a base only; with any base it is one relative to it */
  readonly relativeTo?: string
}

t.test(
  'the URL cases of the web platform tests',
  { skip: existsSync(URL_TESTS) ? false : 'needs ../shared/data' },
  async (t) => {
    const cases: (UrlCase | string)[] = JSON.parse(readFileSync(URL_TESTS, 'utf8'))
    let compared = 0
    for (const entry of cases) {
      if (typeof entry === 'string') continue
      const { input, base, href, failure, relativeTo } = entry
      if (relativeTo === 'any-base') continue
      // how addresses of other schemes are written makes no difference here, and versions of Node.js differ in it
      if (failure !== true && !/^https?:/.test(href ?? '')) continue
      compared++
      const found = new LinkResolver(base ?? 'about:blank', 'utf-8').resolve(input)
      const expected = failure === true ? undefined : normalizeUrl(href ?? '')
      if (found !== expected) t.equal(found, expected, JSON.stringify(entry))
    }
    t.ok(compared > 200, `${compared} cases`)
  },
)
