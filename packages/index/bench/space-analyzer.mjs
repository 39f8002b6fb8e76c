/** Words between spaces: the tokens that all engines of a comparison can share. */
import { registerAnalyzer } from '../dist/index.js'

export class SpaceAnalyzer {
  name = 'bench-words'
  settings = {}
  fingerprint = '1'
  layers = [{ name: '', options: 'positions', norms: true }]
  analyze(text, sink) {
    for (let at = 0; at < text.length; ) {
      const next = text.indexOf(' ', at)
      const end = next < 0 ? text.length : next
      if (end > at) sink.token(text.slice(at, end), at, end, 1, 0)
      at = end + 1
    }
  }
}

registerAnalyzer('bench-words', () => new SpaceAnalyzer())
