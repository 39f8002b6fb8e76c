/** Offsets against what the analyzer says of the text, after updates, deletes, merges and added indexes. */
import t, { type Test } from 'tap'
import type { Analyzer, TokenSink } from '../analysis/analyzer.js'
import { ChineseAnalyzer } from '../analysis/chinese/chinese-analyzer.js'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { checkIndex } from '../check/check-index.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import type { TermOccurrence } from '../reading/term-occurrences.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort } from '../test-support/test-effort.js'
import { IndexWriter } from './index-writer.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)

const PIECES = [
  'apple ',
  'pear, ',
  '😀',
  '𝄞clef ',
  '𠮷野家',
  '南京市长江大桥',
  '，',
  'naïve\u0301 ',
  'e\u0301',
  ' \ud800 ',
  '\udc00',
  '\u0000',
  'ﬁ ',
  'İstanbul ',
]

function randomText(random: Random): string {
  const length = random.next() < 0.05 ? random.below(1500) : random.below(10)
  return Array.from({ length }, () => random.pick(PIECES)).join('')
}

function randomDocument(random: Random, id: string): Document {
  const document = new Document().add(Field.keyword('id', id))
  for (let n = random.below(4); n > 0; n--) document.add(Field.text('body', randomText(random), { offsets: true }))
  if (random.next() < 0.5) document.add(Field.unStored('hidden', randomText(random), { offsets: true }))
  if (random.next() < 0.5) document.add(Field.text('plain', randomText(random)))
  return document
}

/** What the index should say of a field of a document, by term. */
function expectedOccurrences(document: Document, field: string, analyzer: Analyzer): Map<string, TermOccurrence[]> {
  const found = new Map<string, TermOccurrence[]>()
  let position = -1
  let base = 0
  let any = false
  for (const { name, value, type } of document.fields) {
    if (name !== field) continue
    if (any) position += 100
    analyzer.analyze(value, {
      token(term, start, end, increment, layer) {
        if (layer !== 0) return
        any = true
        position = Math.max(0, position + increment)
        const list = found.get(term) ?? []
        list.push({ position, range: type.offsets ? { start: base + start, end: base + end } : null })
        found.set(term, list)
      },
    })
    base += value.length + 1
  }
  return found
}

async function compare(t: Test, reader: IndexReader, model: Map<string, Document>, analyzer: Analyzer): Promise<void> {
  let compared = 0
  for (let docId = 0; docId < reader.maxDoc; docId++) {
    const id = (await reader.document(docId)).get('id')!
    const document = model.get(id)
    const leaf = reader.docBases.findLastIndex((base) => base <= docId)
    const live = reader.segments[leaf]!.liveDocs
    if (document === undefined || live?.get(docId - reader.docBases[leaf]!) === false) continue
    for (const field of ['body', 'hidden', 'plain']) {
      for (const [term, expected] of expectedOccurrences(document, field, analyzer)) {
        const found = await reader.occurrences(docId, field, term)
        const isSame = JSON.stringify(found) === JSON.stringify(expected)
        if (!isSame) t.same(found.slice(0, 20), expected.slice(0, 20), `${field}:${term} of ${id}`)
        compared++
      }
    }
    const absent = await reader.occurrences(docId, 'body', 'absent')
    if (absent.length > 0) t.fail('a word that is nowhere')
  }
  t.ok(compared > 0 || model.size === 0, `${compared} lists compared`)
}

for (let round = 0; round < byEffort(2, 20, 150); round++) {
  t.test(`random documents, deletes, merges: round ${round}`, async (t) => {
    const random = new Random(seed + round)
    const analyzer = round % 2 === 0 ? new StandardAnalyzer() : new ChineseAnalyzer()
    const directory = round % 2 === 0 ? new MemoryDirectory() : t.testdir({})
    const options = {
      analyzer,
      memoryBudget: random.pick([20_000, 100_000]),
      mergeFactor: random.pick([2, 10]),
      backgroundMergeBytes: random.pick([50_000, 1 << 23]),
    }
    const model = new Map<string, Document>()
    const writer = await IndexWriter.open(directory, options)
    for (let step = 0; step < 150; step++) {
      const id = String(random.below(100))
      const choice = random.next()
      if (choice < 0.85) {
        const document = randomDocument(random, id)
        model.set(id, document)
        await writer.updateDocument({ field: 'id', text: id }, document)
      } else if (choice < 0.95) {
        model.delete(id)
        await writer.deleteDocuments({ field: 'id', text: id })
      } else if (choice < 0.97) {
        await writer.forceMerge(1 + random.below(3))
      } else {
        const other = new MemoryDirectory()
        const added = await IndexWriter.open(other, options)
        for (let n = 0; n < 5; n++) {
          const key = `added ${step} ${n}`
          // Fields in another order have other numbers there.
          const document = new Document().add(Field.text('other', 'x'))
          for (const field of randomDocument(random, key).fields.toReversed()) document.add(field)
          model.set(key, document)
          await added.addDocument(document)
        }
        await added.close()
        await writer.addIndexes(other)
      }
    }
    const now = await IndexReader.open(writer)
    await compare(t, now, model, analyzer)
    await now.close()
    await writer.commit()
    const ranges = await IndexReader.open(directory, { memoryBudget: 0 })
    await compare(t, ranges, model, analyzer)
    await ranges.close()
    await writer.optimize()
    await writer.close({ waitForMerges: true })
    const reader = await IndexReader.open(directory)
    await compare(t, reader, model, analyzer)
    t.same(
      reader
        .fieldViews()
        .map(({ name, offsets }) => [name, offsets])
        .filter(([, offsets]) => offsets),
      [
        ['body', true],
        ['hidden', true],
      ],
    )
    await reader.close()
    const report = await checkIndex(directory)
    t.ok(report.clean, JSON.stringify(report.segments.map(({ parts }) => parts)))
  })
}

t.test('a field keeps its choice, and nothing is written where nothing is kept', async (t) => {
  const analyzer = new StandardAnalyzer()
  const size = async (offsets: boolean): Promise<number> => {
    const directory = new MemoryDirectory()
    const writer = await IndexWriter.open(directory, { analyzer })
    const options = offsets ? { offsets } : undefined
    for (let i = 0; i < 300; i++)
      await writer.addDocument(new Document().add(Field.unStored('f', `a b${i} a`, options)))
    await writer.commit()
    const contrary = offsets ? Field.unStored('f', 'a') : Field.unStored('f', 'a', { offsets: true })
    await t.rejects(writer.addDocument(new Document().add(contrary)), {
      code: 'DOCUMENT_INVALID',
      message: /unStored \(offsets: true\)/,
    })
    await t.rejects(writer.addDocument(new Document().add(Field.text('f', 'a'))), { code: 'DOCUMENT_INVALID' })
    await writer.close()
    const reader = await IndexReader.open(directory)
    t.same(await reader.occurrences(7, 'f', 'a'), [
      { position: 0, range: offsets ? { start: 0, end: 1 } : null },
      { position: 2, range: offsets ? { start: 5, end: 6 } : null },
    ])
    const bytes = reader.segmentViews()[0]!.bytesByComponent.get('position')!
    await reader.close()
    return bytes
  }
  const without = await size(false)
  t.ok((await size(true)) > without)
  t.throws(() => Field.text('f', 'a', { offsets: true, docValues: true } as object), { code: 'DOCUMENT_INVALID' })
  t.throws(() => Field.keyword('f', 'a', { offsets: true } as object), { code: 'DOCUMENT_INVALID' })
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer })
  await writer.addDocument(new Document().add(Field.keyword('k', 'a')))
  await writer.close()
  const reader = await IndexReader.open(directory)
  await t.rejects(reader.occurrences(0, 'k', 'a'), { code: 'FIELD_WITHOUT_POSITIONS' })
  t.same(await reader.occurrences(0, 'nowhere', 'a'), [])
  await reader.close()
})

t.test('an analyzer whose offsets go back is refused', async (t) => {
  const backwards: Analyzer = {
    name: 'backwards',
    settings: {},
    fingerprint: '1',
    layers: [{ name: '', options: 'positions', norms: true }],
    analyze(text: string, sink: TokenSink): void {
      sink.token(text[1]!, 1, text.length, 1, 0)
      sink.token(text, 0, text.length, 1, 0)
    },
  }
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: backwards })
  await t.rejects(writer.addDocument(new Document().add(Field.text('f', 'ab', { offsets: true }))), {
    code: 'DOCUMENT_INVALID',
    message: /offsets that go back/,
  })
  // The beginning of what is refused stays as a deleted document, which is whole as well: its length is that of its words.
  const long = new Document().add(Field.text('g', 'x'.repeat(40_000)))
  await t.rejects(writer.addDocument(long), { code: 'DOCUMENT_INVALID', message: /longer than/ })
  await writer.addDocument(new Document().add(Field.text('g', 'ab')))
  await writer.close()
  const report = await checkIndex(directory)
  t.ok(report.clean, report.segments[0]?.parts.norms.error ?? '')
  const reader = await IndexReader.open(directory)
  t.equal(reader.numDocs, 1)
  await reader.close()
})
