/** What becomes of a search that meets a limit: an error, or what it has found by then. */
import type { BitSet } from '@spindle/core'
import t from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { FilterQuery } from './query/filter-query.js'
import { FuzzyQuery } from './query/fuzzy-query.js'
import { PrefixQuery } from './query/prefix-query.js'
import { Query } from './query/query.js'
import { RegexpQuery } from './query/regexp-query.js'
import { TermQuery } from './query/term-query.js'
import { TermRangeQuery } from './query/term-range-query.js'
import { TermSetQuery } from './query/term-set-query.js'
import { WildcardQuery } from './query/wildcard-query.js'
import type { Candidates } from './scorer/candidates.js'
import { Scorer } from './scorer/scorer.js'
import { SearchLimits } from './scorer/search-limits.js'
import type { Window } from './scorer/window.js'
import type { SearchContext } from './search-context.js'
import { Term } from './term.js'
import type { Weight } from './weight/weight.js'

const DOCS = 12_000
const TIME_LIMIT = 300

/** Matches the word `all`; the time of the search is over when it comes to document `last` of a segment. */
class SlowQuery extends Query {
  readonly #last: number
  readonly #inLoad: boolean
  windows = 0

  constructor(last: number, inLoad = false) {
    super()
    this.#last = last
    this.#inLoad = inLoad
  }

  createWeight(context: SearchContext, boost: number): Weight {
    const inner = new TermQuery(new Term('body', 'all')).createWeight(context, boost)
    const use = (): void => {
      const start = performance.now()
      while (performance.now() - start <= TIME_LIMIT);
      context.limits.check()
    }
    if (this.#inLoad) inner.load = async () => use()
    inner.count = () => -1
    const scorerOf = inner.scorer.bind(inner)
    inner.scorer = (leaf) =>
      new SlowScorer(scorerOf(leaf)!, (hi) => {
        if (hi > this.#last) use()
        this.windows++
      })
    return inner
  }

  visit(): void {}

  toString(): string {
    return 'slow'
  }
}

class SlowScorer extends Scorer {
  readonly cost: number
  readonly #inner: Scorer
  readonly #before: (hi: number) => void

  constructor(inner: Scorer, before: (hi: number) => void) {
    super()
    this.cost = inner.cost
    this.#inner = inner
    this.#before = before
  }

  next(from: number): number {
    return this.#inner.next(from)
  }

  bound(lo: number, hi: number): number {
    return this.#inner.bound(lo, hi)
  }

  fill(window: Window, min: number): void {
    this.#before(window.hi)
    this.#inner.fill(window, min)
  }

  probe(candidates: Candidates): void {
    this.#inner.probe(candidates)
  }
}

const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
for (let i = 0; i < DOCS; i++) {
  await writer.addDocument(
    new Document()
      .add(Field.unStored('body', `all ${'more '.repeat(i % 9)}`))
      .add(Field.integer('number', DOCS - i))
      .add(Field.keyword('group', `g${i % 7}`))
      .add(Field.keyword('number-text', String(i)))
      .add(Field.keyword('plain', String(i), { docValues: false })),
  )
}
await writer.optimize()
await writer.close()
const searcher = await IndexSearcher.open(directory)
t.teardown(() => searcher.close())

t.test('a search whose time is over fails, or gives what it has found', async (t) => {
  const stop = { timeLimit: TIME_LIMIT, limit: 2000 }
  await t.rejects(searcher.search(new SlowQuery(5000), stop), { code: 'QUERY_TIMEOUT' })
  const ways = [{}, { sort: [{ field: 'number' }] }, { collapse: 'group' }]
  for (const way of ways) {
    const query = new SlowQuery(5000)
    const hits = await searcher.search(query, { ...stop, ...way, atLimit: 'partial' })
    t.ok(query.windows > 0, 'some windows were looked at')
    t.same([hits.partial, hits.relation], [true, 'gte'])
    t.ok(hits.length > 0 && hits.loaded > 0)
    for (let i = 0; i < hits.loaded; i++) if (hits.docId(i) >= 5000) t.fail('a document of a window that was not done')
    t.equal(await hits.load(10_000), hits.loaded, 'no more is looked for')
    const whole = await searcher.search(new TermQuery(new Term('body', 'all')), { limit: DOCS, ...way })
    t.same([whole.partial, whole.relation], [false, 'eq'])
    t.ok(hits.length < whole.length || way.collapse !== undefined)
    const scores = new Map(Array.from({ length: whole.loaded }, (_, i) => [whole.docId(i), whole.score(i)]))
    if (way.collapse === undefined) {
      for (let i = 0; i < hits.loaded; i++) {
        if (!Object.is(hits.score(i), scores.get(hits.docId(i)))) t.fail('scores of what was found are the real ones')
      }
    }
  }
  const early = await searcher.search(new SlowQuery(0, true), { ...stop, atLimit: 'partial' })
  t.same([early.length, early.relation, early.partial, early.loaded], [0, 'gte', true, 0])
  const intime = await searcher.search(new SlowQuery(DOCS), { timeLimit: 60_000, atLimit: 'partial' })
  t.same([intime.length, intime.relation, intime.partial], [DOCS, 'eq', false])
  await t.rejects(searcher.count(new SlowQuery(5000), stop), { code: 'QUERY_TIMEOUT' }, 'a count is never partial')
})

t.test('an abort always fails', async (t) => {
  const controller = new AbortController()
  const query = new SlowQuery(DOCS)
  const searching = searcher.search(query, { signal: controller.signal, atLimit: 'partial' })
  controller.abort(new Error('gone'))
  await t.rejects(searching, { message: 'gone' })
})

/** Matches the word `all`, when it is let go. */
class BlockedQuery extends Query {
  readonly #gate: Promise<void>
  readonly #where: 'bind' | 'load' | 'filter'

  constructor(gate: Promise<void>, where: 'bind' | 'load' | 'filter') {
    super()
    this.#gate = gate
    this.#where = where
  }

  override async matchingDocs(segment: SegmentReader): Promise<BitSet> {
    await this.#gate
    return super.matchingDocs(segment)
  }

  createWeight(context: SearchContext, boost: number): Weight {
    const inner = new TermQuery(new Term('body', 'all')).createWeight(context, boost)
    if (this.#where === 'bind') context.prepared(this, () => this.#gate.then(() => this))
    if (this.#where === 'load') {
      const { load } = inner
      inner.load = () => this.#gate.then(() => load.call(inner) ?? undefined)
      Object.defineProperty(inner, 'countsUnloaded', { value: false })
    }
    return inner
  }

  visit(): void {}

  toString(): string {
    return 'blocked'
  }
}

for (const where of ['bind', 'load', 'filter'] as const) {
  t.test(`a search does not wait longer than it may for what is read: ${where}`, async (t) => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const blocked = new BlockedQuery(gate, where)
    const query = where === 'filter' ? new FilterQuery(blocked) : blocked
    await t.rejects(searcher.search(query, { timeLimit: 20 }), { code: 'QUERY_TIMEOUT' })
    await t.rejects(searcher.count(query, { timeLimit: 20 }), { code: 'QUERY_TIMEOUT' })
    await t.rejects(searcher.search(query, { timeLimit: 20, sort: [{ by: 'doc' }] }), { code: 'QUERY_TIMEOUT' })
    const hits = await searcher.search(query, { timeLimit: 20, atLimit: 'partial' })
    t.same([hits.length, hits.partial], [0, true])
    const controller = new AbortController()
    const searching = searcher.search(query, { signal: controller.signal })
    controller.abort(new Error('gone'))
    await t.rejects(searching, { message: 'gone' })
    const whole = searcher.search(query, { timeLimit: 60_000 })
    open()
    t.equal((await whole).length, DOCS, 'whoever waits longer gets all')
  })
}

t.test('nor for the column that it sorts or groups by', async (t) => {
  const searcher = await IndexSearcher.open(directory)
  t.teardown(() => searcher.close())
  const segment = searcher.reader.segments[0]!
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const docValues = segment.docValues.bind(segment)
  segment.docValues = (field) => gate.then(() => docValues(field))
  const query = new TermQuery(new Term('body', 'all'))
  const ways = [{ sort: [{ field: 'number' }] }, { collapse: 'group' }]
  for (const way of ways) {
    await t.rejects(searcher.search(query, { ...way, timeLimit: 20 }), { code: 'QUERY_TIMEOUT' })
    const hits = await searcher.search(query, { ...way, timeLimit: 20, atLimit: 'partial' })
    t.same([hits.loaded, hits.partial], [0, true])
  }
  open()
  for (const way of ways) t.ok((await searcher.search(query, { ...way, timeLimit: 60_000 })).loaded > 0)
})

t.test('expansions that meet their limit', async (t) => {
  const expansions = [
    new PrefixQuery('number-text', '1'),
    new WildcardQuery('number-text', '*1'),
    new RegexpQuery('number-text', '[0-9]*1'),
    new TermRangeQuery('plain', '1', '9'),
    new TermSetQuery(
      'number-text',
      Array.from({ length: 2000 }, (_, i) => String(i)),
    ),
    new FuzzyQuery('number-text', '1234', { maxEdits: 2 }),
  ]
  for (const query of expansions) {
    const whole = await searcher.search(query)
    t.same([whole.partial, whole.relation], [false, 'eq'])
    await t.rejects(searcher.search(query, { expansionLimit: 500 }), { code: 'QUERY_TOO_COMPLEX' }, String(query))
    await t.rejects(searcher.count(query, { expansionLimit: 500 }), { code: 'QUERY_TOO_COMPLEX' }, String(query))
    const some = await searcher.search(query, { expansionLimit: 500, atLimit: 'partial' })
    t.same([some.partial, some.relation], [true, 'gte'], String(query))
    const fewer = query instanceof FuzzyQuery ? some.length <= whole.length : some.length < whole.length
    t.ok(fewer, `${query}: ${some.length} of ${whole.length}`)
    const either = new BooleanQuery([
      { query, occur: 'should' },
      { query: new TermQuery(new Term('body', 'all')), occur: 'should' },
    ])
    const both = await searcher.search(either, { expansionLimit: 500, atLimit: 'partial' })
    t.same([both.length, both.partial], [DOCS, true], 'the rest of the query is answered whole')
  }
})

t.test('work of expansions', async (t) => {
  const strict = new SearchLimits({ expansionLimit: 1000 })
  t.ok(strict.expand(1000))
  t.throws(() => strict.expand(1), { code: 'QUERY_TOO_COMPLEX' })
  const lenient = new SearchLimits({ expansionLimit: 1000 }, 'partial')
  t.ok(lenient.expand(600))
  t.notOk(lenient.partial)
  t.notOk(lenient.expand(401))
  t.ok(lenient.partial)
  t.notOk(lenient.timeOver, 'the search goes on with what the expansion found')
})
