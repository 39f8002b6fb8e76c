/** What prefixes, wildcards and expressions have in common: an automaton says which terms of a field count. */
import type { TermAutomaton } from '../automaton/term-automaton.js'
import type { SearchContext } from '../search-context.js'
import { automatonWeight } from '../weight/expansion-weight.js'
import type { Weight } from '../weight/weight.js'
import { ExistsQuery } from './exists-query.js'
import { Query, type QueryVisitor } from './query.js'

/** The documents of all terms that an automaton accepts, with a constant score. */
export abstract class AutomatonQuery extends Query {
  readonly field: string
  readonly #automaton: TermAutomaton

  constructor(field: string, automaton: TermAutomaton) {
    super()
    this.field = field
    this.#automaton = automaton
  }

  /** @throws (when it is bound) SpindleError QUERY_TOO_COMPLEX beyond the limits of a search */
  createWeight(context: SearchContext, boost: number): Weight {
    // Lengths or values tell it without the terms.
    if (this.#automaton.acceptsEverything) return new ExistsQuery(this.field).createWeight(context, boost)
    return automatonWeight(context, this.#automaton, this.field, this.toString(), boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.matching?.(this.field, (term) => this.#automaton.test(term))
  }
}
