/** Runs of letters in lower case: the analyzer of Lucene's cases. For tests only. */
import type { TokenSink } from '../analysis/analyzer.js'

/** Leaves everything out that is no letter. */
export class LetterAnalyzer {
  readonly name = 'letter'
  readonly settings = {}
  readonly fingerprint = 'letter'
  readonly layers = [{ name: '', options: 'positions', norms: true }] as const

  analyze(text: string, sink: TokenSink): void {
    for (const match of text.matchAll(/\p{L}+/gu)) {
      sink.token(match[0].toLowerCase(), match.index, match.index + match[0].length, 1, 0)
    }
  }
}
