/** The best of several clauses in one search. */
import {
  type Explanation,
  explainMatch,
  explainMax,
  explainNoMatch,
  explainProduct,
  explainSum,
} from '../explanation.js'
import { DisjunctionMaxScorer } from '../scorer/disjunction-max-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { loadAll, Weight } from './weight.js'

/** The best clause counts, the others by a share. */
export class DisjunctionMaxWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #clauses: readonly Weight[]
  readonly #tieBreaker: number

  constructor(context: SearchContext, clauses: readonly Weight[], tieBreaker: number) {
    super()
    this.#context = context
    this.#clauses = clauses
    this.#tieBreaker = tieBreaker
    let cost = 0
    let importance = 0
    for (const weight of clauses) {
      cost += weight.cost
      importance = Math.max(importance, weight.importance)
    }
    this.cost = cost
    this.importance = importance
  }

  load(): Promise<void> | null {
    return loadAll(this.#clauses)
  }

  scorer(leaf: number): Scorer | null {
    const scorers: Scorer[] = []
    for (const weight of this.#clauses) {
      const scorer = weight.scorer(leaf)
      if (scorer !== null) scorers.push(scorer)
    }
    if (scorers.length === 0) return null
    if (scorers.length === 1) return scorers[0]!
    return new DisjunctionMaxScorer(scorers, this.#tieBreaker, this.#context.scratch)
  }

  override count(leaf: number): number {
    let only = 0
    for (const weight of this.#clauses) {
      const count = weight.count(leaf)
      if (count === 0) continue
      if (count < 0 || only > 0) return -1
      only = count
    }
    return only
  }

  explain(leaf: number, doc: number): Explanation {
    const parts: Explanation[] = []
    let best = 0
    let others = 0
    for (const weight of this.#clauses) {
      const part = weight.explain(leaf, doc)
      if (!part.match) continue
      if (parts.length > 0) others += Math.min(part.value, parts[best]!.value)
      if (parts.length > 0 && part.value > parts[best]!.value) best = parts.length
      parts.push(part)
    }
    if (parts.length === 0) return explainNoMatch('none of the alternatives matches')
    const max = parts[best]!
    if (this.#tieBreaker === 0) return explainMax(max.value, 'best of', parts)
    if (parts.length === 1) return max
    const share = this.#tieBreaker * others
    return explainSum(max.value + share, 'the best alternative, plus a share of the others', [
      max,
      explainProduct(share, 'share of the others', [
        explainMatch(this.#tieBreaker, 'tie breaker'),
        explainSum(
          others,
          'sum of the others',
          parts.filter((part) => part !== max),
        ),
      ]),
    ])
  }
}
