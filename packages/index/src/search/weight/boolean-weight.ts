/** A combination of clauses in one search. */
import { type Explanation, explainNoMatch, explainSum } from '../explanation.js'
import { BooleanScorer } from '../scorer/boolean-scorer.js'
import { DisjunctionScorer } from '../scorer/disjunction-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { type Counter, loadAll, Weight } from './weight.js'

/** The clauses of a {@link BooleanWeight}; each scored or not as it was made. */
export interface BooleanWeights {
  readonly must: readonly Weight[]
  readonly filter: readonly Weight[]
  readonly should: readonly Weight[]
  readonly mustNot: readonly Weight[]
}

/** From how many times as many documents on as all other, rare clauses have a clause of an OR is counted and not listed. */
const FAR_MORE = 8
/** Documents of the segment for one of a rare clause. */
const SPARSE = 32

/** Clauses in the order in which they are evaluated and summed: required by rarity, optional by importance. */
export class BooleanWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #required: readonly Weight[]
  readonly #optional: readonly Weight[]
  readonly #excluded: readonly Weight[]
  readonly #minimum: number

  constructor(context: SearchContext, clauses: BooleanWeights, minimumShouldMatch: number) {
    super()
    this.#context = context
    // Sorts are stable and use figures of the whole index: every segment sums in the same order.
    this.#required = [...clauses.filter, ...clauses.must].sort((a, b) => a.cost - b.cost)
    this.#optional = [...clauses.should].sort((a, b) => b.importance - a.importance || a.cost - b.cost)
    this.#excluded = clauses.mustNot
    const needed = this.#required.length === 0 ? 1 : 0
    this.#minimum = Math.max(minimumShouldMatch, needed)
    let importance = 0
    let optionalCost = 0
    for (const weight of this.#required) importance += weight.importance
    for (const weight of this.#optional) {
      importance += weight.importance
      optionalCost += weight.cost
    }
    this.importance = importance
    this.cost = this.#required.length === 0 ? optionalCost : this.#required[0]!.cost
  }

  load(): Promise<void> | null {
    return loadAll([...this.#required, ...this.#optional, ...this.#excluded])
  }

  scorer(leaf: number): Scorer | null {
    const required: Scorer[] = []
    for (const weight of this.#required) {
      const scorer = weight.scorer(leaf)
      if (scorer === null) return null
      required.push(scorer)
    }
    let optional = scorers(this.#optional, leaf)
    if (optional.length < this.#minimum) return null
    let minimum = this.#minimum
    const scratch = this.#context.scratch
    if (minimum === 1 && required.length === 0) {
      required.push(optional.length === 1 ? optional[0]! : new DisjunctionScorer(optional, scratch))
      optional = []
      minimum = 0
    }
    const scored = this.#context.similarity !== null
    if (!scored && minimum === 0) optional = []
    const excluded = scorers(this.#excluded, leaf)
    if (required.length === 1 && optional.length === 0 && excluded.length === 0) return required[0]!
    return new BooleanScorer({ required, optional, excluded, minimumShouldMatch: minimum, scored }, scratch)
  }

  /**
   * Of an OR only those documents are counted that the most frequent clause does not match, unless three clauses or more
   * are all rare.
   */
  override counter(leaf: number): Counter {
    const optional = this.#required.length === 0 && this.#minimum === 1 ? this.#optional : []
    if (optional.length > 1 && this.#excluded.length === 0) {
      const largest = optional.reduce((a, b) => (b.cost > a.cost ? b : a))
      const known = largest.count(leaf)
      const others = scorers(
        optional.filter((weight) => weight !== largest),
        leaf,
      )
      let rest = 0
      for (const other of others) rest += other.cost
      const isSparse = rest * SPARSE < this.#context.segments[leaf]!.maxDoc
      if (known >= 0 && (!isSparse || others.length === 1 || known > FAR_MORE * rest)) {
        const scratch = this.#context.scratch
        const required = others.length === 1 ? others : [new DisjunctionScorer(others, scratch)]
        const excluded = scorers([largest], leaf)
        if (others.length === 0) return { known, scorer: null }
        const clauses = { required, optional: [], excluded, minimumShouldMatch: 0, scored: false }
        return { known, scorer: new BooleanScorer(clauses, scratch) }
      }
    }
    return super.counter(leaf)
  }

  override count(leaf: number): number {
    // Nothing of a required clause: nothing at all. One clause alone: its own count.
    for (const weight of this.#required) if (weight.count(leaf) === 0) return 0
    if (this.#minimum > this.#optional.length) return 0
    if (this.#excluded.length > 0) return -1
    if (this.#required.length === 1 && this.#minimum === 0) return this.#required[0]!.count(leaf)
    if (this.#required.length === 0 && this.#optional.length === 1) return this.#optional[0]!.count(leaf)
    return -1
  }

  explain(leaf: number, doc: number): Explanation {
    const details: Explanation[] = []
    let value = 0
    for (const weight of this.#required) {
      const part = weight.explain(leaf, doc)
      if (!part.match) return explainNoMatch('a required clause does not match', [part])
      details.push(part)
      value += part.value
    }
    for (const weight of this.#excluded) {
      const part = weight.explain(leaf, doc)
      if (part.match) return explainNoMatch('an excluded clause matches', [part])
    }
    let matching = 0
    for (const weight of this.#optional) {
      const part = weight.explain(leaf, doc)
      if (!part.match) continue
      details.push(part)
      value += part.value
      matching++
    }
    if (matching < this.#minimum) {
      return explainNoMatch(`${matching} optional clauses match, ${this.#minimum} must`, details)
    }
    return explainSum(value, 'sum of', details)
  }
}

function scorers(weights: readonly Weight[], leaf: number): Scorer[] {
  const list: Scorer[] = []
  for (const weight of weights) {
    const scorer = weight.scorer(leaf)
    if (scorer !== null) list.push(scorer)
  }
  return list
}
