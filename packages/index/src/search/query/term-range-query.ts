/** Terms between two bounds, by the order of their UTF-8 bytes (that of code points). */
import { TermBounds, type TermRange } from '../automaton/term-bounds.js'
import type { SearchContext } from '../search-context.js'
import { termRangeWeight } from '../weight/term-range-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Documents with a term of a field in a range, all with a constant score. Where the field has ordinals, they are
 * compared; otherwise the lists of all terms in the range go into one bit set.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   TermRangeQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['amber', 'silk', 'tea']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new TermRangeQuery('body', 'b', 'tea'))) // 2
 * console.log(await searcher.count(new TermRangeQuery('body', 'b', 'tea', true, false))) // 1
 * console.log(await searcher.count(new TermRangeQuery('body', 'b', null))) // 2
 * ```
 */
export class TermRangeQuery extends Query {
  readonly field: string
  readonly range: TermRange
  readonly #bounds: TermBounds

  /** Bounds count as inside where not told otherwise. */
  constructor(field: string, lower: string | null, upper: string | null, includeLower = true, includeUpper = true) {
    super()
    this.field = field
    this.range = { lower, upper, includeLower, includeUpper }
    this.#bounds = new TermBounds(this.range)
  }

  /** @throws (when it is bound) SpindleError QUERY_TOO_COMPLEX beyond the limits of a search */
  createWeight(context: SearchContext, boost: number): Weight {
    return termRangeWeight(context, this.#bounds, this.field, this.toString(), boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.matching?.(this.field, (term) => this.#bounds.has(term))
  }

  toString(defaultField = ''): string {
    const { lower, upper, includeLower, includeUpper } = this.range
    const range = `${includeLower ? '[' : '{'}${printBound(lower)} TO ${printBound(upper)}${includeUpper ? ']' : '}'}`
    return this.field === defaultField ? range : `${this.field}:${range}`
  }
}

/** A star is an open bound unless a backslash stands before it. */
function printBound(bound: string | null): string {
  return bound === '*' ? '\\*' : (bound ?? '*')
}
