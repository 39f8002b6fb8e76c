/** Alternatives and the share of them that a document matches, in one search. */
import { type Explanation, explainMatch, explainNoMatch, explainProduct, explainSum } from '../explanation.js'
import { CoverageScorer, coverageFactor } from '../scorer/coverage-scorer.js'
import { DisjunctionScorer } from '../scorer/disjunction-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { loadAll, Weight } from './weight.js'

/** Clauses in the order in which they are summed, the most important first. */
export class CoverageWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #clauses: readonly Weight[]
  readonly #factor: number

  constructor(context: SearchContext, clauses: readonly Weight[], factor: number) {
    super()
    this.#context = context
    this.#clauses = [...clauses].sort((a, b) => b.importance - a.importance || a.cost - b.cost)
    this.#factor = factor
    let cost = 0
    let importance = 0
    for (const weight of this.#clauses) {
      cost += weight.cost
      importance += weight.importance
    }
    this.cost = cost
    this.importance = importance
  }

  load(): Promise<void> | null {
    return loadAll(this.#clauses)
  }

  scorer(leaf: number): Scorer | null {
    const scorers: Scorer[] = []
    const shares: number[] = []
    for (const weight of this.#clauses) {
      const scorer = weight.scorer(leaf)
      if (scorer === null) continue
      scorers.push(scorer)
      shares.push(this.#share(weight))
    }
    if (scorers.length === 0) return null
    const { scratch, similarity } = this.#context
    if (similarity === null) return scorers.length === 1 ? scorers[0]! : new DisjunctionScorer(scorers, scratch)
    return new CoverageScorer(scorers, Float64Array.from(shares), this.#factor, scratch)
  }

  #share(weight: Weight): number {
    return this.importance === 0 ? 0 : weight.importance / this.importance
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
    let sum = 0
    let share = 0
    for (const weight of this.#clauses) {
      const part = weight.explain(leaf, doc)
      if (!part.match) continue
      details.push(part)
      sum += part.value
      share += this.#share(weight)
    }
    if (details.length === 0) return explainNoMatch('none of the alternatives matches')
    if (this.#context.similarity === null) return explainMatch(0, 'matches')
    const factor = coverageFactor(this.#factor, share)
    return explainProduct(sum * factor, 'product of', [
      explainSum(sum, 'sum of', details),
      explainMatch(factor, `coverage: 1 + ${this.#factor} × s²`, [
        explainMatch(share, 's: share of the matching parts in the idf of the query'),
      ]),
    ])
  }
}
