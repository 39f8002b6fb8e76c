/**
 * The base of queries that match by something else than the postings of one term, and score nothing: each segment gives
 * a scorer when it is loaded. For a search with scores they are wrapped into a constant score.
 */
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import { Candidates } from '../scorer/candidates.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { ConstantScoreWeight } from './constant-weight.js'
import { Weight } from './weight.js'

/** Makes a new scorer of one segment. */
export type ScorerFactory = () => Scorer

/** A condition in one search. */
export class SetWeight extends Weight {
  readonly cost: number
  readonly importance = 0
  readonly #context: SearchContext
  readonly #name: string
  readonly #open: (leaf: number) => Promise<ScorerFactory | null>
  readonly #factories: (ScorerFactory | null)[] = []

  /**
   * @param name the printed query, for explanations
   * @param open loads what a segment needs; null where nothing in it matches
   */
  constructor(
    context: SearchContext,
    name: string,
    cost: number,
    open: (leaf: number) => Promise<ScorerFactory | null>,
  ) {
    super()
    this.#context = context
    this.cost = cost
    this.#name = name
    this.#open = open
  }

  /** The weight, with a constant score where the search has scores. */
  static create(
    context: SearchContext,
    name: string,
    boost: number,
    cost: number,
    open: (leaf: number) => Promise<ScorerFactory | null>,
  ): Weight {
    const weight = new SetWeight(context, name, cost, open)
    return context.similarity === null ? weight : new ConstantScoreWeight(context, weight, boost)
  }

  async load(): Promise<void> {
    const opening = this.#context.segments.map((_, leaf) => this.#open(leaf))
    this.#factories.push(...(await Promise.all(opening)))
  }

  scorer(leaf: number): Scorer | null {
    return this.#factories[leaf]?.() ?? null
  }

  override count(leaf: number): number {
    return this.#factories[leaf] ? -1 : 0
  }

  explain(leaf: number, doc: number): Explanation {
    const candidates = new Candidates()
    candidates.docs[0] = doc
    candidates.length = 1
    this.scorer(leaf)?.probe(candidates)
    return candidates.matched[0] === 1
      ? explainMatch(0, `${this.#name} holds for the document`)
      : explainNoMatch(`${this.#name} does not hold for the document`)
  }
}
