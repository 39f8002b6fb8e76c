/** Texts for tests of positions: words between spaces, a word with `^` before it at the position of the one before. */
import type { AnalyzerLayer, TokenSink } from '../analysis/analyzer.js'

/** A word and its place. */
export interface PlacedWord {
  readonly word: string
  readonly position: number
}

/** The words of a text with their positions. */
export function placedWords(text: string): PlacedWord[] {
  let position = -1
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith('^') ? { word: word.slice(1), position } : { word, position: ++position }))
}

/** Analyzes such texts. */
export class StackedTextAnalyzer {
  readonly name = 'stacked-text-test'
  readonly settings = {}
  readonly fingerprint = '1'
  readonly layers: readonly AnalyzerLayer[] = [{ name: '', options: 'positions', norms: true }]

  analyze(text: string, sink: TokenSink): void {
    for (const match of text.matchAll(/(\^?)(\S+)/g)) {
      const start = match.index + match[1]!.length
      sink.token(match[2]!, start, start + match[2]!.length, match[1] === '' ? 1 : 0, 0)
    }
  }
}
