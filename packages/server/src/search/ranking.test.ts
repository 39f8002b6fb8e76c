/** Settings of the ranking, and that the date of a page counts where it is asked to. */
import { isSpindleError, loadConfig } from '@spindle/core'
import t from 'tap'
import { searchOptions } from '../config.js'
import { indexPages, openApp } from '../test-support/site-fixture.js'
import { DEFAULT_RANKING } from './ranking.js'

t.test('weights: those that are given, in their ranges', async (t) => {
  const load = (ranking: unknown) => loadConfig(searchOptions, { cwd: t.testdirName, flags: { ranking } })
  t.same((await load(undefined)).ranking, DEFAULT_RANKING)
  t.same((await load({ b: 0.4, freshness: 0.5 })).ranking, { ...DEFAULT_RANKING, b: 0.4, freshness: 0.5 })
  t.same((await load('{"title":0}')).ranking, { ...DEFAULT_RANKING, title: 0 }, 'as JSON from a variable')
  const wrong: [unknown, RegExp][] = [
    [{ b: 1.5 }, /"b" must be a number from 0 to 1\./],
    [{ pageRank: '0.3' }, /"pageRank" must be a number from 0 to 10\./],
    [{ pagerank: 1 }, /there is no weight "pagerank", only k1, b, /],
    [{ freshnessDays: 0 }, /"freshnessDays" must be a number from 0.01/],
    ['fast', /it must be an object of weights/],
    [[1], /it must be an object of weights/],
  ]
  for (const [value, message] of wrong) {
    const error: unknown = await load(value).catch((reason: unknown) => reason)
    t.ok(isSpindleError(error, 'CONFIG_INVALID'))
    t.match((error as Error).message, message)
  }
})

t.test('freshness: off unless asked for, bounded, and told', async (t) => {
  const data = t.testdir()
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString()
  const text = { title: 'Silk', body: 'silk of the season' }
  await indexPages(data, [
    { url: 'http://a.example/none', ...text },
    { url: 'http://a.example/old', ...text, date: day(4000) },
    { url: 'http://a.example/new', ...text, date: day(1) },
    { url: 'http://a.example/better', title: 'Silk, silk', body: 'silk and silk' },
  ])
  const scores = async (ranking = DEFAULT_RANKING): Promise<Map<string, number>> => {
    const { app, close } = await openApp(data, { ranking })
    const { hits } = (await app.inject('/api/v1/search?q=silk')).json()
    await close()
    return new Map(hits.map(({ url, score }: { url: string; score: number }) => [url.slice(17), score]))
  }
  const plain = await scores()
  t.equal(plain.get('new'), plain.get('none'))
  const fresh = await scores({ ...DEFAULT_RANKING, freshness: 0.5, freshnessDays: 30 })
  t.same([...fresh.keys()].slice(0, 1), ['new'])
  t.ok(Math.abs(fresh.get('new')! / plain.get('new')! - (1 + 0.5 ** (1 + 1 / 30))) < 1e-3)
  t.ok(Math.abs(fresh.get('old')! / plain.get('old')! - 1) < 1e-9)
  t.equal(fresh.get('none'), plain.get('none'), 'a page without a date keeps its score')
})
