/** Why a document has its score: a tree whose parts combine to the value of their parent as its description says. */

/** One node of the tree. */
export interface Explanation {
  /** Whether the document matches this part of the query; where not, `value` is 0. */
  readonly match: boolean
  /** The part's contribution, unit-less, the very number that the search computes. */
  readonly value: number
  /** What the value is and how the details make it. */
  readonly description: string
  readonly details: readonly Explanation[]
}

/** A node for a document that matches. */
export function explainMatch(value: number, description: string, details: readonly Explanation[] = []): Explanation {
  return { match: true, value, description, details }
}

/** A node for a document that does not match. */
export function explainNoMatch(description: string, details: readonly Explanation[] = []): Explanation {
  return { match: false, value: 0, description, details }
}
