/** A stretch of the text that a term or a phrase covers. */
export interface Mark {
  readonly start: number
  readonly end: number
  /** Number of the term or phrase. */
  readonly id: number
}
