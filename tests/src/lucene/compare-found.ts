/** Whether two engines have found the same. */
import { BEST, type Found } from './engine.js'

/** Lucene's scores are float32, and a score is a sum of several. */
const TOLERANCE = 1e-4
/** Smaller numbers lose digits as a float32, and become 0 in the end. */
const LEAST_FLOAT32 = 2 ** -126

/**
 * What differs: the number of matches, the score at some place, or a document with a score of its own. Documents whose
 * scores are equal may stand in any order, and at the end of the list others of them may be there.
 */
export function difference(ours: Found, theirs: Found): string | undefined {
  if ('error' in ours) return `ours fails: ${ours.error}`
  if ('error' in theirs) return `Lucene fails: ${theirs.error}`
  if (ours.count !== theirs.count) return `${ours.count} matches, with Lucene ${theirs.count}`
  const shown = Math.min(BEST, ours.count)
  if (ours.ids.length !== shown || theirs.ids.length !== shown) return `${ours.ids.length} hits of ${shown}`
  for (let i = 0; i < shown; i++) {
    if (!near(ours.scores[i]!, theirs.scores[i]!)) {
      return `hit ${i} is ${ours.ids[i]} with ${ours.scores[i]}, with Lucene ${theirs.ids[i]} with ${theirs.scores[i]}`
    }
  }
  const scoreOf = new Map(theirs.ids.map((id, i) => [id, theirs.scores[i]!]))
  const last = theirs.scores.at(-1) ?? 0
  for (const [i, id] of ours.ids.entries()) {
    const score = scoreOf.get(id)
    const same = score === undefined ? shown < ours.count && near(ours.scores[i]!, last) : near(ours.scores[i]!, score)
    if (!same) return `${id} has ${ours.scores[i]}, with Lucene ${score ?? `none of the best, the last has ${last}`}`
  }
  return undefined
}

function near(a: number, b: number): boolean {
  const greater = Math.max(Math.abs(a), Math.abs(b))
  return greater < LEAST_FLOAT32 || Math.abs(a - b) <= TOLERANCE * greater
}
