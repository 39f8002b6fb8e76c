/** Brings what is looked for without being cut into words (`Sil*`, `[A TO B]`, `silc~`) to the form of the terms in the index. */
import type { Analyzer } from '../analysis/analyzer.js'
import { tokenize } from '../analysis/tokenize.js'
import { escapeWildcard } from './leaf-lexer.js'

/**
 * As the analyzer says; where it says nothing, what it makes of the text where that is one word from its first to its
 * last character, and otherwise the text as it is.
 */
export function normalizeTerm(analyzer: Analyzer, text: string): string {
  if (analyzer.normalize !== undefined) return analyzer.normalize(text)
  const tokens = tokenize(analyzer, text)
  const [token] = tokens
  return tokens.length === 1 && token!.startOffset === 0 && token!.endOffset === text.length ? token!.term : text
}

/** The same for a text with wildcards: what stands between them is normalized. */
export function normalizePattern(analyzer: Analyzer, pattern: string): string {
  let normalized = ''
  let literal = ''
  const flush = (): void => {
    if (literal !== '') normalized += escapeWildcard(normalizeTerm(analyzer, literal))
    literal = ''
  }
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    if (char === '*' || char === '?') {
      flush()
      normalized += char
    } else literal += char === '\\' ? (pattern[++i] ?? char) : char
  }
  flush()
  return normalized
}
