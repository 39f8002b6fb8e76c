/**
 * A query bound to an index: it knows the statistics and has the postings of its terms. `load` is the only part that
 * waits; after it everything is computed without a pause.
 */
import type { Explanation } from '../explanation.js'
import type { Scorer } from '../scorer/scorer.js'

/** How the live documents that match are counted: so many are known, and those that the scorer lists come to them. */
export interface Counter {
  readonly known: number
  readonly scorer: Scorer | null
}

/** A query in one search. `leaf` is the index of a segment. */
export abstract class Weight {
  /** Documents of the whole index that match, at most (deleted ones included). Orders the clauses of an AND. */
  abstract readonly cost: number

  /** How much the part weighs in a score, by statistics of the whole index. Orders the clauses of an OR. */
  abstract readonly importance: number

  /** Loads what all segments need; null where there is nothing to wait for. */
  abstract load(): Promise<void> | null

  /** A new scorer, or null where nothing in the segment matches. */
  abstract scorer(leaf: number): Scorer | null

  /** Why a document of the segment has its score. */
  abstract explain(leaf: number, doc: number): Explanation

  /** Number of live documents of the segment that match where it is known without looking, or −1. */
  count(_leaf: number): number {
    return -1
  }

  /** Whether `count` may be called before `load`. */
  get countsUnloaded(): boolean {
    return false
  }

  /** How a segment's matches are counted. Called where the weight is made without scores. */
  counter(leaf: number): Counter {
    const known = this.count(leaf)
    return known >= 0 ? { known, scorer: null } : { known: 0, scorer: this.scorer(leaf) }
  }
}

/** Loads several weights; null where there is nothing to wait for. */
export function loadAll(weights: readonly Weight[]): Promise<void> | null {
  return loadEach(weights, (weight) => weight.load())
}

/** Calls `load` for each part; null where there is nothing to wait for. What it throws, the promise rejects with. */
export function loadEach<T>(
  parts: readonly T[],
  load: (part: T, index: number) => Promise<void> | null,
): Promise<void> | null {
  const loading: Promise<void>[] = []
  for (let i = 0; i < parts.length; i++) {
    try {
      const one = load(parts[i]!, i)
      if (one !== null) loading.push(one)
    } catch (error) {
      // Not thrown at once: what the others load would then have nobody to tell of its own failure.
      loading.push(Promise.reject(error))
    }
  }
  return loading.length === 0 ? null : Promise.all(loading).then(() => {})
}
