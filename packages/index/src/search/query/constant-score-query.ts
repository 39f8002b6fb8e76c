/** The documents of another query, all with one score: filters, and conditions that should not rank. */
import type { SearchContext } from '../search-context.js'
import { ConstantScoreWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/** Matches what the inner query matches, with the score 1 (times boosts around it). */
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
