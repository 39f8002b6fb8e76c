/** The same index read from memory, by ranges in little memory, and over HTTP: the same answers to everything. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSpindleError } from '@spindle/core'
import t, { type Test } from 'tap'
import { registerAnalyzer } from '../analysis/registry.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { IndexSearcher } from '../search/index-searcher.js'
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { ExistsQuery } from '../search/query/exists-query.js'
import { FuzzyQuery } from '../search/query/fuzzy-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import { PrefixQuery } from '../search/query/prefix-query.js'
import type { Query } from '../search/query/query.js'
import { RegexpQuery } from '../search/query/regexp-query.js'
import { TermQuery } from '../search/query/term-query.js'
import { TermRangeQuery } from '../search/query/term-range-query.js'
import { TermSetQuery } from '../search/query/term-set-query.js'
import { WildcardQuery } from '../search/query/wildcard-query.js'
import { Term } from '../search/term.js'
import type { Directory } from '../store/directory.js'
import { FsDirectory } from '../store/fs-directory.js'
import { HttpDirectory } from '../store/http-directory.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { RangeServer } from '../test-support/range-server.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexReader } from './index-reader.js'
import { publishIndex } from './publish-index.js'

const SEED = testSeed()
t.comment(`SEED=${SEED}`)
const random = new Random(SEED)
const analyzer = new WhitespaceAnalyzer(true)
registerAnalyzer(analyzer.name, () => analyzer)

/** Words from everywhere to almost nowhere; enough of them for a dictionary that is read by ranges. */
const COMMON = ['constructor', '__proto__', '中文', ...Array.from({ length: 60 }, (_, i) => `w${i}`)]
const rare = (n: number) => `rare-${(n * 7919) % 100_003}-${'x'.repeat(n % 23)}`
const word = () => (random.below(4) === 0 ? rare(random.below(60_000)) : COMMON[Math.floor(63 * random.next() ** 3)])

async function build(directory: Directory, docCount: number): Promise<IndexWriter> {
  const writer = await IndexWriter.open(directory, { analyzer, memoryBudget: 1_500_000 })
  for (let i = 0; i < docCount; i++) {
    const text = Array.from({ length: 1 + random.below(40) }, word).join(' ')
    const doc = new Document().add(Field.keyword('id', String(i))).add(Field.text('body', text))
    if (i % 3 === 0) doc.add(Field.text('title', word()))
    await writer.addDocument(doc)
    if (i % 1200 === 1199) await writer.commit()
  }
  for (let i = 0; i < docCount; i += 17) await writer.deleteDocuments(new Term('id', String(i)))
  await writer.commit()
  return writer
}

function randomQuery(depth: number): Query {
  const field = random.pick(['body', 'body', 'body', 'title', 'body#short', 'none'])
  const kind = random.below(depth > 0 ? 6 : 3)
  const text = field === 'body#short' ? word().slice(0, 2) : word()
  if (kind < 2) return new TermQuery(new Term(field, text))
  if (kind === 2) return new PhraseQuery('body', [word(), word()])
  const clauses = Array.from({ length: 1 + random.below(4) }, () => ({
    query: randomQuery(depth - 1),
    occur: random.pick<Occur>(['must', 'should', 'should', 'mustNot', 'filter']),
  }))
  return new BooleanQuery(clauses)
}

async function answers(searcher: IndexSearcher, queries: readonly Query[]): Promise<string[]> {
  const all: string[] = []
  for (const query of queries) {
    const hits = await searcher.search(query, { limit: 10 })
    const list = [hits.length]
    for (let i = 0; i < hits.loaded; i++) list.push(await hits.docId(i), hits.score(i))
    const first = hits.loaded > 0 ? (await hits.doc(0)).get('body') : ''
    const explained = hits.loaded > 0 ? (await searcher.explain(query, await hits.docId(0))).value : 0
    all.push(`${query}: ${list} ${await searcher.count(query)} ${explained} ${first}`)
  }
  return all
}

async function compare(
  t: Test,
  readers: ReadonlyMap<string, IndexReader>,
  expected: readonly string[],
  queries: readonly Query[],
) {
  for (const [name, reader] of readers) {
    // Side by side, so that loads of several searches meet.
    const searcher = new IndexSearcher(reader)
    const half = queries.length >> 1
    const parts = await Promise.all([answers(searcher, queries.slice(0, half)), answers(searcher, queries.slice(half))])
    const found = parts.flat()
    t.equal(
      found.findIndex((one, i) => one !== expected[i]),
      -1,
      `${name} answers like memory`,
    )
  }
}

t.test('memory, ranges, HTTP', async (t) => {
  const dir = join(t.testdir({}), 'index')
  const directory = new FsDirectory(dir)
  const writer = await build(directory, 2400)
  await publishIndex(dir)
  const server = await RangeServer.start(directory)
  t.teardown(() => server.close())
  const queries = Array.from({ length: 30 }, () => randomQuery(2))
  queries.push(new TermRangeQuery('id', '100', '12'), new ExistsQuery('title'), new ExistsQuery('id'))
  queries.push(new TermRangeQuery('body', 'w1', 'w3'), new PrefixQuery('id', '12'), new WildcardQuery('body', '*7'))
  queries.push(
    new FuzzyQuery('body', 'w11'),
    new RegexpQuery('id', '<5-17>'),
    new TermSetQuery('id', ['7', '2399', 'x']),
  )
  queries.push(new TermQuery(new Term('body', '')), new TermQuery(new Term('body', '\uffff'.repeat(40_000))))

  const whole = await IndexReader.open(dir)
  t.ok(whole.segments.length > 1, `${whole.segments.length} segments`)
  t.equal(whole.memoryUse.misses, 0)
  t.ok(whole.memoryUse.resident > 30_000)
  const expected = await answers(new IndexSearcher(whole), queries)
  t.ok(expected.filter((one) => !/: 0 0 0 $/.test(one)).length > 5, 'enough queries find something')

  const budgets = [0, 30_000, Math.ceil(whole.memoryUse.resident * 0.7)]
  const readers = new Map<string, IndexReader>()
  for (const memoryBudget of budgets) {
    readers.set(`a budget of ${memoryBudget}`, await IndexReader.open(dir, { memoryBudget }))
  }
  const half = readers.get(`a budget of ${budgets[2]}`)!
  t.ok(half.memoryUse.resident > 0 && half.memoryUse.resident <= budgets[2], 'some segments are in memory')
  for (const memoryBudget of [20_000, 2 ** 26]) {
    const web = new HttpDirectory(server.address)
    readers.set(`HTTP with a budget of ${memoryBudget}`, await IndexReader.open(web, { memoryBudget }))
  }
  const remote = readers.get(`HTTP with a budget of ${2 ** 26}`)!
  t.ok(
    remote.segments.some((segment) => !segment.hasResidentTerms),
    'a large dictionary is read by ranges',
  )
  t.ok(
    readers.get('a budget of 0')!.segments.some((segment) => !segment.hasResidentTerms),
    'also in a folder, where there is no room for it',
  )
  await compare(t, readers, expected, queries)
  for (const [name, reader] of readers) {
    const { resident, cached } = reader.memoryUse!
    const budget = Number(/\d+$/.exec(name))
    t.ok(resident + cached <= budget, `${name}: ${resident} and ${cached} bytes`)
    t.equal(await reader.docFreq('body', 'w7'), await whole.docFreq('body', 'w7'))
    t.equal(await reader.docFreq('body', 'absent'), 0)
  }

  await t.test('a commit more', async (t) => {
    // The writer notices the pointer with its next commit, and keeps it up to date from the one after it.
    await writer.commit({ userData: { a: 'b' } })
    await writer.addDocument(new Document().add(Field.keyword('id', 'new')).add(Field.text('body', 'w1 w1 w2 neu')))
    await writer.commit()
    const newest = await IndexReader.open(dir)
    const expected = await answers(new IndexSearcher(newest), queries)
    const refreshed = new Map<string, IndexReader>()
    for (const [name, reader] of readers) {
      t.notOk(await reader.isCurrent(), name)
      refreshed.set(name, await reader.refresh())
    }
    await writer.close()
    await compare(t, refreshed, expected, queries.slice(0, 15))
    for (const reader of [...readers.values(), newest]) await reader.close()
    await compare(t, refreshed, expected, queries.slice(0, 5))
    for (const reader of refreshed.values()) {
      await reader.close()
      t.equal(reader.memoryUse.resident + reader.memoryUse.cached, 0, 'nothing stays in memory')
    }
    await whole.close()
  })
})

t.test('a searcher in little memory, of a folder and of a writer', async (t) => {
  const dir = join(t.testdir({}), 'index')
  const writer = await build(new FsDirectory(dir), 2400)
  await writer.addDocument(new Document().add(Field.keyword('id', 'new')).add(Field.text('body', 'w1 w1 w2 neu')))
  const queries = Array.from({ length: 20 }, () => randomQuery(2))
  queries.push(new TermRangeQuery('id', '100', '12'), new ExistsQuery('title'))
  const current = await IndexSearcher.open(writer, { memoryBudget: 10_000 })
  t.equal(await current.count(new TermQuery(new Term('body', 'neu'))), 1, 'what is not committed')
  const old = await IndexSearcher.open(dir, { memoryBudget: 10_000, generation: writer.generation })
  t.equal(await old.count(new TermQuery(new Term('body', 'neu'))), 0)
  await writer.commit()
  const whole = await IndexSearcher.open(dir)
  const expected = await answers(whole, queries)
  t.ok(await old.refresh())
  for (const searcher of [current, old]) {
    t.ok(
      searcher.reader.segments.some((segment) => !segment.hasResidentTerms),
      'terms are read by ranges',
    )
    t.same(await answers(searcher, queries), expected)
    const { resident, cached } = searcher.reader.memoryUse
    t.ok(resident + cached <= 10_000, `${resident} and ${cached} bytes`)
  }
  for (const searcher of [current, old, whole]) await searcher.close()
  await writer.close()
})

t.test('a large segment is loaded behind the back of the first searches', async (t) => {
  const dir = join(t.testdir({}), 'index')
  const writer = await build(new FsDirectory(dir), 10_000)
  await writer.optimize()
  await writer.close()
  const queries = Array.from({ length: 20 }, () => randomQuery(2))
  const reader = await IndexReader.open(dir)
  t.equal(reader.segments.length, 1)
  const [segment] = reader.segments
  t.ok(reader.memoryUse.resident > 1 << 20, `${reader.memoryUse.resident} bytes`)
  t.notOk(segment.hasResidentTerms, 'it is open before it is loaded')
  const searcher = new IndexSearcher(reader)
  const [early] = await Promise.all([answers(searcher, queries), reader.loaded()])
  t.ok(segment.hasResidentTerms && segment.data.postings.loaded && segment.data.positions.loaded)
  t.same(await answers(searcher, queries), early)
  await reader.close()

  // Closed while it is being loaded.
  for (let i = 0; i < 3; i++) {
    const brief = await IndexReader.open(dir)
    const [stats] = await Promise.all([brief.docFreq('body', 'w7'), brief.close()]).catch(() => [-1])
    t.ok(stats !== 0)
    await brief.loaded()
    t.equal(brief.memoryUse.resident, 0)
  }

  // What is damaged is told by the search that meets it.
  const file = join(dir, `${segment.name}.position`)
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1] ^= 1
  writeFileSync(file, bytes)
  const damaged = await IndexReader.open(dir)
  await damaged.loaded()
  t.notOk(damaged.segments[0].data.positions.loaded)
  const phrases = COMMON.map((one) => new PhraseQuery('body', [one, one]))
  const found = await Promise.allSettled(phrases.map((query) => new IndexSearcher(damaged).count(query)))
  const failures = found.filter((one) => one.status === 'rejected')
  t.ok(failures.length > 0 && failures.every(({ reason }) => isSpindleError(reason, 'INDEX_CORRUPT')))
  t.ok(failures.length < phrases.length, 'the others are answered')
  await damaged.close()
})

/** Every range is a round trip, though nothing leaves the process. */
class FarDirectory extends MemoryDirectory {
  readonly isRemote = true
}

async function copy(source: Directory, change: (name: string, bytes: Uint8Array) => void): Promise<FarDirectory> {
  const target = new FarDirectory()
  for (const name of await source.list()) {
    const input = await source.open(name)
    const bytes = new Uint8Array(input.length)
    await input.read(bytes, 0)
    change(name, bytes)
    const output = await target.createOutput(name)
    output.write(bytes)
    await output.close()
  }
  return target
}

t.test('changed bytes in what is read by ranges: our error or a run to the end', async (t) => {
  const source = new MemoryDirectory()
  const writer = await IndexWriter.open(source, { analyzer })
  const words = Array.from({ length: 6000 }, (_, n) => rare(n))
  for (let i = 0; i < 400; i++) {
    const text = `${words.slice(i * 15, i * 15 + 15).join(' ')} w1 w2 w${i % 7}`
    await writer.addDocument(new Document().add(Field.text('body', text)))
  }
  await writer.commit()
  await writer.close()
  const queries = [
    new TermQuery(new Term('body', words[5])),
    new TermQuery(new Term('body', words[3000])),
    new PhraseQuery('body', ['w1', 'w2']),
    new TermRangeQuery('body', 'w1', 'w3'),
    new PrefixQuery('body', words[3000].slice(0, -1)),
    new WildcardQuery('body', `?${words[100].slice(1, 4)}*`),
    new FuzzyQuery('body', words[500]),
  ]
  const search = async (directory: Directory) => {
    const reader = await IndexReader.open(directory, { memoryBudget: 2 << 20 })
    try {
      if (reader.segments[0].hasResidentTerms) t.fail('the dictionary is read by ranges')
      const found: string[] = []
      for (const query of queries) {
        const hits = await new IndexSearcher(reader).search(query)
        found.push(`${hits.length} ${hits.loaded > 0 ? hits.score(0) : 0}`)
      }
      for (let n = 0; n < words.length; n += 499) found.push(String(await reader.docFreq('body', words[n])))
      return found.join(', ')
    } finally {
      await reader.close()
    }
  }
  const expected = await search(await copy(source, () => {}))
  t.match(expected, /^1 [\d.]+, 1 [\d.]+, 400 /)
  let told = 0
  let same = 0
  for (let round = 0; round < 120; round++) {
    const component = random.pick(['terms', 'terms', 'terms', 'postings', 'position', 'norms'])
    // The second half of the rounds: in the table at the end of the file, where a byte decides most.
    const near = round >= 60
    const changed = await copy(source, (name, bytes) => {
      if (!name.endsWith(`.${component}`)) return
      const at = near ? bytes.length - 17 - random.below(200) : 32 + random.below(bytes.length - 48)
      bytes[at] ^= 1 << random.below(8)
    })
    try {
      if ((await search(changed)) === expected) same++
    } catch (error) {
      if (isSpindleError(error, 'INDEX_CORRUPT')) told++
      else t.fail(`round ${round}, ${component}: ${(error as Error).stack}`)
    }
  }
  t.ok(told > 10 && same > 0, `${told} told, ${same} the same`)
})

t.test('a wrong budget, an empty index', async (t) => {
  const memory = new MemoryDirectory()
  const writer = await IndexWriter.open(memory, { analyzer })
  await writer.commit()
  await publishIndex(memory)
  const server = await RangeServer.start(memory)
  t.teardown(() => server.close())
  const reader = await IndexReader.open(new HttpDirectory(server.address))
  t.equal(reader.maxDoc, 0)
  await reader.close()
  await writer.close()
  for (const memoryBudget of [-1, Number.NaN]) await t.rejects(IndexReader.open(memory, { memoryBudget }), RangeError)
  await t.rejects(publishIndex(new MemoryDirectory()), { code: 'INDEX_NOT_FOUND' })
})
