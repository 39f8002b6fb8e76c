/** Another query whose scores are multiplied by a factor. */
import type { SearchContext } from '../search-context.js'
import type { Weight } from '../weight/weight.js'
import { printBoost, Query, type QueryVisitor } from './query.js'

/** Multiplies scores. */
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
