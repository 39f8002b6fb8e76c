/** Prefixes, wildcards and the like against a model that looks at every term of every document. */
import t, { type Test } from 'tap'
import { byte4ToInt, intToByte4 } from '../codec/small-float.js'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { editDistance } from '../test-support/edit-distance.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import { codePoints } from './automaton/byte-nfa.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery } from './query/boolean-query.js'
import { FuzzyQuery } from './query/fuzzy-query.js'
import { PrefixQuery } from './query/prefix-query.js'
import type { Query } from './query/query.js'
import { RegexpQuery } from './query/regexp-query.js'
import { TermQuery } from './query/term-query.js'
import { TermSetQuery } from './query/term-set-query.js'
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

async function build(
  size: number,
  perDocument: number,
): Promise<{ directory: MemoryDirectory; rows: Rows; all: string[][] }> {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(), mergeFactor: 50 })
  const rows: Rows = []
  const all: string[][] = []
  for (let i = 0; i < size; i++) {
    const terms = Array.from({ length: 1 + random.below(perDocument) }, () => word())
    const document = new Document().add(Field.keyword('id', String(i))).add(Field.unStored('body', terms.join(' ')))
    for (const term of new Set(terms)) document.add(Field.keyword('tag', term))
    await writer.addDocument(document)
    rows.push(terms)
    all.push(terms)
    if (random.below(size) < 2) await writer.commit()
  }
  for (let n = 0; n < size / 20; n++) {
    const i = random.below(size)
    await writer.deleteDocuments(new Term('id', String(i)))
    rows[i] = null
  }
  await writer.commit()
  await writer.close()
  return { directory, rows, all }
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

/** An expression that JavaScript reads alike. */
function randomExpression(depth = 3): string {
  const letters = [...random.pick(ALPHABETS)]
  const kind = depth === 0 ? 0 : random.below(8)
  if (kind < 2) return escaped(random.pick(letters))
  if (kind === 2)
    return random.pick(['.', `[${escaped(letters.join(''))}]`, `[^${escaped(letters[0])}]`, '[\u0800-\uffff]'])
  if (kind < 6) return randomExpression(depth - 1) + randomExpression(depth - 1)
  if (kind === 6) return `(${randomExpression(depth - 1)}|${randomExpression(depth - 1)})`
  return `(${randomExpression(depth - 1)})${random.pick(['?', '*', '+', '{2}', '{1,3}', '{2,}'])}`
}

/** What BM25 gives for the terms that are near, by the formulas of FuzzyQuery's comment. */
function fuzzyModel(rows: Rows, stats: FieldStats, query: FuzzyQuery): Map<number, number> {
  const { maxEdits, prefixLength, maxExpansions, transpositions } = query
  const text = codePoints(query.text)
  const near: { term: string; boost: number; docFreq: number }[] = []
  for (const [term, docFreq] of stats.docFreq) {
    const points = codePoints(term)
    if (text.slice(0, prefixLength).some((point, i) => points[i] !== point)) continue
    const rest = Math.min(prefixLength, text.length)
    const edits = editDistance(text.slice(rest), points.slice(rest), transpositions)
    if (edits <= maxEdits) near.push({ term, boost: 1 - edits / Math.min(text.length, points.length), docFreq })
  }
  near.sort((a, b) => b.boost - a.boost || Buffer.compare(Buffer.from(a.term), Buffer.from(b.term)))
  near.length = Math.min(near.length, maxExpansions)
  const docFreq = near.reduce((most, one) => Math.max(most, one.docFreq), 0)
  const idf = Math.log(1 + (stats.docCount - docFreq + 0.5) / (docFreq + 0.5))
  const scores = new Map<number, number>()
  for (const [row, terms] of rows.entries()) {
    for (const { term, boost } of near) {
      const freq = terms?.filter((one) => one === term).length ?? 0
      if (freq === 0) continue
      const length = byte4ToInt(intToByte4(terms!.length))
      const tf = freq / (freq + 1.2 * (0.25 + (0.75 * length) / (stats.tokens / stats.docCount)))
      scores.set(row, (scores.get(row) ?? 0) + Math.max(0, boost) * idf * tf)
    }
  }
  return scores
}

/** Sums over all documents that are in the index, deleted or not. */
interface FieldStats {
  readonly docFreq: ReadonlyMap<string, number>
  readonly docCount: number
  readonly tokens: number
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
  [40, 3, 150],
  [3000, 12, 30],
]) {
  t.test(`prefixes, wildcards, expressions and sets over ${size} documents`, async (t) => {
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
      const expression = randomExpression()
      const regexp = new RegExp(`^(?:${expression.replaceAll('.', '[^]')})$`, 'u')
      found += await compare(t, searchers, rows, new RegexpQuery(field, expression), (term) => regexp.test(term))
      const terms = Array.from({ length: random.below(6) }, () => word(undefined, 3))
      found += await compare(t, searchers, rows, new TermSetQuery(field, terms), (term) => terms.includes(term))
    }
    t.ok(found > queries, `${found} documents found`)
    for (const query of [
      new PrefixQuery('body', ''),
      new WildcardQuery('body', '*'),
      new WildcardQuery('tag', '***'),
      new RegexpQuery('tag', '@'),
    ])
      await compare(t, searchers, rows, query, () => true)
    for (const { searcher } of searchers) await searcher.close()
  })
}

t.test('fuzzy words: matches, scores, explanations', async (t) => {
  for (const [size, perDocument] of [
    [60, 4],
    [800, 10],
  ]) {
    const { directory, rows, all } = await build(size, perDocument)
    const searchers = [await open(directory), await open(directory, 10_000)]
    // What a merge has dropped no longer counts.
    const kept = searchers[0].ids.map((id) => all[Number(id)])
    const docFreq = new Map<string, number>()
    for (const terms of kept) for (const term of new Set(terms)) docFreq.set(term, (docFreq.get(term) ?? 0) + 1)
    const tokens = kept.reduce((sum, terms) => sum + terms.length, 0)
    let found = 0
    for (let n = 0; n < 200; n++) {
      const query = new FuzzyQuery('body', random.below(2) === 0 ? word() : random.pick([...docFreq.keys()]), {
        maxEdits: random.below(3),
        prefixLength: random.below(3),
        maxExpansions: random.pick([1, 3, 50, 1000]),
        transpositions: random.below(2) === 0,
      })
      const expected = fuzzyModel(rows, { docFreq, docCount: kept.length, tokens }, query)
      found += expected.size
      const bad = (why: string): boolean => t.fail(`${why}: ${JSON.stringify(query)}`)
      for (const { searcher, ids } of searchers) {
        const hits = await searcher.search(query, { limit: size })
        if (hits.length !== expected.size || (await searcher.count(query)) !== expected.size) bad('count')
        for (let hit = 0; hit < hits.loaded; hit++) {
          const score = expected.get(Number(ids[hits.docId(hit)]))
          if (!(Math.abs(hits.score(hit) - score!) < 1e-6)) bad(`score ${hits.score(hit)} instead of ${score}`)
        }
        if (hits.loaded > 0 && (await searcher.explain(query, hits.docId(0))).value !== hits.score(0))
          bad('explanation')
        const best = await searcher.search(query, { limit: 3, totalHits: 0 })
        for (let hit = 0; hit < best.loaded; hit++) if (best.docId(hit) !== hits.docId(hit)) bad('pruned')
      }
    }
    t.ok(found > 50, `${found} documents found`)
    for (const { searcher } of searchers) await searcher.close()
  }
})

t.test('a jump into the next piece of a dictionary that is read by ranges', async (t) => {
  const directory = new MemoryDirectory()
  const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
  const words = Array.from({ length: 20_000 }, (_, n) => `k${String(n).padStart(6, '0')}`)
  await writer.addDocument(new Document().add(Field.unStored('body', words.join(' '))))
  for (let n = 0; n < 3; n++) await writer.addDocument(new Document().add(Field.unStored('body', words[1024 * n + 30])))
  await writer.commit()
  const searcher = await IndexSearcher.open(directory, { memoryBudget: 10_000 })
  t.notOk(searcher.reader.segments[0].hasResidentTerms)
  // The second run of 1,024 terms begins with k001024, and its first block has k001054.
  for (const [pattern, count] of [
    ['k(000030|001054)', 3],
    ['k(000030|001054|002078)', 4],
    ['k00(0030|1054|2077)', 3],
    ['k00[01]0[35][04]', 3],
  ] as const) {
    t.equal(await searcher.count(new RegexpQuery('body', pattern)), count, pattern)
  }
  await searcher.close()
  await writer.close()
})

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

t.test('options out of their range', (t) => {
  for (const options of [
    { maxEdits: 3 },
    { maxEdits: -1 },
    { maxEdits: 1.5 },
    { prefixLength: -1 },
    { maxExpansions: 0 },
  ])
    t.throws(() => new FuzzyQuery('body', 'word', options), RangeError)
  t.end()
})

t.test('printed as Lucene does', (t) => {
  t.equal(new PrefixQuery('body', 'foo').toString(), 'body:foo*')
  t.equal(new PrefixQuery('body', 'foo').toString('body'), 'foo*')
  t.equal(new WildcardQuery('body', 'f?o*').toString(), 'body:f?o*')
  t.equal(new WildcardQuery('body', 'f?o*').toString('body'), 'f?o*')
  t.equal(new RegexpQuery('body', 'fo+').toString(), 'body:/fo+/')
  t.equal(new RegexpQuery('body', 'fo+').toString('body'), '/fo+/')
  t.equal(new FuzzyQuery('body', 'foo').toString(), 'body:foo~2')
  t.equal(new FuzzyQuery('body', 'foo', { maxEdits: 1 }).toString('body'), 'foo~1')
  t.equal(new TermSetQuery('body', ['foo', 'bar', 'foo']).toString(), 'body:(bar foo)')
  t.end()
})
