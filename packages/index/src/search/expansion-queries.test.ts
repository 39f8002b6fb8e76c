/** Prefixes, wildcards and the like against a model that looks at every term of every document. */
import t, { type Test } from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { PrefixQuery } from './query/prefix-query.js'
import type { Query } from './query/query.js'
import { TermQuery } from './query/term-query.js'
import { WildcardQuery } from './query/wildcard-query.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)

/** Characters of one to four bytes, with neighbours that share lead bytes. */
const ALPHABETS = ['ab', 'abcdefgh', 'aé\u0080\u07ff', '中丬丮文\u0800\uffff', 'a中😀😁\u{10ffff}\u{10000}', 'a*?\\b']

const word = (alphabet = random.pick(ALPHABETS), most = 8): string => {
  const letters = [...alphabet]
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(letters)).join('')
}

/** Documents as lists of terms; null: deleted. */
type Rows = (readonly string[] | null)[]

async function build(size: number, perDocument: number): Promise<{ directory: MemoryDirectory; rows: Rows }> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(), mergeFactor: 50 })
  const rows: Rows = []
  for (let i = 0; i < size; i++) {
    const terms = Array.from({ length: 1 + random.below(perDocument) }, () => word())
    const document = new Document().add(Field.keyword('id', String(i))).add(Field.unStored('body', terms.join(' ')))
    for (const term of new Set(terms)) document.add(Field.keyword('tag', term))
    await writer.addDocument(document)
    rows.push(terms)
    if (random.below(size) < 3) await writer.commit()
  }
  for (let n = 0; n < size / 20; n++) {
    const i = random.below(size)
    await writer.deleteDocuments(new Term('id', String(i)))
    rows[i] = null
  }
  await writer.commit()
  await writer.close()
  return { directory, rows }
}

/** A searcher with the number of the row of each document. */
interface Searcher {
  readonly searcher: IndexSearcher
  readonly ids: readonly string[]
}

async function open(directory: MemoryDirectory, memoryBudget?: number): Promise<Searcher> {
  const searcher = await IndexSearcher.open(directory, memoryBudget === undefined ? {} : { memoryBudget })
  const ids: string[] = []
  for (let doc = 0; doc < searcher.reader.maxDoc; doc++) ids.push((await searcher.reader.document(doc)).get('id')!)
  return { searcher, ids }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&')

/** The pattern as an expression of JavaScript. */
function wildcardModel(pattern: string): RegExp {
  let source = ''
  const points = [...pattern]
  for (let i = 0; i < points.length; i++) {
    if (points[i] === '*') source += '[^]*'
    else if (points[i] === '?') source += '[^]'
    else {
      if (points[i] === '\\' && i + 1 < points.length) i++
      source += escaped(points[i])
    }
  }
  return new RegExp(`^${source}$`, 'u')
}

function randomPattern(): string {
  const letters = [...random.pick(ALPHABETS)]
  let pattern = ''
  for (let n = random.below(7); n >= 0; n--) {
    const kind = random.below(10)
    pattern += kind < 3 ? '*' : kind < 5 ? '?' : kind === 5 ? `\\${random.pick(letters)}` : random.pick(letters)
  }
  return pattern
}

async function compare(
  t: Test,
  searchers: readonly Searcher[],
  rows: Rows,
  query: Query,
  matches: (term: string) => boolean,
): Promise<number> {
  const expected: string[] = []
  for (const [i, terms] of rows.entries()) if (terms?.some(matches)) expected.push(String(i))
  for (const { searcher, ids } of searchers) {
    const hits = await searcher.search(query, { limit: rows.length })
    const found: string[] = []
    for (let hit = 0; hit < hits.loaded; hit++) {
      found.push(ids[hits.docId(hit)])
      if (hits.score(hit) !== 1) t.fail(`${query}: score ${hits.score(hit)}`)
    }
    found.sort((a, b) => Number(a) - Number(b))
    if (found.join() !== expected.join()) {
      t.fail(`${query.constructor.name} ${JSON.stringify(query.toString())}: ${found} instead of ${expected}`)
    }
    if ((await searcher.count(query)) !== expected.length) t.fail(`${query}: count`)
  }
  return expected.length
}

for (const [size, perDocument, queries] of [
  [40, 3, 400],
  [3000, 12, 60],
]) {
  t.test(`prefixes and wildcards over ${size} documents`, async (t) => {
    const { directory, rows } = await build(size, perDocument)
    const searchers = [await open(directory), await open(directory, 20_000)]
    if (size > 1000) t.ok(searchers[1].searcher.reader.segments.some((segment) => !segment.hasResidentTerms))
    let found = 0
    for (let n = 0; n < queries; n++) {
      const field = random.pick(['body', 'tag'])
      const prefix = word(undefined, 3)
      found += await compare(t, searchers, rows, new PrefixQuery(field, prefix), (term) => term.startsWith(prefix))
      const pattern = randomPattern()
      const model = wildcardModel(pattern)
      found += await compare(t, searchers, rows, new WildcardQuery(field, pattern), (term) => model.test(term))
    }
    t.ok(found > queries, `${found} documents found`)
    for (const query of [new PrefixQuery('body', ''), new WildcardQuery('body', '*'), new WildcardQuery('tag', '***')])
      await compare(t, searchers, rows, query, () => true)
    for (const { searcher } of searchers) await searcher.close()
  })
}

t.test('a narrow prefix leads an AND, and is explained', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
  for (let i = 0; i < 500; i++) {
    await writer.addDocument(new Document().add(Field.text('body', `common ${i === 250 ? 'needle' : 'hay'}${i}`)))
  }
  await writer.commit()
  const searcher = await IndexSearcher.open(writer)
  const common = new TermQuery(new Term('body', 'common'))
  const both = new BooleanQuery([
    { query: common, occur: 'must' },
    { query: new PrefixQuery('body', 'need'), occur: 'must' },
  ])
  const hits = await searcher.search(both)
  t.equal(hits.length, 1)
  t.equal(hits.docId(0), 250)
  const explanation = await searcher.explain(both, 250)
  t.equal(explanation.value, hits.score(0))
  t.match(
    explanation.details[0].details[0].description,
    'body:need* holds for the document',
    'the rarer one comes first',
  )
  t.notOk((await searcher.explain(both, 3)).match)
  await writer.deleteDocuments(new WildcardQuery('body', 'h?y1*'))
  t.ok(await searcher.refresh())
  t.equal(await searcher.count(common), 389, 'deleted by a pattern')
  t.equal(await searcher.count(new PrefixQuery('nowhere', 'a')), 0)
  await searcher.close()
  await writer.close()
})

t.test('printed as Lucene does', (t) => {
  t.equal(new PrefixQuery('body', 'foo').toString(), 'body:foo*')
  t.equal(new PrefixQuery('body', 'foo').toString('body'), 'foo*')
  t.equal(new WildcardQuery('body', 'f?o*').toString(), 'body:f?o*')
  t.equal(new WildcardQuery('body', 'f?o*').toString('body'), 'f?o*')
  t.end()
})
