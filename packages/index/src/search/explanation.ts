/** Why a document has its score: a tree in which the value of a node with an operator is made of its details by it. */

/** How the details of a node make its value: all of them added, multiplied, or the greatest one. */
export type ExplanationOperator = '+' | '×' | 'max'

/** One node of the tree. */
export interface Explanation {
  /** Whether the document matches this part of the query; where not, `value` is 0. */
  readonly match: boolean
  /** The part's contribution, unit-less, the very number that the search computes. */
  readonly value: number
  /** What the value is. */
  readonly description: string
  /**
   * How the details make the value, up to rounding. Where not given, the description has the formula, or the details
   * only tell why the document matches.
   */
  readonly operator?: ExplanationOperator
  readonly details: readonly Explanation[]
}

/** A node for a document that matches, whose value is given or comes from the formula in its description. */
export function explainMatch(value: number, description: string, details: readonly Explanation[] = []): Explanation {
  return { match: true, value, description, details }
}

/** A node whose value is that of its details, added up. */
export function explainSum(value: number, description: string, details: readonly Explanation[]): Explanation {
  return { match: true, value, description, operator: '+', details }
}

/** A node whose value is the product of its details. */
export function explainProduct(value: number, description: string, details: readonly Explanation[]): Explanation {
  return { match: true, value, description, operator: '×', details }
}

/** A node whose value is the greatest one of its details. */
export function explainMax(value: number, description: string, details: readonly Explanation[]): Explanation {
  return { match: true, value, description, operator: 'max', details }
}

/** A node for a document that does not match. */
export function explainNoMatch(description: string, details: readonly Explanation[] = []): Explanation {
  return { match: false, value: 0, description, details }
}
