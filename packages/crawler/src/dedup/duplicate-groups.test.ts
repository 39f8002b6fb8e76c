import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { StoredPage } from '../pages/stored-page.js'
import type { ParsedPage } from '../parse/parsed-page.js'
import { DuplicateGroups } from './duplicate-groups.js'
import { DuplicateStore, type PageRow } from './duplicate-store.js'

const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32LE())
t.comment(`SEED=${seed}`)

function random(from: number): (n: number) => number {
  let state = from
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

/** 300 words in lines of ten that begin with a word of their own. */
const story = (name: string, words = 300) =>
  Array.from({ length: words }, (_, i) => `${name}${(i * 7919) % 997}${i % 10 === 9 ? '\n' : ' '}`).join('')

type Page = Partial<Pick<ParsedPage, 'title' | 'canonical' | 'kind' | 'lang'>> & {
  readonly text: string
  readonly hash?: string
  readonly truncated?: boolean
}

/** Pages, groups and what an index would hold. */
class World {
  readonly path: string
  readonly pages = new Map<string, StoredPage>()
  readonly #records: StoredPage[] = []
  /** address → those listed with it */
  readonly index = new Map<string, readonly string[]>()
  groups: DuplicateGroups
  sequence = 0
  puts = 0

  constructor(path: string) {
    this.path = join(path, 'duplicates.db')
    this.groups = this.open()
  }

  open(sequence = this.sequence): DuplicateGroups {
    const read = async (offset: number) => this.#records[offset]!
    return DuplicateGroups.open({ path: this.path, crawlId: 'x', sequence, read })!
  }

  record(url: string, { text, title = 'Page', canonical, kind = 'html', lang = '', ...more }: Page) {
    const { hash = text, truncated = false } = more
    const parsed = { kind, title, lang, text, canonical, robots: { index: true, follow: true } } as ParsedPage
    const offset = this.#records.length
    const page = { url, offset, hash: Buffer.from(hash).toString('hex'), truncated, parsed } as StoredPage
    this.#records.push(page)
    this.pages.set(url, page)
    return page
  }

  put(url: string, page: Page) {
    this.note(this.record(url, page))
  }

  note(page: StoredPage) {
    this.sequence++
    if (!this.groups.note(page)) return
    this.index.set(page.url, [])
    this.puts++
  }

  remove(url: string) {
    this.sequence++
    this.pages.delete(url)
    this.groups.forget(url)
    this.index.delete(url)
  }

  async settle() {
    for await (const change of this.groups.settle()) {
      if (change.kind === 'remove') this.index.delete(change.url)
      else {
        this.puts++
        this.index.set(change.url, change.alsoAt)
      }
    }
  }

  async commit() {
    await this.settle()
    this.groups.commit(this.sequence)
  }

  get found() {
    return Object.fromEntries([...this.index].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

function world(t: { testdir(): string; teardown(end: () => void): void }): World {
  const made = new World(t.testdir())
  t.teardown(() => made.groups.close())
  return made
}

t.test('the same page under several addresses is found once, under the preferred one', async (t) => {
  const w = world(t)
  w.put('http://a.example/long/address', { text: story('a') })
  w.put('http://a.example/b', { text: story('b') })
  await w.commit()
  w.put('http://a.example/?x=1', { text: story('a'), hash: 'other bytes' })
  w.put('http://b.example/copy', { text: story('a').replaceAll('\n', ' ') })
  await w.commit()
  t.same(w.found, {
    'http://a.example/b': [],
    'http://b.example/copy': ['http://a.example/long/address', 'http://a.example/?x=1'],
  })
  w.put('http://a.example/a', { text: story('a') })
  await w.commit()
  t.same(Object.keys(w.found), ['http://a.example/a', 'http://a.example/b'])
  t.equal(w.found['http://a.example/a']?.length, 3)
})

t.test('of the variants of an address that bring the same bytes one is listed, whichever are stored', async (t) => {
  const w = world(t)
  const text = story('v')
  const variants = [
    'http://a.example/v',
    'http://a.example/v?from=1',
    'http://a.example/V/',
    'http://www.a.example/v/index.html',
  ]
  for (const url of variants) w.put(url, { text })
  w.put('http://a.example/other/v?from=2', { text })
  w.put('http://a.example/other/v?from=1', { text })
  w.put('http://a.example/other/v', { text, hash: 'other bytes' })
  await w.commit()
  const listed = ['http://a.example/other/v', 'http://a.example/other/v?from=1']
  t.same(w.found, { 'http://a.example/v': listed })
  for (const url of variants.slice(1)) w.remove(url)
  w.remove('http://a.example/other/v?from=2')
  await w.commit()
  t.same(w.found, { 'http://a.example/v': listed })
})

t.test('of the languages of a site, the one that the page is written in stands for it', async (t) => {
  const w = world(t)
  const english = 'The server is told by this file which of the pages that it has are to be sent, and to whom. '.repeat(
    5,
  )
  const chinese = '服务器由这个文件得知哪些网页要发送给谁。'.repeat(8)
  // Their tags name the language of the folder.
  for (const folder of ['da', 'en', 'zh-cn']) {
    w.put(`http://a.example/${folder}/x.html`, { text: english, lang: folder })
    w.put(`http://a.example/${folder}/y.html`, { text: chinese, lang: folder })
  }
  await w.commit()
  t.same(Object.keys(w.found), ['http://a.example/en/x.html', 'http://a.example/zh-cn/y.html'])
})

t.test('what differs is not the same', async (t) => {
  const w = world(t)
  const text = story('a')
  const different: Page[] = [
    { text },
    { text, title: 'Another title' },
    { text: text.replace(' ', ' a word more ') },
    { text: `${text}1` },
    { text: text.replace(' ', ' + ') },
    { text: text.replace(' ', ' - ') },
    { text, kind: 'text' },
    { text: text.toUpperCase() },
  ]
  for (const [i, page] of different.entries()) w.put(`http://a.example/${i}/page.html`, { ...page, hash: `${i}` })
  // Short pages may differ in a picture alone.
  for (let i = 0; i < 3; i++) w.put(`http://a.example/short/${i}`, { text: 'Loading … please wait', hash: `s${i}` })
  for (let i = 0; i < 2; i++) w.put(`http://a.example/same/${i}`, { text: 'Loading … please wait', hash: 'same' })
  // Beginnings of something.
  for (let i = 0; i < 2; i++) w.put(`http://a.example/cut/${i}`, { text: story('cut'), truncated: true })
  await w.commit()
  t.equal(w.index.size, different.length + 3 + 1 + 2)
  t.same(w.found['http://a.example/same/0'], ['http://a.example/same/1'])
})

t.test('pages of one template that differ in few words, numbers or code stay apart', async (t) => {
  const w = world(t)
  const frame = story('frame', 400)
  const names = ['Alpha', 'Beta', 'Gamma', 'Delta']
  const insert = (at: number, words: string) => frame.split('\n').toSpliced(at, 0, words).join('\n')
  for (const [i, name] of names.entries()) {
    const site = ['a.example', 'b.example', 'sub.a.example', '127.0.0.1:8080'][i]
    w.put(`http://a.example/api/${name}.html`, { text: insert(20, `class ${name} extends Base`), title: 'API' })
    w.put(`http://a.example/${name}/index.html`, { text: insert(0, `Product ${name}`), title: 'Product' })
    w.put(`http://${site}/version.html`, { text: insert(3, `Version ${i}`), title: 'Changes' })
    w.put(`http://${site}/code.html`, { text: insert(20, `x ${'+-*/'[i]} y`), title: 'Code' })
    w.put(`http://${site}/list?page=${i}`, { text: insert(0, `Item ${name}`), title: 'List' })
  }
  await w.commit()
  t.equal(w.index.size, 20, JSON.stringify(w.found, null, 1))
})

t.test('views of an address, and copies on another site, in another frame', async (t) => {
  const w = world(t)
  const text = story('news', 500)
  w.put('http://a.example/news/5?id=1', { text: `Home | News | Sport\n${text}About us`, title: 'News - A' })
  w.put('http://a.example/news/5?id=1&print=1', { text: `${text}Printed for you`, title: 'Print: News' })
  w.put('http://b.example/mirror/guide.html', { text: `Mirror of the guide\n${story('guide')}`, title: 'Guide - B' })
  w.put('http://a.example/guide.html', { text: `Main site\n${story('guide')}`, title: 'Guide - A' })
  w.put('http://a.example/skin/guide.html', { text: `Other skin\n${story('guide')}`, title: 'Guide - A' })
  const chinese = Array.from(
    { length: 400 },
    (_, i) => String.fromCharCode(0x4e00 + ((i * 7919) % 9973)) + (i % 20 === 19 ? '\n' : ''),
  )
  w.put('http://a.example/zh/x.html', { text: `首页\n${chinese.join('')}`, title: '新闻' })
  w.put('http://b.example/x.html', { text: `镜像站点\n${chinese.join('')}`, title: '新闻' })
  await w.commit()
  t.same(w.found, {
    'http://a.example/guide.html': ['http://b.example/mirror/guide.html'],
    'http://a.example/news/5?id=1': ['http://a.example/news/5?id=1&print=1'],
    'http://a.example/skin/guide.html': [],
    'http://a.example/zh/x.html': ['http://b.example/x.html'],
  })
})

t.test('canonical: within the host, where it exists and is alike', async (t) => {
  const w = world(t)
  const text = story('x', 400)
  w.put('http://a.example/v?sort=1', { text: `${text}sorted 1`, canonical: 'http://a.example/view/of/it' })
  w.put('http://a.example/v?sort=2', { text: `${text}sorted 2`, canonical: 'http://a.example/v?sort=1' })
  w.put('http://a.example/view/of/it', { text, canonical: 'http://a.example/view/of/it' })
  w.put('http://a.example/other', { text: story('other'), canonical: 'http://a.example/view/of/it' })
  w.put('http://b.example/v', { text: `${text}elsewhere`, canonical: 'http://a.example/view/of/it' })
  w.put('http://a.example/gone', { text: `${text}gone`, canonical: 'http://a.example/missing' })
  w.put('http://c.example/1', { text: `${text}loop 1`, canonical: 'http://c.example/2' })
  w.put('http://c.example/2', { text: `${text}loop 2`, canonical: 'http://c.example/1' })
  await w.commit()
  t.same(w.found, {
    'http://a.example/gone': [],
    'http://a.example/other': [],
    'http://a.example/view/of/it': ['http://a.example/v?sort=1', 'http://a.example/v?sort=2'],
    'http://b.example/v': [],
    'http://c.example/1': ['http://c.example/2'],
  })
  w.remove('http://a.example/view/of/it')
  await w.commit()
  t.same(w.found['http://a.example/v?sort=1'], ['http://a.example/v?sort=2'], 'without it they name each other')
})

t.test('recrawls: a page that changes stands alone; one that goes is followed by another', async (t) => {
  const w = world(t)
  for (const name of ['a', 'bb', 'ccc']) w.put(`http://a.example/${name}`, { text: story('same') })
  await w.commit()
  t.same(w.found, { 'http://a.example/a': ['http://a.example/bb', 'http://a.example/ccc'] })
  w.put('http://a.example/a', { text: story('changed') })
  await w.commit()
  t.same(w.found, { 'http://a.example/a': [], 'http://a.example/bb': ['http://a.example/ccc'] })
  w.remove('http://a.example/bb')
  await w.commit()
  t.same(w.found, { 'http://a.example/a': [], 'http://a.example/ccc': [] })
  w.put('http://a.example/a', { text: story('same') })
  await w.commit()
  t.same(w.found, { 'http://a.example/a': ['http://a.example/ccc'] })
  const { puts } = w
  w.put('http://a.example/ccc', { text: story('same') })
  await w.commit()
  t.same(w.found, { 'http://a.example/a': ['http://a.example/ccc'] })
  t.equal(w.puts, puts, 'fetched again as it was: nothing changes')
})

t.test('the order of coming, commits and kills do not matter', async (t) => {
  const folder = t.testdir()
  const place = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path)
    return new World(path)
  }
  for (let round = 0; round < 6; round++) {
    const next = random(seed + round)
    const w = place(`${round}`)
    const names = Array.from({ length: 40 }, (_, i) => {
      const site = ['a.example', 'b.example', 'www.a.example'][next(3)]
      const folder = ['', 'x/', 'print/', 'long/er/'][next(4)]
      return `http://${site}/${folder}${next(8)}.html${['', '?print=1', '?s=1'][i % 3]}`
    })
    const draw = (): Page => {
      const body = story(`t${next(3)}`, 200)
      const canonical = next(3) === 0 ? { canonical: names[next(names.length)]! } : {}
      return {
        text: `${['', 'Head\n', 'Other head\n'][next(3)]}${body}${['', 'foot'][next(2)]}`,
        title: 'T',
        ...canonical,
      }
    }
    /** Everything since the index was last committed. */
    let since: (() => void)[] = []
    let committed = new Map(w.index)
    let at = 0
    const act = (action: () => void) => {
      since.push(action)
      action()
    }
    for (let step = 0; step < 80; step++) {
      const url = names[next(names.length)]!
      if (w.pages.has(url) && next(4) === 0) act(() => w.remove(url))
      else {
        const page = w.record(url, draw())
        act(() => {
          w.pages.set(url, page)
          w.note(page)
        })
      }
      const fate = next(12)
      if (fate < 2) {
        await w.commit()
        since = []
        committed = new Map(w.index)
        at = w.sequence
      } else if (fate < 4 && at > 0) {
        // Killed before, or between the groups and the index, or in the middle of settling.
        if (fate === 2) await w.commit()
        else if (next(2) === 0) await w.settle()
        w.groups.close()
        w.index.clear()
        for (const [url, also] of committed) w.index.set(url, also)
        w.sequence = at
        w.groups = w.open(at)
        t.ok(w.groups)
        for (const action of since) action()
      }
    }
    await w.commit()
    const fresh = place(`fresh-${round}`)
    const shuffled = [...w.pages.values()].sort(() => next(3) - 1)
    for (const page of shuffled) {
      fresh.put(page.url, { ...page.parsed, hash: Buffer.from(page.hash, 'hex').toString() })
      if (next(8) === 0) await fresh.commit()
    }
    await fresh.commit()
    fresh.groups.close()
    w.groups.close()
    const isEqual = t.same(w.found, fresh.found, `round ${round}`)
    if (!isEqual) break
  }
})

t.test('however many pages are the same, or views of one, each is looked at a few times', async (t) => {
  const w = world(t)
  const count = 2000
  const looked = { rows: 0 }
  for (const name of ['withKey', 'withView'] as const) {
    const original = DuplicateStore.prototype[name] as (this: DuplicateStore, value: never) => PageRow[]
    t.intercept(DuplicateStore.prototype, name, {
      value(this: DuplicateStore, value: never) {
        const found = original.call(this, value)
        looked.rows += found.length
        return found
      },
    })
  }
  const putAll = async (of: (i: number) => readonly [url: string, text: string]) => {
    looked.rows = 0
    for (let i = 0; i < count; i++) {
      const [url, text] = of(i)
      w.put(url, { text })
    }
    await w.commit()
    t.ok(looked.rows > 0 && looked.rows < 5 * count, `${looked.rows} rows`)
  }
  await putAll((i) => [`http://a.example/${i}`, 'Nothing here.'])
  t.equal(w.index.size, 1)
  await putAll((i) => [`http://a.example/${i}`, 'Nothing here any more.'])
  t.equal(w.index.size, 1, 'all have changed')
  await putAll((i) => [`http://b.example/${'m/'.repeat(i % 50)}${'lite/'.repeat(i / 50)}a`, story(`v${i}w`, 120)])
  t.equal(w.index.size, 1 + count)
})

t.test('groups of another index, or none, are not trusted', async (t) => {
  const w = world(t)
  w.put('http://a.example/1', { text: story('a') })
  await w.commit()
  w.put('http://a.example/2', { text: story('a') })
  await w.commit()
  w.groups.close()
  const open = (sequence: number, crawlId = 'x') => {
    const read = async () => Promise.reject(new Error('no page'))
    const groups = DuplicateGroups.open({ path: w.path, crawlId, sequence, read })
    groups?.close()
    return groups !== undefined
  }
  t.ok(open(2))
  t.ok(open(1), 'killed before the index was committed')
  t.notOk(open(3), 'the index knows more')
  t.notOk(open(2, 'other'))
  t.ok(open(0), 'filled anew')
  rmSync(`${w.path}-wal`, { force: true })
  writeFileSync(w.path, 'rubbish'.repeat(1000))
  t.notOk(open(2), 'damaged')
  t.ok(open(0))
  w.groups = w.open(0)
})
