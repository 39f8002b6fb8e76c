/** Pages of results, one behind the other: together they are the whole result. */
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher, type SearchOptions } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { ConstantScoreQuery } from './query/constant-score-query.js'
import { TermQuery } from './query/term-query.js'
import type { SortCursor, SortKey } from './sort/sort-key.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const DOCS = 2500

const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
for (let i = 0; i < DOCS; i++) {
  const words = Array.from({ length: 2 + random.below(6) }, () => `w${Math.floor(12 * random.next() ** 2)}`)
  const document = new Document()
    .add(Field.keyword('id', String(i)))
    .add(Field.text('body', words.join(' ')))
    .add(Field.keyword('group', `g${random.below(5)}`))
  if (random.next() < 0.7) document.add(Field.integer('number', random.below(20)))
  await writer.addDocument(document)
  if (i === 700 || i === 1900) await writer.commit()
}
for (let i = 0; i < 100; i++) await writer.deleteDocuments(new Term('id', String(random.below(DOCS))))
await writer.close()
const searcher = await IndexSearcher.open(directory)
t.teardown(() => searcher.close())

const term = (word: string) => new TermQuery(new Term('body', word))
const queries = [
  term('w0'),
  new ConstantScoreQuery(term('w3')),
  new BooleanQuery(['w1', 'w5', 'w11'].map((word) => ({ query: term(word), occur: 'should' as const }))),
  new BooleanQuery([
    { query: term('w0'), occur: 'must' },
    { query: term('w2'), occur: 'must' },
  ]),
]
const sorts: readonly (readonly SortKey[] | undefined)[] = [
  undefined,
  [{ by: 'score' }],
  [{ field: 'number', order: 'desc' }, { by: 'score' }],
  [{ by: 'score', order: 'asc' }, { field: 'group' }, { field: 'number', missing: 'first' }],
  [
    { field: 'group', order: 'desc' },
    { by: 'doc', order: 'desc' },
  ],
]

for (const sort of sorts) {
  t.test(sort === undefined ? 'by score' : JSON.stringify(sort), async (t) => {
    for (const query of queries) {
      const order: SearchOptions = sort === undefined ? {} : { sort }
      const whole = await searcher.search(query, { ...order, limit: DOCS })
      const size = 1 + random.below(whole.length / 3)
      const ids: number[] = []
      const scores: number[] = []
      for (let after: SortCursor | undefined; ; ) {
        // Counting no further than needed skips what cannot be on the page.
        const totalHits = sort === undefined ? { totalHits: random.pick([0, size, DOCS]) } : {}
        const page = await searcher.search(query, { ...order, ...totalHits, limit: size, ...(after && { after }) })
        for (let i = 0; i < page.loaded; i++) {
          ids.push(page.docId(i))
          scores.push(page.score(i))
        }
        if (page.loaded < size) break
        after = page.cursor(size - 1)
      }
      t.same(
        ids,
        Array.from({ length: whole.loaded }, (_, i) => whole.docId(i)),
        `${query} by ${size}`,
      )
      t.same(
        scores,
        Array.from({ length: whole.loaded }, (_, i) => whole.score(i)),
      )
    }
  })
}

t.test('further hits of a page, and what a cursor does not go with', async (t) => {
  const query = term('w0')
  const first = await searcher.search(query, { limit: 10 })
  const after = first.cursor(9)
  const next = await searcher.search(query, { limit: 5, after })
  t.equal(next.length, first.length, 'all matches are counted')
  t.equal(await next.load(30), 30)
  t.equal(await first.load(40), 40)
  for (let i = 0; i < 30; i++) t.equal(next.docId(i), first.docId(i + 10))
  await t.rejects(searcher.search(query, { after, collapse: 'group' }), RangeError)
  await t.rejects(searcher.search(query, { after, sort: [{ field: 'number' }, { by: 'score' }] }), RangeError)
  await t.rejects(searcher.search(query, { after: { values: ['a'], docId: 3 } }), RangeError)
})
