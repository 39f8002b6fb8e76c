/** Another query whose scores are multiplied by a factor. */
import type { SearchContext } from '../search-context.js'
import type { Weight } from '../weight/weight.js'
import { printBoost, Query, type QueryVisitor } from './query.js'

/**
 * Multiplies scores.
 * @example
 * ```ts
 * import {
 *   BoostQuery,
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
 * const query = new TermQuery(new Term('body', 'tea'))
 * const plain = await searcher.search(query)
 * const boosted = await searcher.search(new BoostQuery(query, 4))
 * console.log(boosted.score(0) === 4 * plain.score(0)) // true
 * ```
 */
export class BoostQuery extends Query {
  readonly query: Query
  readonly boost: number

  /** @throws RangeError where the boost is negative or not finite */
  constructor(query: Query, boost: number) {
    super()
    if (!(boost >= 0 && boost < Infinity)) throw new RangeError(`A boost must be a finite number ≥ 0: ${boost}`)
    this.query = query
    this.boost = boost
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return this.query.createWeight(context, boost * this.boost)
  }

  visit(visitor: QueryVisitor): void {
    this.query.visit(visitor)
  }

  toString(defaultField = ''): string {
    return `(${this.query.toString(defaultField)})${printBoost(this.boost)}`
  }
}
