/** What users of the writer and readers rely on: commits, snapshots, updates, locks, refusals, odd documents. */
import { existsSync, readdirSync, readlinkSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { TokenSink } from '../analysis/analyzer.js'
import { registerAnalyzer } from '../analysis/registry.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { NumberRangeQuery } from '../search/query/number-range-query.js'
import type { Directory } from '../store/directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { ids, page } from '../test-support/small-pages.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { wrap } from '../test-support/wrapped-directory.js'
import { IndexWriter, type IndexWriterOptions } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer()
registerAnalyzer(analyzer.name, (settings) => new WhitespaceAnalyzer(settings.withLayers === true))

async function positionsOf(reader: IndexReader, field: string, term: string): Promise<number[]> {
  const postings = (await reader.segments[0].loadPostings(field, term, 'positions'))!
  const freqs = new Int32Array(128)
  postings.decodeFreqs(0, freqs)
  const out = new Int32Array(freqs[0])
  postings.positions(0, 0, freqs[0], out, 0)
  return [...out]
}

/** What a descriptor of this process stands for; empty where it is closed by now. */
function linkTarget(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}

t.test('readers see commits only, and keep what they saw', async (t) => {
  const dir = t.testdir({})
  // Where the system tells which files a process has open.
  const openFiles = () =>
    existsSync('/proc/self/fd')
      ? readdirSync('/proc/self/fd')
          .map(linkTarget)
          .filter((path) => path.startsWith(realpathSync(dir))).length
      : 0
  const openBefore = openFiles()
  await t.rejects(IndexReader.open(dir), { code: 'INDEX_NOT_FOUND' })
  await t.rejects(IndexReader.open(join(dir, 'none')), { code: 'INDEX_NOT_FOUND' })
  await t.rejects(IndexWriter.open(join(dir, 'none'), { analyzer, create: false }), { code: 'INDEX_NOT_FOUND' })
  t.notOk(existsSync(join(dir, 'none')), 'nothing is made where an index must exist')
  writeFileSync(join(dir, 'a file'), '')
  await t.rejects(IndexReader.open(join(dir, 'a file')), { code: 'INDEX_NOT_FOUND' })

  const writer = await IndexWriter.open(dir, { analyzer })
  t.equal(writer.generation, 0)
  await writer.addDocument(page('1', 'one'))
  t.equal(writer.numDocs, 1)
  await t.rejects(IndexReader.open(dir), { code: 'INDEX_NOT_FOUND' }, 'not committed')
  t.equal(await writer.commit({ userData: { crawlSequence: '7', __proto__: 'x' } as Record<string, string> }), 1)
  const first = await IndexReader.open(dir)
  t.same(first.userData, { crawlSequence: '7' })
  t.equal(first.analyzers.default.name, analyzer.name)
  t.equal(await first.refresh(), first, 'nothing is new')

  await writer.updateDocument({ field: 'id', text: '1' }, page('1', 'two words'))
  await writer.addDocument(page('2', 'two'))
  t.ok(await first.isCurrent())
  t.equal(await writer.commit(), 2)
  t.notOk(await first.isCurrent())
  t.same(await ids(first), ['1'])
  t.equal(await first.docFreq('body', 'one'), 1)
  const second = await first.refresh()
  t.same(await ids(second), ['1', '2'])
  t.same([second.numDocs, second.generation, second.userData.crawlSequence], [2, 2, '7'])
  t.equal(await second.docFreq('body', 'two'), 2)
  t.equal(await writer.commit(), 2, 'nothing changed')
  t.equal(await writer.commit({ userData: { crawlSequence: '8' } }), 3, 'other data of the caller is a change')

  // Only new live documents: the segment's data is shared. Then nothing of it changed: the very reader is shared.
  await writer.deleteDocuments({ field: 'id', text: '2' })
  await writer.addDocument(page('3', 'three'))
  await writer.commit()
  const third = await second.refresh()
  t.same(await ids(third), ['1', '3'])
  t.not(third.segments[0], second.segments[0])
  t.equal(third.segments[0].data, second.segments[0].data)
  await writer.addDocument(page('4', 'four'))
  await writer.commit()
  const fourth = await third.refresh()
  t.equal(fourth.segments[0], third.segments[0])
  for (const reader of [second, third]) await reader.close()
  await writer.optimize()
  await writer.close()
  t.same(await ids(fourth), ['1', '3', '4'], 'its files are gone, it still reads')
  t.same(await ids(first), ['1'])
  await t.rejects(fourth.document(99), RangeError)
  await t.rejects(fourth.document(-1), RangeError)
  for (const reader of [first, fourth]) await reader.close()
  await fourth.close()
  await t.rejects(fourth.refresh(), { code: 'INDEX_CLOSED' })
  await t.rejects(writer.addDocument(page('9', '')), { code: 'INDEX_CLOSED' })
  await writer.close()
  t.equal(openFiles(), openBefore, 'no file stays open')
  const left = readdirSync(dir)
    .filter((name) => name !== 'a file')
    .sort()
  t.ok(left.every((name) => /^(_\d+\.\w+|segments_6)$/.test(name)) && left.length === 9, `one segment is left: ${left}`)
})

t.test('a commit while a reader opens; an index deleted and begun anew', async (t) => {
  const inner = new MemoryDirectory()
  const writer = await IndexWriter.open(inner, { analyzer })
  const addAndMerge = async (id: string) => {
    await writer.addDocument(page(id, id))
    await writer.optimize()
    await writer.commit()
  }
  await addAndMerge('0')
  // Between the commit point and its files, everything is merged away: three times in a row.
  let races = 0
  const racing = wrap(inner, {
    open: async (name) => {
      if (name.endsWith('.info') && races < 3) await addAndMerge(String(++races))
      return inner.open(name)
    },
  })
  const reader = await IndexReader.open(racing)
  t.same([races, reader.generation, (await ids(reader)).length], [3, 4, 4])
  races = 0
  await addAndMerge('next')
  const next = await reader.refresh()
  t.same([races, next.generation], [3, 8])
  for (const one of [reader, next]) await one.close()
  await writer.close()

  const dir = t.testdir({})
  const index = async (id: string) => {
    const one = await IndexWriter.open(dir, { analyzer })
    await one.addDocument(page(id, id))
    await one.close()
  }
  await index('old')
  const old = await IndexReader.open(dir)
  for (const name of readdirSync(dir)) unlinkSync(join(dir, name))
  t.notOk(await old.isCurrent())
  await t.rejects(old.refresh(), { code: 'INDEX_NOT_FOUND' })
  await index('new')
  t.notOk(await old.isCurrent(), 'of the same generation, and yet another commit')
  const anew = await old.refresh()
  t.same([await ids(old), await ids(anew), anew.generation], [['old'], ['new'], 1])
  for (const one of [old, anew]) await one.close()
})

t.test('rollback, create, leftovers', async (t) => {
  const dir = t.testdir({})
  const open = (options: Partial<IndexWriterOptions> = {}) => IndexWriter.open(dir, { analyzer, ...options })
  let writer = await open()
  await writer.addDocument(page('1', 'one'))
  await writer.rollback()
  t.same(readdirSync(dir), [], 'nothing is left of a first writer that gave up')
  writer = await open({ memoryBudget: 1, mergeFactor: 3 })
  for (let i = 0; i < 5; i++) await writer.addDocument(page(String(i), 'flushed at once'))
  await writer.close()
  const before = readdirSync(dir).sort()
  writer = await open({ memoryBudget: 1, mergeFactor: 2 })
  await writer.deleteDocuments({ field: 'id', text: '3' })
  for (let i = 5; i < 9; i++) await writer.addDocument(page(String(i), 'never seen'))
  await writer.forceMerge(1)
  await writer.rollback()
  t.same(readdirSync(dir).sort(), before)
  const reader = await IndexReader.open(dir)
  t.same(await ids(reader), ['0', '1', '2', '3', '4'])

  for (const name of ['pending_segments_9', '_77.terms', '_0_99.live', 'segments_0', '.DS_Store', 'notes.txt'])
    writeFileSync(join(dir, name), 'x')
  writer = await open()
  await writer.rollback()
  t.same(readdirSync(dir).sort(), ['.DS_Store', ...before, 'notes.txt'].sort(), 'leftovers go, strange files stay')

  writer = await open({ create: true })
  await writer.addDocument(page('new', 'new'))
  await writer.rollback()
  t.ok(await reader.isCurrent(), 'an index is not replaced before the commit')
  writer = await open({ create: true, analyzer: new WhitespaceAnalyzer(true) })
  await writer.addDocument(page('new', 'new'))
  await writer.close()
  const replaced = await reader.refresh()
  t.same(await ids(replaced), ['new'])
  t.ok(replaced.generation > reader.generation)
  await replaced.close()
  await reader.close()

  const empty = new MemoryDirectory()
  await (await IndexWriter.open(empty, { analyzer })).close()
  const none = await IndexReader.open(empty)
  t.same([none.maxDoc, none.segments.length, none.collectionStats('body').docCount], [0, 0, 0])
  await none.close()
  const onlyPending = t.testdir({ pending_segments_1: 'half' })
  await t.rejects(IndexReader.open(onlyPending), { code: 'INDEX_NOT_FOUND' })
})

t.test('one writer; the analyzer of the index', async (t) => {
  const dir = t.testdir({})
  const writer = await IndexWriter.open(dir, { analyzer, analyzers: { title: new WhitespaceAnalyzer(true) } })
  await t.rejects(IndexWriter.open(dir, { analyzer }), { code: 'LOCK_HELD' })
  await writer.addDocument(page('1', 'a').add(Field.text('title', 'hello')))
  await writer.close()
  const reader = await IndexReader.open(dir)
  t.equal(reader.analyzers.forField('title').layers.length, 3)
  t.equal(reader.analyzers.forField('body').layers.length, 1)
  t.equal(await reader.docFreq('title#short', 'he'), 1)
  await reader.close()
  const other = new WhitespaceAnalyzer(false, '2')
  const withLayers = new WhitespaceAnalyzer(true)
  for (const options of [
    { analyzer: other, analyzers: { title: withLayers } },
    { analyzer, analyzers: { title: other } },
    { analyzer, analyzers: { title: withLayers, body: other } },
  ]) {
    await t.rejects(IndexWriter.open(dir, options), {
      code: 'ANALYZER_MISMATCH',
      message: /analyzer.*"whitespace-test".*(again|leave it out)/,
    })
  }
  // A refused writer leaves no lock; a field that is new may come with an analyzer.
  const next = await IndexWriter.open(dir, { analyzer, analyzers: { title: withLayers, extra: other } })
  await next.close()

  // The registered analyzer has changed since the index was written.
  const changed = t.testdir({})
  await (await IndexWriter.open(changed, { analyzer: other })).close()
  await t.rejects(IndexReader.open(changed), { code: 'ANALYZER_MISMATCH' })
  // An unknown analyzer is no obstacle to reading, only to asking for it.
  const unknown = new MemoryDirectory()
  await (
    await IndexWriter.open(unknown, { analyzer: Object.assign(new WhitespaceAnalyzer(), { name: 'mine' }) })
  ).close()
  const open = await IndexReader.open(unknown)
  t.throws(() => open.analyzers.default, { code: 'ANALYZER_UNKNOWN' })

  // The lock is taken away.
  const memory = new MemoryDirectory()
  let valid = true
  const lost: Directory = wrap(memory, {
    obtainLock: async () => ({
      ensureValid: async () => {
        if (!valid) throw Object.assign(new Error('lost'), { code: 'LOCK_LOST' })
      },
      release: async () => {},
    }),
  })
  const holder = await IndexWriter.open(lost, { analyzer })
  await holder.addDocument(page('1', 'a'))
  await holder.commit()
  const files = (await memory.list()).sort()
  await holder.addDocument(page('2', 'a'))
  valid = false
  await t.rejects(holder.commit(), { code: 'LOCK_LOST' })
  await t.rejects(holder.commit(), { code: 'INDEX_CLOSED' })
  const after = await memory.list()
  t.ok(
    files.every((name) => after.includes(name)),
    'nothing is removed without the lock',
  )
})

t.test('odd documents', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(true) })
  const long = '中文𝄞 '.repeat(80_000)
  await writer.addDocument(new Document())
  await writer.addDocument(new Document().add(Field.text('body', '')).add(Field.keyword('k', '')))
  await writer.addDocument(
    new Document()
      .add(Field.text('body', 'one two'))
      .add(Field.text('body', 'three one'))
      .add(Field.text('body', ''))
      .add(Field.text('body', 'one')),
  )
  await writer.addDocument(
    new Document().add(Field.text('__proto__', '__proto__ constructor')).add(Field.text('constructor', 'toString')),
  )
  await writer.addDocument(new Document().add(Field.text('half', '\ud800x \udc00')).add(Field.keyword('k', '\ud800')))
  await writer.addDocument(new Document().add(Field.text('long', long)))
  await writer.addDocument(new Document().add(Field.unIndexed('later', 'x')))
  for (const document of [
    new Document().add(Field.keyword('k', 'x'.repeat(40_000))),
    new Document().add(Field.text('k', 'was a keyword')),
    new Document().add(Field.text('later', 'was stored only')),
    new Document().add(Field.text('both', 'x')).add(Field.keyword('both', 'x')),
    new Document().add(Field.keyword('body', 'was a text')),
    new Document().add(Field.text('body#word', 'x')),
    new Document().add(Field.text('\ud800', 'x')),
    new Document().add(Field.text('body', 7 as unknown as string)),
  ]) {
    await t.rejects(writer.addDocument(document), { code: 'DOCUMENT_INVALID' })
  }
  t.equal(writer.numDocs, 7, 'refused documents leave nothing')
  await writer.close()
  const reader = await IndexReader.open(directory)
  t.equal(reader.maxDoc, 7)
  t.same((await reader.document(0)).fields, [])
  t.same((await reader.document(2)).getAll('body'), ['one two', 'three one', '', 'one'])
  t.same(await positionsOf(reader, 'body', 'one'), [0, 103, 304], 'a gap of 100 between values, of empty ones too')
  t.same(await positionsOf(reader, 'body', 'three'), [102])
  t.equal(reader.segments[0].norms('body')![2], 5)
  t.equal(reader.segments[0].norms('body')![1], 0)
  t.equal(reader.segments[0].norms('body#first'), null)
  t.equal(await reader.docFreq('k', ''), 1)
  t.equal(await reader.docFreq('__proto__', '__proto__'), 1)
  t.equal(await reader.docFreq('__proto__', 'constructor'), 1)
  t.equal(await reader.docFreq('constructor', 'toString'), 1)
  t.equal(await reader.docFreq('constructor', 'hasOwnProperty'), 0)
  t.equal(await reader.docFreq('toString', 'x'), 0)
  t.equal(await reader.docFreq('half', '\ud800x'), 1)
  t.equal(await reader.docFreq('half', '\ufffdx'), 1)
  t.equal((await reader.document(4)).get('half'), '\ud800x \udc00', 'stored text comes back unit by unit')
  t.equal((await reader.document(5)).get('long'), long)
  t.equal(reader.segments[0].termStats('long', '中文𝄞')?.totalTermFreq, 80_000)
  t.equal(reader.segments[0].termStats('long#first', '中')?.totalTermFreq, 1)
  t.equal(await reader.docFreq('body', 'x'.repeat(1_000_000)), 0)
  await reader.close()
})

t.test('an analyzer that throws; deletes by query; order of calls', async (t) => {
  const directory = new MemoryDirectory()
  const broken = Object.assign(new WhitespaceAnalyzer(), {
    analyze(text: string, sink: TokenSink) {
      sink.token('before', 0, 1, 1, 0)
      if (text === 'throw') throw new Error('broken')
      sink.token('after', 0, 1, 0, 0)
    },
  })
  const writer = await IndexWriter.open(directory, { analyzer: broken })
  await writer.addDocument(page('1', 'good'))
  await t.rejects(writer.addDocument(page('2', 'throw')), { message: 'broken' })
  await t.rejects(writer.updateDocument({ field: 'id', text: '1' }, page('1', 'throw')), { message: 'broken' })
  // Not awaited one by one: done in order all the same.
  const calls = [
    writer.addDocument(page('3', 'x')),
    writer.deleteDocuments({ field: 'id', text: '3' }),
    writer.addDocument(page('3', 'again')),
    writer.addDocument(page('3', 'and again')),
    writer.updateDocument({ field: 'id', text: '4' }, page('4', 'a')),
    writer.updateDocument({ field: 'id', text: '4' }, page('4', 'b')),
    writer.deleteDocuments({ field: 'id', text: '5' }),
    writer.addDocument(page('5', 'added after the delete')),
    writer.commit(),
  ]
  await Promise.all(calls)
  let reader = await IndexReader.open(directory)
  t.same((await ids(reader)).sort(), ['1', '3', '3', '4', '5'])
  t.same(await positionsOf(reader, 'body', 'after'), [0])
  t.equal(reader.segments[0].norms('body')![0], 1, 'a word on the place of another does not count for the length')
  await reader.close()
  await writer.optimize()
  await writer.close()
  reader = await IndexReader.open(directory)
  t.equal(reader.maxDoc, 5)
  await reader.close()
})

t.test(
  'new doc values are committed also where a delete by query, which finds nothing, had them written',
  async (t) => {
    const directory = new MemoryDirectory()
    const writer = await IndexWriter.open(directory, { analyzer })
    await writer.addDocument(page('1', 'text').add(Field.number('rank', 1, { stored: false })))
    await writer.commit()
    await writer.updateDocValues({ field: 'id', text: '1' }, 'rank', 2)
    await writer.deleteDocuments(new NumberRangeQuery('rank', { gte: 100 }))
    t.equal(await writer.commit(), 2)
    t.equal(await writer.commit(), 2, 'nothing is new any more')
    await writer.close()
    const reader = await IndexReader.open(directory)
    t.same((await reader.segments[0].docValues('rank'))!.numbers(0), [2])
    await reader.close()
  },
)

t.test('the event loop lives while a large index is written and merged', async (t) => {
  const writer = await IndexWriter.open(new MemoryDirectory(), { analyzer, memoryBudget: 300_000, mergeFactor: 4 })
  let turns = 0
  let busy = true
  const counting = (async () => {
    while (busy) {
      turns++
      await setImmediate()
    }
  })()
  const began = performance.now()
  for (let i = 0; i < 6000; i++) await writer.addDocument(page(String(i), `common words and w${i % 997} x${i}`))
  await writer.optimize()
  const elapsed = performance.now() - began
  busy = false
  await counting
  await writer.close()
  t.ok(turns > elapsed / 100, `${turns} turns in ${Math.round(elapsed)} ms`)
})
