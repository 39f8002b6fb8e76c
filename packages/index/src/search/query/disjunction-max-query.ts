/** The best of several alternatives: one word looked for in several fields. */
import type { SearchContext } from '../search-context.js'
import { DisjunctionMaxWeight } from '../weight/disjunction-max-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Matches what any of the queries matches; the score is the best one plus `tieBreaker` times each of the others.
 * @example
 * ```ts
 * import {
 *   BoostQuery,
 *   DisjunctionMaxQuery,
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
 * for (const { title, body } of [
 *   { title: 'Silk', body: 'a fibre of moths' },
 *   { title: 'Trade', body: 'silk for horses' },
 * ]) {
 *   await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const query = new DisjunctionMaxQuery([
 *   new BoostQuery(new TermQuery(new Term('title', 'silk')), 3),
 *   new TermQuery(new Term('body', 'silk')),
 * ])
 * const hits = await searcher.search(query)
 * console.log(hits.length, (await hits.doc(0)).get('title')) // 2 Silk
 * ```
 */
export class DisjunctionMaxQuery extends Query {
  readonly queries: readonly Query[]
  readonly tieBreaker: number

  /** @throws RangeError where the tie breaker is not between 0 (only the best counts) and 1 (their sum) */
  constructor(queries: readonly Query[], tieBreaker = 0) {
    super()
    if (!(tieBreaker >= 0 && tieBreaker <= 1)) {
      throw new RangeError(`A tie breaker must be between 0 and 1: ${tieBreaker}`)
    }
    this.queries = queries
    this.tieBreaker = tieBreaker
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return new DisjunctionMaxWeight(
      context,
      this.queries.map((query) => query.createWeight(context, boost)),
      this.tieBreaker,
    )
  }

  visit(visitor: QueryVisitor): void {
    for (const query of this.queries) query.visit(visitor)
  }

  toString(defaultField = ''): string {
    const inner = this.queries.map((query) => query.toString(defaultField)).join(' | ')
    return `(${inner})${this.tieBreaker === 0 ? '' : `~${this.tieBreaker}`}`
  }
}
