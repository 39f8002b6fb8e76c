/** A part of a query that ranks but says nothing to people: a pair of characters across the border of two words. */
import type { SearchContext } from '../search-context.js'
import type { Weight } from '../weight/weight.js'
import { Query } from './query.js'

/** Matches and scores as the query inside; its terms are not shown to visitors, so that nothing marks them. */
export class UnmarkedQuery extends Query {
  readonly query: Query

  constructor(query: Query) {
    super()
    this.query = query
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return this.query.createWeight(context, boost)
  }

  visit(): void {}

  toString(defaultField = ''): string {
    return this.query.toString(defaultField)
  }
}
