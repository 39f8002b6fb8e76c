/** Which of a few documents match: of the lists only what concerns them is looked at. */
import { NO_MORE_DOCS } from './scorer/scorer.js'
import type { SearchContext } from './search-context.js'
import type { Weight } from './weight/weight.js'

/**
 * @param weight made without scores; it is loaded here
 * @param docIds index-wide ids, in any order; deleted documents count like others
 * @returns one answer a document, in their order
 */
export async function matchDocs(
  weight: Weight,
  context: SearchContext,
  docBases: Int32Array,
  docIds: readonly number[],
): Promise<boolean[]> {
  await context.limits.wait(weight.load())
  const matched = docIds.map(() => false)
  const ascending = [...docIds.keys()].sort((a, b) => docIds[a]! - docIds[b]!)
  const candidates = context.scratch.takeCandidates()
  let at = 0
  for (let leaf = 0; leaf < context.segments.length && at < ascending.length; leaf++) {
    const base = docBases[leaf]!
    const end = docBases[leaf + 1] ?? NO_MORE_DOCS
    const from = at
    while (at < ascending.length && docIds[ascending[at]!]! < end) at++
    const scorer = at === from ? null : weight.scorer(leaf)
    if (scorer === null) continue
    for (const i of ascending.slice(from, at)) {
      // One by one, since a list of candidates lies within a window.
      candidates.length = 1
      candidates.docs[0] = docIds[i]! - base
      candidates.scores[0] = 0
      candidates.matched[0] = 0
      scorer.probe(candidates)
      matched[i] = candidates.matched[0] === 1
    }
  }
  context.scratch.giveCandidates(candidates)
  return matched
}
