/** What keeps the server answering when more is asked than it can do: the queue, the caches, and both in the backend. */
import { join } from 'node:path'
import { isSpindleError, nullLogger } from '@spindle/core'
import t from 'tap'
import { indexPages } from '../test-support/site-fixture.js'
import { LocalIndexBackend } from './local-index-backend.js'
import { LruCache } from './lru-cache.js'
import { cacheKey, ResponseCache } from './response-cache.js'
import type { SearchRequest, SearchResponse } from './search-backend.js'
import { SearchQueue } from './search-queue.js'
import { serveOthers } from './serve-others.js'

function searchRequest(query: string, rest: Partial<SearchRequest> = {}): SearchRequest {
  return { query, page: 1, size: 10, filters: { site: [], type: [], lang: [] }, leniency: 'all', ...rest }
}

function response(total: number, rest: Partial<SearchResponse> = {}): SearchResponse {
  return {
    empty: false,
    total,
    totalRelation: 'eq',
    tookMs: 0,
    timedOut: false,
    partial: false,
    hits: [],
    notices: [],
    pinyin: [],
    alternatives: [],
    ...rest,
  }
}

/** A promise that is settled from outside. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

t.test('searches run in order, a few at once, and the rest waits or is refused', async (t) => {
  const queue = new SearchQueue({ running: 2, waiting: 5, patient: 10 })
  const started: number[] = []
  const gates = Array.from({ length: 7 }, gate)
  const controller = new AbortController()
  const runs = gates.map(({ opened }, i) =>
    queue.run(
      async () => {
        started.push(i)
        await opened
        if (i === 1) throw new Error('one that fails')
        return i
      },
      i === 4 ? controller.signal : undefined,
    ),
  )
  const results = Promise.allSettled(runs)
  for (let i = 0; i < 5; i++) await serveOthers()
  t.same(started, [0, 1])
  controller.abort(new Error('gone'))
  for (const { open } of gates) open()
  const settled = await results
  t.same(started, [0, 1, 2, 3], 'one whose client is gone never starts')
  t.same(
    settled.map((result) =>
      result.status === 'fulfilled' ? result.value : (result.reason.code ?? result.reason.message),
    ),
    [0, 'one that fails', 2, 3, 'gone', 'SERVER_BUSY', 'SERVER_BUSY'],
  )
  t.equal(await queue.run(async () => 'again'), 'again', 'a full queue empties')
})

t.test('a crowd is not let in behind one that waits too long, a few always are', async (t) => {
  const queue = new SearchQueue({ running: 1, waiting: 100, patient: 2, fullAfter: 20, wait: 60 })
  const first = gate()
  const running = queue.run(() => first.opened)
  await serveOthers()
  const waiting = Array.from({ length: 5 }, (_, i) => queue.run(async () => i))
  const settled = Promise.allSettled(waiting)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await t.rejects(
    queue.run(async () => 0),
    { code: 'SERVER_BUSY' },
  )
  first.open()
  await running
  const outcomes = (await settled).map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code))
  t.same(outcomes, ['SERVER_BUSY', 'SERVER_BUSY', 'SERVER_BUSY', 3, 4])
})

t.test('a cache keeps what was used last, within its bytes', async (t) => {
  const cache = new LruCache<number, string>(10_000)
  for (let i = 0; i < 8; i++) {
    cache.set(i, String(i), 200)
    cache.get(0)
    if (cache.bytes > 10_000) t.fail(`${cache.bytes} bytes`)
  }
  t.equal(cache.get(0), '0', 'what is used stays')
  t.equal(cache.get(1), undefined)
  t.equal(cache.get(7), '7')
  cache.set(7, 'seven', 100)
  t.equal(cache.get(7), 'seven')
  cache.set(9, 'too long', 2_000)
  t.equal(cache.get(9), undefined, 'nothing takes most of the room')
  t.equal(cache.get(7), 'seven')
})

t.test('the key of an answer is what it depends on', async (t) => {
  const filters = { site: ['b', 'a'], type: [], lang: ['zh'] }
  const same = { site: ['a', 'b'], type: [], lang: ['zh'] }
  const key = cacheKey(searchRequest('x', { filters }), '0')
  t.equal(cacheKey(searchRequest('x', { filters: same, signal: new AbortController().signal }), '0'), key)
  const others: Partial<SearchRequest>[] = [
    {},
    { filters, page: 2 },
    { filters, size: 20 },
    { filters, leniency: 'none' },
    { filters: { site: ['a'], type: ['b'], lang: ['zh'] } },
    { filters: { site: ['b,a'], type: [], lang: ['zh'] } },
    { filters: { ...filters, from: '2024' } },
    { filters: { ...filters, to: '2024' } },
    { filters, sort: 'date' },
    { filters, facets: true },
  ]
  t.equal(new Set([key, ...others.map((other) => cacheKey(searchRequest('x', other), '0'))]).size, others.length + 1)
  t.not(cacheKey(searchRequest('x', { filters }), '1'), key)
})

t.test('equal questions are computed once; who leaves does not disturb the others', async (t) => {
  const cache = new ResponseCache(100_000)
  let computed = 0
  let aborted = 0
  let door = gate()
  const compute = async (signal: AbortSignal): Promise<SearchResponse> => {
    computed++
    signal.addEventListener('abort', () => aborted++)
    await door.opened
    signal.throwIfAborted()
    return response(computed)
  }
  const leaving = new AbortController()
  const gone = cache.get('a', leaving.signal, compute)
  const others = Array.from({ length: 50 }, () => cache.get('a', new AbortController().signal, compute))
  leaving.abort(new Error('gone'))
  await t.rejects(gone, { message: 'gone' })
  door.open()
  t.same([...new Set((await Promise.all(others)).map(({ total }) => total))], [1])
  t.equal((await cache.get('a', undefined, compute)).total, 1, 'and kept')
  t.same([computed, aborted], [1, 0])

  door = gate()
  const last = new AbortController()
  const alone = cache.get('b', last.signal, compute)
  last.abort(new Error('gone too'))
  await t.rejects(alone, { message: 'gone too' })
  t.equal(aborted, 1, 'a computation that nobody waits for is stopped')
  door.open()
  t.equal((await cache.get('b', undefined, compute)).total, 3, 'it is not kept, and the next one starts anew')
  await t.rejects(cache.get('c', AbortSignal.abort(new Error('never')), compute), { message: 'never' })

  for (const faulty of [{ timedOut: true }, { partial: true }]) {
    await cache.get('d', undefined, async () => response(0, faulty))
    t.equal((await cache.get('d', undefined, async () => response(9))).total, 9, 'half an answer is not kept')
    cache.get('d', undefined, async () => response(9))
  }
  await t.rejects(
    cache.get('e', undefined, () => Promise.reject(new Error('fault'))),
    { message: 'fault' },
  )
  t.equal((await cache.get('e', undefined, async () => response(5))).total, 5, 'a fault is not kept')
})

t.test('an index that is asked too much answers what it can and refuses the rest', async (t) => {
  const data = t.testdir()
  await indexPages(
    data,
    Array.from({ length: 30 }, (_, i) => ({
      url: `http://a.example/${i}`,
      title: `Silk ${i}`,
      body: `silk road ${i}`,
    })),
  )
  const open = (cache: boolean) =>
    LocalIndexBackend.open(join(data, 'index'), { logger: nullLogger, searchTimeout: 2000, cache })
  const plain = await open(false)
  const crowd = await Promise.allSettled(Array.from({ length: 600 }, () => plain.search(searchRequest('silk'))))
  const answered = crowd.filter((result) => result.status === 'fulfilled')
  for (const result of crowd) {
    if (result.status === 'fulfilled') {
      if (result.value.total !== 30 || result.value.hits.length !== 10) t.fail('a wrong answer')
    } else if (!isSpindleError(result.reason, 'SERVER_BUSY')) t.fail(String(result.reason))
  }
  t.ok(answered.length >= 64 && answered.length <= 300, `${answered.length} of 600 were answered`)
  t.equal(plain.status().state, 'ready', 'too many searches say nothing about the index')
  t.equal((await plain.search(searchRequest('silk'))).total, 30)
  await plain.close()

  const cached = await open(true)
  const equal = await Promise.all(Array.from({ length: 600 }, () => cached.search(searchRequest('silk'))))
  t.ok(
    equal.every(({ total, hits }) => total === 30 && hits.length === 10),
    'one search is enough for all',
  )
  const again = await cached.search(searchRequest('silk'))
  t.ok(again.tookMs > 0 && again.tookMs < 1000)
  t.same({ ...again, tookMs: 0 }, { ...equal[0]!, tookMs: 0 })
  await indexPages(data, [{ url: 'http://a.example/new', title: 'Silk', body: 'silk' }])
  await cached.lookNow()
  t.equal((await cached.search(searchRequest('silk'))).total, 31, 'a newer commit is answered from at once')
  await cached.close()
})

t.test('long pages do not hold the server: the hits that the time allows, and the truth about it', async (t) => {
  const data = t.testdir()
  const body = '研究生命起源的书，很长很长。'.repeat(4_500)
  await indexPages(
    data,
    Array.from({ length: 40 }, (_, i) => ({ url: `http://a.example/${i}`, title: `书 ${i}`, body: body.slice(i) })),
  )
  const backend = await LocalIndexBackend.open(join(data, 'index'), { logger: nullLogger, searchTimeout: 150 })
  t.teardown(() => backend.close())
  let longest = 0
  let searching = true
  const watch = (async () => {
    for (let last = performance.now(); searching; last = performance.now()) {
      await serveOthers()
      longest = Math.max(longest, performance.now() - last)
    }
  })()
  // on a machine that is busy enough, the time may be over before a single page is looked at
  let answer = response(0)
  for (let i = 0; i < 10 && answer.hits.length === 0; i++) {
    answer = await backend.search(searchRequest('生命起源 研究 很长', { size: 40 }))
  }
  searching = false
  await watch
  t.match(answer, { total: 40, timedOut: true, partial: true })
  t.ok(answer.hits.length >= 1 && answer.hits.length < 40, `${answer.hits.length} hits`)
  t.ok(longest < 1_500, `nobody else was served for ${longest.toFixed(0)} ms`)
})
