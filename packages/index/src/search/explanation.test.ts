/** Explanations of random queries: each node is what its operator or its formula makes of the details, the root the score. */
import t, { type Test } from 'tap'
import { Document } from '../document/document.js'
import { Field } from '../document/field.js'
import { IndexWriter } from '../indexing/index-writer.js'
import { MemoryDirectory } from '../store/memory-directory.js'
import { Random, testSeed } from '../test-support/random.js'
import { WhitespaceAnalyzer } from '../test-support/whitespace-analyzer.js'
import type { Explanation } from './explanation.js'
import type { ScoreFunction } from './function/score-function.js'
import { IndexSearcher } from './index-searcher.js'
import { BooleanQuery, type Occur } from './query/boolean-query.js'
import { BoostQuery } from './query/boost-query.js'
import { CombinedFieldQuery } from './query/combined-field-query.js'
import { ConstantScoreQuery } from './query/constant-score-query.js'
import { CoverageQuery } from './query/coverage-query.js'
import { DisjunctionMaxQuery } from './query/disjunction-max-query.js'
import { ExistsQuery } from './query/exists-query.js'
import { FilterQuery } from './query/filter-query.js'
import { FunctionScoreQuery } from './query/function-score-query.js'
import { FuzzyQuery } from './query/fuzzy-query.js'
import { MatchAllQuery } from './query/match-all-query.js'
import { MoreLikeThisQuery } from './query/more-like-this-query.js'
import { MultiPhraseQuery } from './query/multi-phrase-query.js'
import { NearQuery } from './query/near-query.js'
import { NumberRangeQuery } from './query/number-range-query.js'
import { PhraseQuery } from './query/phrase-query.js'
import { PrefixQuery } from './query/prefix-query.js'
import type { Query } from './query/query.js'
import { RegexpQuery } from './query/regexp-query.js'
import { StaticRankQuery } from './query/static-rank-query.js'
import { TermQuery } from './query/term-query.js'
import { TermRangeQuery } from './query/term-range-query.js'
import { TermSetQuery } from './query/term-set-query.js'
import { WildcardQuery } from './query/wildcard-query.js'
import { BM25Similarity } from './similarity/bm25-similarity.js'
import { BooleanSimilarity } from './similarity/boolean-similarity.js'
import { ClassicSimilarity } from './similarity/classic-similarity.js'
import { PerFieldSimilarity } from './similarity/per-field-similarity.js'
import { Term } from './term.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)

const word = (): string => `w${Math.floor(30 * random.next() ** 2)}`
const words = (most: number): string[] => Array.from({ length: 1 + random.below(most) }, word)
const field = (): string => random.pick(['title', 'body', 'tag'])

const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer(), memoryBudget: 60_000 })
for (let i = 0; i < 1200; i++) {
  const document = new Document()
    .add(Field.keyword('id', String(i)))
    .add(Field.keyword('tag', word()))
    .add(Field.text('title', words(4).join(' ')))
    .add(Field.text('body', words(random.below(40) + 1).join(' ')))
  if (random.next() < 0.8) document.add(Field.float('rank', random.next() * 10))
  await writer.addDocument(document)
}
for (let i = 0; i < 60; i++) await writer.deleteDocuments({ field: 'id', text: String(random.below(1200)) })
await writer.close()

const FUNCTIONS: readonly ScoreFunction[] = [
  { kind: 'value', field: 'rank' },
  { kind: 'value', field: 'rank', modifier: 'ln1p' },
  { kind: 'saturation', field: 'rank', pivot: 2 },
  { kind: 'logarithm', field: 'rank', shift: 2 },
  { kind: 'exponential', field: 'rank', origin: 4, scale: 3, offset: 1, decay: 0.25 },
  { kind: 'gauss', field: 'rank', origin: 4, scale: 3, offset: 1, decay: 0.25 },
  { kind: 'linear', field: 'rank', origin: 4, scale: 3, offset: 1, decay: 0.25 },
]

function randomQuery(depth: number): Query {
  const inner = (): Query => randomQuery(depth - 1)
  const term = (): TermQuery => new TermQuery(new Term(field(), word()))
  const text = (): string => random.pick(['title', 'body'])
  const several = (): Query[] => Array.from({ length: 1 + random.below(3) }, inner)
  const leaves: (() => Query)[] = [
    term,
    () => new PhraseQuery(text(), words(2).concat(word()), undefined, random.pick([0, 0, 2, 8])),
    () => new MultiPhraseQuery(text(), [words(3), words(2)], undefined, random.pick([0, 3])),
    () => {
      const terms = words(3).map((text) => new Term('body', text))
      return new NearQuery(terms, { slop: 4, inOrder: random.pick([true, false]) })
    },
    () => new PrefixQuery(field(), `w${random.below(3)}`),
    () => new WildcardQuery(field(), random.pick(['w?', 'w*1', '*2'])),
    () => new RegexpQuery(field(), random.pick(['w[1-4]', 'w.*2', 'w1|w3'])),
    () => new FuzzyQuery(field(), word(), { maxEdits: random.pick([1, 2]) }),
    () => new TermSetQuery(field(), words(5)),
    () => new MoreLikeThisQuery({ body: words(30).join(' ') }, new WhitespaceAnalyzer(), { boost: true }),
    () =>
      new CombinedFieldQuery(
        [
          { name: 'title', weight: random.pick([0, 2]), bonus: random.pick([0, 0.2]) },
          { name: 'body', weight: 1, bonus: 0 },
        ],
        word(),
      ),
    () => new MatchAllQuery(),
    () => new NumberRangeQuery('rank', { gte: random.below(8) }),
    () => new TermRangeQuery('tag', 'w1', 'w2'),
    () => new ExistsQuery('rank'),
  ]
  const nodes: (() => Query)[] = [
    () => new BoostQuery(inner(), random.pick([0, 0.5, 3])),
    () => new ConstantScoreQuery(inner()),
    () => new FilterQuery(inner()),
    () => new DisjunctionMaxQuery(several(), random.pick([0, 0.3, 1])),
    () => new CoverageQuery(several()),
    () =>
      new FunctionScoreQuery(
        inner(),
        { ...random.pick(FUNCTIONS), ...random.pick([{}, { base: 1, weight: 0.3 }, { missing: 2 }]) },
        { combine: random.pick(['multiply', 'add', 'replace'] as const) },
      ),
    () => new StaticRankQuery(inner(), 'rank', { factor: 0.5, pivot: 2 }),
    () => {
      const occurs: Occur[] = ['must', 'should', 'should', 'should', 'mustNot', 'filter']
      const clauses = several().map((query) => ({ query, occur: random.pick(occurs) }))
      return new BooleanQuery(clauses, random.pick([0, 0, 1, 2]))
    },
  ]
  return random.pick(depth === 0 ? leaves : [...nodes, ...nodes, ...leaves])()
}

/** Formulas by the beginning of the description: value of the node by those of its details. */
const FORMULAS: readonly [RegExp, (...values: number[]) => number][] = [
  [
    /^tf: freq \/ \(freq \+ k1 /,
    (freq, k1, b, length, average) => freq! / (freq! + k1! * (1 - b! + (b! * length!) / average!)),
  ],
  [/^idf: ln\(1 \+ \(N − df \+ 0\.5\)/, (n, df) => Math.log(1 + (n! - df! + 0.5) / (df! + 0.5))],
  [/^idf: 1 \+ ln\(\(N \+ 1\)/, (n, df) => 1 + Math.log((n! + 1) / (df! + 1))],
  [/^tf: √freq$/, (freq) => Math.sqrt(freq!)],
  [/^length norm: 1 \/ √length$/, (length) => 1 / Math.sqrt(length!)],
  [/^coverage: 1 \+ 0\.25 × s²$/, (share) => 1 + 0.25 * share! * share!],
  [/^function: x$/, (x) => x!],
  [/^function: ln\(1 \+ x\)$/, (x) => Math.log(1 + x!)],
  [/^function: x \/ \(x \+ 2\)$/, (x) => x! / (x! + 2)],
  [/^function: ln\(2 \+ x\)$/, (x) => Math.log(2 + x!)],
  [/^function: 0\.25 \^ d, d = max\(0, \|x − 4\| − 1\) \/ 3$/, (x) => 0.25 ** (Math.max(0, Math.abs(x! - 4) - 1) / 3)],
  [/^function: 0\.25 \^ \(d²\), d =/, (x) => 0.25 ** ((Math.max(0, Math.abs(x! - 4) - 1) / 3) ** 2)],
  [/^function: max\(0, 1 − 0\.75 × d\), d =/, (x) => Math.max(0, 1 - 0.25 * Math.max(0, Math.abs(x! - 4) - 1))],
]

const seen = new Set<string>()

/** @returns what is wrong in the tree */
function faultIn(node: Explanation): string | null {
  const values = node.details.map((detail) => detail.value)
  let made = node.value
  let tolerance = 1e-12
  if (node.operator === '+') made = values.reduce((a, b) => a + b, 0)
  else if (node.operator === '×') made = values.reduce((a, b) => a * b, 1)
  else if (node.operator === 'max') made = Math.max(...values)
  else if (values.length > 0 && node.description !== 'constant score of') {
    const formula = FORMULAS.find(([start]) => start.test(node.description))
    if (formula === undefined) return `no operator and no known formula: ${node.description}`
    made = formula[1](...values)
    tolerance = 1e-9
    seen.add(node.description)
  }
  if (node.operator !== undefined) seen.add(node.operator)
  if (!(Math.abs(made - node.value) <= tolerance * Math.abs(node.value))) {
    return `${node.description}: ${node.value} is not ${made} of ${values.join(', ')}`
  }
  for (const detail of node.details) {
    const fault = faultIn(detail)
    if (fault !== null) return fault
  }
  return null
}

async function checkQueries(t: Test, searcher: IndexSearcher, count: number): Promise<void> {
  let matching = 0
  for (let n = 0; n < count; n++) {
    const query = randomQuery(1 + random.below(3))
    const hits = await searcher.search(query, { limit: 1200 })
    const found = new Map(Array.from({ length: hits.loaded }, (_, i) => [hits.docId(i), hits.score(i)]))
    for (const doc of [hits.length > 0 ? hits.docId(0) : 0, random.below(1100), random.below(1100)]) {
      const tree = await searcher.explain(query, doc)
      const score = found.get(doc)
      if (tree.match !== (score !== undefined)) t.fail(`${query}: document ${doc} matches: ${score !== undefined}`)
      if (!tree.match) continue
      matching++
      if (tree.value !== score) t.fail(`${query}: document ${doc} has ${score}, and ${tree.value} is explained`)
      const fault = faultIn(tree)
      if (fault !== null) t.fail(`${query}: ${fault}`)
    }
  }
  t.ok(matching > count, `${matching} explanations`)
}

const similarities = [
  new BM25Similarity(),
  new ClassicSimilarity(),
  new PerFieldSimilarity(
    { tag: new BooleanSimilarity(), title: new BM25Similarity({ b: 0.2 }) },
    new ClassicSimilarity(),
  ),
]
for (const similarity of similarities) {
  t.test(similarity.name, async (t) => {
    const searcher = await IndexSearcher.open(directory, { similarity })
    await checkQueries(t, searcher, 250)
    await searcher.close()
  })
}

t.test('every operator and formula was there', async (t) => {
  for (const operator of ['+', '×', 'max']) t.ok(seen.has(operator), operator)
  for (const [start] of FORMULAS)
    t.ok(
      [...seen].some((description) => start.test(description)),
      String(start),
    )
})

t.test('a field has the formula that it was given', async (t) => {
  const perField = new PerFieldSimilarity({ tag: new BooleanSimilarity() })
  const searcher = await IndexSearcher.open(directory, { similarity: perField })
  const plain = await IndexSearcher.open(directory)
  const tag = new BoostQuery(new TermQuery(new Term('tag', 'w1')), 3)
  const tags = await searcher.search(tag)
  t.ok(tags.length > 0)
  for (let i = 0; i < tags.loaded; i++) if (tags.score(i) !== 3) t.fail('the boost alone counts')
  const body = new TermQuery(new Term('body', 'w1'))
  t.equal((await searcher.search(body)).score(0), (await plain.search(body)).score(0))
  await searcher.close()
  await plain.close()
})
