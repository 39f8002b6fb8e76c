/** The inverse document frequency of a term or phrase as a part of an explanation. */
import type { TermStats } from '../../codec/term-stats.js'
import type { CollectionStats } from '../../reading/index-reader.js'
import { type Explanation, explainMatch, explainSum } from '../explanation.js'

/**
 * The idf of each term, and their sum where there are several.
 * @param formula of N and df
 */
export function explainIdf(
  formula: string,
  similarity: { idf(docFreq: number, docCount: number): number },
  collection: CollectionStats,
  terms: readonly TermStats[],
): Explanation {
  const parts = terms.map(({ docFreq }) =>
    explainMatch(similarity.idf(docFreq, collection.docCount), `idf: ${formula}`, [
      explainMatch(collection.docCount, 'N: documents that have the field'),
      explainMatch(docFreq, 'df: documents that hold the term'),
    ]),
  )
  if (parts.length === 1) return parts[0]!
  let sum = 0
  for (const part of parts) sum += part.value
  return explainSum(sum, 'idf: sum over the terms', parts)
}
