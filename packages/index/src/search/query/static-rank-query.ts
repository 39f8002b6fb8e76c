/** Another query whose scores grow with a number of the document that has nothing to do with the query, such as its PageRank. */
import { FieldFunction } from '../function/field-function.js'
import type { SearchContext } from '../search-context.js'
import { FunctionScoreWeight } from '../weight/function-score-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/** How much the number counts. */
export interface StaticRankOptions {
  /** A score is multiplied by at most 1 + factor; 0.2 where not given. */
  readonly factor?: number
  /** The number at which half of the factor is reached, > 0; 1 where not given. */
  readonly pivot?: number
}

/**
 * Matches what the query matches. The score is the query's times `1 + factor · r / (r + pivot)`, where r is the value of the field;
 * documents with none, or one below 0, keep their score. It saturates (Craswell et al. 2005): great numbers count like large ones.
 * A {@link FunctionScoreQuery} with saturation, in short.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   StaticRankQuery,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const { title, links } of [
 *   { title: 'Silk', links: 1 },
 *   { title: 'Silk road', links: 40 },
 * ]) {
 *   await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.integer('links', links)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const query = new TermQuery(new Term('title', 'silk'))
 * const ranked = new StaticRankQuery(query, 'links', { factor: 0.5, pivot: 5 })
 * console.log((await (await searcher.search(query)).doc(0)).get('title')) // Silk
 * console.log((await (await searcher.search(ranked)).doc(0)).get('title')) // Silk road
 * ```
 */
export class StaticRankQuery extends Query {
  readonly query: Query
  readonly field: string
  readonly factor: number
  readonly pivot: number
  readonly #ready: FieldFunction

  /** @throws RangeError where the factor is negative or the pivot not positive */
  constructor(query: Query, field: string, { factor = 0.2, pivot = 1 }: StaticRankOptions = {}) {
    super()
    this.query = query
    this.field = field
    this.factor = factor
    this.pivot = pivot
    this.#ready = new FieldFunction({ kind: 'saturation', field, pivot, base: 1, weight: factor }, 'multiply')
  }

  createWeight(context: SearchContext, boost: number): Weight {
    if (context.similarity === null || this.factor === 0) return this.query.createWeight(context, boost)
    return new FunctionScoreWeight(context, this.query.createWeight(context, 1), this.#ready, boost)
  }

  visit(visitor: QueryVisitor): void {
    this.query.visit(visitor)
  }

  toString(defaultField = ''): string {
    return `rank(${this.query.toString(defaultField)}, ${this.field})`
  }
}
