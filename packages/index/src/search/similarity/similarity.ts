/**
 * How a term's statistics, its frequency and the length of a field become a score. A {@link Similarity} knows the
 * collection; the {@link SimScorer} it makes knows one term (or phrase) and is what runs over postings.
 * Scores are computed a block at a time, so that the loop over postings calls nothing.
 *
 * A formula of one's own implements the two. Lengths are in the index (one byte a document and field, read by
 * {@link SimScorer.score} as `norm`), so any formula works on any index. Nothing else has to be told for pruning: the
 * index holds, for each block of postings, the pairs of frequency and norm that no other pair of the block beats in both,
 * and their greatest score is the bound of the block.
 */
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import type { Explanation } from '../explanation.js'

/**
 * Scores one term or phrase. `score` must not fall when `freq` grows or when the field gets shorter (a smaller norm),
 * and must never be negative: pruning takes the score of the best (freq, norm) pairs of a block as its upper bound.
 */
export interface SimScorer {
  /** Boost × idf, or the like: orders the clauses of a query, the heavier first; no bound of the score. */
  readonly weight: number
  /**
   * @param freq occurrences, > 0; of sloppy phrases a fraction
   * @param norm byte-coded length of the field (`byte4ToInt` decodes it), 1 where the field keeps no norms
   */
  score(freq: number, norm: number): number
  /**
   * Writes the scores of the documents `docs[from … to − 1]` into `out[from … to − 1]`: for each the very number
   * that {@link SimScorer.score} gives.
   * @param norms one byte a document, indexed by document id; null where the field keeps no norms
   */
  scoreBlock(
    docs: Int32Array,
    freqs: Int32Array,
    from: number,
    to: number,
    norms: Uint8Array | null,
    out: Float64Array,
  ): void
  explain(freq: number, norm: number): Explanation
}

/**
 * A scoring formula.
 * @example
 * ```ts
 * import {
 *   byte4ToInt,
 *   Document,
 *   type Explanation,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   type Similarity,
 *   type SimScorer,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * // Occurrences per word of the field.
 * class Density implements Similarity {
 *   readonly name = 'density'
 *
 *   scorer(boost: number): SimScorer {
 *     const score = (freq: number, norm: number): number => (boost * freq) / byte4ToInt(norm)
 *     return {
 *       weight: boost,
 *       score,
 *       scoreBlock: (docs, freqs, from, to, norms, out) => {
 *         for (let i = from; i < to; i++) out[i] = score(freqs[i]!, norms === null ? 1 : norms[docs[i]!]!)
 *       },
 *       explain: (freq, norm): Explanation => {
 *         return { match: true, value: score(freq, norm), description: 'boost × freq / length', details: [] }
 *       },
 *     }
 *   }
 * }
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * await writer.addDocument(new Document().add(Field.text('body', 'silk and silk road')))
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory, { similarity: new Density() })
 * console.log((await searcher.search(new TermQuery(new Term('body', 'silk')))).score(0)) // 0.5
 * ```
 */
export interface Similarity {
  /** Its name, for explanations and figures. */
  readonly name: string
  /**
   * @param boost factor ≥ 0 from the query
   * @param collection sums of the field over the whole index
   * @param terms statistics over the whole index: one for a term, several for a phrase
   */
  scorer(boost: number, collection: CollectionStats, terms: readonly TermStats[]): SimScorer
}

/** The norm of a field that keeps none: a length of 1. */
export const NO_NORM = 1
