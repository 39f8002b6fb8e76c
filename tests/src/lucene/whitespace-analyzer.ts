/** Words between spaces, as Lucene's WhitespaceAnalyzer finds them: both engines get the same tokens. */
import { type Analyzer, registerAnalyzer, type TokenSink } from '@spindle/index'

/** Splits at spaces. */
export class WhitespaceAnalyzer implements Analyzer {
  readonly name = 'whitespace-oracle'
  readonly settings = {}
  readonly fingerprint = '1'
  readonly layers = [{ name: '', options: 'positions', norms: true }] as const

  analyze(text: string, sink: TokenSink): void {
    let at = 0
    for (const word of text.split(' ')) {
      if (word !== '') sink.token(word, at, at + word.length, 1, 0)
      at += word.length + 1
    }
  }
}

registerAnalyzer('whitespace-oracle', () => new WhitespaceAnalyzer())
