/**
 * Typed fields through the whole index: random documents over several segments, updates, deletes, merges, reopenings;
 * stored values, ranges, existence, filters, sorts with pages, groups and counts against plain arrays.
 */

import t, { type Test } from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { allFacetCounts, facetCounts } from '../facet/facet-counts.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { ExistsQuery } from './query/exists-query.js'
import { FilterQuery } from './query/filter-query.js'
import { MatchAllQuery } from './query/match-all-query.js'
import { NumberRangeQuery } from './query/number-range-query.js'
import type { Query } from './query/query.js'
import { TermQuery } from './query/term-query.js'
import { TermRangeQuery } from './query/term-range-query.js'
import type { SortCursor, SortKey, SortValue } from './sort/sort-key.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const WORDS = ['a', 'b', '搜索', '引擎', 'constructor', '__proto__', '𝄞', '\uffee', 'zz']

interface Row {
  readonly id: string
  readonly ints: readonly number[]
  readonly floats: readonly number[]
  readonly date: number | undefined
  readonly flag: boolean | undefined
  readonly tags: readonly string[]
  readonly site: string | undefined
  readonly body: string
}

function randomRow(random: Random, id: string): Row {
  const some = <T>(share: number, make: () => T): T[] => (random.next() < share ? [make()] : [])
  return {
    id,
    ints: [
      ...some(0.9, () => random.below(1000) - 500),
      ...some(0.1, () => random.pick([2 ** 53 - 1, -(2 ** 53) + 1])),
    ],
    floats: some(0.8, () => random.pick([-0, 0, 0.1, 1e300, -2.5, random.next()])),
    date: some(0.7, () => 86_400_000 * random.below(20_000))[0],
    flag: some(0.5, () => random.next() < 0.5)[0],
    tags: random.next() < 0.7 ? Array.from({ length: random.below(4) }, () => random.pick(WORDS)) : [],
    site: some(0.9, () => `s${random.below(12)}`)[0],
    body: Array.from({ length: random.below(6) }, () => random.pick(['one', 'two', 'three'])).join(' '),
  }
}

function documentOf(row: Row): Document {
  const document = new Document().add(Field.keyword('id', row.id)).add(Field.text('body', row.body))
  for (const value of row.ints) document.add(Field.integer('int', value, { indexed: true }))
  for (const value of row.floats) document.add(Field.float('float', value))
  if (row.date !== undefined) document.add(Field.date('date', new Date(row.date)))
  if (row.flag !== undefined) document.add(Field.boolean('flag', row.flag))
  for (const value of row.tags) document.add(Field.facet('__proto__', value))
  if (row.site !== undefined) document.add(Field.keyword('site', row.site))
  return document
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Values of a field of the model, as the sort sees them. */
const VALUES: Readonly<Record<string, (row: Row) => readonly (number | string)[]>> = {
  int: (row) => row.ints,
  float: (row) => row.floats,
  date: (row) => (row.date === undefined ? [] : [row.date]),
  flag: (row) => (row.flag === undefined ? [] : [row.flag ? 1 : 0]),
  __tags: (row) => row.tags,
  site: (row) => (row.site === undefined ? [] : [row.site]),
  id: (row) => [row.id],
}

function valuesOf(field: string, row: Row): readonly (number | string)[] {
  return VALUES[field === '__proto__' ? '__tags' : field]!(row)
}

function compareValues(a: number | string, b: number | string): number {
  return typeof a === 'string' ? byCodePoint(a, String(b)) : a - Number(b)
}

function sortValue(row: Row, key: SortKey): SortValue {
  if (!('field' in key)) return null
  const values = [...valuesOf(key.field, row)].sort(compareValues)
  return (key.order === 'desc' ? values.at(-1) : values[0]) ?? null
}

function compareRows(a: Row, b: Row, keys: readonly SortKey[]): number {
  for (const key of keys) {
    if (!('field' in key)) continue
    const x = sortValue(a, key)
    const y = sortValue(b, key)
    if (x === null && y === null) continue
    if (x === null || y === null) return (x === null) === (key.missing === 'first') ? -1 : 1
    const order = compareValues(x, y) * (key.order === 'desc' ? -1 : 1)
    if (order !== 0) return order
  }
  return 0
}

async function idsOf(searcher: IndexSearcher, query: Query, options = {}): Promise<string[]> {
  const hits = await searcher.search(query, { limit: 10_000, ...options })
  return (await hits.slice(0, hits.length)).map((hit) => hit.document.get('id')!)
}

async function check(t: Test, random: Random, searcher: IndexSearcher, model: ReadonlyMap<string, Row>): Promise<void> {
  const { reader } = searcher
  t.equal(reader.numDocs, model.size)
  /** Rows in the order of the index. */
  const rows: Row[] = []
  for (const id of await idsOf(searcher, new MatchAllQuery())) rows.push(model.get(id)!)
  t.equal(rows.length, model.size)
  const documents = await (await searcher.search(new MatchAllQuery(), { limit: 30 })).slice(0, 30)
  documents.forEach(({ document }, i) => {
    const wanted = documentOf(rows[i]!)
    t.same(
      document.fields.map(({ name, value, number, type }) => [
        name,
        type,
        value,
        Object.is(number, -0) ? '-0' : number,
      ]),
      wanted.fields.map(({ name, value, number, type }) => [name, type, value, Object.is(number, -0) ? '-0' : number]),
    )
  })
  for (const row of rows.slice(0, 20)) {
    const hits = await searcher.search(new TermQuery(new Term('id', row.id)))
    const view = await reader.documentView(hits.docId(0))
    t.notOk(view.isDeleted)
    for (const field of ['int', 'float', 'date', 'flag', '__proto__', 'site']) {
      const distinct = field === '__proto__' ? new Set(row.tags) : valuesOf(field, row)
      t.same(view.docValues.get(field) ?? [], [...distinct].sort(compareValues), `${field} of ${row.id}`)
    }
  }
  const allTerms = await reader.terms('id', { limit: 10_000 })
  t.same(
    allTerms.map(({ term }) => term),
    [...new Set(allTerms.map(({ term }) => term))].sort(byCodePoint),
  )
  for (const row of rows) if (!allTerms.some(({ term }) => term === row.id)) t.fail(`no term ${row.id}`)
  t.same(await reader.terms('id', { from: '2', limit: 3 }), allTerms.filter(({ term }) => term >= '2').slice(0, 3))
  t.same(await reader.terms('nowhere'), [])
  t.equal(
    reader.segmentViews().reduce((sum, one) => sum + one.numDocs, 0),
    model.size,
  )
  t.ok(reader.fieldViews().every(({ name, termCount, sumDocFreq }) => termCount > 0 === sumDocFreq > 0 && name !== ''))
  const matching = (condition: (row: Row) => boolean) => rows.filter(condition).map((row) => row.id)
  const same = async (query: Query, condition: (row: Row) => boolean) => {
    const expected = matching(condition)
    t.same(await idsOf(searcher, query), expected, query.toString())
    t.equal(await searcher.count(query), expected.length)
    // As one of several clauses: candidates are probed instead of listed.
    const both = new BooleanQuery([
      { query: new TermQuery(new Term('body', 'two')), occur: 'must' },
      { query, occur: random.pick(['filter', 'must', 'mustNot'] as const) },
    ])
    const negated = both.clauses[1]!.occur === 'mustNot'
    const words = (row: Row) => row.body.split(' ').includes('two')
    t.same((await idsOf(searcher, both)).sort(), matching((row) => words(row) && condition(row) !== negated).sort())
  }
  for (let round = 0; round < 4; round++) {
    const a = random.below(1200) - 600
    const b = a + random.pick([0, 1, 50, 700])
    await same(new NumberRangeQuery('int', { gte: a, lte: b }), (row) => row.ints.some((v) => v >= a && v <= b))
    await same(new NumberRangeQuery('int', { gt: a, lt: b }), (row) => row.ints.some((v) => v > a && v < b))
    await same(new NumberRangeQuery('int', { gt: a }), (row) => row.ints.some((v) => v > a))
    const x = random.pick([0, -0, 0.1, 0.5, random.next()])
    await same(new NumberRangeQuery('float', { gte: x }), (row) => row.floats.some((v) => v >= x))
    await same(new NumberRangeQuery('float', { lt: x }), (row) => row.floats.some((v) => v < x))
    await same(NumberRangeQuery.exactly('float', x), (row) => row.floats.some((v) => v === x))
    const day = new Date(86_400_000 * random.below(20_000))
    await same(
      new NumberRangeQuery('date', { gte: day.toISOString().slice(0, 10), lt: new Date(day.getTime() + 3e11) }),
      (row) => row.date !== undefined && row.date >= day.getTime() && row.date < day.getTime() + 3e11,
    )
    const [from, to] = [random.pick(WORDS), random.pick(WORDS)]
    const inside = (v: string) => byCodePoint(v, from) >= 0 && byCodePoint(v, to) < 0
    await same(new TermRangeQuery('__proto__', from, to, true, false), (row) => row.tags.some(inside))
    const id = String(random.below(400))
    await same(new TermRangeQuery('id', id, null, random.next() < 2, true), (row) => byCodePoint(row.id, id) >= 0)
    await same(new TermRangeQuery('body', 'onf', 'two'), (row) => /two|three/.test(row.body))
  }
  await same(NumberRangeQuery.exactly('flag', 1), (row) => row.flag === true)
  await same(new ExistsQuery('float'), (row) => row.floats.length > 0)
  await same(new ExistsQuery('__proto__'), (row) => row.tags.length > 0)
  await same(new ExistsQuery('body'), (row) => row.body !== '')
  const filter = new FilterQuery(new NumberRangeQuery('int', { lt: 0 }))
  for (let i = 0; i < 2; i++) await same(filter, (row) => row.ints.some((v) => v < 0))

  for (let round = 0; round < 8; round++) {
    const keys: SortKey[] = Array.from({ length: 1 + random.below(3) }, () => ({
      field: random.pick(['int', 'float', 'date', 'flag', '__proto__', 'site', 'id']),
      order: random.pick(['asc', 'desc'] as const),
      missing: random.pick(['first', 'last'] as const),
    }))
    // Array.sort is stable: ties stay in the order of the index.
    const expected = [...rows].sort((a, b) => compareRows(a, b, keys))
    t.same(
      await idsOf(searcher, new MatchAllQuery(), { sort: keys }),
      expected.map((row) => row.id),
      JSON.stringify(keys),
    )
    const paged: string[] = []
    const size = 1 + random.below(40)
    for (let after: SortCursor | undefined; ; ) {
      const hits = await searcher.search(new MatchAllQuery(), { sort: keys, limit: size, ...(after && { after }) })
      t.equal(hits.length, model.size)
      const page = await hits.slice(0, size)
      for (let i = 0; i < page.length; i++) {
        paged.push(page[i]!.document.get('id')!)
        t.same(
          hits.sortValues(i),
          keys.map((key) => sortValue(model.get(paged.at(-1)!)!, key) ?? null),
        )
      }
      if (page.length < size) break
      after = hits.cursor(page.length - 1)
    }
    t.same(
      paged,
      expected.map((row) => row.id),
      `pages of ${size}`,
    )
  }
  const word = new TermQuery(new Term('body', 'one'))
  const byScore = await searcher.search(word, { limit: 10_000 })
  const sorted = await searcher.search(word, { limit: 10_000, sort: [{ by: 'score' }] })
  t.equal(sorted.length, byScore.length)
  for (let i = 0; i < byScore.length; i++) {
    if (sorted.docId(i) !== byScore.docId(i) || sorted.score(i) !== byScore.score(i)) t.fail(`sort by score, hit ${i}`)
  }

  for (const field of ['site', '__proto__'] as const) {
    const groups = new Map<string, { best: number; count: number }>()
    for (let i = 0; i < byScore.length; i++) {
      const row = model.get((await byScore.doc(i)).get('id')!)!
      const value = [...valuesOf(field, row)].map(String).sort(byCodePoint)[0]
      const key = value === undefined ? `#${i}` : value
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { best: byScore.docId(i), count: 1 })
      else group.count++
    }
    const collapsed = await searcher.search(word, { limit: 10_000, collapse: field })
    t.equal(collapsed.length, groups.size)
    t.same(
      Array.from({ length: collapsed.length }, (_, i) => [collapsed.docId(i), collapsed.others(i)]),
      [...groups.values()].map(({ best, count }) => [best, count - 1]),
      `collapsed by ${field}`,
    )
  }
  for (const field of ['site', '__proto__', 'date', 'int']) {
    const counts = new Map<number | string, number>()
    let missing = 0
    for (const row of rows.filter((one) => /one/.test(one.body))) {
      if (valuesOf(field, row).length === 0) missing++
      for (const value of new Set(valuesOf(field, row))) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    const expected = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    const found = await facetCounts(searcher, word, field, 5)
    t.same(
      found.counts,
      expected.slice(0, 5).map(([value, count]) => ({ value, count })),
      `facets of ${field}`,
    )
    t.same([found.distinct, found.missing], [counts.size, missing])
    const last = expected.at(-1)?.[0] ?? 'none'
    const [two, named] = await allFacetCounts(searcher, word, [
      { field, limit: 2 },
      { field, limit: 1, values: ['nowhere', last, last] },
    ])
    t.same(two!.counts, found.counts.slice(0, 2))
    const first = found.counts.slice(0, 1)
    const rest = ['nowhere', last].filter((value) => value !== first[0]?.value)
    t.same(named!.counts, [...first, ...rest.map((value) => ({ value, count: counts.get(value) ?? 0 }))])
    t.same([named!.distinct, named!.missing], [counts.size, missing])
    const everything = await facetCounts(searcher, word, field, 1000)
    t.same(
      everything.counts,
      expected.map(([value, count]) => ({ value, count })),
    )
  }
}

for (let round = 0; round < 3; round++) {
  t.test(`round ${round}`, async (t) => {
    const random = new Random(seed + round)
    const directory = new MemoryDirectory()
    const options = { analyzer: new WhitespaceAnalyzer(), memoryBudget: random.pick([20_000, 1 << 20]), mergeFactor: 4 }
    const model = new Map<string, Row>()
    let writer = await IndexWriter.open(directory, options)
    let searcher: IndexSearcher | null = null
    for (let step = 1; step <= 4; step++) {
      for (let i = 0; i < 150; i++) {
        const id = String(random.below(400))
        if (random.next() < 0.15) {
          model.delete(id)
          await writer.deleteDocuments({ field: 'id', text: id })
          continue
        }
        const row = randomRow(random, id)
        model.delete(id)
        model.set(id, row)
        await writer.updateDocument({ field: 'id', text: id }, documentOf(row))
      }
      await t.rejects(writer.addDocument(new Document().add(Field.float('int', 1))), { code: 'DOCUMENT_INVALID' })
      if (step === 3) await writer.optimize()
      await writer.commit()
      searcher ??= await IndexSearcher.open(directory)
      await searcher.refresh()
      if (step !== 2) await check(t, random, searcher, model)
      if (step === 3) {
        await writer.close()
        writer = await IndexWriter.open(directory, options)
      }
    }
    await t.rejects(searcher!.search(new MatchAllQuery(), { sort: [{ field: 'body' }] }), {
      code: 'FIELD_WITHOUT_DOC_VALUES',
    })
    await t.rejects(searcher!.count(new NumberRangeQuery('site', { gte: 1 })), { code: 'FIELD_WITHOUT_DOC_VALUES' })
    await t.rejects(searcher!.search(new MatchAllQuery(), { collapse: 'int' }), { code: 'FIELD_WITHOUT_DOC_VALUES' })
    await searcher!.close()
    await writer.close()
  })
}
