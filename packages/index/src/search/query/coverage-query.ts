/** Alternatives of which a document should match as many as it can: an OR that rewards coverage. */
import type { SearchContext } from '../search-context.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { CoverageWeight } from '../weight/coverage-weight.js'
import type { Weight } from '../weight/weight.js'
import { BoostQuery } from './boost-query.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Matches what any of the queries matches; the score is the sum of those that match, times `1 + factor · s²`, where s
 * is the share of the matching queries in the idf of all.
 * @example
 * ```ts
 * import {
 *   CoverageQuery,
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
 * const query = new CoverageQuery(['silk', 'tea'].map((text) => new TermQuery(new Term('body', text))))
 * const hits = await searcher.search(query)
 * console.log(hits.length, (await hits.doc(0)).get('body')) // 3 silk and tea
 * ```
 */
export class CoverageQuery extends Query {
  readonly queries: readonly Query[]
  readonly factor: number

  /** @throws RangeError where the factor is negative or not finite */
  constructor(queries: readonly Query[], factor = 0.25) {
    super()
    if (!(factor >= 0 && factor < Infinity)) throw new RangeError(`A coverage factor must be ≥ 0: ${factor}`)
    this.queries = queries
    this.factor = factor
  }

  createWeight(context: SearchContext, boost: number): Weight {
    if (this.queries.length === 0) return new MatchNoneWeight()
    const weights = this.queries.map((query) => query.createWeight(context, boost))
    return new CoverageWeight(context, weights, this.factor)
  }

  visit(visitor: QueryVisitor): void {
    for (const query of this.queries) query.visit(visitor)
  }

  toString(defaultField = ''): string {
    const inner = this.queries.map((query) => {
      const text = query.toString(defaultField)
      return query instanceof BoostQuery || !text.includes(' ') || text.startsWith('"') ? text : `(${text})`
    })
    return `{${inner.join(' ')}}`
  }
}
