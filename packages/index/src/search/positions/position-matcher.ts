/**
 * Finds where terms stand together in one document, from their positions alone: the same code scores documents and marks
 * words in texts.
 */
import type { Spans } from './spans.js'
import type { TermPositions } from './term-positions.js'

/**
 * Steps that a matcher takes in one document before it stops (some 10 ms to 100 ms). Only words that are repeated many times,
 * in the query and in the document, need so many; what was found until then counts.
 */
export const MAX_STEPS = 1 << 22

/** One part of a query on one segment or text: it has buffers of its own, and keeps nothing from one document to the next. */
export interface PositionMatcher {
  /**
   * Adds the stretches that match to `found`, which is empty.
   * @param limit stops when there are so many
   * @returns steps taken, for the limits of the search
   */
  find(document: TermPositions, found: Spans, limit: number): number

  /** An upper bound of {@link Spans.frequency} in a document with so many occurrences of each term; 0 where it cannot match. */
  maxFrequency(counts: Int32Array): number
}
