/**
 * BM25F (Robertson, Zaragoza and Taylor 2004): the frequencies of a word in several fields are added up with the
 * fields' weights before they saturate, and the length of the document is that of all fields together. So a word in a
 * short title is worth two or three more in the text, not a hit in a tiny document of its own.
 */
import { byte4ToInt } from '../../codec/small-float.js'
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import { type Explanation, explainMatch, explainProduct, explainSum } from '../explanation.js'

/** Parameters of the formula; the defaults are the best ones measured over eight English and four Chinese collections. */
export interface BM25FOptions {
  /** Saturation of the term frequency, ≥ 0; 1.2 where not given. */
  readonly k1?: number
  /** Influence of the length, 0 to 1; 0.6 where not given. */
  readonly b?: number
  /**
   * Exponent of the burst factor `(cf / df) ^ burst` of words written with letters: a word that comes in bursts is what
   * a document is about. 0.3 where not given.
   */
  readonly burst?: number
}

/** A word stuffed with repetitions gains no more than this from the burst factor. */
const MAX_BURST = 4
const LETTER = /\p{L}/u
const NO_ALPHABET = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** The formula for one term over some fields of one index. */
export class BM25FFormula {
  /** Boost × idf × burst factor. */
  readonly weight: number
  /** `k1 · (1 − b)`: what is in the divisor whatever the length. */
  readonly base: number
  /** `k1 · b · length / average length` of a field with each of the 256 norms; the fields' shares are added up. */
  readonly lengths = new Float64Array(256)
  readonly #boost: number
  readonly #idf: number
  readonly #docCount: number
  readonly #docFreq: number
  readonly #burst: number
  readonly #k1: number
  readonly #b: number
  readonly #averageLength: number

  /**
   * @param terms statistics of the term in each field where it is
   * @param collections sums of all the fields
   */
  constructor(
    boost: number,
    text: string,
    terms: readonly TermStats[],
    collections: readonly CollectionStats[],
    { k1 = 1.2, b = 0.6, burst = 0.3 }: BM25FOptions,
  ) {
    let docFreq = 0
    let collectionFreq = 0
    for (const term of terms) {
      // The largest one stands for the union, as in Lucene: what stands in a title is rarely absent from the text.
      docFreq = Math.max(docFreq, term.docFreq)
      collectionFreq += term.totalTermFreq
    }
    let docCount = 0
    let length = 0
    for (const collection of collections) {
      docCount = Math.max(docCount, collection.docCount)
      length += collection.sumTotalTermFreq
    }
    docCount = Math.max(docCount, docFreq)
    this.#boost = boost
    this.#docCount = docCount
    this.#docFreq = docFreq
    this.#idf = Math.log(1 + (docCount - docFreq + 0.5) / (docFreq + 0.5))
    const alphabetic = LETTER.test(text) && !NO_ALPHABET.test(text)
    this.#burst = alphabetic && docFreq > 0 ? Math.min(MAX_BURST, (collectionFreq / docFreq) ** burst) : 1
    this.weight = boost * this.#idf * this.#burst
    this.#k1 = k1
    this.#b = b
    this.#averageLength = docCount === 0 ? 1 : length / docCount || 1
    this.base = k1 * (1 - b)
    for (let i = 0; i < 256; i++) this.lengths[i] = (k1 * b * byte4ToInt(i)) / this.#averageLength
  }

  /**
   * Never falls when `freq` or `bonus` grow or `length` shrinks, in floating point as well: bounds are exact.
   * @param freq weighted sum of the frequencies
   * @param length sum of the `lengths` of the fields
   * @param bonus sum of the bonuses of the fields where the term is
   */
  score(freq: number, length: number, bonus: number): number {
    const weight = this.weight
    return weight - weight / (1 + freq / (this.base + length)) + weight * bonus
  }

  /** @param details how `freq` comes about, field by field */
  explain(freq: number, length: number, bonus: number, details: readonly Explanation[]): Explanation {
    const score = this.score(freq, length, bonus)
    const tf = freq === 0 ? 0 : 1 - 1 / (1 + freq / (this.base + length))
    const documentLength = (length * this.#averageLength) / (this.#k1 * this.#b || 1)
    return explainProduct(score, 'BM25F score: boost × idf × burst × (tf + bonus)', [
      explainMatch(this.#boost, 'boost'),
      explainMatch(this.#idf, 'idf: ln(1 + (N − df + 0.5) / (df + 0.5))', [
        explainMatch(this.#docCount, 'N: documents that have the field, of the field that most have'),
        explainMatch(this.#docFreq, 'df: documents that hold the term, of the field where it is most frequent'),
      ]),
      explainMatch(this.#burst, 'burst: (occurrences / documents) ^ exponent of a word of letters, at most 4'),
      explainSum(tf + bonus, 'tf + bonus', [
        explainMatch(tf, 'tf: freq / (freq + k1 × (1 − b + b × length / average length))', [
          explainSum(freq, 'freq: occurrences, weighted by field, sum of', details),
          explainMatch(this.#k1, 'k1'),
          explainMatch(this.#b, 'b'),
          explainMatch(documentLength, 'length of the fields together, each rounded down to one byte'),
          explainMatch(this.#averageLength, 'average length of the fields together'),
        ]),
        explainMatch(bonus, 'bonus: for the word standing in certain fields at all'),
      ]),
    ])
  }
}
