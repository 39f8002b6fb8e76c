/** A query that matches by positions in one search: a phrase of any kind, or terms near each other. */
import { SpindleError } from '@spindle/core'
import type { Postings } from '../../codec/postings.js'
import type { TermStats } from '../../codec/term-stats.js'
import type { FieldInfo } from '../../document/field-info.js'
import type { SegmentReader } from '../../reading/segment-reader.js'
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import type { PositionPattern } from '../positions/position-pattern.js'
import { presenceCost } from '../positions/presence.js'
import { type FrequencyScorer, PositionScorer, type SegmentTerms } from '../scorer/position-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import { loadEach, Weight } from './weight.js'

/** Makes the scorer of a segment that holds what the pattern needs. */
export type OpenPositionScorer = (segment: SegmentTerms) => FrequencyScorer | null

/** Statistics and postings of the terms of a pattern. Its idf is the sum of theirs, as in Lucene. */
export class PositionWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #pattern: PositionPattern
  readonly #open: OpenPositionScorer
  readonly #sim: SimScorer | null
  /** By segment, then by number: documents that hold the term. */
  readonly #docFreqs: readonly Int32Array[]
  /** The same, with all that is known; null where the segment lacks the term. */
  readonly #stats: readonly (TermStats | null)[][]
  /** By segment, then by number; null where the segment lacks what a match needs. */
  readonly #postings: ((Postings | null)[] | null)[] = []

  /** @param open the scorer, where there is one that is faster than the pattern's own matcher */
  constructor(context: SearchContext, pattern: PositionPattern, boost: number, open?: OpenPositionScorer) {
    super()
    this.#context = context
    this.#pattern = pattern
    this.#open = open ?? ((segment) => PositionScorer.open(pattern.presence, pattern.createMatcher(false), segment))
    const { field, terms } = pattern
    this.#docFreqs = context.segments.map(() => new Int32Array(terms.length))
    this.#stats = context.segments.map(() => [])
    const stats = terms.map((term, number) => this.#sumUp(term, number))
    this.cost = presenceCost(
      pattern.presence,
      stats.map(({ docFreq }) => docFreq),
    )
    const scored = pattern.scored.map((number) => stats[number]!).filter(({ docFreq }) => docFreq > 0)
    this.#sim =
      this.cost === 0 || context.similarity === null
        ? null
        : context.similarity.scorer(boost, context.collectionStats(field), scored)
    this.importance = this.#sim === null ? 0 : this.#sim.weight
  }

  /** Statistics of a term over all segments. */
  #sumUp(term: string, number: number): TermStats {
    let docFreq = 0
    let totalTermFreq = 0
    for (let leaf = 0; leaf < this.#docFreqs.length; leaf++) {
      const stats = this.#context.segmentTermStats(leaf, this.#pattern.field, term)
      this.#stats[leaf]!.push(stats)
      if (stats === null) continue
      this.#docFreqs[leaf]![number] = stats.docFreq
      docFreq += stats.docFreq
      totalTermFreq += stats.totalTermFreq
    }
    return { docFreq, totalTermFreq }
  }

  load(): Promise<void> | null {
    if (this.cost === 0) return null
    return loadEach(this.#context.segments, (segment, leaf) => this.#loadSegment(segment, leaf))
  }

  #loadSegment(segment: SegmentReader, leaf: number): Promise<void> | null {
    const { field, terms, presence } = this.#pattern
    const info = segment.fieldInfo(field)
    if (info !== undefined && info.options !== 'positions' && info.options !== 'none') this.#refuse(info)
    this.#postings[leaf] = null
    if (presenceCost(presence, this.#docFreqs[leaf]!) === 0) return null
    const lists: (Postings | null)[] = []
    this.#postings[leaf] = lists
    return loadEach(terms, (term, number) => {
      const stats = this.#stats[leaf]![number]!
      const resident = stats === null ? null : this.#context.residentPostings(leaf, field, stats, 'positions')
      if (resident === undefined) {
        return this.#context.loadPostings(leaf, field, term, 'positions').then((loaded) => {
          lists[number] = loaded
        })
      }
      lists[number] = resident
      return null
    })
  }

  #refuse({ sources }: FieldInfo): never {
    const { query, field } = this.#pattern
    const reason =
      sources === undefined
        ? 'keeps no positions; search a text field'
        : `is combined of ${sources.map((source) => source.name).join(', ')} and keeps no positions; search these fields`
    throw new SpindleError(
      'FIELD_WITHOUT_POSITIONS',
      `The query ${query} needs to know where words stand in the field '${field}', which ${reason}.`,
    )
  }

  scorer(leaf: number): Scorer | null {
    return this.#scorer(leaf)
  }

  #scorer(leaf: number): FrequencyScorer | null {
    const postings = this.#postings[leaf] ?? null
    if (postings === null) return null
    const { limits, segments } = this.#context
    const norms = this.#sim === null ? null : segments[leaf]!.norms(this.#pattern.field)
    return this.#open({ postings, sim: this.#sim, norms, limits })
  }

  override count(leaf: number): number {
    return this.#postings[leaf] ? -1 : 0
  }

  explain(leaf: number, doc: number): Explanation {
    const { query, field } = this.#pattern
    const freq = this.#scorer(leaf)?.freqAt(doc) ?? 0
    if (freq === 0) return explainNoMatch(`${query} is not in the document`)
    if (this.#sim === null) return explainMatch(0, `${query} is in the document`)
    const norm = this.#context.segments[leaf]!.norms(field)?.[doc] ?? NO_NORM
    const inner = this.#sim.explain(freq, norm)
    return { ...inner, description: `${query}: ${inner.description}` }
  }
}
