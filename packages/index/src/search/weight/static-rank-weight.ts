/** A query with scores that grow with a number of the document, in one search. */
import type { DocValues } from '../../codec/doc-values.js'
import { type Explanation, explainMatch, explainProduct } from '../explanation.js'
import type { Scorer } from '../scorer/scorer.js'
import { rankFactor, StaticRankScorer } from '../scorer/static-rank-scorer.js'
import type { SearchContext } from '../search-context.js'
import { requireDocValues } from '../without-doc-values.js'
import { Weight } from './weight.js'

/** Which number counts, and how much. */
export interface StaticRank {
  readonly field: string
  readonly factor: number
  readonly pivot: number
}

/** The numbers of a column by document, 4 bytes each, as long as the column is open. */
const unpacked = new WeakMap<DocValues, Float32Array>()

/** The query in one search. */
export class StaticRankWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #inner: Weight
  readonly #rank: StaticRank
  /** By segment; null: no document has a number. */
  readonly #ranks: (Float32Array | null)[] = []

  constructor(context: SearchContext, inner: Weight, rank: StaticRank) {
    super()
    this.cost = inner.cost
    this.importance = inner.importance
    this.#context = context
    this.#inner = inner
    this.#rank = rank
  }

  async load(): Promise<void> {
    const loading = this.#context.segments.map(async (segment) => {
      const values = await requireDocValues(segment, this.#rank.field, 'number')
      return values === null ? null : unpack(values)
    })
    const [, ...ranks] = await Promise.all([this.#inner.load(), ...loading])
    this.#ranks.push(...ranks)
  }

  scorer(leaf: number): Scorer | null {
    const inner = this.#inner.scorer(leaf)
    const ranks = this.#ranks[leaf] ?? null
    if (inner === null || ranks === null) return inner
    const { factor, pivot } = this.#rank
    return new StaticRankScorer(inner, ranks, factor, pivot, this.#context.scratch)
  }

  override count(leaf: number): number {
    return this.#inner.count(leaf)
  }

  explain(leaf: number, doc: number): Explanation {
    const inner = this.#inner.explain(leaf, doc)
    const rank = this.#ranks[leaf]?.[doc] ?? 0
    if (!inner.match || rank === 0) return inner
    const { field, factor, pivot } = this.#rank
    const value = rankFactor(rank, factor, pivot)
    return explainProduct(inner.value * value, 'product of', [
      inner,
      explainMatch(value, `rank: 1 + ${factor} × r / (r + ${pivot})`, [
        explainMatch(rank, `r: ${field} of the document`),
      ]),
    ])
  }
}

/** The greatest number of each document; 0 where it has none, or one below 0. */
function unpack(values: DocValues): Float32Array {
  const known = unpacked.get(values)
  if (known !== undefined) return known
  const ranks = new Float32Array(values.maxDoc)
  for (let doc = 0; doc < ranks.length; doc++) {
    if (values.has(doc)) ranks[doc] = Math.max(0, values.value(values.last(doc)))
  }
  unpacked.set(values, ranks)
  return ranks
}
