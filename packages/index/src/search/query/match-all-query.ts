/** Every document. */
import type { SearchContext } from '../search-context.js'
import { MatchAllWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query } from './query.js'

/** Matches every document with the score 1. */
export class MatchAllQuery extends Query {
  createWeight(context: SearchContext, boost: number): Weight {
    return new MatchAllWeight(context, boost)
  }

  visit(): void {}

  toString(): string {
    return '*:*'
  }
}
