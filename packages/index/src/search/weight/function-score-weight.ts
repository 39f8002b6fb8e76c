/** A query whose scores are combined with a function of a number of the document, in one search. */
import { type Explanation, explainMatch, explainProduct, explainSum } from '../explanation.js'
import type { FieldFunction } from '../function/field-function.js'
import { NumberColumn } from '../function/number-column.js'
import { FunctionScoreScorer } from '../scorer/function-score-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { requireDocValues } from '../without-doc-values.js'
import { Weight } from './weight.js'

/** The query in one search with scores. */
export class FunctionScoreWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #inner: Weight
  readonly #function: FieldFunction
  readonly #boost: number
  /** By segment; null: no document has a number. */
  readonly #columns: (NumberColumn | null)[] = []

  /** @param inner with boost 1; made without scores where these are replaced */
  constructor(context: SearchContext, inner: Weight, scoreFunction: FieldFunction, boost: number) {
    super()
    this.cost = inner.cost
    this.importance = boost * (scoreFunction.combine === 'replace' ? 1 : inner.importance)
    this.#context = context
    this.#inner = inner
    this.#function = scoreFunction
    this.#boost = boost
  }

  async load(): Promise<void> {
    const { field, flat } = this.#function
    const loading = this.#context.segments.map(async (segment) => {
      const values = await requireDocValues(segment, field, 'number')
      return values === null ? null : NumberColumn.of(values, flat)
    })
    const [, ...columns] = await Promise.all([this.#inner.load(), ...loading])
    this.#columns.push(...columns)
  }

  scorer(leaf: number): Scorer | null {
    const inner = this.#inner.scorer(leaf)
    if (inner === null) return null
    return new FunctionScoreScorer(
      inner,
      this.#columns[leaf] ?? null,
      this.#function,
      this.#boost,
      this.#context.scratch,
    )
  }

  override count(leaf: number): number {
    return this.#inner.count(leaf)
  }

  explain(leaf: number, doc: number): Explanation {
    const inner = this.#inner.explain(leaf, doc)
    if (!inner.match) return inner
    const x = this.#columns[leaf]?.numbers[doc] ?? Number.NaN
    const value = this.#function.score(inner.value, x)
    const explained = this.#combined(value, inner, this.#function.explain(x))
    if (this.#boost === 1) return explained
    return explainProduct(value * this.#boost, 'product of', [explainMatch(this.#boost, 'boost'), explained])
  }

  #combined(value: number, inner: Explanation, made: Explanation): Explanation {
    switch (this.#function.combine) {
      case 'multiply':
        return explainProduct(value, 'product of', [inner, made])
      case 'add':
        return explainSum(value, 'sum of', [inner, made])
      case 'replace':
        return made
    }
  }
}
