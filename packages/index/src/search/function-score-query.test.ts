/** Scores with functions of doc values, pruned or not, against the query alone and the formulas as they stand in books. */
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import type { CombineScores, ScoreFunction } from './function/score-function.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { BoostQuery } from './query/boost-query.js'
import { ConstantScoreQuery } from './query/constant-score-query.js'
import { DisjunctionMaxQuery } from './query/disjunction-max-query.js'
import { FunctionScoreQuery } from './query/function-score-query.js'
import { MatchAllQuery } from './query/match-all-query.js'
import type { Query } from './query/query.js'
import { TermQuery } from './query/term-query.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const DOCS = 6000
const DAY = 86_400_000
const START = Date.UTC(2020, 0, 1)

const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
const numbers = new Map<
  string,
  { readonly likes?: number; readonly price: readonly number[]; readonly date?: number }
>()
for (let i = 0; i < DOCS; i++) {
  const words = Array.from({ length: 3 + random.below(12) }, () => `w${Math.floor(40 * random.next() ** 3)}`)
  const id = String(i)
  const document = new Document().add(Field.keyword('id', id)).add(Field.text('body', words.join(' ')))
  // The first segment has no likes; dates rise, as in an index of what is written day by day.
  const likes = i > 1500 && random.next() < 0.5 ? random.below(100_000) - 20 : undefined
  const price = Array.from({ length: random.below(3) }, () => random.next() * 100)
  const date = random.next() < 0.9 ? START + Math.floor((i + random.next()) * 1e7) : undefined
  numbers.set(id, { ...(likes !== undefined && { likes }), price, ...(date !== undefined && { date }) })
  if (likes !== undefined) document.add(Field.integer('likes', likes))
  for (const one of price) document.add(Field.float('price', one))
  if (date !== undefined) document.add(Field.date('date', date))
  await writer.addDocument(document)
  if (i === 1500 || i === 2500) await writer.commit()
}
for (let i = 0; i < 200; i++) await writer.deleteDocuments(new Term('id', String(random.below(DOCS))))
await writer.close()
const searcher = await IndexSearcher.open(directory)
t.teardown(() => searcher.close())

/** By document of the index. */
const ids: string[] = []
const everything = await searcher.search(new MatchAllQuery(), { limit: DOCS })
for await (const { docId, document } of everything) ids[docId] = document.get('id')!

/** What a function says of a document, by the book. */
function functionOf(spec: ScoreFunction, id: string, combine: CombineScores): number {
  const row = numbers.get(id)!
  const own =
    spec.field === 'price' ? (row.price.length === 0 ? undefined : Math.max(...row.price)) : row[spec.field as 'likes']
  const x = own ?? spec.missing
  if (x === undefined) return combine === 'multiply' ? 1 : 0
  const positive = Math.max(0, x)
  const made = (): number => {
    switch (spec.kind) {
      case 'value': {
        const { modifier = 'none' } = spec
        const ways = {
          none: positive,
          sqrt: positive ** 0.5,
          square: positive * positive,
          ln1p: Math.log(1 + positive),
          reciprocal: 1 / (1 + positive),
        }
        return ways[modifier]
      }
      case 'saturation':
        return positive / (positive + spec.pivot)
      case 'logarithm':
        return Math.log((spec.shift ?? 1) + positive)
      default: {
        const { origin, scale, offset = 0, decay = 0.5 } = spec
        const d = Math.max(0, Math.abs(x - new Date(origin!).getTime()) - offset)
        // As Elasticsearch documents them.
        if (spec.kind === 'exponential') return Math.exp((Math.log(decay) / scale) * d)
        if (spec.kind === 'gauss') return Math.exp(-(d * d) / (2 * (-(scale * scale) / (2 * Math.log(decay)))))
        const s = scale / (1 - decay)
        return Math.max((s - d) / s, 0)
      }
    }
  }
  return (spec.base ?? 0) + (spec.weight ?? 1) * made()
}

const term = (word: string) => new TermQuery(new Term('body', word))
const should = (words: readonly string[]) =>
  new BooleanQuery(words.map((word) => ({ query: term(word), occur: 'should' as const })))
const queries: readonly Query[] = [
  term('w0'),
  term('w33'),
  should(['w1', 'w9', 'w25']),
  new BooleanQuery([
    { query: term('w2'), occur: 'must' },
    { query: term('w3'), occur: 'must' },
  ]),
  new DisjunctionMaxQuery([term('w5'), term('w6')], 0.4),
  new MatchAllQuery(),
]
const functions: readonly ScoreFunction[] = [
  { kind: 'saturation', field: 'likes', pivot: 500 },
  { kind: 'saturation', field: 'likes', pivot: 500, base: 1, weight: 0.3, missing: 100 },
  { kind: 'logarithm', field: 'likes', shift: 2 },
  { kind: 'value', field: 'likes', missing: 7 },
  { kind: 'value', field: 'price', modifier: 'sqrt' },
  { kind: 'value', field: 'price', modifier: 'square', weight: 0.01 },
  { kind: 'value', field: 'price', modifier: 'ln1p', base: 0.5 },
  { kind: 'value', field: 'price', modifier: 'reciprocal' },
  { kind: 'exponential', field: 'date', origin: new Date(START + 5e10), scale: 20 * DAY, offset: 10 * DAY },
  { kind: 'gauss', field: 'date', origin: new Date(START + 9e10), scale: 90 * DAY, decay: 0.1, base: 0.2 },
  { kind: 'linear', field: 'date', origin: '2020-06-01', scale: 30 * DAY, offset: DAY, decay: 0.3, missing: START },
]
const COMBINES = ['multiply', 'add', 'replace'] as const
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.abs(b) + 1e-12

async function topOf(query: Query, options: { limit: number; totalHits?: number }) {
  const hits = await searcher.search(query, options)
  return { hits, top: Array.from({ length: hits.loaded }, (_, i) => ({ docId: hits.docId(i), score: hits.score(i) })) }
}

for (const combine of COMBINES) {
  t.test(`${combine}: scores are those of the formula, pruned or not`, async (t) => {
    for (const spec of functions) {
      const query = random.pick(queries)
      const boost = random.pick([1, 0.5, 4])
      const made = new FunctionScoreQuery(query, spec, { combine })
      const asked = boost === 1 ? made : new BoostQuery(made, boost)
      const plain = await topOf(query, { limit: DOCS })
      const all = await topOf(asked, { limit: DOCS })
      t.equal(all.hits.length, plain.hits.length)
      t.equal(await searcher.count(asked), plain.hits.length)
      const inner = new Map(plain.top.map(({ docId, score }) => [docId, score]))
      for (let i = 0; i < all.top.length; i++) {
        const { docId, score } = all.top[i]!
        const value = functionOf(spec, ids[docId]!, combine)
        const base = inner.get(docId)!
        const wanted = boost * (combine === 'multiply' ? base * value : combine === 'add' ? base + value : value)
        if (!near(score, wanted)) t.fail(`${asked} document ${docId}: ${score}, not ${wanted}`)
        if (i > 0 && !(all.top[i - 1]!.score >= score)) t.fail(`${asked}: out of order at ${i}`)
      }
      for (const limit of [1, 10, 50]) {
        const pruned = await topOf(asked, { limit, totalHits: 1 })
        t.same(pruned.top, all.top.slice(0, limit), `${asked}: the best ${limit}`)
        for (const { docId, score } of pruned.top.slice(0, 3))
          t.equal((await searcher.explain(asked, docId)).value, score)
      }
      // As a part: of an OR, which bounds it, and of an AND, which asks it about candidates.
      const either = new BooleanQuery([
        { query: asked, occur: 'should' },
        { query: term('w12'), occur: 'should' },
      ])
      const both = new BooleanQuery([
        { query: term('w0'), occur: 'must' },
        { query: asked, occur: 'must' },
      ])
      for (const whole of [either, both]) {
        const complete = await topOf(whole, { limit: DOCS })
        t.same(
          (await topOf(whole, { limit: 10, totalHits: 1 })).top,
          complete.top.slice(0, 10),
          `${whole}: the best 10`,
        )
      }
    }
  })
}

t.test('numbers bound the scores: what cannot be among the best is not looked at', async (t) => {
  const freshest: ScoreFunction = { kind: 'exponential', field: 'date', origin: START, scale: DAY, missing: 0 }
  for (const query of [
    new FunctionScoreQuery(new MatchAllQuery(), freshest, { combine: 'replace' }),
    new FunctionScoreQuery(new ConstantScoreQuery(term('w0')), freshest),
    new FunctionScoreQuery(new ConstantScoreQuery(term('w0')), freshest, { combine: 'add' }),
  ]) {
    const total = await searcher.count(new BooleanQuery([{ query, occur: 'filter' }]))
    const hits = await searcher.search(
      new BooleanQuery([
        { query, occur: 'must' },
        { query: term('w0'), occur: 'filter' },
      ]),
      {
        limit: 5,
        totalHits: 1,
      },
    )
    t.equal(hits.relation, 'gte')
    t.ok(hits.length < total / 2, `${hits.length} of ${total}`)
  }
})

t.test('what a function may be', async (t) => {
  const query = term('w0')
  const wrong: readonly ScoreFunction[] = [
    { kind: 'saturation', field: 'likes', pivot: 0 },
    { kind: 'logarithm', field: 'likes', shift: 0.5 },
    { kind: 'value', field: 'likes', weight: -1 },
    { kind: 'value', field: 'likes', base: Number.NaN },
    { kind: 'value', field: 'likes', missing: Infinity },
    { kind: 'gauss', field: 'likes', origin: 1, scale: 0 },
    { kind: 'gauss', field: 'likes', origin: 1, scale: 1, decay: 1 },
    { kind: 'gauss', field: 'likes', origin: 1, scale: 1, offset: -1 },
    { kind: 'gauss', field: 'likes', origin: Number.NaN, scale: 1 },
  ]
  for (const spec of wrong) t.throws(() => new FunctionScoreQuery(query, spec), RangeError, JSON.stringify(spec))
  t.throws(() => new FunctionScoreQuery(query, { kind: 'gauss', field: 'date', origin: 'soon', scale: 1 }), {
    code: 'DOCUMENT_INVALID',
  })
  await t.rejects(searcher.search(new FunctionScoreQuery(query, { kind: 'value', field: 'body' })), {
    code: 'FIELD_WITHOUT_DOC_VALUES',
  })
  const unknown = new FunctionScoreQuery(query, { kind: 'value', field: 'nothing' })
  t.same((await topOf(unknown, { limit: 10 })).top, (await topOf(query, { limit: 10 })).top)
  t.equal(
    new FunctionScoreQuery(query, { kind: 'saturation', field: 'likes', pivot: 5, weight: 2 }).toString('body'),
    'FunctionScoreQuery(w0, multiply(2 * (x / (x + 5)) of likes))',
  )
  const misspelt = { kind: 'gaus', field: 'date', scale: 1 } as unknown as ScoreFunction
  t.throws(() => new FunctionScoreQuery(query, misspelt), RangeError)
  const modifier = { kind: 'value', field: 'date', modifier: 'log' } as unknown as ScoreFunction
  t.throws(() => new FunctionScoreQuery(query, modifier), RangeError)
  t.throws(
    () => new FunctionScoreQuery(query, { kind: 'value', field: 'likes' }, { combine: 'sum' as 'add' }),
    RangeError,
  )
  const fresh = new FunctionScoreQuery(new MatchAllQuery(), { kind: 'gauss', field: 'date', scale: DAY, missing: 0 })
  t.ok((await searcher.search(fresh)).score(0) < 1e-9, 'the origin is now where not given')
})

t.test('numbers of any size', async (t) => {
  const huge = new MemoryDirectory()
  const writer = await IndexWriter.open(huge, { analyzer: new WhitespaceAnalyzer() })
  const values = [Number.MAX_VALUE, -Number.MAX_VALUE, 1e39, Number.MIN_VALUE, 0]
  for (const value of values) await writer.addDocument(new Document().add(Field.float('x', value)))
  await writer.close()
  const searcher = await IndexSearcher.open(huge)
  const kinds: readonly ScoreFunction[] = [
    { kind: 'saturation', field: 'x', pivot: 1 },
    { kind: 'logarithm', field: 'x' },
    { kind: 'value', field: 'x', modifier: 'square' },
    { kind: 'gauss', field: 'x', origin: 0, scale: 1e-300 },
    { kind: 'linear', field: 'x', origin: Number.MAX_VALUE, scale: 1e308 },
  ]
  for (const spec of kinds) {
    for (const combine of COMBINES) {
      const hits = await searcher.search(new FunctionScoreQuery(new MatchAllQuery(), spec, { combine }), { limit: 2 })
      await hits.load(values.length)
      t.equal(hits.loaded, values.length)
      for (let i = 0; i < hits.loaded; i++) {
        if (!(hits.score(i) >= 0 && hits.score(i) < Infinity)) t.fail(`${spec.kind} ${combine}: ${hits.score(i)}`)
        if (i > 0 && !(hits.score(i - 1) >= hits.score(i))) t.fail(`${spec.kind} ${combine}: out of order`)
      }
    }
  }
  await searcher.close()
})
