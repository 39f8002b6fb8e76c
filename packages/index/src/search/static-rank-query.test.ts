/** Scores with a factor of the document, pruned or not, against the query alone and the formula. */
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { CombinedFieldQuery } from './query/combined-field-query.js'
import { CoverageQuery } from './query/coverage-query.js'
import { PhraseQuery } from './query/phrase-query.js'
import type { Query } from './query/query.js'
import { StaticRankQuery } from './query/static-rank-query.js'
import { TermQuery } from './query/term-query.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const DOCS = 6000
const PIVOT = 2
const FACTOR = 0.4

const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
const ranks = new Map<string, number>()
for (let i = 0; i < DOCS; i++) {
  const words = Array.from({ length: 3 + random.below(12) }, () => `w${Math.floor(40 * random.next() ** 3)}`)
  const document = new Document()
    .add(Field.keyword('id', String(i)))
    .add(Field.text('title', words.slice(0, 2).join(' ')))
    .add(Field.text('body', words.join(' ')))
  if (i % 3 === 0) {
    ranks.set(String(i), Math.floor(1000 * random.next() ** 4) / 10)
    document.add(Field.number('rank', ranks.get(String(i))!, { stored: false }))
  }
  await writer.addDocument(document)
  // The second segment has no number yet.
  if (i === 1000 || i === 2500) await writer.commit()
}
for (let i = 0; i < 400; i++) {
  const id = String(random.below(DOCS))
  const rank = i % 5 === 0 ? -3 : random.below(50)
  await writer.updateDocValues(new Term('id', id), 'rank', rank)
  ranks.set(id, rank)
}
for (let i = 0; i < 100; i++) await writer.deleteDocuments(new Term('id', String(random.below(DOCS))))
await writer.close()
const searcher = await IndexSearcher.open(directory)
t.teardown(() => searcher.close())

const term = (word: string) => new TermQuery(new Term('body', word))
const fields = [
  { name: 'title', weight: 2, bonus: 0.2 },
  { name: 'body', weight: 1, bonus: 0 },
]
const combined = (word: string) => new CombinedFieldQuery(fields, word)
const withBonus = (word: string) =>
  new CombinedFieldQuery(
    [
      { name: 'body', weight: 1, bonus: 0 },
      { name: 'title', weight: 0, bonus: 0.2 },
    ],
    word,
  )
const queries: Query[] = [
  term('w0'),
  term('w30'),
  new BooleanQuery([
    { query: term('w1'), occur: 'should' },
    { query: term('w7'), occur: 'should' },
  ]),
  new BooleanQuery([
    { query: term('w2'), occur: 'must' },
    { query: term('w3'), occur: 'must' },
  ]),
  new CoverageQuery(['w0', 'w5', 'w20'].map(combined)),
  new PhraseQuery('body', ['w0', 'w1']),
  combined('w4'),
  new CoverageQuery(['w0', 'w5', 'w20'].map(withBonus)),
  withBonus('w4'),
]

const factorOf = (id: string): number => {
  const rank = Math.max(0, Math.fround(ranks.get(id) ?? 0))
  return 1 + (FACTOR * rank) / (rank + PIVOT)
}

t.test('the best documents and their scores are those of the formula', async (t) => {
  for (const query of queries) {
    const all = await searcher.search(query, { limit: DOCS })
    const expected: { id: string; score: number }[] = []
    for (let i = 0; i < all.length; i++) {
      const id = (await all.doc(i)).get('id')!
      expected.push({ id, score: all.score(i) * factorOf(id) })
    }
    expected.sort((a, b) => b.score - a.score)
    const ranked = new StaticRankQuery(query, 'rank', { factor: FACTOR, pivot: PIVOT })
    // As a part that is asked for candidates, too.
    const filtered = new BooleanQuery([
      { query: ranked, occur: 'must' },
      { query: term('w0'), occur: 'filter' },
    ])
    for (const [asked, totalHits] of [
      [ranked, DOCS],
      [ranked, 1],
      [filtered, 1],
    ] as const) {
      const hits = await searcher.search(asked, { limit: 20, totalHits })
      const found: number[] = []
      for (let i = 0; i < Math.min(20, hits.length); i++) {
        const id = (await hits.doc(i)).get('id')!
        found.push(hits.score(i))
        const wanted = expected.find((one) => one.id === id)!
        t.ok(Math.abs(wanted.score - hits.score(i)) < 1e-9 * wanted.score, `${query} ${id}`)
        const explanation = await searcher.explain(asked, hits.docId(i))
        t.equal(explanation.value, hits.score(i), `${query} ${id} explained`)
      }
      if (asked === filtered) continue
      const wanted = expected.slice(0, 20).map(({ score }) => score)
      t.equal(found.length, wanted.length)
      t.ok(
        wanted.every((score, i) => Math.abs(score - found[i]) < 1e-9 * score),
        `${query}, ${totalHits} counted`,
      )
    }
    t.equal(await searcher.count(ranked), all.length)
  }
})

t.test('documents without a number, and indexes without the field, keep their scores', async (t) => {
  const query = queries[4]
  const plain = await searcher.search(query, { limit: 50 })
  for (const ranked of [new StaticRankQuery(query, 'nothing'), new StaticRankQuery(query, 'rank', { factor: 0 })]) {
    const hits = await searcher.search(ranked, { limit: 50 })
    t.same(
      Array.from({ length: 50 }, (_, i) => [hits.docId(i), hits.score(i)]),
      Array.from({ length: 50 }, (_, i) => [plain.docId(i), plain.score(i)]),
    )
  }
  t.equal(new StaticRankQuery(term('w0'), 'rank').toString('body'), 'rank(w0, rank)')
  await t.rejects(searcher.search(new StaticRankQuery(query, 'body')), { code: 'FIELD_WITHOUT_DOC_VALUES' })
  t.throws(() => new StaticRankQuery(query, 'rank', { factor: -1 }), RangeError)
  t.throws(() => new StaticRankQuery(query, 'rank', { pivot: 0 }), RangeError)
})
