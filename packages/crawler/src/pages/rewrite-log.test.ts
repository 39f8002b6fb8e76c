import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ParsedPage } from '../parse/parsed-page.js'
import { NewestRecords } from './newest-records.js'
import { encodePage } from './page-codec.js'
import { PageStore } from './page-store.js'
import type { PageRecord, PageStoreState } from './stored-page.js'

const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32LE())
t.comment(`SEED=${seed}`)
let state = seed
function random(n: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}

function page(url: string, version: number): PageRecord {
  const facts = { kind: 'html', title: `v${version}`, text: `text ${version}`, description: '', lang: '', links: [] }
  const parsed = facts as unknown as ParsedPage
  return {
    url,
    status: 200,
    fetchedAt: version,
    contentType: 'text/html',
    headers: {},
    truncated: false,
    hash: `${version}`,
    depth: 0,
    body: Buffer.from(`body ${version} `.repeat(1 + random(50))),
    parsed,
  }
}

/** A store with a model of what must be in it. */
class Model {
  readonly live = new Map<string, { readonly offset: number; readonly record: PageRecord }>()
  version = 0

  async change(store: PageStore, count: number, urls: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const url = `http://a.example/${random(urls)}`
      if (this.live.has(url) && random(6) === 0) {
        store.remove({ url, removedAt: 1, reason: 'http-410' })
        this.live.delete(url)
      } else {
        const record = page(url, ++this.version)
        this.live.set(url, { offset: store.append(await encodePage(record)).offset, record })
      }
    }
    await store.sync()
  }

  /** Every page is where it was, and a scan ends with what is live. */
  async differences(store: PageStore): Promise<string[]> {
    const wrong: string[] = []
    for (const [url, { offset, record }] of this.live) {
      const head = await store.readHead(offset)
      const { parsed } = await store.read(offset)
      const body = await store.readBody(offset)
      if (head?.url !== url || parsed.title !== record.parsed.title || !body.equals(record.body)) wrong.push(url)
    }
    const found = new Map<string, number>()
    let last = 0
    for await (const record of store.scan()) {
      if (record.sequence <= last) wrong.push(`sequence ${record.sequence} after ${last}`)
      last = record.sequence
      if ('removedAt' in record) found.delete(record.url)
      else found.set(record.url, record.offset)
    }
    if (last !== store.state.sequence) wrong.push(`the scan ends at ${last} of ${store.state.sequence}`)
    for (const [url, offset] of found) if (this.live.get(url)?.offset !== offset) wrong.push(`scanned ${url}`)
    if (found.size !== this.live.size) wrong.push(`${found.size} of ${this.live.size} scanned`)
    return wrong
  }
}

const NEW = { sequence: 0, end: 0 }
const COMPACT = { purpose: 'compact' }

t.test('compacted again and again, between changes: what is live stays, under its offsets', async (t) => {
  const folder = t.testdir()
  let store = await PageStore.open(folder, NEW)
  const model = new Model()
  for (let round = 0; round < 5; round++) {
    await model.change(store, 200, 30)
    const { state, size } = store
    t.equal(await store.rewrite(COMPACT), true)
    t.same(store.state, state, 'numbers and offsets go on')
    t.ok(store.size < size / 2, `${size} → ${store.size} bytes`)
    t.same(await model.differences(store), [], `round ${round}`)
    await model.change(store, 20, 30)
    if (round % 2 === 0) {
      const { state } = store
      await store.close()
      store = await PageStore.open(folder, state)
    }
    t.same(await model.differences(store), [], `round ${round}, gone on`)
    const sequences = []
    for await (const { sequence } of store.scan(state.sequence, state.end)) sequences.push(sequence)
    t.equal(sequences[0], state.sequence + 1, 'what follows is found by its hint')
  }
  await store.close()
})

t.test('a page that was replaced and not kept is no page', async (t) => {
  const store = await PageStore.open(t.testdir(), NEW)
  const { offset } = store.append(await encodePage(page('http://a.example/', 1)))
  const newer = store.append(await encodePage(page('http://a.example/', 2)))
  await store.sync()
  t.ok(await store.readHead(offset))
  await store.rewrite(COMPACT)
  t.equal(await store.readHead(offset), undefined)
  await t.rejects(store.read(offset), { code: 'PAGE_STORE_CORRUPT' })
  t.match(await store.read(newer.offset), { fetchedAt: 2, sequence: 2, offset: newer.offset, end: newer.end })
  t.equal(store.rewrittenUpTo, 2)
  t.equal(store.records, 1)
  await store.close()
})

t.test('stopped at any page, by a signal or a cut, it goes on where it was', async (t) => {
  const folder = t.testdir()
  let store = await PageStore.open(folder, NEW)
  const model = new Model()
  await model.change(store, 120, 60)
  const before = readFileSync(join(folder, 'pages.log'))
  const total = model.live.size
  let calls = 0
  let stopAfter = 10
  let controller = new AbortController()
  const options = () => ({
    purpose: 'read again',
    transform: async (payload: Buffer) => {
      if (++calls % stopAfter === 0) controller.abort()
      return payload
    },
    signal: controller.signal,
  })
  const path = join(folder, 'pages.log.new')
  for (let stops = 0; !(await store.rewrite(options())); stops++) {
    t.ok(stops < total)
    t.ok(readFileSync(join(folder, 'pages.log')).equals(before), 'nothing has changed')
    t.same(await model.differences(store), [])
    controller = new AbortController()
    stopAfter = 10 + random(20)
    // Killed: the tail is torn.
    if (stops % 2 === 1) truncateSync(path, statSync(path).size - random(200))
  }
  t.ok(calls < total * 3, `${calls} pages read again for ${total}`)
  t.same(await model.differences(store), [])
  t.equal(store.epoch, 1)
  const { state } = store
  await store.close()
  store = await PageStore.open(folder, state)
  t.same(await model.differences(store), [])
  t.equal(store.epoch, 1)
  t.equal(existsSync(path), false)
  await store.close()
})

t.test('what a rewriting for another end or purpose left is not used', async (t) => {
  const folder = t.testdir()
  const store = await PageStore.open(folder, NEW)
  const model = new Model()
  await model.change(store, 50, 30)
  const stop = new AbortController()
  const transform = async (payload: Buffer) => {
    stop.abort()
    return payload
  }
  t.equal(await store.rewrite({ purpose: 'a', transform, signal: stop.signal }), false)
  await model.change(store, 50, 30)
  t.equal(await store.rewrite(COMPACT), true)
  t.same(await model.differences(store), [])
  t.equal(store.epoch, 0)
  writeFileSync(join(folder, 'pages.log.new'), 'rubbish')
  await model.change(store, 50, 30)
  t.equal(await store.rewrite(COMPACT), true)
  t.same(await model.differences(store), [])
  await store.close()
})

t.test('a frontier from before the compaction is told', async (t) => {
  const folder = t.testdir()
  const store = await PageStore.open(folder, NEW)
  store.append(await encodePage(page('http://a.example/', 1)))
  await store.sync()
  const early: PageStoreState = store.state
  // stays where it was, at the end that the frontier knows of
  store.append(await encodePage(page('http://a.example/', 2)))
  const later = store.state
  store.append(await encodePage(page('http://a.example/b', 3)))
  await store.rewrite(COMPACT)
  const { state } = store
  await store.close()
  for (const end of [early, later]) {
    await t.rejects(PageStore.open(folder, end), { code: 'PAGE_STORE_CORRUPT', message: /compacted/ })
  }
  await (await PageStore.open(folder, state)).close()
})

t.test('newest records: as a map says', async (t) => {
  const newest = new NewestRecords()
  const model = new Map<string, number>()
  for (let sequence = 1; sequence <= 20_000; sequence++) {
    const url = `http://a.example/${random(5000)}`
    const isRemoval = random(10) === 0
    newest.note(url, sequence, isRemoval)
    model.set(url, isRemoval ? -1 : sequence)
  }
  let wrong = 0
  for (const [url, sequence] of model) {
    if (newest.isLive(url, sequence) !== sequence > 0 || newest.isLive(url, Math.abs(sequence) - 1)) wrong++
  }
  t.equal(wrong, 0)
  t.equal(newest.live, [...model.values()].filter((sequence) => sequence > 0).length)
  t.equal(newest.isLive('http://b.example/', 1), false)
})
