/** Makes a failure small: fewer changes of the index, a smaller query, as long as it still fails. */
import type { Change } from './engine.js'
import type { ClauseNode, QueryNode, SpanNode } from './query-node.js'

/** Queries that are a little smaller, the smallest first. */
export function smallerQueries(node: QueryNode): QueryNode[] {
  switch (node.kind) {
    case 'boolean':
      return [
        ...node.clauses.map(({ query }) => query),
        ...(node.minimum > 0 ? [{ ...node, minimum: node.minimum - 1 }] : []),
        ...smallerLists(node.clauses, smallerClauses).map((clauses) => ({ ...node, clauses })),
      ]
    case 'dismax':
      return [...node.queries, ...smallerLists(node.queries, smallerQueries).map((queries) => ({ ...node, queries }))]
    case 'boost':
    case 'constant':
    case 'function':
      return [node.query, ...smallerQueries(node.query).map((query) => ({ ...node, query }))]
    case 'phrase':
      return [
        ...(node.slop > 0 ? [{ ...node, slop: node.slop - 1 }] : []),
        ...smallerLists(node.words, () => []).map((words) => ({ ...node, words })),
      ]
    case 'multiPhrase': {
      const texts = node.places.flatMap((place, i) =>
        smallerLists(place.texts, () => []).map((texts) => ({
          ...node,
          places: node.places.with(i, { ...place, texts }),
        })),
      )
      return [
        ...(node.slop > 0 ? [{ ...node, slop: node.slop - 1 }] : []),
        ...smallerLists(node.places, () => []).map((places) => ({ ...node, places })),
        ...texts,
      ]
    }
    case 'like':
      return smallerLists(node.text.split(' '), () => []).map((words) => ({ ...node, text: words.join(' ') }))
    case 'termSet':
      return smallerLists(node.texts, () => []).map((texts) => ({ ...node, texts }))
    case 'prefix':
    case 'wildcard':
    case 'regexp':
      return [...node.pattern].map((_, i) => ({ ...node, pattern: [...node.pattern].toSpliced(i, 1).join('') }))
    case 'near':
      return smallerSpans(node).filter((span) => span.kind === 'near')
    default:
      return []
  }
}

function smallerClauses({ occur, query }: ClauseNode): ClauseNode[] {
  return smallerQueries(query).map((smaller) => ({ occur, query: smaller }))
}

function smallerSpans(span: SpanNode): SpanNode[] {
  if (span.kind === 'spanTerm') return []
  const slop = span.kind === 'near' && span.slop > 0 ? [{ ...span, slop: span.slop - 1 }] : []
  const lists = smallerLists(span.spans, smallerSpans).map((spans) => ({ ...span, spans }))
  return [...span.spans, ...slop, ...lists]
}

/** A list without one of its members, or with one of them smaller; never empty. */
function smallerLists<T>(list: readonly T[], smaller: (member: T) => readonly T[]): T[][] {
  const without = list.length > 1 ? list.map((_, i) => list.filter((_, j) => j !== i)) : []
  const inside = list.flatMap((member, i) => smaller(member).map((one) => list.with(i, one)))
  return [...without, ...inside]
}

/** The smallest query found that fails. */
export async function shrinkQuery(query: QueryNode, fails: (query: QueryNode) => Promise<boolean>): Promise<QueryNode> {
  for (const smaller of smallerQueries(query)) {
    if (await fails(smaller)) return shrinkQuery(smaller, fails)
  }
  return query
}

/**
 * Changes of which none can be left out (Zeller's ddmin): halves of the list are dropped, then quarters, and so on.
 * @param limit trials at most
 */
export async function shrinkChanges(
  changes: readonly Change[],
  fails: (changes: readonly Change[]) => Promise<boolean>,
  limit: number,
): Promise<readonly Change[]> {
  let current = changes
  let trials = 0
  for (let size = Math.ceil(current.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < current.length && trials < limit; trials++) {
      const fewer = [...current.slice(0, from), ...current.slice(from + size)]
      if (fewer.length > 0 && (await fails(fewer))) current = fewer
      else from += size
    }
  }
  return current
}
