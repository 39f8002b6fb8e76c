/**
 * BM25 as Lucene computes it since version 8: without the factor (k1 + 1), which changes no ranking, and in the form
 * `w − w / (1 + freq · n)`, which is monotonic in floating point as well, so that bounds are exact.
 */
import { byte4ToInt } from '../../codec/small-float.js'
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import { type Explanation, explainMatch, explainProduct } from '../explanation.js'
import { explainIdf } from './explain-idf.js'
import { NO_NORM, type Similarity, type SimScorer } from './similarity.js'

/** Parameters of {@link BM25Similarity}. */
export interface BM25Options {
  /** Saturation of the term frequency, ≥ 0; 1.2 where not given. */
  readonly k1?: number
  /** Influence of the field's length, 0 to 1; 0.75 where not given. */
  readonly b?: number
}

/** Tables kept; each commit brings new average lengths. */
const MAX_TABLES = 64

/**
 * Okapi BM25: `boost · idf · freq / (freq + k1 · (1 − b + b · length / average length))`.
 * @example
 * ```ts
 * import { BM25Similarity, Document, Field, IndexSearcher, IndexWriter, MemoryDirectory, StandardAnalyzer, Term, TermQuery } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['silk', 'silk is spun of the threads of moths']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const query = new TermQuery(new Term('body', 'silk'))
 *
 * const usual = await IndexSearcher.open(directory)
 * const hits = await usual.search(query)
 * console.log(hits.score(0) > hits.score(1)) // true
 *
 * const lengthIgnored = await IndexSearcher.open(directory, { similarity: new BM25Similarity({ b: 0 }) })
 * const even = await lengthIgnored.search(query)
 * console.log(even.score(0) === even.score(1)) // true
 * ```
 */
export class BM25Similarity implements Similarity {
  readonly name = 'BM25'
  readonly k1: number
  readonly b: number
  /** Tables by average length: the terms of a field share one, and a query may have a thousand terms. */
  readonly #tables = new Map<number, Float64Array>()

  /** @throws RangeError where a parameter is out of its range */
  constructor(options: BM25Options = {}) {
    this.k1 = options.k1 ?? 1.2
    this.b = options.b ?? 0.75
    if (!(this.k1 >= 0 && this.k1 < Infinity)) throw new RangeError(`BM25 k1 must be a finite number ≥ 0: ${this.k1}`)
    if (!(this.b >= 0 && this.b <= 1)) throw new RangeError(`BM25 b must be between 0 and 1: ${this.b}`)
  }

  /** `ln(1 + (N − df + 0.5) / (df + 0.5))`, N the number of documents that have the field. */
  idf(docFreq: number, docCount: number): number {
    return Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5))
  }

  scorer(boost: number, collection: CollectionStats, terms: readonly TermStats[]): SimScorer {
    const averageLength = collection.docCount === 0 ? 1 : collection.sumTotalTermFreq / collection.docCount || 1
    return new BM25Scorer(this, boost, collection, terms, averageLength, this.#table(averageLength))
  }

  /** 1 / (k1 · (1 − b + b · length / average length)) for each of the 256 norms. */
  #table(averageLength: number): Float64Array {
    let table = this.#tables.get(averageLength)
    if (table === undefined) {
      table = new Float64Array(256)
      for (let i = 0; i < 256; i++) {
        table[i] = 1 / (this.k1 * (1 - this.b + (this.b * byte4ToInt(i)) / averageLength))
      }
      if (this.#tables.size >= MAX_TABLES) this.#tables.clear()
      this.#tables.set(averageLength, table)
    }
    return table
  }
}

class BM25Scorer implements SimScorer {
  readonly weight: number
  readonly #similarity: BM25Similarity
  readonly #boost: number
  readonly #collection: CollectionStats
  readonly #terms: readonly TermStats[]
  readonly #averageLength: number
  readonly #inverse: Float64Array

  constructor(
    similarity: BM25Similarity,
    boost: number,
    collection: CollectionStats,
    terms: readonly TermStats[],
    averageLength: number,
    inverse: Float64Array,
  ) {
    this.#similarity = similarity
    this.#boost = boost
    this.#collection = collection
    this.#terms = terms
    this.#averageLength = averageLength
    this.#inverse = inverse
    let idf = 0
    for (const { docFreq } of terms) idf += similarity.idf(docFreq, collection.docCount)
    this.weight = boost * idf
  }

  score(freq: number, norm: number): number {
    return this.weight - this.weight / (1 + freq * this.#inverse[norm]!)
  }

  scoreBlock(
    docs: Int32Array,
    freqs: Int32Array,
    from: number,
    to: number,
    norms: Uint8Array | null,
    out: Float64Array,
  ): void {
    const weight = this.weight
    const inverse = this.#inverse
    if (norms === null) {
      const n = inverse[NO_NORM]!
      for (let i = from; i < to; i++) out[i] = weight - weight / (1 + freqs[i]! * n)
    } else {
      for (let i = from; i < to; i++) out[i] = weight - weight / (1 + freqs[i]! * inverse[norms[docs[i]!]!]!)
    }
  }

  explain(freq: number, norm: number): Explanation {
    const score = this.score(freq, norm)
    const { k1, b } = this.#similarity
    // From the score, so that the product is right to the last digits where the frequency counts for little.
    const tf = this.weight === 0 ? 1 - 1 / (1 + freq * this.#inverse[norm]!) : score / this.weight
    return explainProduct(score, 'BM25 score: boost × idf × tf', [
      explainMatch(this.#boost, 'boost'),
      explainIdf('ln(1 + (N − df + 0.5) / (df + 0.5))', this.#similarity, this.#collection, this.#terms),
      explainMatch(tf, 'tf: freq / (freq + k1 × (1 − b + b × length / average length))', [
        explainMatch(freq, 'freq: occurrences in the field'),
        explainMatch(k1, 'k1'),
        explainMatch(b, 'b'),
        explainMatch(byte4ToInt(norm), 'length of the field, rounded down to one byte'),
        explainMatch(this.#averageLength, 'average length of the field'),
      ]),
    ])
  }
}
