/** Words before a colon that are no fields of the index but stand for a question about some, such as `before:2024`. */
import type { Query } from '../search/query/query.js'

/** What a field word asks. At least one of the two is given. */
export interface FieldWord {
  /** The field that is meant: the word is another name for it, in all forms that a field is asked in. */
  readonly field?: string
  /**
   * The query of a value, which is a word or quoted text as typed, no analyzer has seen it; null for a value that cannot
   * be understood. Wildcards, ranges and the like are asked of `field`.
   */
  toQuery?(value: string): Query | null
}
