/** Documents that hold a term. */
import type { SearchContext } from '../search-context.js'
import type { Term } from '../term.js'
import { TermWeight } from '../weight/term-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/** Matches documents that hold the term, scored by its frequency. */
export class TermQuery extends Query {
  readonly term: Term

  constructor(term: Term) {
    super()
    this.term = term
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return new TermWeight(context, this.term, boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.term(this.term)
  }

  toString(defaultField = ''): string {
    return this.term.toString(defaultField)
  }
}
