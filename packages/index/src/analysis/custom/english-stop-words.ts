/** The 33 words that Lucene's analyzers of English leave out. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
  will with`.split(/\s+/),
)
