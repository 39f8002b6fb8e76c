/** Any formula that follows the rules of SimScorer is pruned rightly: its bounds come from the formula itself. */
import t from 'tap'
import { byte4ToInt } from '../../codec/small-float.js'
import { Document } from '../../document/document.js'
import { Field } from '../../document/field.js'
import { IndexWriter } from '../../indexing/index-writer.js'
import { MemoryDirectory } from '../../store/memory-directory.js'
import { Random, testSeed } from '../../test-support/random.js'
import { WhitespaceAnalyzer } from '../../test-support/whitespace-analyzer.js'
import { explainMatch } from '../explanation.js'
import { IndexSearcher } from '../index-searcher.js'
import { BooleanQuery } from '../query/boolean-query.js'
import { PhraseQuery } from '../query/phrase-query.js'
import type { Query } from '../query/query.js'
import { TermQuery } from '../query/term-query.js'
import { Term } from '../term.js'
import { BM25Similarity } from './bm25-similarity.js'
import { BooleanSimilarity } from './boolean-similarity.js'
import { ClassicSimilarity } from './classic-similarity.js'
import { PerFieldSimilarity } from './per-field-similarity.js'
import { NO_NORM, type Similarity } from './similarity.js'

const seed = testSeed()
t.comment(`SEED=${seed}`)
const random = new Random(seed)
const DOCS = 5000

const directory = new MemoryDirectory()
const writer = await IndexWriter.open(directory, { analyzer: new WhitespaceAnalyzer() })
const words = (most: number): string =>
  Array.from({ length: 1 + random.below(most) }, () => `w${Math.floor(60 * random.next() ** 3)}`).join(' ')
for (let i = 0; i < DOCS; i++) {
  await writer.addDocument(
    new Document().add(Field.text('title', words(5))).add(Field.text('body', words(1 + random.below(60)))),
  )
  if (i === 900) await writer.commit()
}
await writer.close()

/** A formula of one's own, from a function of frequency and length. */
function formula(name: string, of: (freq: number, length: number) => number): Similarity {
  return {
    name,
    scorer(boost) {
      const score = (freq: number, norm: number): number => boost * of(freq, byte4ToInt(norm))
      return {
        weight: boost,
        score,
        scoreBlock(docs, freqs, from, to, norms, out) {
          for (let i = from; i < to; i++) out[i] = score(freqs[i]!, norms === null ? NO_NORM : norms[docs[i]!]!)
        },
        explain: (freq, norm) => explainMatch(score(freq, norm), name),
      }
    },
  }
}

const density = formula('density', (freq, length) => freq / length)
const similarities: readonly Similarity[] = [
  new BM25Similarity(),
  new BM25Similarity({ k1: 0, b: 1 }),
  new ClassicSimilarity(),
  new BooleanSimilarity(),
  density,
  formula('frequency', (freq) => freq),
  formula('brevity', (_, length) => 1 / length),
  new PerFieldSimilarity({ title: density }),
]
const term = (field: string) => new TermQuery(new Term(field, `w${random.below(20)}`))

for (const [n, similarity] of similarities.entries()) {
  t.test(`${n}: ${similarity.name}`, async (t) => {
    const searcher = await IndexSearcher.open(directory, { similarity })
    for (let round = 0; round < 12; round++) {
      const several = (occur: 'must' | 'should', count: number): Query =>
        new BooleanQuery(Array.from({ length: count }, () => ({ query: term(random.pick(['title', 'body'])), occur })))
      const phrase = new PhraseQuery('body', ['w0', `w${random.below(4)}`], undefined, random.pick([0, 2]))
      for (const query of [term('body'), several('should', 3), several('must', 2), phrase]) {
        const all = await searcher.search(query, { limit: DOCS })
        const pruned = await searcher.search(query, { limit: 10, totalHits: 0 })
        const listed = (hits: typeof all) =>
          Array.from({ length: Math.min(10, hits.loaded) }, (_, i) => [hits.docId(i), hits.score(i)])
        t.same(listed(pruned), listed(all), String(query))
      }
    }
    await searcher.close()
  })
}
