/**
 * Runs a weight over all segments, a window at a time: the best documents with one threshold for all segments, or only
 * the number of matches, or their set. Between windows it may let the event loop turn.
 */
import { BitSet } from '@spindle/core'
import type { SegmentReader } from '../reading/segment-reader.js'
import type { Candidates } from './scorer/candidates.js'
import type { Scorer } from './scorer/scorer.js'
import { FIRST_WINDOW_SIZE, WIDE_WINDOW_SIZE, WINDOW_SIZE, type Window } from './scorer/window.js'
import type { SearchContext } from './search-context.js'
import type { SortValue } from './sort/sort-key.js'
import type { TopHits } from './top-hits.js'
import type { Weight } from './weight/weight.js'

/** What a stretch costs beside its postings, in postings. */
const STRETCH_COST = 32

/** The best documents of an index. */
export interface TopDocs {
  /** Documents that match: all of them, or at least as many. */
  readonly total: number
  readonly relation: 'eq' | 'gte'
  /** Whether a limit was met: better documents may be missing. */
  readonly partial: boolean
  /** Best first; index-wide ids. */
  readonly docs: Int32Array
  readonly scores: Float64Array
  /** Of sorted results: the values of each document. */
  readonly sortValues?: readonly (readonly SortValue[])[]
  /** Of collapsed results: matching documents of each group. */
  readonly groupCounts?: Int32Array
}

/** A place in results by score. */
export interface ScoredDoc {
  readonly score: number
  /** Index-wide id. */
  readonly docId: number
}

/**
 * The best `limit` documents.
 * @param docBases index-wide id of document 0 of each segment
 * @param totalHits how far matches are counted; beyond it, documents that cannot be among the best are skipped
 * @param after only documents behind this place, a score and an index-wide id; `total` counts those before it too
 */
export async function findTopDocs(
  weight: Weight,
  context: SearchContext,
  docBases: Int32Array,
  limit: number,
  totalHits: number,
  after?: ScoredDoc,
): Promise<TopDocs> {
  const { limits } = context
  let total = 0
  let pruned = false
  let expected = false
  const top = context.scratch.takeTopHits(limit)
  await limits.untilOver(async () => {
    const loading = weight.load()
    if (loading !== null) await limits.wait(loading)
    const known = context.segments.map((_, leaf) => weight.count(leaf))
    for (const count of known) if (count > 0) total += count
    for (let leaf = 0; leaf < known.length; leaf++) {
      const scorer = known[leaf] === 0 ? null : weight.scorer(leaf)
      if (scorer === null) continue
      const segment = context.segments[leaf]!
      const base = docBases[leaf]!
      const toCount = known[leaf]! < 0
      let from = 0
      if (toCount && total < totalHits && !isListed(scorer, segment)) {
        from = await forEachWindow(scorer, segment.maxDoc, context, (window) => {
          scorer.fill(window, -Infinity)
          total += window.countLive(segment.liveDocs)
          collect(window, segment, base, top, after)
          return total < totalHits
        })
      }
      if (!expected && (!toCount || totalHits < Infinity) && segment.liveDocs === null && after === undefined) {
        const floor = scorer.floor(limit)
        expected = floor > 0
        if (expected) top.expect(floor)
      }
      const least = (): number => {
        if (toCount && total < totalHits) return -Infinity
        if (toCount) pruned = true
        return top.threshold
      }
      const walking = forEachStretch(scorer, from, segment.maxDoc, least, context, (candidates) => {
        if (toCount) total += countLiveCandidates(candidates, segment)
        collectCandidates(candidates, segment, base, top, after)
      })
      if (walking !== null) await walking
    }
  })
  const { partial } = limits
  const { docs, scores } = top.sorted()
  context.scratch.giveTopHits(top)
  return { total, relation: pruned || partial ? 'gte' : 'eq', partial, docs, scores }
}

/** Number of live documents that match. The weight is made without scores. */
export function countMatches(weight: Weight, context: SearchContext): number | Promise<number> {
  const atOnce = countUnloaded(weight, context.segments.length)
  return atOnce >= 0 ? atOnce : countByScorers(weight, context)
}

async function countByScorers(weight: Weight, context: SearchContext): Promise<number> {
  await context.limits.wait(weight.load())
  let total = 0
  for (let leaf = 0; leaf < context.segments.length; leaf++) {
    const { known, scorer } = weight.counter(leaf)
    total += known
    if (scorer === null) continue
    const segment = context.segments[leaf]!
    if (!scorer.countsWide && isListed(scorer, segment)) {
      const walking = forEachStretch(scorer, 0, segment.maxDoc, all, context, (candidates) => {
        total += countLiveCandidates(candidates, segment)
      })
      if (walking !== null) await walking
    } else {
      const add = (window: Window): void => {
        total += scorer.count(window, segment.liveDocs)
      }
      await forEachWindow(scorer, segment.maxDoc, context, add, scorer.countsWide)
    }
  }
  return total
}

/** The number of matches where it is known before anything is loaded, −1 otherwise. */
function countUnloaded(weight: Weight, segments: number): number {
  if (!weight.countsUnloaded) return -1
  let total = 0
  for (let leaf = 0; leaf < segments; leaf++) {
    const known = weight.count(leaf)
    if (known < 0) return -1
    total += known
  }
  return total
}

/** The live documents that match, a set for each segment. The weight is made without scores. */
export async function findMatches(weight: Weight, context: SearchContext): Promise<BitSet[]> {
  await context.limits.wait(weight.load())
  const sets: BitSet[] = []
  for (let leaf = 0; leaf < context.segments.length; leaf++) {
    const segment = context.segments[leaf]!
    const set = new BitSet(segment.maxDoc)
    const scorer = weight.scorer(leaf)
    if (scorer !== null) {
      await forEachWindow(scorer, segment.maxDoc, context, (window) => {
        scorer.fill(window, -Infinity)
        const live = segment.liveDocs
        const from = window.lo >>> 5
        const words = (window.hi - window.lo + 31) >>> 5
        for (let w = 0; w < words; w++) {
          set.words[from + w] = live === null ? window.bits[w]! : window.bits[w]! & live.words[from + w]!
        }
        window.clearBits()
      })
    }
    sets.push(set)
  }
  return sets
}

/**
 * Calls `visit` with an empty window for every stretch of the segment that may hold a match; `visit` empties it, and
 * ends the walk where it returns false.
 * @param isWide whether to use wide windows
 * @returns the first document that was not visited; `maxDoc` at the end
 */
export async function forEachWindow(
  scorer: Scorer,
  maxDoc: number,
  context: SearchContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: nothing returned means going on
  visit: (window: Window) => boolean | void,
  isWide = false,
): Promise<number> {
  const { limits, scratch } = context
  const window = isWide ? scratch.takeWideWindow() : scratch.takeWindow()
  // Small windows first: they give a threshold, from which on documents can be skipped.
  let size = isWide ? WIDE_WINDOW_SIZE : FIRST_WINDOW_SIZE
  let from = 0
  while (from < maxDoc) {
    // Windows begin at multiples of 32, so that their words line up with those of the live documents.
    const lo = scorer.next(from) & ~31
    if (lo >= maxDoc) {
      from = maxDoc
      break
    }
    const hi = Math.min(lo + size, maxDoc)
    if (size < WINDOW_SIZE) size *= 2
    window.reset(lo, hi)
    const goOn = visit(window)
    from = hi
    limits.spend(WINDOW_SIZE / 32)
    if (limits.sliceOver) await limits.yield()
    if (goOn === false) break
  }
  scratch.giveWindow(window)
  return Math.min(from, maxDoc)
}

/** Whether documents are better listed than marked in windows, because few match or they are found that way. */
function isListed(scorer: Scorer, segment: SegmentReader): boolean {
  return scorer.prefersLists || scorer.cost * 32 < segment.maxDoc
}

const all = (): number => -Infinity

/**
 * Calls `visit` with lists of the documents from `from` on; `visit` need not empty them.
 * @param least asked before each list: documents whose scores are not above it may be left out
 * @returns null where there is nothing to wait for
 */
function forEachStretch(
  scorer: Scorer,
  from: number,
  maxDoc: number,
  least: () => number,
  context: SearchContext,
  visit: (candidates: Candidates) => void,
): Promise<void> | null {
  const { limits, scratch } = context
  const candidates = scratch.takeCandidates()
  /** @returns where to go on after a pause; `maxDoc` at the end */
  const walk = (start: number): number => {
    for (let at = start; at < maxDoc; ) {
      const min = least()
      const lo = scorer.seek(at, min)
      if (lo >= maxDoc) break
      const hi = Math.min(scorer.stretch(lo), maxDoc)
      candidates.length = 0
      scorer.list(candidates, lo, hi, min, scratch)
      if (candidates.length > 0) visit(candidates)
      at = hi
      limits.spend(STRETCH_COST)
      if (limits.sliceOver) return at
    }
    return maxDoc
  }
  const goOn = async (start: number): Promise<void> => {
    for (let at = start; at < maxDoc; at = walk(at)) await limits.yield()
    scratch.giveCandidates(candidates)
  }
  const at = walk(from)
  if (at < maxDoc) return goOn(at)
  scratch.giveCandidates(candidates)
  return null
}

function isBehind({ score, docId }: ScoredDoc, itsScore: number, itsId: number): boolean {
  return itsScore < score || (itsScore === score && itsId > docId)
}

/** Offers the documents of a window to the best ones, deleted ones excepted, and empties the window. */
function collect(window: Window, segment: SegmentReader, base: number, top: TopHits, after?: ScoredDoc): void {
  const live = segment.liveDocs
  const { lo, bits, scores } = window
  const words = (window.hi - lo + 31) >>> 5
  for (let w = 0; w < words; w++) {
    let word = bits[w]!
    if (word === 0) continue
    bits[w] = 0
    while (word !== 0) {
      const at = (w << 5) + 31 - Math.clz32(word & -word)
      word &= word - 1
      const score = scores[at]!
      scores[at] = 0
      // Deletes are looked up only for documents that would get in.
      if (!(score > top.threshold)) continue
      if (after !== undefined && !isBehind(after, score, base + lo + at)) continue
      if (live === null || live.get(lo + at)) top.insert(base + lo + at, score)
    }
  }
}

function countLiveCandidates({ docs, length }: Candidates, segment: SegmentReader): number {
  const live = segment.liveDocs
  if (live === null) return length
  let count = 0
  for (let i = 0; i < length; i++) if (live.get(docs[i]!)) count++
  return count
}

/** Offers listed documents to the best ones, deleted ones excepted. */
function collectCandidates(
  { docs, scores, length }: Candidates,
  segment: SegmentReader,
  base: number,
  top: TopHits,
  after?: ScoredDoc,
): void {
  const live = segment.liveDocs
  for (let i = 0; i < length; i++) {
    const score = scores[i]!
    if (!(score > top.threshold)) continue
    const doc = docs[i]!
    if (after !== undefined && !isBehind(after, score, base + doc)) continue
    if (live === null || live.get(doc)) top.insert(base + doc, score)
  }
}
