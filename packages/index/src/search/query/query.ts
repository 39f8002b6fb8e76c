/** What is asked of an index. Queries are immutable descriptions: they can be printed, reused and shared. */
import type { BitSet } from '@spindle/core'
import type { SegmentReader } from '../../reading/segment-reader.js'
import type { PositionPattern } from '../positions/position-pattern.js'
import { SearchLimits } from '../scorer/search-limits.js'
import { SearchContext } from '../search-context.js'
import { findMatches } from '../search-runner.js'
import type { Term } from '../term.js'
import type { Weight } from '../weight/weight.js'

/** Is told the words that make a document match, for highlighting and the like. */
export interface QueryVisitor {
  /** A single term. */
  term(term: Term): void
  /** Terms that match only together: `positions[i]` is the place of `terms[i]` in the phrase. */
  phrase(field: string, terms: readonly string[], positions: readonly number[]): void
  /** Every term of a field that passes a test: those of a prefix, a pattern, a range. */
  matching?(field: string, test: (term: string) => boolean): void
  /** Terms that match only where a matcher of the pattern finds them. */
  near?(pattern: PositionPattern): void
}

const NO_STATS = { field: '', docCount: 0, sumTotalTermFreq: 0, sumDocFreq: 0, maxDoc: 0 }

/** Abstract base of all queries. */
export abstract class Query {
  /**
   * Binds the query to an index.
   * @param boost factor of the scores, ≥ 0
   */
  abstract createWeight(context: SearchContext, boost: number): Weight

  /** Shows the visitor all terms and phrases, without those of excluded clauses. */
  abstract visit(visitor: QueryVisitor): void

  /**
   * The live documents of one segment that match; no scores, no statistics: for deleting by query, and filters.
   * @param limits none where not given: who deletes means all
   */
  async matchingDocs(segment: SegmentReader, limits = new SearchLimits({ expansionLimit: Infinity })): Promise<BitSet> {
    const context = new SearchContext({ segments: [segment], collectionStats: () => NO_STATS }, null, limits)
    const [docs] = await findMatches(await context.bind(() => this.createWeight(context, 1)), context)
    return docs!
  }

  /** Lucene's printed form; names of fields other than `defaultField` are printed before a colon. */
  abstract toString(defaultField?: string): string
}

/** A boost as Lucene prints it: always with a decimal point. */
export function printBoost(boost: number): string {
  return `^${Number.isInteger(boost) ? boost.toFixed(1) : String(boost)}`
}
