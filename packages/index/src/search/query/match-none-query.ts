/** No document: what is left of a query of stop words or punctuation. */
import { MatchNoneWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query } from './query.js'

/** Matches nothing. */
export class MatchNoneQuery extends Query {
  createWeight(): Weight {
    return new MatchNoneWeight()
  }

  visit(): void {}

  toString(): string {
    return ''
  }
}
