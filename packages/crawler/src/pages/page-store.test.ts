import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ParsedPage } from '../parse/parsed-page.js'
import { encodePage } from './page-codec.js'
import { PageStore } from './page-store.js'
import type { PageRecord, StoredRecord } from './stored-page.js'

function record(i: number, body = `<p>正文 ${i}`.repeat(50)): PageRecord {
  const parsed: ParsedPage = {
    kind: 'html',
    title: `标题 ${i}`,
    text: `正文 ${i} \u{20BB7}`,
    description: '',
    lang: 'zh-cn',
    charset: 'gb18030',
    charsetSource: 'meta',
    baseUrl: `http://a.example/${i}`,
    canonical: undefined,
    robots: { index: true, follow: true },
    published: undefined,
    links: [{ url: 'http://a.example/x', kind: 'a', text: 'x', nofollow: false, scheme: 'http' }],
    linksTruncated: false,
  }
  return {
    url: `http://a.example/${i}`,
    status: 200,
    fetchedAt: 1_700_000_000_000 + i,
    contentType: 'text/html',
    headers: { etag: '"x"' },
    truncated: false,
    hash: 'ab'.repeat(32),
    depth: 1,
    body: Buffer.from(body),
    parsed,
  }
}

async function all(pages: AsyncIterable<StoredRecord>): Promise<StoredRecord[]> {
  const list = []
  for await (const page of pages) list.push(page)
  return list
}

t.test('pages come back as they were put, by place and in order', async (t) => {
  const store = await PageStore.open(t.testdir(), { sequence: 0, end: 0 })
  const long = record(4, 'x'.repeat(10))
  const records = [
    record(1),
    record(2, ''),
    record(3, '\u0000binary'.repeat(10_000)),
    // over what is stored as one: by the body, by the text
    record(4, '<p>很长的正文'.repeat(50_000)),
    { ...long, parsed: { ...long.parsed, text: '长文 '.repeat(100_000) } },
  ]
  const positions = []
  for (const page of records) positions.push(store.append(await encodePage(page)))
  await store.sync()
  t.same(
    positions.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5],
  )
  t.same(store.state, { sequence: 5, end: positions[4]!.end })
  for (const [i, { offset }] of positions.entries()) {
    const { body, ...rest } = records[i]!
    const page = await store.read(offset)
    // JSON leaves out what is undefined.
    t.match({ ...page, parsed: { ...page.parsed } }, JSON.parse(JSON.stringify(rest)))
    t.ok((await store.readBody(offset)).equals(body))
  }
  t.same(
    (await all(store.scan())).map(({ url }) => url),
    records.map(({ url }) => url),
  )
  t.same(
    (await all(store.scan(1, positions[0]!.end))).map(({ sequence }) => sequence),
    [2, 3, 4, 5],
  )
  for (const hint of [0, 13, positions[1]!.offset + 1, positions[1]!.end, 1e9]) {
    const sequences = (await all(store.scan(1, hint))).map(({ sequence }) => sequence)
    t.same(sequences, [2, 3, 4, 5], `the wrong hint ${hint} only costs a scan`)
  }
  t.same(await all(store.scan(5, positions[4]!.end)), [])
  await t.rejects(store.read(positions[0]!.offset + 1), { code: 'PAGE_STORE_CORRUPT' })
  await store.close()
})

t.test('what nobody knows of is cut off when opened again', async (t) => {
  const dir = t.testdir()
  let store = await PageStore.open(dir, { sequence: 0, end: 0 })
  store.append(await encodePage(record(1)))
  await store.sync()
  const known = store.state
  store.append(await encodePage(record(2)))
  await store.close()
  store = await PageStore.open(dir, known)
  t.same(store.state, known)
  t.equal(store.append(await encodePage(record(22))).sequence, 2)
  await store.close()
  const state = store.state
  appendFileSync(join(dir, 'pages.log'), 'torn')
  store = await PageStore.open(dir, state)
  t.same(
    (await all(store.scan())).map(({ url }) => url),
    ['http://a.example/1', 'http://a.example/22'],
  )
  await store.close()
  store = await PageStore.open(dir, { sequence: 0, end: 0 })
  t.same(await all(store.scan()), [], 'a crawl that knows of no page begins an empty store')
  await store.close()
})

t.test('damage is named', async (t) => {
  const dir = t.testdir()
  const store = await PageStore.open(dir, { sequence: 0, end: 0 })
  const { offset, end } = store.append(await encodePage(record(1)))
  await store.close()
  const path = join(dir, 'pages.log')
  const bytes = readFileSync(path)
  bytes[offset + 40]! ^= 1
  writeFileSync(path, bytes)
  const damaged = await PageStore.open(dir, { sequence: 1, end })
  await t.rejects(damaged.read(offset), { code: 'PAGE_STORE_CORRUPT', message: /pages\.log/ })
  await damaged.close()
  truncateSync(path, end - 1)
  await t.rejects(PageStore.open(dir, { sequence: 1, end }), { code: 'PAGE_STORE_CORRUPT', message: /pages\.log/ })
})

t.test('a removal follows the page that is gone', async (t) => {
  const store = await PageStore.open(t.testdir(), { sequence: 0, end: 0 })
  const page = store.append(await encodePage(record(1)))
  const removal = { url: 'http://a.example/1', removedAt: 5, reason: 'http-410' }
  const position = store.remove(removal)
  store.append(await encodePage(record(2)))
  await store.sync()
  t.same(await all(store.scan(1, page.end)).then(([first]) => first), { ...removal, ...position })
  t.same(
    (await all(store.scan())).map(({ sequence }) => sequence),
    [1, 2, 3],
  )
  t.match(await store.readHead(page.offset), { url: 'http://a.example/1', hash: record(1).hash })
  for (const read of ['read', 'readHead', 'readBody'] as const) {
    await t.rejects(() => store[read](position.offset) as Promise<unknown>, { code: 'PAGE_STORE_CORRUPT' }, read)
  }
  await store.close()
})
