/**
 * TF-IDF of the vector space model as Lucene's ClassicSimilarity computes it since version 8: without query norm and
 * coordination, and with idf once (the older form squared it, once for the query and once for the document):
 * `boost · idf · √freq / √length`, idf = `1 + ln((N + 1) / (df + 1))`.
 */
import { byte4ToInt } from '../../codec/small-float.js'
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import { type Explanation, explainMatch, explainProduct } from '../explanation.js'
import { explainIdf } from './explain-idf.js'
import { NO_NORM, type Similarity, type SimScorer } from './similarity.js'

/** 1 / √length for each of the 256 norms. Norm 0 means that the document lacks the field, so it never meets a posting. */
const LENGTH_NORMS = Float64Array.from({ length: 256 }, (_, norm) => (norm === 0 ? 1 : 1 / Math.sqrt(byte4ToInt(norm))))

/**
 * The classic TF-IDF weighting.
 * @example
 * ```ts
 * import { ClassicSimilarity, Document, Field, IndexSearcher, IndexWriter, MemoryDirectory, StandardAnalyzer, Term, TermQuery } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * await writer.addDocument(new Document().add(Field.text('body', 'silk silk silk silk')))
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory, { similarity: new ClassicSimilarity() })
 *
 * // tf √4 × idf 1 + ln(2 / 2) × length norm 1 / √4
 * console.log((await searcher.search(new TermQuery(new Term('body', 'silk')))).score(0)) // 1
 * ```
 */
export class ClassicSimilarity implements Similarity {
  readonly name = 'TF-IDF'

  /** `1 + ln((N + 1) / (df + 1))`, N the number of documents that have the field. */
  idf(docFreq: number, docCount: number): number {
    return 1 + Math.log((docCount + 1) / (docFreq + 1))
  }

  scorer(boost: number, collection: CollectionStats, terms: readonly TermStats[]): SimScorer {
    return new ClassicScorer(this, boost, collection, terms)
  }
}

class ClassicScorer implements SimScorer {
  readonly weight: number
  readonly #similarity: ClassicSimilarity
  readonly #boost: number
  readonly #collection: CollectionStats
  readonly #terms: readonly TermStats[]

  constructor(similarity: ClassicSimilarity, boost: number, collection: CollectionStats, terms: readonly TermStats[]) {
    this.#similarity = similarity
    this.#boost = boost
    this.#collection = collection
    this.#terms = terms
    let idf = 0
    for (const { docFreq } of terms) idf += similarity.idf(docFreq, collection.docCount)
    this.weight = boost * idf
  }

  score(freq: number, norm: number): number {
    return Math.sqrt(freq) * this.weight * LENGTH_NORMS[norm]!
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
    for (let i = from; i < to; i++) {
      const norm = norms === null ? NO_NORM : norms[docs[i]!]!
      out[i] = Math.sqrt(freqs[i]!) * weight * LENGTH_NORMS[norm]!
    }
  }

  explain(freq: number, norm: number): Explanation {
    return explainProduct(this.score(freq, norm), 'TF-IDF score: boost × idf × tf × length norm', [
      explainMatch(this.#boost, 'boost'),
      explainIdf('1 + ln((N + 1) / (df + 1))', this.#similarity, this.#collection, this.#terms),
      explainMatch(Math.sqrt(freq), 'tf: √freq', [explainMatch(freq, 'freq: occurrences in the field')]),
      explainMatch(LENGTH_NORMS[norm]!, 'length norm: 1 / √length', [
        explainMatch(byte4ToInt(norm), 'length of the field, rounded down to one byte'),
      ]),
    ])
  }
}
