/** Matches with one and the same score: all documents, none, or those of another query. */
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import { ConstantScoreScorer } from '../scorer/constant-score-scorer.js'
import { MatchAllScorer } from '../scorer/match-all-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { Weight } from './weight.js'

/** Every document. */
export class MatchAllWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext

  constructor(context: SearchContext, boost: number) {
    super()
    this.#context = context
    let cost = 0
    for (const segment of context.segments) cost += segment.maxDoc
    this.cost = cost
    this.importance = context.similarity === null ? 0 : boost
  }

  load(): null {
    return null
  }

  scorer(leaf: number): Scorer | null {
    return new MatchAllScorer(this.#context.segments[leaf]!.maxDoc, this.importance)
  }

  override count(leaf: number): number {
    return this.#context.segments[leaf]!.numDocs
  }

  explain(): Explanation {
    return explainMatch(this.importance, 'every document matches')
  }
}

/** No document. */
export class MatchNoneWeight extends Weight {
  readonly cost = 0
  readonly importance = 0

  load(): null {
    return null
  }

  scorer(): Scorer | null {
    return null
  }

  override count(): number {
    return 0
  }

  explain(): Explanation {
    return explainNoMatch('no document matches')
  }
}

/** The documents of a query that is made without scores. */
export class ConstantScoreWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #inner: Weight

  constructor(context: SearchContext, inner: Weight, boost: number) {
    super()
    this.#context = context
    this.#inner = inner
    this.cost = inner.cost
    this.importance = context.similarity === null ? 0 : boost
  }

  load(): Promise<void> | null {
    return this.#inner.load()
  }

  scorer(leaf: number): Scorer | null {
    const inner = this.#inner.scorer(leaf)
    return inner === null ? null : new ConstantScoreScorer(inner, this.importance, this.#context.scratch)
  }

  override count(leaf: number): number {
    return this.#inner.count(leaf)
  }

  explain(leaf: number, doc: number): Explanation {
    const inner = this.#inner.explain(leaf, doc)
    return inner.match
      ? explainMatch(this.importance, 'constant score of', [inner])
      : explainNoMatch('the query does not match', [inner])
  }
}
