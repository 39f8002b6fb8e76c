/**
 * The best document of each group, a group being the documents with one value of a keyword field; documents without a
 * value are a group each. Every match is scored: which group a document leads is known only at the end. Memory: 16 bytes
 * a term of the field in the segment at hand, and an object a group that matches.
 */
import type { Window } from './scorer/window.js'
import type { SearchContext } from './search-context.js'
import { forEachWindow, type TopDocs } from './search-runner.js'
import { TopHits } from './top-hits.js'
import type { Weight } from './weight/weight.js'
import { requireDocValues } from './without-doc-values.js'

interface Group {
  doc: number
  score: number
  count: number
}

/** The best `limit` groups; `total` counts groups. @throws SpindleError FIELD_WITHOUT_DOC_VALUES */
export async function findCollapsedDocs(
  weight: Weight,
  context: SearchContext,
  docBases: Int32Array,
  limit: number,
  field: string,
): Promise<TopDocs> {
  const { limits } = context
  await limits.untilOver(() => limits.wait(weight.load()))
  const groups = new Map<string, Group>()
  const singles = new TopHits(limit)
  let singleCount = 0
  for (let leaf = 0; leaf < context.segments.length && !limits.timeOver; leaf++) {
    const scorer = weight.scorer(leaf)
    if (scorer === null) continue
    const segment = context.segments[leaf]!
    const base = docBases[leaf]!
    const live = segment.liveDocs
    const values = await limits.untilOver(() => limits.wait(requireDocValues(segment, field, 'ordinal')))
    if (values === undefined) break
    const termCount = values?.termCount ?? 0
    const counts = new Int32Array(termCount)
    const bestDocs = new Int32Array(termCount)
    const bestScores = new Float64Array(termCount)
    const visit = (window: Window): void => {
      scorer.fill(window, Number.NEGATIVE_INFINITY)
      const { lo, bits, scores } = window
      const words = (window.hi - lo + 31) >>> 5
      for (let w = 0; w < words; w++) {
        let word = bits[w]!
        bits[w] = 0
        while (word !== 0) {
          const at = (w << 5) + 31 - Math.clz32(word & -word)
          word &= word - 1
          const score = scores[at]!
          scores[at] = 0
          const doc = lo + at
          if (live !== null && !live.get(doc)) continue
          if (values === null || !values.has(doc)) {
            singleCount++
            if (score > singles.threshold) singles.insert(base + doc, score)
            continue
          }
          const ordinal = values.first(doc)
          // Of equal scores the earlier document leads.
          if (counts[ordinal]!++ > 0 && score <= bestScores[ordinal]!) continue
          bestScores[ordinal] = score
          bestDocs[ordinal] = doc
        }
      }
    }
    await limits.untilOver(() => forEachWindow(scorer, segment.maxDoc, context, visit))
    for (let ordinal = 0; ordinal < termCount; ordinal++) {
      if (counts[ordinal] === 0) continue
      const text = segment.data.terms.termAt(field, ordinal)
      const score = bestScores[ordinal]!
      const group = groups.get(text)
      if (group === undefined) {
        groups.set(text, { doc: base + bestDocs[ordinal]!, score, count: counts[ordinal]! })
        continue
      }
      group.count += counts[ordinal]!
      if (score <= group.score) continue
      group.score = score
      group.doc = base + bestDocs[ordinal]!
    }
  }
  const total = groups.size + singleCount
  const best: Group[] = [...groups.values()]
  const { docs, scores } = singles.sorted()
  for (let i = 0; i < docs.length; i++) best.push({ doc: docs[i]!, score: scores[i]!, count: 1 })
  best.sort((a, b) => b.score - a.score || a.doc - b.doc)
  if (best.length > limit) best.length = limit
  return {
    total,
    relation: limits.partial ? 'gte' : 'eq',
    partial: limits.partial,
    docs: Int32Array.from(best, ({ doc }) => doc),
    scores: Float64Array.from(best, ({ score }) => score),
    groupCounts: Int32Array.from(best, ({ count }) => count),
  }
}
