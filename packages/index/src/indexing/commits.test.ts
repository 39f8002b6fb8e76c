/** Two-phase commits, kept commits, snapshots, backups and readers of uncommitted documents, compared with a model. */
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { commitGeneration } from '../codec/segment-files.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { TermQuery } from '../search/query/term-query.js'
import { Term } from '../search/term.js'
import type { Directory } from '../store/directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { expectedContents, firstDifference, ID, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import type { HeldCommit } from './held-commit.js'
import { IndexWriter } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer(true)
const seed = testSeed()
t.comment(`SEED=${seed}`)

type Model = ReadonlyMap<string, Document>

function page(id: string, body: string): Document {
  return new Document().add(Field.keyword(ID, id)).add(Field.text('body', body))
}

async function difference(reader: IndexReader, model: Model): Promise<string | undefined> {
  return firstDifference(await indexContents(reader), expectedContents(model.values(), analyzer))
}

/** What a kill leaves: the files as they are, and no lock. */
async function afterKill(directory: Directory): Promise<MemoryDirectory> {
  const copy = new MemoryDirectory()
  for (const name of await directory.list()) {
    const input = await directory.open(name)
    const bytes = new Uint8Array(input.length)
    await input.read(bytes, 0)
    await input.close()
    const output = await copy.createOutput(name)
    output.write(bytes)
    await output.close()
  }
  return copy
}

t.test('commits in two phases', async (t) => {
  const dir = t.testdir({})
  let writer = await IndexWriter.open(dir, { analyzer })
  await writer.addDocument(page('1', 'one'))
  await writer.prepareCommit({ userData: { step: '1' } })
  await t.rejects(IndexReader.open(dir), { code: 'INDEX_NOT_FOUND' }, 'prepared is not committed')
  await writer.addDocument(page('2', 'two'))
  await writer.forceMerge(1)
  await t.rejects(writer.prepareCommit(), { code: 'COMMIT_PENDING' })
  await t.rejects(writer.commit({ userData: {} }), { code: 'COMMIT_PENDING' })
  await t.rejects(writer.close(), { code: 'COMMIT_PENDING' })
  t.same(writer.getCommitData(), {})
  t.equal(await writer.commit(), 1)
  t.same(writer.getCommitData(), { step: '1' })
  let reader = await IndexReader.open(dir)
  t.same([reader.numDocs, reader.userData.step], [1, '1'], 'what came after belongs to the next commit')
  await reader.close()
  await writer.prepareCommit()
  await writer.rollback()
  t.notOk(readdirSync(dir).some((name) => name.startsWith('pending')))
  writer = await IndexWriter.open(dir, { analyzer })
  t.same([writer.numDocs, writer.getCommitData().step], [1, '1'])
  await writer.prepareCommit()
  t.equal(await writer.commit(), 1, 'nothing changed')
  await writer.close()
  reader = await IndexReader.open(dir)
  t.equal(reader.generation, 1)
  await reader.close()
})

t.test('kept commits, snapshots, backups', async (t) => {
  const dir = t.testdir({ index: {}, used: {}, damaged: {} })
  const path = join(dir, 'index')
  let writer = await IndexWriter.open(path, { analyzer, keepCommits: 3 })
  await t.rejects(writer.snapshot(), { code: 'INDEX_NOT_FOUND' })
  await t.rejects(writer.backup(join(dir, 'none')), { code: 'INDEX_NOT_FOUND' })
  await t.rejects(IndexReader.listCommits(path), { code: 'INDEX_NOT_FOUND' })
  for (let i = 1; i <= 5; i++) {
    await writer.updateDocument({ field: ID, text: 'same' }, page('same', `version ${i}`))
    await writer.addDocument(page(String(i), 'more'))
    await writer.commit({ userData: { i: String(i) } })
  }
  const generations = async () => (await IndexReader.listCommits(path)).map((one) => one.generation)
  t.same(await IndexReader.listCommits(path), [
    { generation: 3, numDocs: 4, segmentCount: 3, userData: { i: '3' } },
    { generation: 4, numDocs: 5, segmentCount: 4, userData: { i: '4' } },
    { generation: 5, numDocs: 6, segmentCount: 5, userData: { i: '5' } },
  ])
  const third = await IndexReader.open(path, { generation: 3 })
  t.equal(await third.docFreq('body', '3'), 1)
  t.equal(third.userData.i, '3')
  t.notOk(await third.isCurrent())
  const newest = await third.refresh()
  t.equal(newest.generation, 5)
  for (const one of [third, newest]) await one.close()
  await t.rejects(IndexReader.open(path, { generation: 2 }), { code: 'INDEX_NOT_FOUND' })
  await writer.close()

  // A writer that keeps fewer removes the others; held commits stay.
  writer = await IndexWriter.open(path, { analyzer, keepCommits: 2 })
  t.same(await generations(), [4, 5])
  const held = await writer.snapshot()
  t.equal(held.generation, 5)
  for (let i = 6; i <= 9; i++) {
    await writer.addDocument(page(String(i), 'more'))
    await writer.optimize()
    await writer.commit()
  }
  t.same(await generations(), [5, 8, 9])
  t.ok(held.files.every((name) => existsSync(join(path, name))))
  await held.copyTo(join(dir, 'copy'))
  t.equal(await writer.backup(join(dir, 'copy9')), 9)
  t.equal(statSync(join(dir, 'copy9', 'segments_9')).ino, statSync(join(path, 'segments_9')).ino, 'hard links')
  await held.release()
  await held.release()
  t.same(await generations(), [8, 9])
  await t.rejects(held.copyTo(join(dir, 'late')), { code: 'INDEX_CLOSED' })
  await t.rejects(writer.backup(join(dir, 'copy')), { code: 'BACKUP_TARGET_USED' })
  await t.rejects(writer.backup(path), { code: 'BACKUP_TARGET_USED' })
  writeFileSync(join(dir, 'used', 'notes.txt'), 'strange files are no obstacle')
  await writer.backup(join(dir, 'used'))
  await writer.close()
  rmSync(path, { recursive: true })
  for (const [name, numDocs] of [
    ['copy', 6],
    ['copy9', 10],
    ['used', 10],
  ] as const) {
    const copy = await IndexReader.open(join(dir, name))
    await copy.verifyChecksums()
    t.equal(copy.numDocs, numDocs)
    await copy.close()
  }
  // A damaged commit point hides only itself.
  writer = await IndexWriter.open(join(dir, 'copy9'), { analyzer, keepCommits: 9 })
  await writer.addDocument(page('x', 'x'))
  await writer.commit()
  writeFileSync(join(dir, 'copy9', 'segments_9'), 'x')
  t.same(
    (await IndexReader.listCommits(join(dir, 'copy9'))).map((one) => one.generation),
    [10],
  )
  await writer.close()
})

t.test('a failed backup leaves nothing', async (t) => {
  const source = new MemoryDirectory()
  const writer = await IndexWriter.open(source, { analyzer })
  for (let i = 0; i < 3; i++) await writer.addDocument(page(String(i), 'x'))
  await writer.commit()
  for (const broken of ['createOutput', 'sync', 'syncDirectory', 'rename'] as const) {
    const target = new MemoryDirectory()
    let calls = 0
    const original = target[broken].bind(target) as (...args: unknown[]) => unknown
    Object.assign(target, {
      [broken]: async (...args: unknown[]) => {
        if (++calls === (broken === 'createOutput' ? 4 : 1)) throw new Error('broken')
        return original(...args)
      },
    })
    await t.rejects(writer.backup(target), { message: 'broken' })
    t.same(await target.list(), [], broken)
    await writer.backup(target)
    t.same((await target.list()).sort(), (await source.list()).sort())
  }
  await writer.close()
})

t.test('a reader of the writer', async (t) => {
  const dir = t.testdir({})
  const writer = await IndexWriter.open(dir, { analyzer })
  const none = await IndexReader.open(writer)
  t.same([none.maxDoc, none.generation, none.analyzers.default], [0, 0, analyzer])
  await writer.addDocument(page('1', 'one'))
  t.notOk(await none.isCurrent())
  const first = await none.refresh()
  t.equal(first.numDocs, 1)
  await t.rejects(IndexReader.open(dir), { code: 'INDEX_NOT_FOUND' }, 'nothing is committed')
  await writer.updateDocument({ field: ID, text: '1' }, page('1', 'two'))
  await writer.addDocument(page('2', 'two'))
  await writer.deleteDocuments({ field: ID, text: '2' })
  const second = await first.refresh()
  t.same([second.numDocs, second.segments.length], [1, 1])
  t.equal(await difference(first, new Map([['1', page('1', 'one')]])), undefined, 'a snapshot stays as it was')
  await writer.addDocument(page('3', 'three'))
  const third = await second.refresh()
  t.equal(third.segments[0], second.segments[0], 'unchanged segments are shared')
  await writer.deleteDocuments({ field: ID, text: '1' })
  await writer.addDocument(page('4', 'four'))
  await writer.commit({ userData: { a: 'b' } })
  const fourth = await third.refresh()
  t.same([fourth.generation, fourth.userData.a, fourth.numDocs], [1, 'b', 2])
  await writer.addDocument(page('5', 'never committed'))
  await writer.rollback()
  t.equal(await difference(third, new Map(['1', '3'].map((id, i) => [id, page(id, ['two', 'three'][i]!)]))), undefined)
  await t.rejects(fourth.refresh(), { code: 'INDEX_CLOSED' })
  for (const reader of [none, first, second, third, fourth]) await reader.close()
})

for (let round = 0; round < 4; round++) {
  t.test(`random calls, round ${round}`, async (t) => {
    const random = new Random(seed + round)
    const keepCommits = 1 + round
    const options = { analyzer, keepCommits, memoryBudget: random.pick([2000, 1 << 20]), mergeFactor: 3 }
    let directory = new MemoryDirectory()
    let model = new Map<string, Document>()
    /** By generation. */
    let committed = new Map<number, Model>()
    let prepared: Model | null = null
    let writer = await IndexWriter.open(directory, options)
    let reader: IndexReader | null = null
    let held: { readonly commit: HeldCommit; readonly model: Model } | null = null
    const check = async (open: Promise<IndexReader>, expected: Model, what: string) => {
      const one = await open
      t.equal(await difference(one, expected), undefined, what)
      await one.close()
    }
    const reopen = async (killed: boolean) => {
      await reader?.close()
      reader = held = prepared = null
      if (killed) directory = await afterKill(directory)
      else await writer.rollback()
      writer = await IndexWriter.open(directory, options)
      model = new Map(committed.get(writer.generation))
      t.equal(writer.generation, Math.max(0, ...committed.keys()))
      t.equal(writer.numDocs, model.size)
    }
    for (let step = 0; step < 220; step++) {
      const choice = random.next()
      const id = String(random.below(40))
      if (choice < 0.45) {
        const document = page(id, `w${random.below(9)} v${step}`)
        model.delete(id)
        model.set(id, document)
        await writer.updateDocument({ field: ID, text: id }, document)
      } else if (choice < 0.55) {
        model.delete(id)
        const gone = new Term(ID, id)
        await writer.deleteDocuments(random.next() < 0.5 ? gone : new TermQuery(gone))
      } else if (choice < 0.65) {
        if (prepared === null) {
          await writer.prepareCommit({ userData: { step: String(step) } })
          prepared = new Map(model)
        }
      } else if (choice < 0.78) {
        const generation = await writer.commit()
        if (!committed.has(generation) || prepared !== null) committed.set(generation, prepared ?? new Map(model))
        prepared = null
        const generations = (await directory.list()).map(commitGeneration).filter((one) => one !== undefined)
        const expected = [...committed.keys()].slice(-keepCommits)
        if (held !== null && !expected.includes(held.commit.generation)) expected.push(held.commit.generation)
        t.same(generations.sort(), expected.sort(), 'the commits kept')
        committed = new Map(expected.sort((a, b) => a - b).map((one) => [one, committed.get(one)!]))
        const one = random.pick([...committed.keys()])
        await check(IndexReader.open(directory, { generation: one }), committed.get(one)!, `generation ${one}`)
      } else if (choice < 0.82) {
        await reopen(random.next() < 0.5)
      } else if (choice < 0.94) {
        const next: IndexReader = reader === null ? await IndexReader.open(writer) : await reader.refresh()
        if (next !== reader) await reader?.close()
        reader = next
        t.ok(await reader.isCurrent())
        t.equal(await reader.refresh(), reader)
        t.equal(await difference(reader, model), undefined, `uncommitted contents after step ${step}`)
      } else if (choice < 0.97 && writer.generation > 0) {
        await held?.commit.release()
        held = { commit: await writer.snapshot(), model: committed.get(writer.generation)! }
      } else if (held !== null) {
        const target = new MemoryDirectory()
        await held.commit.copyTo(target)
        await check(IndexReader.open(target), held.model, 'the copy')
      } else {
        await writer.forceMerge(2)
      }
    }
    await held?.commit.release()
    await reader?.close()
    if (prepared !== null) await writer.commit()
    await writer.close()
    await check(IndexReader.open(directory), model, 'at the end')
  })
}
