/** The tokens of one layer as an array of objects: for tests, tools and short texts, not for the indexing path. */
import type { AnalysisMode, Analyzer } from './analyzer.js'

/** One token of {@link tokenize}. */
export interface Token {
  readonly term: string
  /** First UTF-16 unit in the original text. */
  readonly startOffset: number
  /** One past the last UTF-16 unit. */
  readonly endOffset: number
  /** Distance to the position of the token before it. */
  readonly positionIncrement: number
}

/**
 * Analyzes a text and returns the tokens of one layer.
 * @param layer index into `analyzer.layers`, 0 (the main layer) where not given
 * @param mode `index` where not given
 */
export function tokenize(analyzer: Analyzer, text: string, layer = 0, mode: AnalysisMode = 'index'): Token[] {
  const tokens: Token[] = []
  const sink = {
    token(term: string, startOffset: number, endOffset: number, positionIncrement: number, tokenLayer: number): void {
      if (tokenLayer === layer) tokens.push({ term, startOffset, endOffset, positionIncrement })
    },
  }
  analyzer.analyze(text, sink, mode)
  return tokens
}
