/**
 * The first documents by sort keys. Ordinals of keywords mean something in their segment only, so each segment has its
 * own heap, whose result is turned into values and merged; the last document so far is turned into keys of the next
 * segment, and whatever is behind it is not looked at.
 */
import type { Window } from '../scorer/window.js'
import type { SearchContext } from '../search-context.js'
import type { TopDocs } from '../search-runner.js'
import { forEachWindow } from '../search-runner.js'
import type { Weight } from '../weight/weight.js'
import { SegmentSortKey, type SortCursor, type SortKey, type SortValue } from './sort-key.js'
import { compareKeys, SortedTopHits } from './sorted-top-hits.js'

interface SortedDoc {
  readonly doc: number
  readonly score: number
  readonly values: readonly SortValue[]
}

/**
 * The first `limit` documents behind `after`, where it is given. `total` counts all that match.
 * @param withScores whether the weight computes scores; those of the result are NaN otherwise
 */
export async function findSortedDocs(
  weight: Weight,
  context: SearchContext,
  docBases: Int32Array,
  limit: number,
  sort: readonly SortKey[],
  after: SortCursor | undefined,
  withScores: boolean,
): Promise<TopDocs> {
  const { limits } = context
  await limits.untilOver(() => limits.wait(weight.load()))
  let best: SortedDoc[] = []
  let total = 0
  const candidate = new Float64Array(sort.length)
  for (let leaf = 0; leaf < context.segments.length && !limits.timeOver; leaf++) {
    const scorer = weight.scorer(leaf)
    if (scorer === null) continue
    const segment = context.segments[leaf]!
    const base = docBases[leaf]!
    const keys = await limits.untilOver(() =>
      limits.wait(Promise.all(sort.map((key) => SegmentSortKey.open(segment, base, key)))),
    )
    if (keys === undefined) break
    const afterKeys = after === undefined ? null : Float64Array.from(keys, (key, i) => key.keyOf(after.values[i]!))
    const last = best.length < limit ? null : Float64Array.from(keys, (key, i) => key.keyOf(best.at(-1)!.values[i]!))
    const top = new SortedTopHits(limit, sort.length)
    const scores = new Map<number, number>()
    const live = segment.liveDocs
    const visit = (window: Window): void => {
      scorer.fill(window, Number.NEGATIVE_INFINITY)
      const { lo, bits, scores: windowScores } = window
      const words = (window.hi - lo + 31) >>> 5
      for (let w = 0; w < words; w++) {
        let word = bits[w]!
        bits[w] = 0
        while (word !== 0) {
          const at = (w << 5) + 31 - Math.clz32(word & -word)
          word &= word - 1
          const score = windowScores[at]!
          windowScores[at] = 0
          const doc = lo + at
          if (live !== null && !live.get(doc)) continue
          total++
          candidate[0] = keys[0]!.key(doc, score)
          if (candidate[0] > top.worstFirstKey || (last !== null && candidate[0] > last[0]!)) continue
          for (let i = 1; i < keys.length; i++) candidate[i] = keys[i]!.key(doc, score)
          // What is equal to the last one so far is behind it: its id is greater.
          if (last !== null && compareKeys(candidate, 0, last, 0, keys.length) >= 0) continue
          if (afterKeys !== null) {
            const order = compareKeys(candidate, 0, afterKeys, 0, keys.length)
            if (order < 0 || (order === 0 && base + doc <= after!.docId)) continue
          }
          top.offer(candidate, doc)
          if (withScores) scores.set(doc, score)
        }
      }
      if (withScores && scores.size > 4 * limit + 1024) keepScores(scores, top)
    }
    await limits.untilOver(() => forEachWindow(scorer, segment.maxDoc, context, visit))
    const found = top.sorted().map((one) => ({
      doc: base + one.doc,
      score: scores.get(one.doc) ?? Number.NaN,
      keys: one.keys,
      values: keys.map((key, i) => key.valueOf(one.keys[i]!)),
    }))
    best = merge(best, found, keys, limit)
  }
  return {
    total,
    relation: limits.partial ? 'gte' : 'eq',
    partial: limits.partial,
    docs: Int32Array.from(best, ({ doc }) => doc),
    scores: Float64Array.from(best, ({ score }) => score),
    sortValues: best.map(({ values }) => values),
  }
}

/** Merges two lists in order; keys are those of the second list's segment. */
function merge(
  best: readonly SortedDoc[],
  found: readonly (SortedDoc & { readonly keys: Float64Array })[],
  keys: readonly SegmentSortKey[],
  limit: number,
): SortedDoc[] {
  const merged: SortedDoc[] = []
  let a = 0
  let b = 0
  let keysA: Float64Array | null = null
  while (merged.length < limit && (a < best.length || b < found.length)) {
    if (a < best.length) keysA ??= Float64Array.from(keys, (key, i) => key.keyOf(best[a]!.values[i]!))
    const takeA = b >= found.length || (a < best.length && compareKeys(keysA!, 0, found[b]!.keys, 0, keys.length) <= 0)
    if (takeA) {
      merged.push(best[a++]!)
      keysA = null
    } else {
      const { doc, score, values } = found[b++]!
      merged.push({ doc, score, values })
    }
  }
  return merged
}

/** Forgets the scores of documents that are no longer among the first. */
function keepScores(scores: Map<number, number>, top: SortedTopHits): void {
  const kept = new Map<number, number>()
  for (const { doc } of top.sorted()) kept.set(doc, scores.get(doc)!)
  scores.clear()
  for (const [doc, score] of kept) scores.set(doc, score)
}
