/** The whole text as one term, exactly as it is: for addresses, codes and other identifiers. */
import type { AnalysisMode, Analyzer, AnalyzerLayer, TokenSink } from './analyzer.js'
import { fingerprint } from './fingerprint.js'

/** Raised whenever the tokens of some text change. */
const VERSION = 1

/** Longest term the index takes, in bytes of UTF-8 (Lucene's limit too). */
const MAX_TERM_BYTES = 32_766

const LAYERS: readonly AnalyzerLayer[] = [{ name: '', options: 'docs', norms: false }]

/**
 * One term, not folded and never cut, because two identifiers that begin alike are still two. An empty text has no
 * term, nor has one longer than 32,766 bytes of UTF-8.
 */
export class KeywordAnalyzer implements Analyzer {
  readonly name = 'keyword'
  readonly settings = {}
  readonly fingerprint = fingerprint('keyword', {}, VERSION)
  readonly layers = LAYERS

  analyze(text: string, sink: TokenSink, _mode?: AnalysisMode): void {
    if (text.length === 0 || text.length > MAX_TERM_BYTES) return
    if (text.length * 3 > MAX_TERM_BYTES && Buffer.byteLength(text) > MAX_TERM_BYTES) return
    sink.token(text, 0, text.length, 1, 0)
  }
}
