import { isSpindleError } from '@spindle/core'
import { ChineseAnalyzer } from '@spindle/index'
import t from 'tap'
import { parseQueryFields } from '../http/query-fields.js'
import { translator } from '../i18n/translator.js'
import { alternativeCandidates } from './alternative-queries.js'
import { displayAddress } from './display-address.js'
import { resultPages } from './result-pages.js'
import { resultView } from './result-view.js'
import { searchAddress } from './search-address.js'
import type { SearchHit, SearchResponse } from './search-backend.js'
import { MAX_QUERY_LENGTH, searchRequest } from './search-request.js'

t.test('query fields become one clean string each', async (t) => {
  t.same(
    { ...parseQueryFields('q=a&q=b&page=2&page=3&site=x&site=y&site=x&unknown=1') },
    {
      q: 'a',
      page: '2',
      site: ['x', 'y'],
    },
  )
  t.same({ ...parseQueryFields('q[]=a&q[x]=1&__proto__[x]=1&constructor.prototype.x=1&__proto__=2') }, {})
  t.equal(({} as Record<string, unknown>).x, undefined, 'no prototype is changed')
  t.equal(parseQueryFields('q=%ED%A0%80').q, '\ufffd\ufffd\ufffd')
  t.equal(parseQueryFields('q=%C0%AE').q, '\ufffd\ufffd')
  t.equal(parseQueryFields('q=%zz+100%').q, '%zz 100%')
  t.equal(parseQueryFields('q=a%00b%1bc%7fd%C2%85e%E2%80%A8f%EF%BB%BFg%0Ah').q, 'abcd e fg h')
  t.equal(parseQueryFields('q=ab%E2%80%8Bc').q, 'abc', 'nor one that parts a word unseen')
  t.equal(parseQueryFields('q=%E2%80%AEabc').q, 'abc', 'no character that turns the direction around')
  t.equal(parseQueryFields('q=e%CC%81').q, 'é')
  t.equal(
    parseQueryFields(`${'site=a&'.repeat(3)}${Array.from({ length: 99 }, (_, i) => `site=${i}`).join('&')}`).site
      ?.length,
    16,
  )
})

t.test('wrong sizes and pages are errors for programs and notices for people', async (t) => {
  const bad = [
    'page=0',
    'page=-1',
    'page=1e9',
    'page=NaN',
    'page=1.5',
    'page=99999999999999999999',
    'page=1001',
    'size=0',
    'size=101',
    'size=1e6',
    'size=x',
    'page=101&size=100',
  ]
  for (const text of bad) {
    const fields = parseQueryFields(`q=x&${text}`)
    t.throws(() => searchRequest(fields, false), { code: 'BAD_PAGE' }, text)
    const { request, notices } = searchRequest(fields, true)
    t.ok(request.page >= 1 && request.size >= 1 && request.size <= 100 && request.page * request.size <= 10_000, text)
    t.ok(notices.some((notice) => notice.kind === 'bad-page'))
  }
  t.equal(searchRequest(parseQueryFields('q=x&page=100&size=100'), false).request.page, 100)
  t.equal(searchRequest(parseQueryFields('q=x&page=&size='), false).request.size, 10)
  const long = parseQueryFields(`q=${'a'.repeat(MAX_QUERY_LENGTH - 1)}😀b`)
  t.throws(() => searchRequest(long, false), { code: 'QUERY_TOO_LONG' })
  const cut = searchRequest(long, true)
  t.equal(cut.request.query, 'a'.repeat(MAX_QUERY_LENGTH - 1), 'cut before the pair, not inside')
  t.equal(cut.notices[0]?.kind, 'too-long')
})

t.test('links to our pages carry everything and never throw', async (t) => {
  t.equal(searchAddress({ query: 'a&b=c #"' }), '/search?q=a%26b%3Dc+%23%22')
  t.equal(
    searchAddress({ query: '天', page: 2, size: 20, filters: { site: ['a', 'b'], type: [], lang: ['zh'] }, hl: 'zh' }),
    '/search?q=%E5%A4%A9&page=2&size=20&site=a&site=b&lang=zh&hl=zh',
  )
  t.equal(searchAddress({ query: '\ud800' }), '/search?q=%EF%BF%BD')
})

t.test('an address is shown readable, and only http is a link', async (t) => {
  t.same(displayAddress('https://example.org/%E5%8E%86%E5%8F%B2/a%2Fb.html?x=1'), {
    href: 'https://example.org/%E5%8E%86%E5%8F%B2/a%2Fb.html?x=1',
    host: 'example.org',
    steps: ['历史', 'a/b.html?x=1'],
  })
  t.same(displayAddress('http://h/%B9%FE/').steps, ['%B9%FE'], 'escapes of another encoding stay')
  t.equal(displayAddress('http://xn--fsq.jp/').host, '例.jp')
  t.equal(
    displayAddress('http://xn--80ak6aa92e.com/').host,
    'xn--80ak6aa92e.com',
    'a Cyrillic look-alike stays punycode',
  )
  t.equal(displayAddress('http://h:81/').host, 'h:81')
  t.same(displayAddress('http://h/1/2/3/4/5/6/7').steps, ['1', '2', '…', '6', '7'])
  t.ok(displayAddress(`http://h/${'x'.repeat(9000)}`).steps[0]!.length <= 60)
  for (const address of [
    'javascript:alert(1)',
    'jAvA\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil',
    'x',
    '',
    'http://',
  ]) {
    t.equal(displayAddress(address).href, '', address)
  }
})

t.test('page numbers around the current one', async (t) => {
  const numbers = (total: number, page: number) => resultPages(total, page, 10).numbers.join(' ')
  t.equal(numbers(0, 1), '')
  t.equal(numbers(10, 1), '1')
  t.equal(numbers(11, 1), '1 2')
  t.equal(numbers(100, 1), '1 2 3 0 10')
  t.equal(numbers(100, 5), '1 0 3 4 5 6 7 0 10')
  t.equal(numbers(100, 10), '1 0 8 9 10')
  t.equal(numbers(40, 3), '1 2 3 4')
  t.equal(numbers(100, 999), '1 0 8 9 10')
  const deep = resultPages(1_000_000, 1000, 10)
  t.equal(deep.last, 1000)
  t.equal(deep.windowEnds, true)
  t.equal(resultPages(1_000_000, 1, 10).windowEnds, false)
})

t.test('looser forms of a query', async (t) => {
  const analyzer = new ChineseAnalyzer()
  const forms = (query: string) => alternativeCandidates(query, analyzer).map(({ kind, query: q }) => `${kind}: ${q}`)
  t.same(forms('word'), [])
  t.same(forms('"silk road"'), ['without-quotes: silk road'])
  t.same(forms('“丝绸之路” -唐朝'), [
    'without-exclusions: "丝绸之路"',
    'without-quotes: 丝绸之路',
    'any-word: 丝绸 之路',
  ])
  t.same(forms('+silk AND road NOT tea'), ['without-exclusions: silk road'])
  t.same(forms('(a AND b) OR "c'), ['without-quotes: a b c'])
  t.same(forms('海上花'), ['any-word: 海上 花'], 'the words')
  t.same(forms('江苏的省会是哪里'), ['any-word: 江苏 省会'], 'those that say something')
  t.same(forms('天安门'), ['any-word: 天安 安门'], 'of one word its pairs')
  t.same(forms('CVE-2024-1234'), ['any-word: CVE 2024 1234'])
  t.same(forms('silk site:a.org'), ['without-filters: silk'])
  t.same(forms('title:silk "red road" before:2020'), [
    'without-quotes: title:silk red road before:2020',
    'without-filters: silk "red road"',
    'any-word: silk red road',
  ])
  for (const odd of ['"', '-', '- -', 'NOT', '((((', '"" ""', '!', 'a"b"c', '😀'.repeat(500), '"'.repeat(1000)]) {
    t.ok(Array.isArray(forms(odd)), odd)
  }
})

t.test('the view tells the truth about an answer', async (t) => {
  const request = searchRequest(parseQueryFields('q=x&page=2&site=a.org'), false).request
  const hit: SearchHit = {
    id: 'u',
    url: 'http://a.org/x/y.html',
    title: '',
    titleHtml: ' ',
    snippetHtml: '<em>x</em> &lt;b&gt;',
    sections: [],
    alsoAt: ['http://a.org/z?p=1', 'javascript:alert(1)', ...Array.from({ length: 20 }, (_, i) => `http://a.org/${i}`)],
    score: 1,
    site: 'a.org',
    type: 'pdf',
    lang: '"><svg onload=x>',
    date: 'never',
    missing: ['silk'],
    pinned: false,
  }
  const response: SearchResponse = {
    empty: false,
    total: 21,
    totalRelation: 'gte',
    tookMs: 4,
    timedOut: true,
    partial: true,
    hits: [hit],
    notices: [{ kind: 'ignored', text: '(' }],
    pinyin: [],
    alternatives: [{ kind: 'without-filters', query: 'x', total: 3 }],
  }
  const view = resultView(request, response, [], translator('en'), 'en')
  t.equal(view.count, 'At least 21 results')
  t.same(
    view.groups.map(({ start, label }) => [start, label]),
    [[11, 'The pages below do not have all of the words.']],
  )
  t.match(view.warnings[0], /stopped/)
  t.equal(view.notices[0], 'Left out, since it could not be understood: (')
  t.same(view.filters, [{ label: 'Site: a.org', href: '/search?q=x&hl=en' }])
  t.equal(view.alternatives[0]?.href, '/search?q=x&hl=en')
  t.equal(view.pageAddress(3), '/search?q=x&page=3&site=a.org&hl=en')
  const shown = view.groups[0]!.hits[0]!
  t.same(shown.missing, ['silk'])
  t.equal(shown.titleHtml, 'y.html', 'a page without a title is called by its address')
  t.equal(shown.lang, undefined, 'what is no language tag never gets into the page')
  t.same(shown.facts, [{ text: 'PDF' }])
  t.equal(shown.alsoAt?.label, 'The same page at 22 other addresses')
  t.equal(shown.alsoAt?.addresses.length, 10)
  t.same(shown.alsoAt?.addresses.slice(0, 2), [
    { href: 'http://a.org/z?p=1', text: 'a.org › z?p=1' },
    { href: '', text: 'javascript:alert(1)' },
  ])
  t.equal(isSpindleError(view), false)

  const lacking = (...counts: number[]) =>
    counts.map((n) => ({ ...hit, missing: Array.from({ length: n }, () => 'a') }))
  const groups = (hits: SearchHit[], rest: Partial<SearchResponse> = {}) =>
    resultView(request, { ...response, ...rest, hits }, [], translator('en'), 'en').groups.map(
      ({ start, label, hits }) => `${start}+${hits.length} ${label ?? ''}`,
    )
  t.same(groups(lacking(0, 0)), ['11+2 '])
  t.same(groups(lacking(0, 1, 0, 2, 1)), ['11+3 ', '14+2 The pages below do not have all of the words.'])
  t.same(groups(lacking(0, 1), { withAllWords: 1 }), [
    '11+1 ',
    '12+1 1 page has all of the words. The pages below do not.',
  ])
  t.same(groups(lacking(1, 2), { withAllWords: 0 })[0]!.slice(0, 35), '11+2 No page has all of the words. ')
  t.same(groups(lacking(0, 1), { sort: 'date' }), ['11+2 '], 'by date those with all words are anywhere')
})
