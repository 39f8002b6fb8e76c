/**
 * Phrases of all kinds and near queries over indexes with several segments and deletes, in memory and read by ranges,
 * against every document's words put through the matcher by hand.
 */
import t, { type Test } from 'tap'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { placedWords, StackedTextAnalyzer } from '../test-support/stacked-text.js'
import { IndexSearcher } from './index-searcher.js'
import type { PositionPattern } from './positions/position-pattern.js'
import { Spans } from './positions/spans.js'
import { TermPositions } from './positions/term-positions.js'
import { BooleanQuery, type Occur } from './query/boolean-query.js'
import { MultiPhraseQuery } from './query/multi-phrase-query.js'
import { type NearClause, NearQuery } from './query/near-query.js'
import { PhraseQuery } from './query/phrase-query.js'
import type { Query } from './query/query.js'
import { TermQuery } from './query/term-query.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)

/** Words from everywhere to almost nowhere. */
const WORDS = Array.from({ length: 40 }, (_, i) => `w${i}`)
const word = (): string => WORDS[Math.floor(WORDS.length * random.next() ** 3)]!
const term = (): Term => new Term('body', random.next() < 0.02 ? 'absent' : word())

function randomText(): string {
  const words: string[] = []
  for (let i = random.below(random.next() < 0.05 ? 150 : 12); i >= 0; i--) {
    const next = word()
    const stacked =
      words.length > 0 && random.next() < 0.05 && !words.at(-1)!.endsWith(next) && words.at(-1)![0] !== '^'
    words.push(stacked ? `^${next}` : next)
  }
  return words.join(' ')
}

function clause(depth: number): NearClause {
  const kind = random.next()
  if (depth === 0 || kind < 0.6) return term()
  if (kind < 0.8) return Array.from({ length: 1 + random.below(3) }, () => clause(depth - 1))
  return near(depth - 1)
}

function near(depth: number): NearQuery {
  const clauses = Array.from({ length: 2 + random.below(2) }, () => clause(depth))
  return new NearQuery(clauses, { slop: random.below(8), inOrder: random.next() < 0.5 })
}

type PositionQuery = PhraseQuery | MultiPhraseQuery | NearQuery

function positionQuery(): PositionQuery {
  const kind = random.below(3)
  if (kind === 0) return near(2)
  const size = 2 + random.below(2)
  let position = random.below(2)
  const positions = Array.from({ length: size }, () => (position += random.next() < 0.8 ? 1 : random.below(3)))
  const slop = random.next() < 0.4 ? 0 : 1 + random.below(8)
  if (kind === 1) return new PhraseQuery('body', positions.map(word), positions, slop)
  const slots = positions.map(() => [...new Set(Array.from({ length: 1 + random.below(3) }, () => term().text))])
  return new MultiPhraseQuery('body', slots, positions, slop)
}

/** The pattern of a query, an exact phrase taken for one with a choice of one word. */
function patternOf(query: PositionQuery): PositionPattern {
  if (query instanceof PhraseQuery && query.slop === 0) {
    return patternOf(
      new MultiPhraseQuery(
        query.field,
        query.terms.map((text) => [text]),
        query.positions,
      ),
    )
  }
  let found: PositionPattern | undefined
  query.visit({
    term: () => {},
    phrase: () => {},
    near: (pattern) => {
      found = pattern
    },
  })
  return found!
}

interface ModelDocument {
  /** Positions of each word. */
  readonly positions: ReadonlyMap<string, readonly number[]>
  /** Words that are not at the position of another one. */
  readonly length: number
  readonly words: number
  live: boolean
}

function modelDocument(text: string): ModelDocument {
  const placed = placedWords(text)
  const positions = new Map<string, number[]>()
  for (const { word, position } of placed) positions.set(word, [...(positions.get(word) ?? []), position])
  return { positions, length: placed.at(-1)!.position + 1, words: placed.length, live: true }
}

/** Scores documents one by one. */
class Model {
  readonly #documents: readonly ModelDocument[]
  readonly #averageLength: number
  readonly #docFreqs = new Map<string, number>()

  constructor(documents: readonly ModelDocument[]) {
    this.#documents = documents
    let sum = 0
    for (const { positions, words } of documents) {
      sum += words
      for (const one of positions.keys()) this.#docFreqs.set(one, (this.#docFreqs.get(one) ?? 0) + 1)
    }
    this.#averageLength = sum / documents.length
  }

  /** BM25 over the frequency that the matcher finds, by document. */
  scores(query: PositionQuery): Map<number, number> {
    const pattern = patternOf(query)
    const matcher = pattern.createMatcher(false)
    let idf = 0
    for (const number of pattern.scored) {
      const df = this.#docFreqs.get(pattern.terms[number]!) ?? 0
      if (df > 0) idf += Math.log(1 + (this.#documents.length - df + 0.5) / (df + 0.5))
    }
    const scores = new Map<number, number>()
    this.#documents.forEach(({ positions, length, live }, doc) => {
      if (!live) return
      const document = new TermPositions(pattern.terms.length)
      pattern.terms.forEach((text, number) => {
        const list = positions.get(text) ?? []
        document.reserve(number, list.length).set(list)
      })
      const found = new Spans()
      matcher.find(document, found, Infinity)
      const freq = found.frequency()
      const norm = 0.25 + (0.75 * byte4ToInt(intToByte4(length))) / this.#averageLength
      if (freq > 0) scores.set(doc, (idf * freq) / (freq + 1.2 * norm))
    })
    return scores
  }
}

async function buildIndex(size: number): Promise<{ directory: MemoryDirectory; documents: ModelDocument[] }> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new StackedTextAnalyzer(), mergeFactor: 50 })
  const all: ModelDocument[] = []
  for (let i = 0; i < size; i++) {
    const text = randomText()
    all.push(modelDocument(text))
    await writer.addDocument(new Document().add(Field.unStored('body', text)).add(Field.keyword('id', String(i))))
    if (random.next() < 3 / size) await writer.commit()
  }
  for (let i = 0; i < size / 10; i++) {
    const id = random.below(size)
    all[id]!.live = false
    await writer.deleteDocuments({ field: 'id', text: String(id) })
  }
  await writer.close()
  // Merges may have dropped documents and segments: the index knows what is where.
  const { reader } = await IndexSearcher.open(directory)
  const documents: ModelDocument[] = []
  for (let i = 0; i < reader.maxDoc; i++) documents.push(all[Number((await reader.document(i)).get('id'))]!)
  await reader.close()
  return { directory, documents }
}

async function compare(t: Test, size: number, queries: number): Promise<void> {
  const { directory, documents } = await buildIndex(size)
  const model = new Model(documents)
  const resident = await IndexSearcher.open(directory)
  const byRange = await IndexSearcher.open(directory, { memoryBudget: 0 })
  let matches = 0
  for (let i = 0; i < queries; i++) {
    const query = positionQuery()
    const expected = model.scores(query)
    const searcher = random.next() < 0.7 ? resident : byRange
    const bad = (reason: string): boolean => t.fail(`${reason} (SEED=${seed}): ${query.constructor.name} ${query}`)
    matches += expected.size
    if ((await searcher.count(query)) !== expected.size) bad('count')
    const all = await searcher.search(query, { limit: size })
    if (all.loaded !== expected.size) bad('number of hits')
    for (let hit = 0; hit < all.loaded; hit++) {
      const score = expected.get(all.docId(hit))
      if (score === undefined || Math.abs(score - all.score(hit)) > 1e-9) bad(`${all.score(hit)} instead of ${score}`)
    }
    for (const limit of [1, 10]) {
      const some = await searcher.search(query, { limit, totalHits: 0 })
      for (let hit = 0; hit < some.loaded; hit++) {
        if (some.docId(hit) !== all.docId(hit) || some.score(hit) !== all.score(hit)) bad(`pruned hit ${hit}`)
      }
    }
    const doc = all.loaded > 0 ? all.docId(0) : random.below(documents.length)
    const explanation = await searcher.explain(query, doc)
    if (explanation.match !== expected.has(doc)) bad('explanation')
    if (explanation.match && explanation.value !== all.score(0)) bad('explained score')
    // As one clause of several it is asked about candidates, in whatever order the clauses come.
    const other = new TermQuery(term())
    const occur = random.pick<Occur>(['must', 'should', 'mustNot'])
    const alone = new Map<number, number>()
    const others = await searcher.search(other, { limit: size })
    for (let hit = 0; hit < others.loaded; hit++) alone.set(others.docId(hit), others.score(hit))
    const both = await searcher.search(boolean(query, other, occur), { limit: size })
    const wanted = [...alone.keys()].filter((id) => occur === 'should' || expected.has(id) === (occur === 'must'))
    if (both.loaded !== wanted.length) bad(`${occur} beside ${other}`)
    for (let hit = 0; hit < both.loaded; hit++) {
      const id = both.docId(hit)
      const score = alone.get(id)! + (occur === 'mustNot' ? 0 : (expected.get(id) ?? 0))
      if (!(Math.abs(score - both.score(hit)) < 1e-9)) bad(`score with ${occur} beside ${other}`)
    }
  }
  t.ok(matches > queries, `${matches} matches of ${queries} queries`)
  await resident.close()
  await byRange.close()
}

const boolean = (query: Query, other: Query, occur: Occur): BooleanQuery =>
  new BooleanQuery([
    { query, occur },
    { query: other, occur: 'must' },
  ])

t.test('small indexes', async (t) => {
  for (let round = 0; round < 6; round++) await compare(t, 20 + random.below(150), 30)
})

t.test('an index of several windows and many blocks', async (t) => {
  await compare(t, 9000, 40)
})

t.test('what is asked wrongly, and edges', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new StackedTextAnalyzer() })
  await writer.addDocument(new Document().add(Field.text('body', 'a b c')).add(Field.keyword('id', 'a')))
  await writer.close()
  const searcher = await IndexSearcher.open(directory)
  const a = new Term('body', 'a')
  const b = new Term('body', 'b')
  t.throws(() => new PhraseQuery('body', ['a', 'b'], undefined, -1), RangeError)
  t.throws(() => new PhraseQuery('body', ['a', 'b'], undefined, 1.5), RangeError)
  t.throws(() => new PhraseQuery('body', ['a', 'b'], [0, 2 ** 31]), RangeError)
  t.throws(() => new MultiPhraseQuery('body', [['a'], ['b']], [1, 0]), RangeError)
  t.throws(() => new NearQuery([a, b], { slop: Number.NaN }), RangeError)
  t.throws(() => new NearQuery([a, [new Term('title', 'b')]]), RangeError)
  for (const query of [
    new PhraseQuery('id', ['a', 'a'], undefined, 2),
    new MultiPhraseQuery('id', [['a'], ['a']]),
    new NearQuery([new Term('id', 'a'), new Term('id', 'a')]),
  ]) {
    await t.rejects(searcher.search(query), { code: 'FIELD_WITHOUT_POSITIONS' })
  }
  for (const [query, count] of [
    [new PhraseQuery('body', [], undefined, 3), 0],
    [new PhraseQuery('body', ['b'], undefined, 3), 1],
    [new PhraseQuery('body', ['a', 'c'], undefined, 2 ** 31 - 1), 1],
    [new PhraseQuery('body', ['a', 'b'], [0, 2 ** 31 - 1], 2 ** 31 - 1), 1],
    [new MultiPhraseQuery('body', []), 0],
    [new MultiPhraseQuery('body', [['a', 'z']]), 1],
    [new MultiPhraseQuery('body', [['a'], []]), 0],
    [new MultiPhraseQuery('none', [['a'], ['b']]), 0],
    [new NearQuery([]), 0],
    [new NearQuery([a]), 1],
    [new NearQuery([new NearQuery([a]), [b, []]]), 1],
    [new NearQuery([a, new NearQuery([])]), 0],
    [new NearQuery([a, []]), 0],
  ] as const) {
    t.equal(await searcher.count(query), count, `${query.constructor.name} ${query}`)
    t.equal((await searcher.search(query)).length, count)
  }
  t.equal(new PhraseQuery('body', ['a', 'b'], [0, 2], 3).toString(), 'body:"a ? b"~3')
  t.equal(new MultiPhraseQuery('body', [['a', 'b'], ['c']], [0, 2], 3).toString('body'), '"(a b) ? c"~3')
  t.equal(
    new NearQuery([a, [b, a], new NearQuery([a, b])], { slop: 2, inOrder: false }).toString('body'),
    'spanNear([a, spanOr([b, a]), spanNear([a, b], 0, true)], 2, false)',
  )
  await searcher.close()
})
