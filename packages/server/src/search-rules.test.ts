/** Pinned, hidden and boosted pages: in results, counts, facets, completions, and read again while the server runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSpindleError, type Logger } from '@spindle/core'
import t, { type Test } from 'tap'
import { SearchRules } from './search/search-rules.js'
import { indexPages, openApp } from './test-support/site-fixture.js'

const PAGES = [
  { url: 'http://a.example/docs/silk', title: 'Silk', body: 'silk, and how silk is spun' },
  { url: 'http://a.example/docs/silk-road', title: 'The silk road', body: 'traders brought silk along a road' },
  { url: 'http://a.example/drafts/silk', title: 'Silk draft', body: 'silk silk silk', type: 'pdf' },
  { url: 'http://b.example/silk?id=1', title: 'Silk elsewhere', body: 'silk of another site' },
  { url: 'http://b.example/visit', title: 'Visit us', body: 'opening hours and prices' },
  { url: 'http://b.example/tea', title: 'Tea', body: 'leaves' },
]

interface Answer {
  readonly total: number
  readonly hits: readonly Hit[]
  readonly paths: string[]
  readonly facets: Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>
}

interface Hit {
  readonly url: string
  readonly score: number
  readonly pinned: boolean
  readonly missing: readonly string[]
}

async function site(t: Test, rules: unknown) {
  const data = t.testdir()
  const file = join(data, 'rules.json')
  const write = (value: unknown): void => writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value))
  write(rules)
  await indexPages(data, PAGES)
  const errors: string[] = []
  const logger: Logger = {
    log(level, _message, fields) {
      if (level === 'error') errors.push(String(fields?.detail))
    },
  }
  const { app, backend, close } = await openApp(data, { rules: file, logger })
  t.teardown(close)
  const search = async (query: string, more = ''): Promise<Answer> => {
    const answer = (await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}${more}`)).json()
    const hits: readonly Hit[] = answer.hits
    return { ...answer, hits, paths: hits.map(({ url }) => url.replace(/^http:\/\//, '')) }
  }
  return { app, backend, search, write, errors }
}

t.test('pinned pages come first, in their order, are labelled, and are within the limits of a request', async (t) => {
  const { app, search } = await site(t, {
    pins: { 'Silk  Road': ['http://b.example/visit', 'http://b.example/tea#x', 'http://gone.example/'] },
  })
  const found = await search('ｓｉｌｋ road')
  t.same(found.paths.slice(0, 3), ['b.example/visit', 'b.example/tea', 'a.example/docs/silk-road'])
  t.equal(found.total, 6, 'they count')
  t.same(
    found.hits.map(({ pinned }) => pinned),
    [true, true, false, false, false, false],
  )
  t.same(found.hits[0]!.missing, [], 'and are not told to lack words')
  t.same((await search('silk road', '&site=a.example')).paths.slice(0, 1), ['a.example/docs/silk-road'])
  t.same((await search('silk road', '&page=2&size=2')).paths.slice(0, 1), ['a.example/docs/silk-road'])
  t.equal((await search('silk')).hits.filter(({ pinned }) => pinned).length, 0, 'only for their query')
  const page = (await app.inject('/search?q=silk+road&hl=en')).body
  t.equal(page.match(/<span>Recommended<\/span>/g)?.length, 2)
})

t.test('hidden pages are nowhere: not in hits, counts, facets, completions', async (t) => {
  const { app, search } = await site(t, { hidden: ['http://a.example/drafts/*', 'http://b.example/silk?id=1'] })
  const found = await search('silk')
  t.same(found.paths.sort(), ['a.example/docs/silk', 'a.example/docs/silk-road'])
  t.equal(found.total, 2)
  t.same(found.facets.type, [{ value: 'html', count: 2 }])
  t.same(found.facets.site, [{ value: 'a.example', count: 2 }])
  t.equal((await search('inurl:drafts')).total, 0)
  const { suggestions } = (await app.inject('/api/v1/suggest?q=silk')).json()
  t.ok(suggestions.length > 0 && !suggestions.some((text: string) => /draft|elsewhere/i.test(text)), suggestions.join())
})

t.test('globs: a site, anything in between, characters that mean nothing here', async (t) => {
  const { search, write, backend } = await site(t, { hidden: ['http://b.example/*'] })
  t.same((await search('silk')).total, 3)
  for (const [glob, total] of [
    ['http://*.example/docs/*', 2],
    ['http://b.example/silk?id=*', 3],
    ['http://b.example/silk?id=2', 4],
    ['http://?.example/*', 4],
    ['*', 0],
  ] as const) {
    write({ hidden: [glob] })
    await backend.lookNow()
    t.equal((await search('silk')).total, total, glob)
  }
})

t.test('boosted pages: their scores times the factor, the first rule that fits, nothing else', async (t) => {
  const { search, write, backend } = await site(t, {})
  const scores = async () => new Map((await search('silk')).hits.map(({ url, score }) => [url, score]))
  const before = await scores()
  write({ boosts: { 'http://b.example/*': 3, 'http://a.example/docs/*': 0.5, 'http://a.example/docs/silk': 9 } })
  await backend.lookNow()
  const after = await scores()
  t.equal(after.size, before.size)
  const factors = {
    'b.example/silk?id=1': 3,
    'a.example/docs/silk': 0.5,
    'a.example/docs/silk-road': 0.5,
    'a.example/drafts/silk': 1,
  }
  for (const [path, factor] of Object.entries(factors)) {
    const ratio = after.get(`http://${path}`)! / before.get(`http://${path}`)!
    t.ok(Math.abs(ratio - factor) < 1e-9, `${path} ${ratio}`)
  }
})

t.test('rules that cannot be read leave those before, and say what is wrong', async (t) => {
  const { search, write, backend, errors } = await site(t, { hidden: ['http://b.example/*'] })
  write('{"hidden":')
  await backend.lookNow()
  t.equal((await search('silk')).total, 3)
  t.match(errors.at(-1), /rules\.json have a mistake: they are no JSON/)
  const wrong: [unknown, RegExp][] = [
    [[], /they must be an object/],
    [{ pin: {} }, /there is no "pin", only pins, hidden, boosts/],
    [{ pins: { silk: 'http://a.example/' } }, /"pins" of "silk" must be a list of at most 20 addresses/],
    [{ hidden: [''] }, /"hidden" must be a list/],
    [
      { boosts: { 'http://a.example/*': 0 } },
      /factor of "http:\/\/a\.example\/\*" in "boosts" must be a number from 0\.01 to 100/,
    ],
  ]
  for (const [value, message] of wrong) {
    let error: unknown
    try {
      SearchRules.parse(JSON.stringify(value), 'rules.json')
    } catch (reason) {
      error = reason
    }
    t.ok(isSpindleError(error, 'SEARCH_RULES_INVALID'))
    t.match((error as Error).message, message)
  }
})
