/** Pages that have only some of the words: they come, below those that have all, and it is told what they lack. */
import t from 'tap'
import { attribute, auditPage, textOf } from './test-support/page-audit.js'
import { indexPages, openApp } from './test-support/site-fixture.js'

const filler = 'Nothing else is written here but some words. '.repeat(3)
const PAGES = [
  { url: 'http://a.test/1', title: 'Trade', body: `The silk road. ${filler}` },
  { url: 'http://a.test/2', title: 'Trade', body: `A road of silk. ${filler}` },
  { url: 'http://a.test/3', title: 'Weaving', body: `Silk is woven. ${filler}` },
  { url: 'http://a.test/4', title: 'Land', body: `A road in the hills. ${filler}` },
  { url: 'http://b.test/5', title: '卸载', body: '怎样卸载软件？' },
  { url: 'http://b.test/6', title: '软件', body: '各种各样的软件。' },
]

t.test('user-asks 23: exact hits first, looser ones below a label that says what they lack', async (t) => {
  const data = t.testdir()
  await indexPages(data, PAGES)
  const { app, close } = await openApp(data)
  t.teardown(close)
  const ask = async (query: string, rest = '') => {
    const answer = (await app.inject(`/api/v1/search?q=${encodeURIComponent(query)}${rest}`)).json()
    return {
      lacking: answer.hits.map((hit: { url: string; missing: string[] }) => [Number(hit.url.at(-1)), ...hit.missing]),
      withAllWords: answer.withAllWords,
    }
  }
  const both = await ask('silk road')
  t.same(both.lacking.slice(0, 2), [[1], [2]], 'those with all words come first')
  t.same(both.lacking.slice(2).sort(), [
    [3, 'road'],
    [4, 'silk'],
  ])
  t.equal(both.withAllWords, 2)
  t.same((await ask('the silk of the road')).lacking.slice(0, 2).sort(), [[1], [2]], 'function words are not missed')
  const one = await ask('silk')
  t.same(one.lacking.sort(), [[1], [2], [3]])
  t.equal(one.withAllWords, null, 'one word')
  t.same(await ask('+silk +road'), { lacking: [[1], [2]], withAllWords: null })
  t.same((await ask('silk -woven road')).lacking.at(-1), [4, 'silk'])
  const phrase = await ask('"silk road" hills')
  t.same([...phrase.lacking].sort(), [
    [1, 'hills'],
    [4, '"silk road"'],
  ])
  t.equal(phrase.withAllWords, 0)
  t.same((await ask('sil* hills woven~1')).lacking.sort(), [
    [1, 'hills', 'woven~1'],
    [2, 'hills', 'woven~1'],
    [3, 'hills'],
    [4, 'sil*', 'woven~1'],
  ])
  t.same((await ask('卸载软件')).lacking, [[5], [6, '卸载']], 'the words of a run')
  t.same((await ask('silk road', '&site=b.test')).lacking, [])
  t.same((await ask('silk road', '&page=2&size=2')).withAllWords, 2)
  const long = await ask('silk road hills trade woven nothing written words cloth porcelain')
  t.ok(
    long.lacking.every((hit: unknown[]) => hit.length === 1),
    'of a sentence nothing is told',
  )

  const page = auditPage((await app.inject('/search?q=silk+road')).body)
  const label = page.all('p').find((p) => attribute(p, 'class') === 'group')!
  t.equal(textOf(label), '2 pages have all of the words. The pages below do not.')
  const lists = page.all('ol').filter((ol) => attribute(ol, 'class') === 'hits')
  t.same(
    lists.map((ol) => [attribute(ol, 'start'), attribute(ol, 'aria-labelledby')]),
    [
      ['1', undefined],
      ['3', 'group'],
    ],
  )
  t.match(textOf(lists[1]!), /Not in this page: (road|silk)/)
  t.notMatch((await app.inject('/search?q=silk')).body, 'class="group"')
})
