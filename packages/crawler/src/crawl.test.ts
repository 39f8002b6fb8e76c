import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { isSpindleError } from '@spindle/core'
import { IndexReader } from '@spindle/index'
import t from 'tap'
import { Crawl, type CrawlPlace } from './crawl.js'
import { Batch, MAX_UNWRITTEN } from './frontier/batch.js'
import { MemoryWorkload } from './frontier/memory-workload.js'
import type { CrawlReport } from './report/crawl-report.js'
import { page, serveSite, treeSite } from './test-support/test-site.js'

async function run(place: CrawlPlace, seeds: readonly string[], maxPages?: number): Promise<CrawlReport> {
  const crawl = await Crawl.open(place)
  try {
    return await crawl.run({ seeds, delay: 0, ...(maxPages === undefined ? {} : { maxPages }) })
  } finally {
    await crawl.close()
  }
}

/** Addresses in the index, one entry a document. */
async function indexed(data: string): Promise<string[]> {
  const reader = await IndexReader.open(join(data, 'index'))
  const urls: string[] = []
  for (const segment of reader.segments) {
    for (let id = 0; id < segment.maxDoc; id++) {
      if (segment.liveDocs?.get(id) !== false) urls.push((await segment.document(id)).get('url') ?? '')
    }
  }
  await reader.close()
  return urls.toSorted()
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at < 0 ? bytes.length + at : at]! ^= 0xff
  writeFileSync(path, bytes)
}

function toFolder(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

t.test('a damaged data folder is told in one sentence with a way out, and the way leads out', async (t) => {
  const routes = treeSite(3, 2)
  const site = await serveSite(t, routes)
  const seeds = [site.at('/')]
  const all = Object.keys(routes)
    .map((path) => site.at(path))
    .toSorted()
  const dir = t.testdir()
  const whole = join(dir, 'whole')
  await run({ data: whole }, seeds)
  const requests = site.requests.length
  const db = (data: string): string => join(data, 'frontier', 'frontier.db')
  // A slow crawl has more than one commit; only the last is kept.
  const commit = (data: string): string => {
    const name = readdirSync(join(data, 'index')).find((name) => name.startsWith('segments_'))
    return join(data, 'index', name!)
  }
  const log = (data: string): string => join(data, 'pages', 'pages.log')
  const cases: [name: string, damage: (data: string) => void, code: string, way: 'fresh' | 'index' | 'restore'][] = [
    ['no frontier', (data) => rmSync(db(data)), 'FRONTIER_CORRUPT', 'fresh'],
    ['an empty frontier', (data) => writeFileSync(db(data), ''), 'FRONTIER_CORRUPT', 'fresh'],
    ['another frontier', (data) => writeFileSync(db(data), Buffer.alloc(9000, 'x')), 'FRONTIER_CORRUPT', 'fresh'],
    ['a folder for a frontier', (data) => toFolder(db(data)), 'DATA_DIR_UNUSABLE', 'fresh'],
    ['no pages', (data) => rmSync(log(data)), 'PAGE_STORE_CORRUPT', 'fresh'],
    ['cut pages', (data) => truncateSync(log(data), statSync(log(data)).size - 5), 'PAGE_STORE_CORRUPT', 'fresh'],
    ['a folder for pages', (data) => toFolder(log(data)), 'DATA_DIR_UNUSABLE', 'fresh'],
    [
      'a damaged page and no index',
      (data) => {
        flip(log(data), 900)
        rmSync(join(data, 'index'), { recursive: true })
      },
      'PAGE_STORE_CORRUPT',
      'fresh',
    ],
    ['a damaged commit', (data) => flip(commit(data), 20), 'INDEX_CORRUPT', 'index'],
    ['a damaged commit', (data) => flip(commit(data), 20), 'INDEX_CORRUPT', 'fresh'],
    ['no index', (data) => rmSync(join(data, 'index'), { recursive: true }), '', 'restore'],
    ['rubbish behind the pages', (data) => writeFileSync(log(data), 'rubbish', { flag: 'a' }), '', 'restore'],
  ]
  for (const [i, [name, damage, code, way]] of cases.entries()) {
    const data = join(dir, `damaged-${i}`)
    await cp(whole, data, { recursive: true })
    damage(data)
    const failure = await run({ data }, seeds).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (code === '') t.equal(failure, undefined, name)
    else {
      t.ok(isSpindleError(failure) && failure.code === code, `${name}: ${code} (${failure})`)
      const text = String((failure as Error).message)
      t.notMatch(text, /\n/, 'one sentence')
      t.match(text, way === 'index' ? /remove the folder .*index/ : /./)
      if (way === 'index') renameSync(join(data, 'index'), join(dir, `index-${i}`))
      await run({ data, fresh: way === 'fresh' }, seeds)
    }
    t.same(await indexed(data), all, `${name}: all is there again`)
  }
  const fresh = cases.filter(([, , code, way]) => code !== '' && way === 'fresh').length
  t.equal(site.requests.length, requests + fresh * (all.length + 1), 'only --fresh fetches anything')
})

t.test('a segment that is missing is found out before --fresh needs it', async (t) => {
  const site = await serveSite(t, treeSite(2, 1))
  const data = join(t.testdir(), 'data')
  await run({ data }, [site.at('/')])
  truncateSync(join(data, 'index', '_0.fields'), 10)
  await run({ data, fresh: true }, [site.at('/')])
  t.equal((await indexed(data)).length, 3)
})

t.test('an older copy of frontier and pages put back beside a newer index loses no page', async (t) => {
  const site = await serveSite(t, treeSite(3, 2))
  const dir = t.testdir()
  const data = join(dir, 'data')
  await run({ data }, [site.at('/p-0-0')], 1)
  const old = join(dir, 'old')
  for (const part of ['frontier', 'pages']) await cp(join(data, part), join(old, part), { recursive: true })
  await run({ data }, [])
  const all = await indexed(data)
  t.equal(all.length, 13)
  // One after the other, so that another page has the number of one that the index knows.
  const again = join(dir, 'again')
  await cp(data, again, { recursive: true })
  for (const part of ['frontier', 'pages']) {
    rmSync(join(again, part), { recursive: true })
    await cp(join(old, part), join(again, part), { recursive: true })
  }
  await run({ data: again }, [], 8)
  t.equal((await indexed(again)).length, 8)
  await run({ data: again }, [])
  t.same(await indexed(again), all)
})

t.test('what is not on disk is bounded, however slow the disk', async (t) => {
  const workload = new MemoryWorkload()
  const urls = Array.from({ length: 200 }, (_, i) => `http://a.test/${i}`)
  await workload.add(urls.map((url) => ({ url, depth: 0, redirects: 0 })))
  let write = (): void => {}
  const finish = workload.finish.bind(workload)
  t.capture(workload, 'finish', async (...args: Parameters<typeof finish>) => {
    await new Promise<void>((resolve) => {
      write = resolve
    })
    return finish(...args)
  })
  let written = 0
  const batch = new Batch(
    workload,
    undefined,
    () => written++,
    (error) => t.fail(String(error)),
  )
  let taken = 0
  for (const url of urls) {
    if (batch.isFull) break
    await workload.claim()
    const more = {
      queue: 'complete',
      disposition: 'fetched',
      status: 200,
      finishedAt: 1,
      links: [],
      skipped: [],
    } as const
    batch.add({ url, ...more }, {})
    taken++
  }
  t.equal(taken, MAX_UNWRITTEN, 'no more work is begun')
  while (batch.isBusy) {
    write()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  t.equal(workload.counts().complete, MAX_UNWRITTEN)
  t.ok(written >= 2)
})

t.test('a folder under several addresses is one document, also across a restart', async (t) => {
  const site = await serveSite(t, {
    '/': page('Start', ['/sub/']),
    '/sub/': page('Folder'),
    '/sub/index.html': page('Folder'),
    '/sub': page('Folder'),
  })
  const data = join(t.testdir(), 'data')
  await run({ data }, [site.at('/')])
  const later = await run({ data }, [site.at('/sub/index.html'), site.at('/sub')])
  // The shortest one is wanted most, whichever was found first.
  t.same({ ...later.complete }, { fetched: 3, duplicate: 1 })
  t.equal(later.pages, 1)
  t.same(await indexed(data), [site.at('/'), site.at('/sub')])
})
