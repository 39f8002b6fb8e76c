/** Combined fields against a model that adds up weight times frequency, document by document. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkIndex } from '../check/check-index.js'
import { MAX_FREQ } from '../codec/postings-writer.js'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexReader } from '../reading/index-reader.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import { TermQuery } from '../search/query/term-query.js'
import { BM25Similarity } from '../search/similarity/bm25-similarity.js'
import { ClassicSimilarity } from '../search/similarity/classic-similarity.js'
import { Term } from '../search/term.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { byEffort } from '../test-support/test-effort.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import type { CombinedFieldOptions } from './combined-fields.js'
import { IndexWriter, type IndexWriterOptions } from './index-writer.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)

const SOURCES = ['title', 'headings', 'body', 'anchor']
/** Headings have an analyzer of their own, with fewer layers. */
const layered = new WhitespaceAnalyzer(true)
const plain = new WhitespaceAnalyzer(false, '2')
const analyzers = { headings: plain }

type Weights = Readonly<Record<string, number>>

function randomText(random: Random): string {
  const length = random.next() < 0.1 ? random.below(300) : random.below(12)
  return Array.from({ length }, () => `w${Math.floor(40 * random.next() ** 3)}`).join(' ')
}

function randomDocument(random: Random, id: string): Document {
  const document = new Document().add(Field.keyword('id', id))
  for (const name of SOURCES) {
    const make = name === 'anchor' ? Field.unStored : Field.text
    for (let n = random.below(3); n > 0; n--) document.add(make.call(Field, name, randomText(random)))
  }
  if (random.next() < 0.5) document.add(Field.text('aside', randomText(random)))
  return document
}

interface Combined {
  readonly freqs: ReadonlyMap<string, number>
  readonly length: number
}

/** Σ weight · tf and Σ weight · length of a document in a layer of the combined field. */
function combine(document: Document, weights: Weights, layer: 0 | 1): Combined {
  const freqs = new Map<string, number>()
  let length = 0
  for (const { name, value } of document.fields) {
    const weight = Object.hasOwn(weights, name) ? weights[name]! : 0
    if (weight === 0 || (layer === 1 && name === 'headings')) continue
    for (const word of value.split(' ').filter((one) => one !== '')) {
      const term = layer === 0 ? word : word.slice(0, 2)
      freqs.set(term, (freqs.get(term) ?? 0) + weight)
      length += weight
    }
  }
  return { freqs, length }
}

/** Best scores of a term by BM25 over the model's documents, with the index's own statistics. */
async function expectedScores(
  reader: IndexReader,
  documents: readonly Combined[],
  field: string,
  term: string,
): Promise<number[]> {
  const { docCount, sumTotalTermFreq } = reader.collectionStats(field)
  const docFreq = await reader.docFreq(field, term)
  const idf = Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5))
  const scores: number[] = []
  for (const { freqs, length } of documents) {
    const freq = freqs.get(term)
    if (freq === undefined) continue
    const norm = byte4ToInt(intToByte4(length))
    scores.push((idf * freq) / (freq + 1.2 * (0.25 + (0.75 * norm * docCount) / sumTotalTermFreq)))
  }
  return scores.sort((a, b) => b - a)
}

async function compare(
  t: Test,
  reader: IndexReader,
  model: Map<string, Document>,
  weights: Weights,
  layers?: readonly string[],
): Promise<void> {
  const searcher = new IndexSearcher(reader, { similarity: new BM25Similarity() })
  for (const [layer, field] of (['all', 'all#short'] as const).entries()) {
    if (layers?.includes(field.slice(4)) === false) {
      if (reader.collectionStats(field).docCount > 0) t.fail(`${field} is not to be combined`)
      continue
    }
    const documents = [...model.values()].map((document) => combine(document, weights, layer as 0 | 1))
    for (let w = 0; w < 40; w += 3) {
      const term = field === 'all' ? `w${w}` : `w${w % 10}`
      const expected = await expectedScores(reader, documents, field, term)
      const query = new TermQuery(new Term(field, term))
      const hits = await searcher.search(query, { limit: 10, totalHits: 10 })
      const scores = [...Array(hits.length).keys()].slice(0, 10).map((i) => hits.score(i))
      const isSame =
        scores.length === Math.min(10, expected.length) &&
        scores.every((score, i) => Math.abs(score - expected[i]!) < 1e-9)
      if (!isSame) t.same(scores, expected.slice(0, 10), `${field}:${term}`)
      if ((await searcher.count(query)) !== expected.length) t.fail(`count of ${field}:${term}`)
    }
  }
}

/** After a full merge even the statistics are those of the model. */
function compareSums(
  t: Test,
  reader: IndexReader,
  model: Map<string, Document>,
  weights: Weights,
  layers?: readonly string[],
): void {
  for (const [layer, field] of (['all', 'all#short'] as const).entries()) {
    if (layers?.includes(field.slice(4)) === false) {
      if (reader.collectionStats(field).docCount > 0) t.fail(`${field} is not to be combined`)
      continue
    }
    let docCount = 0
    let tokens = 0
    let postings = 0
    for (const document of model.values()) {
      const { freqs, length } = combine(document, weights, layer as 0 | 1)
      if (length > 0) docCount++
      tokens += length
      postings += freqs.size
    }
    const stats = reader.collectionStats(field)
    t.same([stats.docCount, stats.sumTotalTermFreq, stats.sumDocFreq], [docCount, tokens, postings], `sums of ${field}`)
  }
}

for (let round = 0; round < byEffort(4, 30, 200); round++) {
  t.test(`random documents, weights, deletes, merges: round ${round}`, async (t) => {
    const random = new Random(seed + round)
    const directory = round % 2 === 0 ? new MemoryDirectory() : t.testdir({})
    const names = SOURCES.filter((_, i) => i === 0 || random.next() < 0.7)
    const weights = Object.fromEntries(names.map((name) => [name, 1 + random.below(random.pick([2, 9, 500]))]))
    const layers = round % 4 < 2 ? undefined : round % 4 === 2 ? ['short'] : ['']
    const combinedFields = [
      { name: 'all', fields: weights, ...(layers === undefined ? {} : { layers }) },
      { name: 'both', fields: { title: 2, body: 1 } },
    ]
    const options = {
      analyzer: layered,
      analyzers,
      memoryBudget: random.pick(round % 2 === 0 ? [1, 40_000, 1_000_000] : [40_000, 1_000_000]),
      mergeFactor: random.pick([2, 3, 10]),
      backgroundMergeBytes: random.pick([10_000, 1 << 23]),
    }
    const model = new Map<string, Document>()
    let writer = await IndexWriter.open(directory, { ...options, combinedFields })
    const size = options.memoryBudget === 1 ? 40 : 250
    for (let step = 0; step < size; step++) {
      const id = String(random.below(size / 2))
      const choice = random.next()
      if (choice < 0.8) {
        const document = randomDocument(random, id)
        model.set(id, document)
        await writer.updateDocument({ field: 'id', text: id }, document)
      } else if (choice < 0.93) {
        model.delete(id)
        await writer.deleteDocuments({ field: 'id', text: id })
      } else if (choice < 0.95) {
        await writer.commit()
        await writer.forceMerge(1 + random.below(3))
      } else if (choice < 0.97) {
        await writer.close()
        // The index remembers.
        writer = await IndexWriter.open(directory, random.next() < 0.5 ? options : { ...options, combinedFields })
      } else if (choice < 0.98) {
        const other = new MemoryDirectory()
        const added = await IndexWriter.open(other, { ...options, combinedFields: [...combinedFields].reverse() })
        for (let n = 0; n < 8; n++) {
          const document = randomDocument(random, `added ${step} ${n}`)
          await added.addDocument(document)
          if (n === 3) await added.deleteDocuments({ field: 'id', text: `added ${step} ${n}` })
          else model.set(`added ${step} ${n}`, document)
        }
        await added.close()
        await writer.addIndexes(other)
      } else {
        const reader = await IndexReader.open(writer)
        await compare(t, reader, model, weights, layers)
        await reader.close()
      }
    }
    await writer.commit()
    t.ok((await checkIndex(directory)).clean, 'no fault before the merge')
    const ranges = await IndexReader.open(directory, { memoryBudget: 0 })
    await compare(t, ranges, model, weights, layers)
    await ranges.close()
    await writer.optimize()
    await writer.close({ waitForMerges: true })
    const reader = await IndexReader.open(directory)
    t.equal(reader.numDocs, model.size)
    t.equal(reader.segments.length, 1)
    await compare(t, reader, model, weights, layers)
    compareSums(t, reader, model, weights, layers)
    await reader.close()
    const report = await checkIndex(directory)
    t.ok(report.clean, JSON.stringify(report.segments.map(({ parts }) => parts)))
  })
}

const doc = (fields: Readonly<Record<string, string>>): Document => {
  const document = new Document()
  for (const [name, value] of Object.entries(fields)) document.add(Field.text(name, value))
  return document
}

t.test('options that cannot be', async (t) => {
  const open = (combinedFields: readonly CombinedFieldOptions[], own = {}) =>
    IndexWriter.open(new MemoryDirectory(), { analyzer: plain, analyzers: own, combinedFields })
  const cases: [readonly CombinedFieldOptions[], RegExp][] = [
    [[{ name: '', fields: { a: 1 } }], /need names/],
    [[{ name: 'x#y', fields: { a: 1 } }], /need names/],
    [[{ name: 'all', fields: { 'a\ud800': 1 } }], /need names/],
    [[{ name: 'all', fields: {} }], /at least one source/],
    [[{ name: 'all', fields: { a: 1 }, layers: [] }], /at least one layer/],
    [[{ name: 'all', fields: { a: 0 } }], /weight of "a".*not 0/],
    [[{ name: 'all', fields: { a: 1.5 } }], /not 1\.5/],
    [[{ name: 'all', fields: { a: 65_536 } }], /not 65536/],
    [[{ name: 'all', fields: { a: Number.NaN } }], /not NaN/],
    [[{ name: 'all', fields: { all: 1 } }], /combined itself/],
    [
      [
        { name: 'all', fields: { a: 1, some: 1 } },
        { name: 'some', fields: { b: 1 } },
      ],
      /combined itself/,
    ],
    [
      [
        { name: 'all', fields: { a: 1 } },
        { name: 'all', fields: { b: 1 } },
      ],
      /twice/,
    ],
  ]
  for (const [combinedFields, message] of cases) await t.rejects(open(combinedFields), { name: 'RangeError', message })
  await t.rejects(open([{ name: 'all', fields: { a: 1 } }], { all: plain }), { message: /takes its words/ })
})

t.test('what contradicts an index is refused and told', async (t) => {
  const directory = new MemoryDirectory()
  const combinedFields = [{ name: 'all', fields: { title: 8, body: 1 } }]
  const mismatch = { code: 'COMBINED_FIELD_MISMATCH' }
  let writer = await IndexWriter.open(directory, { analyzer: plain, combinedFields })
  await t.rejects(writer.addDocument(doc({ all: 'x' })), {
    code: 'DOCUMENT_INVALID',
    message: /combined of body\^1, title\^8/,
  })
  await t.rejects(writer.addDocument(new Document().add(Field.keyword('title', 'x'))), {
    code: 'DOCUMENT_INVALID',
    message: /source of the combined field "all"/,
  })
  await t.rejects(writer.updateDocValues({ field: 'id', text: '1' }, 'all', 1), { code: 'DOCUMENT_INVALID' })
  // Without documents everything may change.
  await writer.commit()
  await writer.close()
  writer = await IndexWriter.open(directory, {
    analyzer: plain,
    combinedFields: [{ name: 'some', fields: { title: 2 } }],
  })
  await writer.close()
  writer = await IndexWriter.open(directory, { analyzer: plain, combinedFields })
  await writer.addDocument(doc({ title: 'a', body: 'a b' }))
  await writer.close()
  for (const other of [
    [{ name: 'all', fields: { title: 7, body: 1 } }],
    [{ name: 'all', fields: { title: 8 } }],
    [],
    [...combinedFields, { name: 'more', fields: { body: 1 } }],
  ]) {
    await t.rejects(IndexWriter.open(directory, { analyzer: plain, combinedFields: other }), {
      ...mismatch,
      message: /leave "combinedFields" out to go on as before, or build the index again/,
    })
  }
  writer = await IndexWriter.open(directory, { analyzer: plain })
  await t.rejects(writer.addDocument(doc({ all: 'x' })), { code: 'DOCUMENT_INVALID' })
  const add = async (document: Document, fields?: IndexWriterOptions['combinedFields']) => {
    const other = new MemoryDirectory()
    const added = await IndexWriter.open(other, { analyzer: plain, ...(fields && { combinedFields: fields }) })
    await added.addDocument(document)
    await added.close()
    return writer.addIndexes(other)
  }
  await t.rejects(add(doc({ body: 'b' })), {
    ...mismatch,
    message: /body\^1, title\^8 in the layers "" here and nothing/,
  })
  await t.rejects(add(doc({ body: 'b' }), [{ name: 'all', fields: { title: 9, body: 1 } }]), mismatch)
  await t.rejects(add(doc({ all: 'b' })), { ...mismatch, message: /a field of documents/ })
  await t.rejects(add(doc({ other: 'b' }), [...combinedFields, { name: 'more', fields: { other: 1 } }]), {
    ...mismatch,
    message: /begin this one with the same/,
  })
  await t.rejects(add(new Document().add(Field.keyword('title', 'x'))), mismatch)
  await add(doc({ other: 'b' }))
  await add(doc({ body: 'b' }), [{ name: 'all', fields: { body: 1, title: 8 } }])
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  t.equal(await searcher.count(new TermQuery(new Term('all', 'b'))), 2)
  t.equal(searcher.reader.numDocs, 3)
  t.equal(searcher.reader.fieldViews().find(({ name }) => name === 'all')?.sources?.length, 2)
  await searcher.close()
})

t.test('frequencies and lengths end at their limits', async (t) => {
  const directory = new MemoryDirectory()
  const combinedFields = [{ name: 'all', fields: { title: 65_535, body: 65_535 } }]
  const writer = await IndexWriter.open(directory, { analyzer: plain, combinedFields })
  const many = 'a '.repeat(20_000)
  for (let i = 0; i < 130; i++) await writer.addDocument(doc({ title: i < 3 ? many : 'a b', body: 'a c' }))
  await writer.commit()
  const reader = await IndexReader.open(directory)
  const postings = (await reader.segments[0]!.loadPostings('all', 'a', 'freqs'))!
  const freqs = new Int32Array(128)
  postings.decodeFreqs(0, freqs)
  t.same([...freqs.subarray(0, 4)], [MAX_FREQ, MAX_FREQ, MAX_FREQ, 131_070])
  t.equal(postings.totalTermFreq, 3 * MAX_FREQ + 127 * 131_070, 'more than 31 bits')
  t.equal(reader.collectionStats('all').sumTotalTermFreq, 3 * MAX_FREQ + 127 * 131_070 + (127 + 130) * 65_535)
  t.equal(byte4ToInt(reader.segments[0]!.norms('all')![0]!), byte4ToInt(intToByte4(20_002 * 65_535)))
  const searcher = new IndexSearcher(reader)
  t.equal(await searcher.count(new TermQuery(new Term('all', 'a'))), 130)
  await reader.close()
  t.ok((await checkIndex(directory)).clean)
  await writer.deleteDocuments({ field: 'body', text: 'nothing' })
  await writer.forceMerge(1)
  await writer.close()
  t.ok((await checkIndex(directory)).clean)
})

t.test('queries: any similarity, no phrase, names in explanations', async (t) => {
  const directory = t.testdir({})
  const combinedFields = [{ name: 'all', fields: { title: 8, body: 1 } }]
  const writer = await IndexWriter.open(join(directory, 'index'), { analyzer: plain, combinedFields })
  for (let i = 0; i < 300; i++) await writer.addDocument(doc({ title: `n${i % 7}`, body: `silk road n${i % 5}` }))
  await writer.addDocument(doc({ title: 'silk', body: 'a road' }))
  await writer.close()
  for (const similarity of [new BM25Similarity(), new ClassicSimilarity()]) {
    const searcher = await IndexSearcher.open(join(directory, 'index'), { similarity })
    const silk = new TermQuery(new Term('all', 'silk'))
    const hits = await searcher.search(silk, { limit: 3 })
    t.equal(hits.length, 301)
    t.equal(hits.docId(0), 300, 'the title counts more')
    const explained = await searcher.explain(silk, 300)
    t.equal(explained.value, hits.score(0))
    t.match(explained.description, /^all:silk \(combined of body\^1, title\^8\): /)
    const both = new BooleanQuery([
      { query: silk, occur: 'must' },
      { query: new TermQuery(new Term('all', 'n3')), occur: 'must' },
    ])
    t.equal(await searcher.count(both), [...Array(300).keys()].filter((i) => i % 7 === 3 || i % 5 === 3).length)
    await t.rejects(searcher.search(new PhraseQuery('all', ['silk', 'road'])), {
      code: 'FIELD_WITHOUT_POSITIONS',
      message: /'all', which is combined of body, title and keeps no positions; search these fields/,
    })
    await searcher.close()
  }
})
