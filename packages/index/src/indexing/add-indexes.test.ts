/** Adding indexes to an index: whatever the numbers of their fields; all or nothing. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { FaultDirectory } from '../test-support/fault-directory.js'
import { expectedContents, firstDifference, ID, indexContents } from '../test-support/index-contents.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexWriter } from './index-writer.js'

const analyzer = new WhitespaceAnalyzer(true)
const seed = testSeed()
t.comment(`SEED=${seed}`)

/** Fields in random order, so that their numbers differ from index to index. */
function randomDocument(random: Random, id: string): Document {
  const fields = [Field.keyword(ID, id)]
  if (random.next() < 0.8) fields.push(Field.text('body', `w${random.below(20)} w${random.below(20)} 中文`))
  if (random.next() < 0.5) fields.push(Field.text('title', `t${random.below(5)}`))
  if (random.next() < 0.5) fields.push(Field.keyword('site', `s${random.below(3)}`))
  if (random.next() < 0.5) fields.push(Field.integer('size', random.below(1000)))
  if (random.next() < 0.5) fields.push(Field.unIndexed('note', `half a pair \ud800 ${random.below(9)}`))
  const document = new Document()
  while (fields.length > 0) document.add(fields.splice(random.below(fields.length), 1)[0]!)
  return document
}

/** Stored number of each live document against its doc value. */
async function checkSizes(reader: IndexReader): Promise<number> {
  let compared = 0
  for (let s = 0; s < reader.segments.length; s++) {
    const segment = reader.segments[s]!
    const pairs = (await segment.data.values.load(segment.fieldInfo('size')?.number ?? -1))?.pairs()
    if (pairs === undefined) continue
    for (let i = 0; i < pairs.length; i++) {
      const document = await reader.document(reader.docBases[s]! + pairs.docs[i]!)
      if (document.getNumber('size') !== pairs.values[i]) throw new Error(`document ${document.get(ID)}`)
      compared++
    }
  }
  return compared
}

t.test('documents of several indexes', async (t) => {
  const random = new Random(seed)
  const model = new Map<string, Document>()
  const dir = t.testdir({})
  const writer = await IndexWriter.open(join(dir, 'own'), { analyzer })
  const sources: (MemoryDirectory | string)[] = [new MemoryDirectory(), join(dir, 'other'), new MemoryDirectory()]
  for (let n = 0; n < sources.length; n++) {
    const other = await IndexWriter.open(sources[n]!, { analyzer, memoryBudget: 30_000 })
    const count = n === 2 ? 3 : 300
    for (let i = 0; i < count; i++) {
      const document = randomDocument(random, `${n}-${i}`)
      await other.addDocument(document)
      model.set(`${n}-${i}`, document)
    }
    for (let i = 0; i < count; i += 1 + random.below(4)) {
      await other.deleteDocuments({ field: ID, text: `${n}-${i}` })
      model.delete(`${n}-${i}`)
    }
    if (n === 2) {
      // A whole segment without documents, and an index without any.
      for (let i = 0; i < count; i++) model.delete(`${n}-${i}`)
      await other.commit()
      for (let i = 0; i < count; i++) await other.deleteDocuments({ field: ID, text: `${n}-${i}` })
    }
    await other.close()
  }
  for (let i = 0; i < 50; i++) {
    const document = randomDocument(random, `own-${i}`)
    await writer.addDocument(document)
    model.set(`own-${i}`, document)
  }
  // Deletes from before do not touch what comes; those from after do.
  await writer.deleteDocuments({ field: ID, text: [...model.keys()][0]! })
  await writer.deleteDocuments({ field: ID, text: 'own-1' })
  model.delete('own-1')
  const reader = await IndexReader.open(sources[1]!)
  await writer.addIndexes(sources[0]!, reader, sources[2]!)
  await reader.close()
  const gone = [...model.keys()].at(7)!
  await writer.deleteDocuments({ field: ID, text: gone })
  model.delete(gone)
  const check = async (merged: IndexReader) => {
    t.equal(merged.numDocs, model.size)
    t.equal(firstDifference(await indexContents(merged), expectedContents(model.values(), analyzer)), undefined)
    t.ok((await checkSizes(merged)) > 100)
    await merged.verifyChecksums()
    await merged.close()
  }
  await check(await IndexReader.open(writer))
  await writer.optimize()
  await check(await IndexReader.open(writer))
  await writer.addIndexes()
  await writer.close()
})

t.test('all or nothing', async (t) => {
  const dir = t.testdir({ own: {}, good: {}, analyzer: {}, type: {}, damaged: {}, none: {} })
  const make = async (name: string, field: Field, own = analyzer) => {
    const other = await IndexWriter.open(join(dir, name), { analyzer: own })
    await other.addDocument(new Document().add(Field.keyword(ID, name)).add(field))
    await other.close()
  }
  await make('good', Field.text('new', 'good'))
  await make('analyzer', Field.text('body', 'x'), new WhitespaceAnalyzer(true, 'other'))
  await make('type', Field.keyword('body', 'x'))
  await make('damaged', Field.text('later', 'x'))
  const file = join(dir, 'damaged', '_0.stored')
  const bytes = readFileSync(file)
  bytes[40]! ^= 0xff
  writeFileSync(file, bytes)

  const writer = await IndexWriter.open(join(dir, 'own'), { analyzer })
  await writer.addDocument(new Document().add(Field.keyword(ID, 'own')).add(Field.text('body', 'own')))
  await writer.commit()
  const before = readdirSync(join(dir, 'own')).sort()
  for (const [name, code] of [
    ['analyzer', 'ANALYZER_MISMATCH'],
    ['type', 'DOCUMENT_INVALID'],
    ['damaged', 'INDEX_CORRUPT'],
    ['none', 'INDEX_NOT_FOUND'],
  ] as const) {
    await t.rejects(writer.addIndexes(join(dir, 'good'), join(dir, name)), { code }, name)
    t.same(readdirSync(join(dir, 'own')).sort(), before, 'no file is left')
    t.equal(writer.numDocs, 1)
  }
  await t.rejects(writer.addIndexes(join(dir, 'own', '.')), RangeError)
  // No field is left of what was refused.
  await writer.addDocument(new Document().add(Field.keyword(ID, '2')).add(Field.keyword('later', 'another type')))
  await writer.addIndexes(join(dir, 'good'))
  t.equal(writer.numDocs, 3)
  await writer.close()
  const reader = await IndexReader.open(join(dir, 'own'))
  t.equal(await reader.docFreq('new', 'good'), 1)
  await reader.close()
})

t.test('each operation fails once: all is added or nothing', async (t) => {
  const source = new MemoryDirectory()
  const other = await IndexWriter.open(source, { analyzer, mergeFactor: 10 })
  for (let i = 0; i < 2; i++) {
    for (let n = 0; n < 3; n++) await other.addDocument(randomDocument(new Random(seed + n), `${i}-${n}`))
    await other.commit()
  }
  await other.close()
  const run = async (inner: MemoryDirectory, options: { readonly at?: number }) => {
    const faulty = new FaultDirectory(inner, options)
    const writer = await IndexWriter.open(faulty, { analyzer, onMergeError: () => {} })
    try {
      await writer.addDocument(new Document().add(Field.text('body', 'own')).add(Field.keyword(ID, 'own')))
      await writer.commit()
      const copy = new MemoryDirectory()
      await writer.addIndexes(source)
      await writer.backup(copy)
      await writer.close()
    } catch {
      faulty.heal()
      // Whatever failed, the writer can be closed, or is closed already.
      await writer.close()
    }
    return faulty
  }
  const { operations } = await run(new MemoryDirectory(), {})
  t.ok(operations > 60)
  const step = byEffort(5, 1, 1)
  for (let at = 1 + (seed % step); at <= operations; at += step) {
    const inner = new MemoryDirectory()
    const faulty = await run(inner, { at }).catch((error) => {
      // It failed while the writer was opened.
      t.match(error, { name: /Error/ })
      return null
    })
    if (faulty === null) continue
    const writer = await IndexWriter.open(inner, { analyzer })
    const { numDocs } = writer
    t.ok([0, 1, 7].includes(numDocs), `${numDocs} documents, operation ${at}`)
    await writer.close()
    const report = await checkIndex(inner, { idField: ID })
    t.ok(report.clean && report.unreferencedFiles.length === 0, `operation ${at}: ${report.unreferencedFiles}`)
  }
})
