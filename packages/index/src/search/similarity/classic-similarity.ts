/**
 * TF-IDF of the vector space model as Lucene's ClassicSimilarity computes it since version 8: without query norm and
 * coordination, and with idf once (the older form squared it, once for the query and once for the document):
 * `boost · idf · √freq / √length`, idf = `1 + ln((N + 1) / (df + 1))`.
 */
import { byte4ToInt } from '../../codec/small-float.js'
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import { type Explanation, explainMatch } from '../explanation.js'
import { NO_NORM, type Similarity, type SimScorer } from './similarity.js'

/** The classic TF-IDF weighting. */
export class ClassicSimilarity implements Similarity {
  readonly name = 'TF-IDF'

  /** `1 + ln((N + 1) / (df + 1))`, N the number of documents that have the field. */
  idf(docFreq: number, docCount: number): number {
    return 1 + Math.log((docCount + 1) / (docFreq + 1))
  }

  scorer(boost: number, collection: CollectionStats, terms: readonly TermStats[]): SimScorer {
    let idf = 0
    for (const term of terms) idf += this.idf(term.docFreq, collection.docCount)
    return new ClassicScorer(boost, idf)
  }
}

class ClassicScorer implements SimScorer {
  readonly weight: number
  readonly #boost: number
  readonly #idf: number
  /** 1 / √length for each of the 256 norms. */
  readonly #lengthNorm = new Float64Array(256)

  constructor(boost: number, idf: number) {
    this.#boost = boost
    this.#idf = idf
    this.weight = boost * idf
    // Norm 0 means that the document lacks the field, so it never meets a posting; any finite value will do.
    this.#lengthNorm[0] = 1
    for (let i = 1; i < 256; i++) this.#lengthNorm[i] = 1 / Math.sqrt(byte4ToInt(i))
  }

  score(freq: number, norm: number): number {
    return Math.sqrt(freq) * this.weight * this.#lengthNorm[norm]!
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
    const lengthNorm = this.#lengthNorm
    for (let i = from; i < to; i++) {
      const norm = norms === null ? NO_NORM : norms[docs[i]!]!
      out[i] = Math.sqrt(freqs[i]!) * weight * lengthNorm[norm]!
    }
  }

  explain(freq: number, norm: number): Explanation {
    return explainMatch(this.score(freq, norm), 'TF-IDF score: boost × idf × tf × length norm', [
      explainMatch(this.#boost, 'boost'),
      explainMatch(this.#idf, 'idf: 1 + ln((N + 1) / (df + 1)), summed over the terms'),
      explainMatch(Math.sqrt(freq), 'tf: √freq', [explainMatch(freq, 'freq: occurrences in the field')]),
      explainMatch(this.#lengthNorm[norm]!, 'length norm: 1 / √length', [
        explainMatch(byte4ToInt(norm), 'length of the field, rounded down to one byte'),
      ]),
    ])
  }
}
