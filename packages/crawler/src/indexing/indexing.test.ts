import { join } from 'node:path'
import { IndexReader, IndexSearcher, Term, TermQuery } from '@spindle/index'
import t, { type Test } from 'tap'
import { encodePage } from '../pages/page-codec.js'
import { PageStore } from '../pages/page-store.js'
import { isRemoval, type StoredPage } from '../pages/stored-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import { LocalIndexSink } from './local-index-sink.js'
import type { Stemming } from './open-page-index.js'
import { pageDocument, titleOf } from './page-document.js'
import { PageFeed } from './page-feed.js'
import type { PageSink, SinkPosition } from './page-sink.js'

function parsedPage(more: Partial<ParsedPage> = {}): ParsedPage {
  return {
    kind: 'html',
    title: '北京天安门广场',
    text: '天安门在北京市中心。',
    description: '',
    lang: '',
    charset: 'utf-8',
    charsetSource: 'utf8',
    baseUrl: 'http://a.example/',
    canonical: undefined,
    robots: { index: true, follow: true },
    published: undefined,
    links: [],
    linksTruncated: false,
    ...more,
  }
}

function storedPage(url: string, more: Partial<ParsedPage> = {}): StoredPage {
  return {
    url,
    status: 200,
    fetchedAt: 0,
    contentType: 'text/html',
    headers: {},
    truncated: false,
    hash: '',
    depth: 0,
    parsed: parsedPage(more),
    sequence: 1,
    offset: 8,
    end: 9,
  }
}

async function storeWith(t: Test, urls: readonly string[], more: (url: string) => Partial<ParsedPage> = () => ({})) {
  const store = await PageStore.open(t.testdir(), { sequence: 0, end: 0 })
  t.teardown(() => store.close())
  const add = async (url: string, parts: Partial<ParsedPage> = more(url)) => {
    const { sequence: _s, offset: _o, end: _e, parsed, ...rest } = storedPage(url, parts)
    store.append(await encodePage({ ...rest, parsed, body: Buffer.from('x') }))
    await store.sync()
  }
  for (const url of urls) await add(url)
  return { store, add }
}

t.test('document: the fields of a page', async (t) => {
  const page = storedPage('http://a.example:8080/x', { published: '2026-01-02', description: '广场', lang: 'zh-CN' })
  const document = await pageDocument(page)
  const fields = Object.fromEntries(document.fields.map(({ name, value, type }) => [name, `${type.kind} ${value}`]))
  t.same(fields, {
    url: 'keyword http://a.example:8080/x',
    title: 'text 北京天安门广场',
    body: 'text 天安门在北京市中心。',
    site: 'keyword a.example:8080',
    type: 'keyword html',
    charset: 'unIndexed utf-8',
    description: 'unIndexed 广场',
    lang: 'keyword zh',
    date: 'keyword 2026-01-02',
    published: 'date 2026-01-02T00:00:00.000Z',
    address: 'unStored a example x',
  })
  const told = await pageDocument(
    storedPage('http://a.example/x', {
      text: 'T',
      sections: [{ start: 0, anchor: 'a', heading: 'T', level: 2 }],
      images: [{ url: 'http://a.example/i.png', alt: 'What it shows' }],
      filters: ['kind:one', 'kind:two'],
      modified: '2026-01-03',
    }),
  )
  t.equal(told.get('body'), 'T\nWhat it shows', 'the words of pictures can be found')
  t.equal(told.get('sections'), '[[0,0,"a","T",2],[2,0]]', 'and belong to no section')
  t.equal(told.get('headings'), 'T')
  t.equal(told.get('modified'), '2026-01-03')
  t.same(
    told.fields.filter(({ name }) => name === 'filter').map(({ value }) => value),
    ['kind:one', 'kind:two'],
  )
  const plain = storedPage('http://a.example/notes.txt', { kind: 'text', title: '', text: 'First line\nsecond' })
  t.equal(titleOf(plain), 'First line')
  t.equal(titleOf(storedPage('http://a.example/', { title: '' })), '', 'an address is none')
  t.equal(titleOf({ ...plain, parsed: { ...plain.parsed, text: 'one line\n' } }), '', 'nor is a text of one line')
  t.equal(titleOf({ ...plain, parsed: { ...plain.parsed, text: `${'x'.repeat(500)}\nsecond` } }), '')
})

t.test('index: pages are found, replaced, removed; a crash loses nothing', async (t) => {
  const path = join(t.testdir(), 'index')
  const urls = ['http://a.example/1', 'http://a.example/2', 'http://a.example/3']
  const { store, add } = await storeWith(t, urls)
  const follow = async (crawlId: string): Promise<LocalIndexSink> => {
    const sink = await LocalIndexSink.open(path, { crawlId })
    const feed = new PageFeed({ pages: store, sink, beforeCommit: async () => {} })
    feed.available(store.state)
    await feed.drain()
    await feed.close()
    return sink
  }
  const found = async (url: string): Promise<string[]> => {
    const searcher = await IndexSearcher.open(path)
    const hits = await searcher.search(new TermQuery(new Term('url', url)))
    const titles = []
    for await (const hit of hits) titles.push(hit.document.get('title') ?? '')
    await searcher.close()
    return titles
  }
  await (await follow('one')).close()
  t.same(await found(urls[0]!), ['北京天安门广场'])
  await add(urls[0]!, { title: '新标题' })
  await add(urls[1]!, { robots: { index: false, follow: true } })
  // A process that dies before it commits: pages put, nothing said.
  const dying = await LocalIndexSink.open(path, { crawlId: 'one' })
  for await (const page of store.scan(dying.position.sequence, dying.position.offset)) {
    if (!isRemoval(page)) await dying.put(page)
  }
  await dying.close()
  const sink = await follow('one')
  t.equal(sink.position.sequence, 5)
  await sink.close()
  t.same(await found(urls[0]!), ['新标题'], 'once, and the newer one')
  t.same(await found(urls[1]!), [], 'noindex removes')
  const reader = await IndexReader.open(path)
  t.match(reader.userData, { crawlId: 'one', crawlSequence: '5' })
  t.equal(reader.numDocs, 2)
  await reader.close()
  // Another crawl in the folder: all old documents go, at its first commit.
  const other = await LocalIndexSink.open(path, { crawlId: 'two' })
  t.equal(other.position.sequence, 0)
  t.same(await found(urls[2]!), ['北京天安门广场'], 'the old ones answer until then')
  for await (const page of store.scan(4)) if (!isRemoval(page)) await other.put(page)
  await other.commit({ sequence: 5, offset: store.state.end })
  await other.close()
  t.same(await found(urls[2]!), [])
})

t.test('index: another stemming fills it anew, none keeps that of the index', async (t) => {
  const path = join(t.testdir(), 'index')
  const { store } = await storeWith(t, ['http://a.example/1'], () => ({ text: 'Running dogs' }))
  const open = (stemming: Stemming | undefined): Promise<LocalIndexSink> =>
    LocalIndexSink.open(path, { crawlId: 'one', stemming })
  const follow = async (stemming: Stemming | undefined): Promise<void> => {
    const sink = await open(stemming)
    const feed = new PageFeed({ pages: store, sink, beforeCommit: async () => {} })
    feed.available(store.state)
    await feed.drain()
    await feed.close()
    await sink.close()
  }
  const stems = async (): Promise<string[]> => {
    const searcher = await IndexSearcher.open(path)
    const found = []
    for (const text of ['running', 'run', 'dogs', 'dog']) {
      if ((await searcher.count(new TermQuery(new Term('body#word', text)))) === 1) found.push(text)
    }
    await searcher.close()
    return found
  }
  await follow({ stemmer: ['none'] })
  t.same(await stems(), ['running', 'dogs'])
  const same = await open(undefined)
  t.equal(same.position.sequence, 1, 'goes on')
  await same.close()
  const other = await open({ stemmer: ['english'], protectedWords: ['dogs'] })
  t.equal(other.position.sequence, 0)
  t.same(await stems(), ['running', 'dogs'], 'the old index answers until the first commit')
  await other.close()
  t.same(await stems(), ['running', 'dogs'], 'and where there is none')
  await follow({ stemmer: ['english'], protectedWords: ['dogs'] })
  t.same(await stems(), ['run', 'dogs'])
  await follow(undefined)
  t.same(await stems(), ['run', 'dogs'])
  await t.rejects(open({ stemmer: ['english', 'klingon'] }), {
    code: 'CONFIG_INVALID',
    message: /^The setting index\.stemmer has "klingon", which there is no stemmer for: take arabic/,
  })
})

/** Keeps what it is given; commits as told. */
class ListSink implements PageSink {
  position: SinkPosition = { sequence: 0, offset: 0 }
  readonly urls: string[] = []
  readonly commits: number[] = []
  fail: Error | undefined

  get documents(): number {
    return this.urls.length
  }

  async put(page: StoredPage): Promise<void> {
    if (this.fail !== undefined) throw this.fail
    this.urls.push(page.url)
  }

  async remove(url: string): Promise<void> {
    this.urls.push(`without ${url}`)
  }

  async commit(position: SinkPosition): Promise<void> {
    this.commits.push(position.sequence)
    this.position = position
  }

  async close(): Promise<void> {}
}

t.test('feed: commits on time, in order, after the frontier', async (t) => {
  const { store, add } = await storeWith(t, ['http://a.example/1'])
  const sink = new ListSink()
  const order: string[] = []
  const feed = new PageFeed({
    pages: store,
    sink,
    intervals: [20, 1_000_000],
    beforeCommit: async () => void order.push('frontier'),
    onCommit: (sequence) => order.push(`commit ${sequence}`),
  })
  feed.available(store.state)
  while (sink.commits.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  t.same(sink.commits, [1], 'soon after the first page')
  await add('http://a.example/2')
  await add('http://a.example/3')
  feed.available({ sequence: 2, end: 0 })
  while (sink.urls.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(sink.urls.length, 2, 'only what the frontier knows of')
  t.same(sink.commits, [1], 'the next commit is far away')
  t.equal(feed.lag, 1)
  feed.available(store.state)
  await feed.drain()
  t.same(sink.urls, ['http://a.example/1', 'http://a.example/2', 'http://a.example/3'])
  t.same(sink.commits, [1, 3])
  t.same(order, ['frontier', 'commit 1', 'frontier', 'commit 3'])
  await feed.drain()
  t.same(sink.commits, [1, 3], 'nothing new, no commit')
  await feed.close()
})

t.test('feed: a sink that was changed otherwise is committed, during a commit too', async (t) => {
  const { store } = await storeWith(t, ['http://a.example/1'])
  const sink = new ListSink()
  let commits = 0
  const feed = new PageFeed({
    pages: store,
    sink,
    intervals: [5],
    beforeCommit: async () => {},
    onCommit: () => commits++,
  })
  sink.commit = async (position) => {
    if (commits < 2) feed.touched()
    sink.commits.push(position.sequence)
    sink.position = position
  }
  feed.available(store.state)
  while (commits < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  t.same(sink.commits, [1, 1, 1])
  await feed.drain()
  t.same(sink.commits, [1, 1, 1], 'nothing new, no commit')
  feed.touched()
  await feed.drain()
  t.same(sink.commits, [1, 1, 1, 1])
  await feed.close()
})

t.test('feed: removals go to the sink in their place, from memory and from the store', async (t) => {
  const { store } = await storeWith(t, ['http://a.example/1', 'http://a.example/2'])
  const removal = { url: 'http://a.example/1', removedAt: 5, reason: 'http-410' }
  const stored = { ...removal, ...store.remove(removal) }
  await store.sync()
  for (const recent of [[], [stored]]) {
    const sink = new ListSink()
    const feed = new PageFeed({ pages: store, sink, beforeCommit: async () => {} })
    feed.available(store.state, recent)
    await feed.drain()
    t.same(sink.urls, ['http://a.example/1', 'http://a.example/2', 'without http://a.example/1'])
    t.same(sink.commits, [3])
    await feed.close()
  }
})

t.test('feed: a stop commits what is there and leaves the rest', async (t) => {
  const urls = Array.from({ length: 200 }, (_, i) => `http://a.example/${i}`)
  const { store } = await storeWith(t, urls)
  const sink = new ListSink()
  const feed = new PageFeed({ pages: store, sink, beforeCommit: async () => {} })
  feed.available(store.state)
  while (sink.urls.length < 5) await new Promise((resolve) => setImmediate(resolve))
  await feed.settle()
  t.ok(sink.urls.length < 200, `${sink.urls.length} pages`)
  t.same(sink.commits, [sink.urls.length])
  await feed.close()
})

t.test('feed: a sink that fails is told of once', async (t) => {
  const { store } = await storeWith(t, ['http://a.example/1'])
  const sink = new ListSink()
  sink.fail = new Error('disk full')
  const feed = new PageFeed({ pages: store, sink, beforeCommit: async () => {} })
  const told: unknown[] = []
  feed.onError((error) => told.push(error))
  feed.available(store.state)
  await t.rejects(feed.drain(), /disk full/)
  t.same(told, [sink.fail])
  await feed.close()
})
