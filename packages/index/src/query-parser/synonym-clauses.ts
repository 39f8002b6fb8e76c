/** A text some parts of which have synonyms, as clauses: what stands between them as it is, each part with its synonyms. */
import type { SynonymMatch } from '../analysis/synonyms/synonym-map.js'
import type { Query } from '../search/query/query.js'
import { SynonymQuery } from '../search/query/synonym-query.js'

/** How the clauses of texts are made; null where nothing is left of a text. */
export interface TextClauses {
  /** A part of the query as it was typed, between two others. */
  rest(text: string): Query | null
  /** The typed part that has synonyms. */
  typed(text: string): Query | null
  /** One of its synonyms, which may be several words. */
  alternative(text: string): Query | null
  /** Told what has become of a typed part. */
  made(text: string, query: Query): void
}

/**
 * @param matches parts of the text, in its order
 * @param budget alternatives that may still be made for the whole query; taken from
 */
export function synonymClauses(
  text: string,
  matches: readonly SynonymMatch[],
  clauses: TextClauses,
  budget: { left: number },
): Query[] {
  const made: (Query | null)[] = []
  let from = 0
  for (const { start, end, alternatives, keepsTyped } of matches) {
    made.push(clauses.rest(text.slice(from, start)))
    const used = alternatives.slice(0, budget.left)
    budget.left -= used.length
    const queries = new Map<string, Query>()
    const add = (query: Query | null): void => {
      if (query !== null) queries.set(query.toString(), query)
    }
    if (keepsTyped || used.length === 0) add(clauses.typed(text.slice(start, end)))
    for (const alternative of used) add(clauses.alternative(alternative))
    const all = [...queries.values()]
    const query = all.length > 1 ? new SynonymQuery(all) : all[0]
    if (query !== undefined) {
      clauses.made(text.slice(start, end), query)
      made.push(query)
    }
    from = end
  }
  made.push(clauses.rest(text.slice(from)))
  return made.filter((query) => query !== null)
}
