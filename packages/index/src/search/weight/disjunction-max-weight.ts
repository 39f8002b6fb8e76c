/** The best of several clauses in one search. */
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import { DisjunctionMaxScorer } from '../scorer/disjunction-max-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { Weight } from './weight.js'

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

  async load(): Promise<void> {
    await Promise.all(this.#clauses.map((weight) => weight.load()))
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
    const details: Explanation[] = []
    let max = 0
    let others = 0
    for (const weight of this.#clauses) {
      const part = weight.explain(leaf, doc)
      if (!part.match) continue
      details.push(part)
      if (part.value > max) {
        others += max
        max = part.value
      } else others += part.value
    }
    if (details.length === 0) return explainNoMatch('none of the alternatives matches')
    return explainMatch(max + this.#tieBreaker * others, `best of, plus ${this.#tieBreaker} × the others`, details)
  }
}
