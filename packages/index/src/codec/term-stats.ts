/** How often a term occurs. */
export interface TermStats {
  /** Documents that hold the term; deleted ones count until they are merged away. */
  readonly docFreq: number
  /** Occurrences; equal to `docFreq` where the field keeps no frequencies. */
  readonly totalTermFreq: number
}
