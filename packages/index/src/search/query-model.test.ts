/** Every kind of query against a model that looks at every document, over random indexes with deletes. */
import t, { type Test } from 'tap'
import { StandardAnalyzer } from '../analysis/standard/standard-analyzer.js'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery, type Occur } from './query/boolean-query.js'
import { BoostQuery } from './query/boost-query.js'
import { CombinedFieldQuery } from './query/combined-field-query.js'
import { ConstantScoreQuery } from './query/constant-score-query.js'
import { CoverageQuery } from './query/coverage-query.js'
import { DisjunctionMaxQuery } from './query/disjunction-max-query.js'
import { MatchAllQuery } from './query/match-all-query.js'
import { MatchNoneQuery } from './query/match-none-query.js'
import { PhraseQuery } from './query/phrase-query.js'
import type { Query } from './query/query.js'
import { TermQuery } from './query/term-query.js'
import { BM25Similarity } from './similarity/bm25-similarity.js'
import { ClassicSimilarity } from './similarity/classic-similarity.js'
import { Term } from './term.js'

const SEED = Number(process.env.SPINDLE_TEST_SEED ?? Date.now() % 2 ** 31)
t.comment(`seed ${SEED}: replay with SPINDLE_TEST_SEED=${SEED}`)

/** Mulberry32: numbers in [0, 1) that depend on the seed alone. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = randomNumbers(SEED)
const below = (n: number): number => Math.floor(random() * n)
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!

/** Words from everywhere to almost nowhere. */
const WORDS = ['constructor', '__proto__', ...Array.from({ length: 60 }, (_, i) => `w${i}`)]
const word = (): string => WORDS[Math.floor(WORDS.length * random() ** 3)]!
const words = (min: number, max: number): string[] => Array.from({ length: min + below(max - min + 1) }, word)

/** What the model knows of a document. */
interface ModelDocument {
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly tag: string
  live: boolean
}

type ModelField = 'title' | 'body' | 'tag'
const FIELDS: readonly ModelField[] = ['title', 'body', 'tag']

const tokens = (document: ModelDocument, field: ModelField): readonly string[] =>
  field === 'tag' ? [document.tag] : document[field]

/** Scores documents one by one by the formulas as they stand in books. */
class Model {
  readonly documents: readonly ModelDocument[]
  readonly classic: boolean
  readonly #stats = new Map<
    ModelField,
    { docCount: number; tokens: number; docFreq: Map<string, number>; occurrences: Map<string, number> }
  >()

  constructor(documents: readonly ModelDocument[], classic: boolean) {
    this.documents = documents
    this.classic = classic
    for (const field of FIELDS) {
      const stats = {
        docCount: 0,
        tokens: 0,
        docFreq: new Map<string, number>(),
        occurrences: new Map<string, number>(),
      }
      for (const document of documents) {
        const list = tokens(document, field)
        if (list.length > 0) stats.docCount++
        stats.tokens += list.length
        for (const term of list) stats.occurrences.set(term, (stats.occurrences.get(term) ?? 0) + 1)
        for (const term of new Set(list)) stats.docFreq.set(term, (stats.docFreq.get(term) ?? 0) + 1)
      }
      this.#stats.set(field, stats)
    }
  }

  #score(document: ModelDocument, field: ModelField, terms: readonly string[], freq: number, boost: number): number {
    const stats = this.#stats.get(field)!
    const length = field === 'tag' ? 1 : byte4ToInt(intToByte4(document[field].length))
    let idf = 0
    for (const term of terms) {
      const df = stats.docFreq.get(term) ?? 0
      idf += this.classic
        ? 1 + Math.log((stats.docCount + 1) / (df + 1))
        : Math.log(1 + (stats.docCount - df + 0.5) / (df + 0.5))
    }
    if (this.classic) return (boost * idf * Math.sqrt(freq)) / Math.sqrt(length)
    const average = stats.tokens / stats.docCount
    return (boost * idf * freq) / (freq + 1.2 * (0.25 + (0.75 * length) / average))
  }

  /** Boost × idf × burst factor of a combined field. */
  #combinedWeight({ fields, text }: CombinedFieldQuery, boost: number): number {
    let docFreq = 0
    let occurrences = 0
    let docCount = 0
    for (const { name, weight } of fields) {
      const stats = this.#stats.get(name as ModelField)!
      docFreq = Math.max(docFreq, stats.docFreq.get(text) ?? 0)
      if (weight === 0) continue
      docCount = Math.max(docCount, stats.docCount)
      occurrences += stats.occurrences.get(text) ?? 0
    }
    if (docFreq === 0) return 0
    docCount = Math.max(docCount, docFreq)
    return (
      boost * Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5)) * Math.min(4, (occurrences / docFreq) ** 0.3)
    )
  }

  #combined(query: CombinedFieldQuery, document: ModelDocument, boost: number): number | null {
    let freq = 0
    let length = 0
    let average = 0
    let docCount = 0
    let bonuses = 0
    let held = false
    for (const { name, weight, bonus } of query.fields) {
      const list = tokens(document, name as ModelField)
      const occurrences = list.filter((token) => token === query.text).length
      held ||= occurrences > 0
      if (occurrences > 0) bonuses += bonus
      if (weight === 0) continue
      freq += weight * occurrences
      length += byte4ToInt(intToByte4(list.length))
      const stats = this.#stats.get(name as ModelField)!
      average += stats.tokens
      docCount = Math.max(docCount, stats.docCount)
    }
    if (!held) return null
    const tf = freq / (freq + 1.2 * (0.4 + (0.6 * length) / (average / docCount)))
    return this.#combinedWeight(query, boost) * (tf + bonuses)
  }

  /** What a part of a coverage query weighs: only parts that the tests make. */
  #importance(query: Query, boost: number): number {
    if (query instanceof BoostQuery) return this.#importance(query.query, boost * query.boost)
    if (query instanceof CombinedFieldQuery) return this.#combinedWeight(query, boost)
    if (!(query instanceof TermQuery)) throw new Error('not made by these tests')
    const stats = this.#stats.get(query.term.field as ModelField)!
    const df = stats.docFreq.get(query.term.text) ?? 0
    if (df === 0) return 0
    return this.classic
      ? boost * (1 + Math.log((stats.docCount + 1) / (df + 1)))
      : boost * Math.log(1 + (stats.docCount - df + 0.5) / (df + 0.5))
  }

  /** Score, or null where the document does not match. */
  score(query: Query, document: ModelDocument, boost = 1): number | null {
    if (query instanceof TermQuery) {
      const field = query.term.field as ModelField
      const freq = tokens(document, field).filter((term) => term === query.term.text).length
      return freq === 0 ? null : this.#score(document, field, [query.term.text], freq, boost)
    }
    if (query instanceof PhraseQuery) {
      const list = tokens(document, query.field as ModelField)
      let freq = 0
      for (let base = -20; base < list.length; base++) {
        if (query.terms.every((term, i) => list[base + query.positions[i]!] === term)) freq++
      }
      return freq === 0 ? null : this.#score(document, query.field as ModelField, query.terms, freq, boost)
    }
    if (query instanceof BoostQuery) return this.score(query.query, document, boost * query.boost)
    if (query instanceof ConstantScoreQuery) return this.score(query.query, document) === null ? null : boost
    if (query instanceof MatchAllQuery) return boost
    if (query instanceof MatchNoneQuery) return null
    if (query instanceof DisjunctionMaxQuery) {
      const scores = query.queries.map((inner) => this.score(inner, document, boost)).filter((x) => x !== null)
      if (scores.length === 0) return null
      const max = Math.max(...scores)
      return max + query.tieBreaker * (scores.reduce((sum, x) => sum + x, 0) - max)
    }
    if (query instanceof CombinedFieldQuery) return this.#combined(query, document, boost)
    if (query instanceof CoverageQuery) {
      let all = 0
      let matched = 0
      let sum = 0
      let any = false
      for (const inner of query.queries) {
        const idf = this.#importance(inner, boost)
        const score = this.score(inner, document, boost)
        all += idf
        if (score === null) continue
        any = true
        matched += idf
        sum += score
      }
      return any ? sum * (1 + query.factor * (all === 0 ? 0 : matched / all) ** 2) : null
    }
    if (!(query instanceof BooleanQuery)) throw new Error('unknown query')
    let sum = 0
    let optional = 0
    let required = 0
    for (const { query: inner, occur } of query.clauses) {
      const score = this.score(inner, document, boost)
      if (occur === 'mustNot') {
        if (score !== null) return null
      } else if (occur === 'should') {
        if (score === null) continue
        optional++
        sum += score
      } else {
        if (score === null) return null
        required++
        if (occur === 'must') sum += score
      }
    }
    return optional < Math.max(query.minimumShouldMatch, required === 0 ? 1 : 0) ? null : sum
  }
}

const term = (): TermQuery => {
  const field = random() < 0.1 ? 'tag' : random() < 0.7 ? 'body' : 'title'
  return new TermQuery(new Term(field, field === 'tag' ? `tag${below(4)}` : random() < 0.05 ? 'absent' : word()))
}

/** A word in several fields at once. */
const combined = (): CombinedFieldQuery =>
  new CombinedFieldQuery(
    pick([
      [
        { name: 'title', weight: 2, bonus: 0.2 },
        { name: 'body', weight: 1, bonus: 0 },
      ],
      [
        { name: 'body', weight: 1.5, bonus: 0.1 },
        { name: 'title', weight: 1, bonus: 0.3 },
      ],
      [
        { name: 'body', weight: 1, bonus: 0 },
        { name: 'title', weight: 0, bonus: 0.2 },
      ],
      [{ name: 'title', weight: 1, bonus: 0 }],
    ]),
    random() < 0.05 ? 'absent' : word(),
  )

function randomQuery(depth: number): Query {
  const kind = random()
  if (random() < 0.15) return combined()
  if (depth > 0 && random() < 0.15) {
    const part = (): Query => (random() < 0.7 ? combined() : random() < 0.7 ? term() : new BoostQuery(term(), 2))
    return new CoverageQuery(Array.from({ length: 1 + below(6) }, part), pick([0.25, 1]))
  }
  if (depth === 0 || kind < 0.25) return term()
  if (kind < 0.4) {
    const field = pick(['title', 'body'] as const)
    const list = words(1, 3)
    if (random() < 0.5) return new PhraseQuery(field, list)
    let position = below(3)
    return new PhraseQuery(
      field,
      list,
      list.map(() => (position += below(3))),
    )
  }
  if (kind < 0.45) return new ConstantScoreQuery(randomQuery(depth - 1))
  if (kind < 0.5) return new BoostQuery(randomQuery(depth - 1), pick([0, 0.5, 3]))
  if (kind < 0.6) {
    return new DisjunctionMaxQuery(
      Array.from({ length: 1 + below(3) }, () => randomQuery(depth - 1)),
      pick([0, 0.3, 1]),
    )
  }
  if (kind < 0.63) return random() < 0.7 ? new MatchAllQuery() : new MatchNoneQuery()
  const plain = random() < 0.5
  const clauses = Array.from({ length: 1 + below(plain ? 6 : 4) }, () => ({
    query: plain ? term() : randomQuery(depth - 1),
    occur: plain ? ('should' as const) : pick<Occur>(['must', 'should', 'should', 'mustNot', 'filter']),
  }))
  return new BooleanQuery(clauses, random() < 0.15 ? 2 : 0)
}

/** Writes random documents, in several commits, with deletes; returns the model's documents by index-wide id. */
async function buildIndex(size: number): Promise<{ directory: MemoryDirectory; documents: ModelDocument[] }> {
  const directory = new MemoryDirectory()
  const all: ModelDocument[] = []
  const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer(), mergeFactor: 50 })
  const commits = 1 + below(4)
  for (let commit = 0; commit < commits; commit++) {
    const end = commit === commits - 1 ? size : below(size)
    for (let i = all.length; i < end; i++) {
      const document = {
        title: words(0, 3),
        body: words(1, random() < 0.02 ? 120 : 12),
        tag: `tag${below(3)}`,
        live: true,
      }
      all.push(document)
      await writer.addDocument(
        new Document()
          .add(Field.text('title', document.title.join(' ')))
          .add(Field.unStored('body', document.body.join(' ')))
          .add(Field.keyword('tag', document.tag))
          .add(Field.keyword('id', String(i))),
      )
    }
    if (random() < 0.7) {
      const deleting = new PhraseQuery('body', [word(), word()])
      const model = new Model(all, false)
      for (const document of all) if (model.score(deleting, document) !== null) document.live = false
      await writer.deleteDocuments(deleting)
      const last = String(all.length - 1)
      if (all.length > 0) all[all.length - 1]!.live = false
      await writer.deleteDocuments(new Term('id', last))
    }
    await writer.commit()
  }
  await writer.close()
  // The order in the index and what a merge has dropped are the index's own affair: ask it.
  const searcher = await IndexSearcher.open(directory)
  const documents: ModelDocument[] = []
  const { reader } = searcher
  for (let i = 0; i < reader.maxDoc; i++) documents.push(all[Number((await reader.document(i)).get('id'))]!)
  await searcher.close()
  return { directory, documents }
}

const describe = (query: Query): string => `${query.constructor.name} ${query.toString()}`

async function compare(t: Test, size: number, queries: number, classic: boolean): Promise<void> {
  const { directory, documents } = await buildIndex(size)
  const similarity = classic ? new ClassicSimilarity() : new BM25Similarity()
  const searcher = await IndexSearcher.open(directory, { similarity })
  const model = new Model(documents, classic)
  t.equal(searcher.reader.numDocs, documents.filter((document) => document.live).length)
  for (let i = 0; i < queries; i++) {
    const query = randomQuery(3)
    const expected = new Map<number, number>()
    for (let doc = 0; doc < documents.length; doc++) {
      const score = documents[doc]!.live ? model.score(query, documents[doc]!) : null
      if (score !== null) expected.set(doc, score)
    }
    const bad = (reason: string): boolean => t.fail(`${reason} (seed ${SEED}): ${describe(query)}`)
    if ((await searcher.count(query)) !== expected.size) bad('count')
    const all = await searcher.search(query, { limit: documents.length })
    if (all.length !== expected.size || all.relation !== 'eq' || all.loaded !== expected.size) bad('total')
    for (let hit = 0; hit < all.loaded; hit++) {
      const score = expected.get(all.docId(hit))
      if (score === undefined) bad('does not match')
      else if (Math.abs(score - all.score(hit)) > 1e-9) bad(`score ${all.score(hit)} instead of ${score}`)
      if (hit === 0) continue
      const step = all.score(hit - 1) - all.score(hit)
      if (step < 0 || (step === 0 && all.docId(hit - 1) > all.docId(hit))) bad('order')
    }
    // Whatever is skipped, the best are the same to the last bit.
    for (const options of [
      { limit: 1 + below(30), totalHits: below(2) * below(50) },
      { limit: 1, totalHits: 0 },
      { limit: 10 },
    ]) {
      const some = await searcher.search(query, options)
      if (some.loaded !== Math.min(options.limit, expected.size)) bad('number of hits')
      if (some.relation === 'eq' ? some.length !== expected.size : some.length > expected.size) bad('pruned total')
      if (some.relation === 'gte' && some.length < Math.min(options.totalHits ?? Infinity, expected.size))
        bad('counted too few')
      for (let hit = 0; hit < some.loaded; hit++) {
        if (some.docId(hit) !== all.docId(hit) || some.score(hit) !== all.score(hit)) bad(`pruned hit ${hit}`)
      }
    }
    const some = Array.from({ length: documents.length === 0 ? 0 : below(20) }, () => below(documents.length)).filter(
      (id) => documents[id]!.live,
    )
    const matching = await searcher.matchingOf(query, some)
    if (some.some((id, j) => matching[j] !== expected.has(id))) bad('documents that match')
    for (const hit of [0, all.loaded - 1]) {
      if (all.loaded === 0) break
      const explanation = await searcher.explain(query, all.docId(hit))
      if (!explanation.match || explanation.value !== all.score(hit)) bad('explanation')
    }
    const doc = below(documents.length)
    if (documents.length > 0 && !expected.has(doc) && (await searcher.explain(query, doc)).match)
      bad('explanation of a document that does not match')
  }
  await searcher.close()
}

t.test('small indexes', async (t) => {
  for (let round = 0; round < 16; round++) await compare(t, 1 + below(60), 15, round % 2 === 1)
})

t.test('an index of several windows and many blocks', async (t) => {
  await compare(t, 10_000, 30, false)
  await compare(t, 5_000, 10, true)
})
