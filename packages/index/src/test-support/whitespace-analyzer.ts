/** The simplest analyzer: words between spaces. For tests and measurements of the index alone. */
import type { AnalyzerLayer, TokenSink } from '../analysis/analyzer.js'

/** Splits at spaces. With `withLayers` it makes two more layers: `short` (first two letters, frequencies and norms) and `first` (first letters, documents only). */
export class WhitespaceAnalyzer {
  readonly name = 'whitespace-test'
  readonly settings: { readonly withLayers: boolean }
  readonly fingerprint: string
  readonly layers: readonly AnalyzerLayer[]

  constructor(withLayers = false, fingerprint = '1') {
    this.settings = { withLayers }
    this.fingerprint = fingerprint
    const main: AnalyzerLayer = { name: '', options: 'positions', norms: true }
    this.layers = withLayers
      ? [main, { name: 'short', options: 'freqs', norms: true }, { name: 'first', options: 'docs', norms: false }]
      : [main]
  }

  analyze(text: string, sink: TokenSink): void {
    let at = 0
    while (at < text.length) {
      let end = text.indexOf(' ', at)
      if (end < 0) end = text.length
      if (end > at) {
        const word = text.slice(at, end)
        sink.token(word, at, end, 1, 0)
        if (this.settings.withLayers) {
          sink.token(word.slice(0, 2), at, end, 1, 1)
          sink.token(word.slice(0, 1), at, end, 1, 2)
        }
      }
      at = end + 1
    }
  }
}
