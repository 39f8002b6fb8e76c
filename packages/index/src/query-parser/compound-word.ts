/** What is asked of a word that has several forms in the layer that ranks, or parts: `Zürich`, `parseHTML`, `img_data_ttl`. */
import type { LayerToken, TokenRun } from '../analysis/layer-tokens.js'
import { BooleanQuery } from '../search/query/boolean-query.js'
import { DisjunctionMaxQuery } from '../search/query/disjunction-max-query.js'
import type { Query } from '../search/query/query.js'

/** What all parts of a word weigh together of the word itself. */
const PARTS_WEIGHT = 0.5

/**
 * Any of the forms counts, or all the parts together.
 * @param word where the word stands
 * @param tokens its tokens in the layer: those of its whole range are forms, the others parts
 * @param ask makes the query of a term
 */
export function compoundWord(
  word: TokenRun,
  tokens: readonly LayerToken[],
  ask: (term: string, weight: number) => Query,
): Query {
  const isForm = ({ start, end }: LayerToken): boolean => start === word.start && end === word.end
  const forms = new Set(tokens.filter(isForm).map(({ term }) => term))
  const parts = new Set(tokens.filter((token) => !isForm(token)).map(({ term }) => term))
  const alternatives = [...forms].map((term) => ask(term, 1))
  const asked = [...parts].map((term) => ask(term, PARTS_WEIGHT / parts.size))
  if (asked.length === 1) alternatives.push(asked[0]!)
  if (asked.length > 1) alternatives.push(new BooleanQuery(asked.map((query) => ({ query, occur: 'must' }))))
  return alternatives.length === 1 ? alternatives[0]! : new DisjunctionMaxQuery(alternatives, 0)
}
