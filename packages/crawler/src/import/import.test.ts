import { cpSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { IndexReader } from '@spindle/index'
import t from 'tap'
import { Crawl } from '../crawl.js'
import type { ImportEvent, ImportReport } from './importer.js'
import { fileAt, rootOf } from './local-files.js'
import { type ReadRecord, readRecords } from './record-file.js'
import { DEFAULT_MAPPING, parseMapping, toDocument } from './record-mapping.js'

const FIXTURES = new URL('../../test-data/documents/', import.meta.url)

interface Imported {
  readonly report: ImportReport
  readonly events: readonly ImportEvent[]
}

async function take(data: string, paths: readonly string[], map: readonly string[] = []): Promise<Imported> {
  const roots = await Promise.all(paths.map(rootOf))
  const events: ImportEvent[] = []
  let report: ImportReport | undefined
  const crawl = await Crawl.open({ data })
  try {
    const options = { roots, mapping: parseMapping(map), onEvent: (event: ImportEvent) => void events.push(event) }
    await crawl.import(options, async (importer) => {
      await importer.run()
      report = importer.report
    })
  } finally {
    await crawl.close()
  }
  return { report: report!, events }
}

/** Title of each live document by address. */
async function indexed(data: string): Promise<Map<string, string>> {
  const reader = await IndexReader.open(join(data, 'index'))
  const found = new Map<string, string>()
  for (const segment of reader.segments) {
    for (let id = 0; id < segment.maxDoc; id++) {
      if (segment.liveDocs?.get(id) === false) continue
      const document = await segment.document(id)
      const url = document.get('url') ?? ''
      if (found.has(url)) throw new Error(`${url} is in the index twice`)
      found.set(url, document.get('title') ?? '')
    }
  }
  await reader.close()
  return found
}

t.test('a folder: new, unchanged, changed, broken and gone; hidden files and foreign kinds are left out', async (t) => {
  const dir = t.testdir({
    docs: {
      'a.html': '<meta charset="gbk"><title>A page</title><p>text <a href="b.md">b</a>',
      'b.md': '# 笔记\n正文',
      'c.txt': 'First line\nsecond',
      'picture.png': 'no text',
      'program.js': 'let x',
      '.hidden.md': '# hidden',
      node_modules: { 'x.md': '# x' },
      sub: { 'rows.csv': 'id,title,text\n1,One,alpha\n2,二,乙\n', 'bad.pdf': '%PDF-1.4 nothing' },
    },
  })
  const docs = join(dir, 'docs')
  const data = join(dir, 'data')
  cpSync(new URL('guide.pdf', FIXTURES), join(docs, 'sub', 'guide.pdf'))
  const url = (name: string): string => pathToFileURL(join(docs, name)).href
  const first = await take(data, [docs])
  t.same(first.report, { indexed: 6, unchanged: 0, removed: 0, failed: { 'document-broken': 1 } })
  t.match(
    first.events.filter(({ type }) => type === 'failed'),
    [{ url: url('sub/bad.pdf'), reason: 'document-broken', detail: /cannot be opened/ }],
  )
  const all = new Map([
    [url('a.html'), 'A page'],
    [url('b.md'), '笔记'],
    [url('c.txt'), 'First line'],
    [url('sub/guide.pdf'), '图书馆使用指南 Library Guide'],
    [`${url('sub/rows.csv')}#1`, 'One'],
    [`${url('sub/rows.csv')}#2`, '二'],
  ])
  t.same(await indexed(data), all)

  // The same size and time: what is not read again cannot be seen to differ.
  const { atime, mtime } = statSync(join(docs, 'c.txt'))
  writeFileSync(join(docs, 'c.txt'), 'Other line\nsecond')
  utimesSync(join(docs, 'c.txt'), atime, mtime)
  const second = await take(data, [docs])
  t.same(second.report, { indexed: 0, unchanged: 5, removed: 0, failed: { 'document-broken': 1 } })
  t.same(await indexed(data), all)

  writeFileSync(join(docs, 'c.txt'), 'Changed line\nand more')
  writeFileSync(join(docs, 'sub', 'rows.csv'), 'id,title,text\n2,二,乙\n3,Three,gamma\n')
  writeFileSync(join(docs, 'sub', 'guide.pdf'), '%PDF-1.4 damaged since')
  rmSync(join(docs, 'a.html'))
  const third = await take(data, [docs])
  t.same(third.report, { indexed: 2, unchanged: 2, removed: 3, failed: { 'document-broken': 2 } })
  t.same(
    await indexed(data),
    new Map([
      [url('b.md'), '笔记'],
      [url('c.txt'), 'Changed line'],
      [`${url('sub/rows.csv')}#2`, '二'],
      [`${url('sub/rows.csv')}#3`, 'Three'],
    ]),
  )

  // A part of the folder by itself leaves the rest alone.
  rmSync(join(docs, 'sub', 'rows.csv'))
  rmSync(join(docs, 'b.md'))
  t.match((await take(data, [join(docs, 'sub')])).report, { removed: 2 })
  t.same([...(await indexed(data)).keys()].sort(), [url('b.md'), url('c.txt')])

  // A disk that is not there shows an empty folder.
  rmSync(docs, { recursive: true })
  mkdirSync(docs)
  const empty = await take(data, [docs])
  t.match(empty, { report: { removed: 0 }, events: [{ type: 'empty' }] })
  t.equal((await indexed(data)).size, 2)
  await t.rejects(take(data, [join(dir, 'nowhere')]), { code: 'SEED_INVALID' })
})

t.test('what the ledger says and the page store does not have is read again', async (t) => {
  const dir = t.testdir({ docs: { 'a.txt': 'Alpha', 'b.txt': 'Beta' } })
  const data = join(dir, 'data')
  const docs = join(dir, 'docs')
  await take(data, [docs])
  const db = join(data, 'frontier', 'imports.db')
  const ledger = readFileSync(db)
  t.ok(ledger.length > 0)
  const crawl = await Crawl.open({ data, fresh: true })
  await crawl.close()
  writeFileSync(db, ledger)
  t.match((await take(data, [docs])).report, { indexed: 2, unchanged: 0 })
  t.equal((await indexed(data)).size, 2)
})

async function records(path: string): Promise<ReadRecord[]> {
  const all: ReadRecord[] = []
  for await (const one of readRecords(path)) all.push(one)
  return all
}

t.test('tables as spreadsheets write them: GB18030, marks, semicolons, quotes, short rows', async (t) => {
  const dir = t.testdir()
  const gbk = join(dir, 'gbk.csv')
  const hex =
    'b1eacce22cd5fdcec40d0abfaab7c5cab1bce42ccdbccae9b9ddc3bfccecd4e7c9cfb0cbb5e3bfaab7c5a3accdedc9cfcaaeb5e3b9d8b1d5a3acbddabcd9c8d5c1edd0d0cda8d6aaa1a30d0abde8d4c4b9e6d4f22cc3bfcebbb6c1d5dfd7eeb6e0bfc9bde8b6fecaaeb2e1cdbccae9a3acbde8c6dac8fdcaaecceca3acbfc9d2d4d0f8bde8d2bbb4cea1a30d0a'
  writeFileSync(gbk, Buffer.from(hex, 'hex'))
  t.same(await records(gbk), [
    { number: 1, record: { 标题: '开放时间', 正文: '图书馆每天早上八点开放，晚上十点关闭，节假日另行通知。' } },
    { number: 2, record: { 标题: '借阅规则', 正文: '每位读者最多可借二十册图书，借期三十天，可以续借一次。' } },
  ])
  const semi = join(dir, 'semi.csv')
  writeFileSync(semi, '\ufeffid;title;text\n1;"a ""quoted"" one";"two\nlines"\n2;short\n\n3;x;y;z\n')
  t.same(await records(semi), [
    { number: 1, record: { id: '1', title: 'a "quoted" one', text: 'two\nlines' } },
    { number: 2, record: { id: '2', title: 'short' } },
    { number: 3, record: { id: '3', title: 'x', text: 'y' } },
  ])
  const tabs = join(dir, 'tabs.tsv')
  writeFileSync(tabs, 'a\tb\n1, 2\t3\n')
  t.same(await records(tabs), [{ number: 1, record: { a: '1, 2', b: '3' } }])
  await t.rejects(records(join(dir, 'none.csv')), { code: 'ENOENT' })
})

t.test('lines of JSON: broken ones are told and the rest is read', async (t) => {
  const path = join(t.testdir(), 'x.ndjson')
  const long = `{"a":"${'x'.repeat(9 * 1024 * 1024)}"}`
  writeFileSync(path, `{"a":1}\r\n\nnot json\n[1]\n${long}\n{"a":"\u{20bb7}"}`)
  t.match(await records(path), [
    { number: 1, record: { a: 1 } },
    { number: 3, fault: /is no JSON/ },
    { number: 4, fault: 'is no JSON object' },
    { number: 5, fault: /is longer than/ },
    { number: 6, record: { a: '\u{20bb7}' } },
  ])
})

t.test('what a record is made of', (t) => {
  const at = { source: 'file:///d/x.csv', number: 7 }
  const page = toDocument(
    {
      URL: 'https://a.example/x?b=1#c',
      Name: 'N',
      正文: 'T',
      created_at: '1714986000',
      Lang: 'zh-CN',
      tags: ['a', 'b'],
    },
    DEFAULT_MAPPING,
    at,
  )
  t.match(page, {
    url: 'https://a.example/x?b=1',
    parsed: { title: 'N', text: 'T', published: '2024-05-06T09:00:00Z', lang: 'zh-cn', keywords: ['a', 'b'] },
  })
  t.match(toDocument({ id: 'a b/ü', html: '<p>x <b>y</b>' }, DEFAULT_MAPPING, at), {
    url: 'file:///d/x.csv#a%20b%2F%C3%BC',
    parsed: { text: 'x y' },
  })
  t.match(toDocument({ 品名: '宣纸', 数量: 3, more: { deep: ['x'] } }, DEFAULT_MAPPING, at), {
    url: 'file:///d/x.csv#7',
    parsed: { title: '宣纸', text: '品名: 宣纸\n数量: 3\nmore: x' },
  })
  t.match(toDocument({ url: 'javascript:alert(1)', __proto__: null, constructor: 'c' }, DEFAULT_MAPPING, at), {
    url: 'file:///d/x.csv#javascript%3Aalert(1)',
  })
  const long = toDocument({ url: `https://a.example/${'x'.repeat(40_000)}`, text: 'T' }, DEFAULT_MAPPING, at)
  t.match(long.url, /^file:\/\/\/d\/x\.csv#https/)
  t.ok(long.url.length < 8000, 'the index would refuse it, and with it all that comes behind')
  t.match(toDocument({ headline: 'H', note: 'N' }, parseMapping(['text=note', 'title=headline']), at), {
    parsed: { title: 'H', text: 'N' },
  })
  for (const bad of ['text', 'nothing=x', '=x', 'text='])
    t.throws(() => parseMapping([bad]), { code: 'CONFIG_INVALID' })
  t.end()
})

t.test('which paths below a root are taken in', (t) => {
  const folder = { path: '/d', url: 'file:///d/', isFolder: true }
  t.match(fileAt('/d/a/b.PDF', folder), { url: 'file:///d/a/b.PDF', isRecords: false })
  t.match(fileAt('/d/x.ndjson', folder), { isRecords: true })
  for (const path of ['/d/.git/x.md', '/d/node_modules/x.md', '/d/x.png', '/e/x.md', '/dd/x.md']) {
    t.equal(fileAt(path, folder), undefined, path)
  }
  const file = { path: '/d/readme', url: 'file:///d/readme', isFolder: false }
  t.match(fileAt('/d/readme', file), { url: 'file:///d/readme' })
  t.equal(fileAt('/d/other.md', file), undefined)
  t.end()
})
