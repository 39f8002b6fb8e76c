/** Scores that tell only what matches: Lucene's BooleanSimilarity. For fields of names, codes and choices. */
import type { CollectionStats } from '../../reading/index-reader.js'
import { type Explanation, explainMatch } from '../explanation.js'
import type { Similarity, SimScorer } from './similarity.js'

/**
 * Each term or phrase that matches counts its boost, however rare or frequent it is.
 * @example
 * ```ts
 * import { BooleanSimilarity, Document, Field, IndexSearcher, IndexWriter, MemoryDirectory, QueryParser, StandardAnalyzer } from '@spindle/index'
 *
 * const analyzer = new StandardAnalyzer()
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer })
 * await writer.addDocument(new Document().add(Field.text('body', 'silk, silk and tea')))
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory, { similarity: new BooleanSimilarity() })
 *
 * console.log((await searcher.search(QueryParser.parse('silk tea^3', 'body', analyzer))).score(0)) // 4
 * ```
 */
export class BooleanSimilarity implements Similarity {
  readonly name = 'boolean'

  scorer(boost: number, _collection: CollectionStats): SimScorer {
    return new BooleanSimScorer(boost)
  }
}

class BooleanSimScorer implements SimScorer {
  readonly weight: number

  constructor(boost: number) {
    this.weight = boost
  }

  score(): number {
    return this.weight
  }

  scoreBlock(
    _docs: Int32Array,
    _freqs: Int32Array,
    from: number,
    to: number,
    _norms: Uint8Array | null,
    out: Float64Array,
  ): void {
    out.fill(this.weight, from, to)
  }

  explain(): Explanation {
    return explainMatch(this.weight, 'boolean score: boost')
  }
}
