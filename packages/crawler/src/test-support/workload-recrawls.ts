/** What every workload must do when pages are asked for again: generations, what sitemaps vouch for, what has vanished. */
import type { Test } from 'tap'
import type { FinishedUrl } from '../frontier/workload.js'
import { A, B, done, seed, type WorkloadHarness } from './workload-harness.js'

/** Adds this part of the suite as subtests of `t`. */
export async function recrawlConformance(t: Test, harness: WorkloadHarness): Promise<void> {
  await t.test(`${harness.name}: a new generation keeps what was found until something else is`, async (t) => {
    let w = await harness.create(t)
    await w.add([seed(`${A}/1`), seed(`${A}/2`), seed(`${B}/3`), seed(`${A}/wait`, 7)])
    for (let i = 0; i < 3; i++) await w.claim()
    await t.rejects(w.beginGeneration(9), /running/)
    await w.finish([
      done(`${A}/1`, [], { page: 100, content: 5 }),
      done(`${A}/2`, [], { queue: 'error', disposition: 'http-404', status: 404, page: undefined, finishedAt: 2 }),
      done(`${B}/3`, [], { page: 300, finishedAt: 3 }),
    ])
    t.same([w.generation(), w.pageCount()], [1, 2])
    t.equal(await w.beginGeneration(3), 2, 'what ended at that time is not due')
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    t.same([w.generation(), w.pageCount()], [2, 2])
    t.same(w.counts(), { waiting: 3, running: 0, error: 0, complete: 1 })
    t.same([...w.tally().complete], [['fetched', 1]])
    t.same([...w.tally().error], [])
    t.match(await w.get(`${A}/1`), { queue: 'waiting', disposition: 'fetched', page: 100, finishedAt: 1 })
    const first = await w.claim()
    t.match(first, { url: `${A}/1`, previous: { page: 100, misses: 0 } })
    t.match(await w.claim(), { url: `${A}/2`, previous: { page: undefined, misses: 0 } })
    t.match(await w.claim(), { url: `${A}/wait`, previous: undefined }, 'never fetched')
    await w.finish([done(`${A}/1`, [], { disposition: 'unchanged', status: 304, keepsPage: true, finishedAt: 9 })])
    t.match(await w.get(`${A}/1`), { queue: 'complete', disposition: 'unchanged', page: 100, finishedAt: 9 })
    await w.finish([done(`${A}/2`, [], { page: 200, finishedAt: 9 })])
    t.equal(w.pageCount(), 3, 'an error that became a page')
    await w.release(`${A}/wait`)
    await w.beginGeneration(10)
    t.equal((await w.claim('a.example'))?.url, `${A}/1`)
    const gone = { queue: 'error', disposition: 'http-404', status: 404, page: undefined } as const
    await w.finish([done(`${A}/1`, [], { ...gone, keepsPage: true, misses: 1 })])
    t.match(await w.get(`${A}/1`), { page: 100, misses: 1 })
    await w.beginGeneration(10)
    t.match(await w.claim('a.example'), { previous: { page: 100, misses: 1 } })
    await w.finish([done(`${A}/1`, [], { ...gone, misses: 2 })])
    t.match(await w.get(`${A}/1`), { page: undefined, misses: 2 })
    t.same([w.generation(), w.pageCount()], [4, 2])
    await w.close()
  })

  await t.test(`${harness.name}: a page that goes makes room for its twin`, async (t) => {
    const w = await harness.create(t)
    const end = async (url: string, more: Partial<FinishedUrl>) => {
      await w.add([seed(url)])
      await w.claim('a.test')
      await w.finish([done(url, [], more)])
    }
    await end('http://a.test/sub/', { content: 7 })
    await w.beginGeneration(10)
    await end('http://a.test/sub/', { disposition: 'unchanged', keepsPage: true })
    t.equal(await w.findTwin('http://a.test/sub', 7), 'http://a.test/sub/')
    await w.beginGeneration(10)
    await end('http://a.test/sub/', { queue: 'error', disposition: 'http-410', page: undefined })
    t.equal(await w.findTwin('http://a.test/sub', 7), undefined)
    await w.close()
  })

  await t.test(`${harness.name}: keeps the latest word on when a page was changed`, async (t) => {
    let w = await harness.create(t)
    await w.add([seed(`${A}/0`), { ...seed(`${A}/seed`), lastModified: 5 }])
    await w.claim()
    const words = [7, 9, 8, undefined].map((lastModified) => ({ ...seed(`${A}/1`, 1), lastModified }))
    await w.finish([done(`${A}/0`, [...words, seed(`${A}/2`, 1), { ...seed(`${A}/0`), lastModified: 3 }])])
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    const kept = await Promise.all(['/0', '/1', '/2', '/seed'].map((path) => w.get(A + path)))
    t.same(
      kept.map((state) => state?.lastModified),
      [3, 9, undefined, 5],
    )
    await w.close()
  })

  await t.test(`${harness.name}: a sitemap vouches for a page in its own generation`, async (t) => {
    let w = await harness.create(t)
    await w.add([seed(`${A}/0`), seed(`${A}/1`), seed(`${A}/2`)])
    for (let i = 0; i < 3; i++) await w.claim()
    await w.finish([
      done(`${A}/0`, [{ ...seed(`${A}/1`), lastModified: 7, isVouched: true }]),
      done(`${A}/1`),
      done(`${A}/2`),
    ])
    await w.beginGeneration(9)
    t.match(await w.claim(), { url: `${A}/0`, previous: { page: 8, vouched: undefined } })
    t.equal((await w.claim())?.previous?.vouched, undefined, 'said in the generation before')
    await w.release(`${A}/1`)
    await w.finish([
      done(`${A}/0`, [
        { ...seed(`${A}/1`), lastModified: 6, isVouched: true },
        { ...seed(`${A}/2`), lastModified: 5 },
      ]),
    ])
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    t.match(await w.claim(), { url: `${A}/1`, previous: { vouched: 7 } }, 'the latest word counts')
    t.match(
      await w.claim(),
      { url: `${A}/2`, previous: { vouched: undefined } },
      'a feed says nothing of the time since',
    )
    await w.close()
  })

  await t.test(`${harness.name}: vanished pages are kept until they are dropped or asked again`, async (t) => {
    let w = await harness.create(t)
    const paths = ['/1', '/2', '/3', '/4']
    await w.add([...paths.map((path) => seed(A + path)), seed(`${B}/5`)])
    for (let i = 0; i < 5; i++) await w.claim()
    await w.finish([...paths.map((path) => done(A + path, [], { content: 3 })), done(`${B}/5`)])
    t.equal(await w.findTwin(`${A}/1/`, 3), `${A}/1`)
    await w.beginGeneration(9)
    for (let i = 0; i < 5; i++) await w.claim()
    const gone = { queue: 'error', disposition: 'http-410', status: 410, page: undefined } as const
    const kept = { ...gone, keepsPage: true, isVanished: true }
    await w.finish([...['/1', '/2', '/3'].map((path) => done(A + path, [], kept)), done(`${B}/5`, [], gone)])
    await w.release(`${A}/4`)
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    t.same(await w.vanished(), [{ host: 'a.example', vanished: 3, pages: 4 }])
    t.equal(await w.findTwin(`${A}/1/`, 3), undefined, 'no page is stored under one that may go')
    t.equal(await w.findTwin(`${A}/4/`, 3), `${A}/4`)
    t.equal(w.pageCount(), 4)
    const some = await w.vanishedOf('a.example', 2)
    t.equal(some.length, 2)
    t.match(some[0], { disposition: 'http-410' })
    await w.dropPages([`${A}/1`], new Map([['end', '7']]))
    if (harness.reopen !== undefined) w = await harness.reopen(w)
    t.equal(w.meta('end'), '7')
    t.same(await w.vanished(), [{ host: 'a.example', vanished: 2, pages: 3 }])
    t.equal(w.pageCount(), 3)
    t.match(await w.get(`${A}/1`), { queue: 'error', disposition: 'http-410', page: undefined })
    await w.beginGeneration(10)
    t.same(await w.vanished(), [], 'what waits to be asked again is not known to be gone')
    for (let i = 0; i < 5; i++) await w.claim('a.example')
    await w.finish([done(`${A}/2`), done(`${A}/3`, [], { disposition: 'unchanged', keepsPage: true })])
    t.same(await w.vanished(), [])
    await w.close()
  })
}
