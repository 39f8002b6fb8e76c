/** The documents of another query, all with one score: filters, and conditions that should not rank. */
import type { SearchContext } from '../search-context.js'
import { ConstantScoreWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Matches what the inner query matches, with the score 1 (times boosts around it).
 * @example
 * ```ts
 * import {
 *   BoostQuery,
 *   ConstantScoreQuery,
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['silk and tea', 'silk, silk and silk', 'porcelain and tea']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const query = new ConstantScoreQuery(new TermQuery(new Term('body', 'silk')))
 * const hits = await searcher.search(new BoostQuery(query, 2))
 * console.log(hits.score(0), hits.score(1)) // 2 2
 * ```
 */
export class ConstantScoreQuery extends Query {
  readonly query: Query

  constructor(query: Query) {
    super()
    this.query = query
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return new ConstantScoreWeight(context, this.query.createWeight(context.withoutScores(), 1), boost)
  }

  visit(visitor: QueryVisitor): void {
    this.query.visit(visitor)
  }

  toString(defaultField = ''): string {
    return `ConstantScore(${this.query.toString(defaultField)})`
  }
}
