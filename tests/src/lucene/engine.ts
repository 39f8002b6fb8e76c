/** What both engines do: carry out the same changes, answer the same queries. */
import type { QueryNode } from './query-node.js'

/** A document whose texts are words with single spaces between them. A text without words is no field. */
export interface TestDocument {
  readonly id: string
  readonly title: string
  readonly body: string
  /** Keywords. */
  readonly tags: readonly string[]
  /** Whole numbers, kept as doc values alone. */
  readonly sizes: readonly number[]
  /** A number that is kept as a term too; null: none. */
  readonly rank: number | null
}

/** A change of an index. Each commit makes a segment of what was added since the last one; nothing is merged unasked. */
export type Change =
  | { readonly do: 'add' | 'update'; readonly document: TestDocument }
  | { readonly do: 'delete'; readonly query: QueryNode }
  | { readonly do: 'commit' | 'forceMergeDeletes' }
  | { readonly do: 'forceMerge'; readonly segments: number }

/** Scoring formulas that both have. */
export const SIMILARITIES = ['bm25', 'classic', 'boolean', 'perField'] as const
export type SimilarityName = (typeof SIMILARITIES)[number]

/** How a query is to be run. */
export interface SearchTask {
  readonly query: QueryNode
  readonly similarity: SimilarityName
}

/** What a search has found: the number of matches, and the best ones with their scores; or how it failed. */
export type Found =
  | { readonly count: number; readonly ids: readonly string[]; readonly scores: readonly number[] }
  | { readonly error: string }

/** How much of a result is compared. */
export const BEST = 100

/** The state of an index, deleted documents counted in `maxDoc`. */
export interface IndexStats {
  readonly segments: number
  readonly maxDoc: number
  readonly numDocs: number
}

/** A search engine with one index. */
export interface Engine {
  /** Begins an empty index. */
  open(): Promise<void>
  /** Carries out changes, of which the last is a commit. */
  apply(changes: readonly Change[]): Promise<void>
  stats(): Promise<IndexStats>
  /** The {@link BEST} hits of each query. */
  search(tasks: readonly SearchTask[]): Promise<Found[]>
  /** How a document comes to its score, in the engine's own words. */
  explain(task: SearchTask, id: string): Promise<string>
  close(): Promise<void>
}
