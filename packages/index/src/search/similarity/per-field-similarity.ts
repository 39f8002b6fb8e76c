/** A formula for each field: lengths and frequencies mean one thing in a text and another in a title or a list of names. */
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import { BM25Similarity } from './bm25-similarity.js'
import type { Similarity, SimScorer } from './similarity.js'

/**
 * Scores each field by a formula of its own.
 * @example
 * ```ts
 * import {
 *   BM25Similarity,
 *   BooleanSimilarity,
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   PerFieldSimilarity,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * await writer.addDocument(new Document().add(Field.keyword('tag', 'trade')).add(Field.text('body', 'silk road')))
 * await writer.close()
 * const similarity = new PerFieldSimilarity({ tag: new BooleanSimilarity() }, new BM25Similarity())
 * const searcher = await IndexSearcher.open(directory, { similarity })
 *
 * console.log((await searcher.search(new TermQuery(new Term('tag', 'trade')))).score(0)) // 1
 * console.log((await searcher.search(new TermQuery(new Term('body', 'silk')))).score(0).toFixed(2)) // 0.13
 * ```
 */
export class PerFieldSimilarity implements Similarity {
  readonly name = 'per field'
  readonly #fields: ReadonlyMap<string, Similarity>
  readonly #others: Similarity

  /** @param others for fields that are not named; BM25 where not given */
  constructor(fields: Readonly<Record<string, Similarity>>, others: Similarity = new BM25Similarity()) {
    this.#fields = new Map(Object.entries(fields))
    this.#others = others
  }

  /** The formula of a field. */
  of(field: string): Similarity {
    return this.#fields.get(field) ?? this.#others
  }

  scorer(boost: number, collection: CollectionStats, terms: readonly TermStats[]): SimScorer {
    return this.of(collection.field).scorer(boost, collection, terms)
  }
}
