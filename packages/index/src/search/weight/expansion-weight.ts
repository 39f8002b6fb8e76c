/**
 * Queries for all terms of a field that have something in common: the documents of all of them, in one bit set a
 * segment, are found when the query is bound, so that their number is known when it takes its place in an AND.
 */
import type { BitSet } from '@spindle/core'
import type { SegmentReader } from '../../reading/segment-reader.js'
import type { TermAutomaton } from '../automaton/term-automaton.js'
import { walkMatchingTerms } from '../automaton/term-walk.js'
import { BitSetScorer } from '../scorer/bit-set-scorer.js'
import type { SearchContext } from '../search-context.js'
import { ConstantScoreWeight, MatchNoneWeight } from './constant-weight.js'
import { SetWeight } from './set-weight.js'
import { TermUnion } from './term-union.js'
import type { Weight } from './weight.js'

/** What was found in a segment; null: nothing. */
type Matches = { readonly docs: BitSet; readonly count: number } | null

/** Adds the terms of one segment to a union; the field is one that the segment has, with terms. */
export type Expansion = (segment: SegmentReader, union: TermUnion) => Promise<void>

/**
 * The documents of many terms, with a constant score.
 * @param key see {@link SearchContext.prepared}
 * @param name the printed query, for explanations
 */
export function expansionWeight(
  context: SearchContext,
  key: object,
  field: string,
  name: string,
  boost: number,
  expand: Expansion,
): Weight {
  const found = context.prepared(key, async () => {
    const matches: Matches[] = []
    for (const segment of context.segments) matches.push(await findMatches(context, segment, field, expand))
    return matches
  })
  if (found === undefined) return new MatchNoneWeight()
  const weight = new ExpansionWeight(context, name, found)
  return context.similarity === null ? weight : new ConstantScoreWeight(context, weight, boost)
}

/** Bit sets that are there already. */
class ExpansionWeight extends SetWeight {
  readonly #segments: readonly SegmentReader[]
  readonly #found: readonly Matches[]

  constructor(context: SearchContext, name: string, found: readonly Matches[]) {
    let cost = 0
    for (const matches of found) cost += matches?.count ?? 0
    super(context, name, cost, async (leaf) => {
      const matches = found[leaf]
      return matches === null ? null : () => new BitSetScorer(matches.docs.words, matches.docs.length, matches.count)
    })
    this.#segments = context.segments
    this.#found = found
  }

  override count(leaf: number): number {
    const matches = this.#found[leaf]
    if (matches === null) return 0
    const live = this.#segments[leaf].liveDocs
    return live === null ? matches.count : matches.docs.countWith(live)
  }
}

/** The documents of all terms that an automaton accepts, with a constant score. */
export function automatonWeight(
  context: SearchContext,
  automaton: TermAutomaton,
  field: string,
  name: string,
  boost: number,
): Weight {
  return expansionWeight(context, automaton, field, name, boost, (segment, union) =>
    walkMatchingTerms(segment.data, field, automaton, context.limits, union),
  )
}

async function findMatches(
  context: SearchContext,
  segment: SegmentReader,
  field: string,
  expand: Expansion,
): Promise<Matches> {
  if (segment.data.terms.termCount(field) === 0) return null
  const found = await new TermUnion(segment, field, context.limits).of((union) => expand(segment, union))
  return found.count === 0 ? null : found
}
