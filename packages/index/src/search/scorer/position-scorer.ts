/**
 * Documents that match by the positions of their terms: those that hold the terms, then the positions of these only,
 * and not even them where the terms are too rare in the document to pass the threshold.
 */
import type { Postings } from '../../codec/postings.js'
import type { PositionMatcher } from '../positions/position-matcher.js'
import type { Presence } from '../positions/presence.js'
import { Spans } from '../positions/spans.js'
import { TermPositions } from '../positions/term-positions.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import type { Candidates } from './candidates.js'
import { PostingsCursor } from './postings-cursor.js'
import { type DocumentCursor, openPresence } from './presence-cursor.js'
import { Scorer } from './scorer.js'
import type { SearchLimits } from './search-limits.js'
import type { Window } from './window.js'

/** What is scored in one segment. */
export interface SegmentTerms {
  /** By the number of the term; null where the segment does not hold it. */
  readonly postings: readonly (Postings | null)[]
  /** null: matches only */
  readonly sim: SimScorer | null
  readonly norms: Uint8Array | null
  readonly limits: SearchLimits
}

/** A scorer that knows the frequency of what it looks for. */
export interface FrequencyScorer extends Scorer {
  /** Frequency in a document, 0 where it does not match. Goes forward like every other call. */
  freqAt(doc: number): number
}

/** Scores the documents that a matcher accepts. */
export class PositionScorer extends Scorer implements FrequencyScorer {
  readonly cost: number
  readonly #docs: DocumentCursor
  readonly #matcher: PositionMatcher
  readonly #sim: SimScorer | null
  readonly #norms: Uint8Array | null
  readonly #limits: SearchLimits
  /** The lists of `#docs`, with the numbers of their terms: one term may have several. */
  readonly #cursors: readonly PostingsCursor[]
  readonly #terms: readonly number[]
  readonly #positions: TermPositions
  /** Of each term: a cursor that stands on the document at hand. */
  readonly #sources: (PostingsCursor | null)[]
  readonly #found = new Spans()

  /** @returns null where the segment lacks a term that is needed */
  static open(presence: Presence, matcher: PositionMatcher, segment: SegmentTerms): PositionScorer | null {
    const cursors: PostingsCursor[] = []
    const terms: number[] = []
    const openTerm = (term: number): PostingsCursor | null => {
      const postings = segment.postings[term] ?? null
      if (postings === null) return null
      const cursor = new PostingsCursor(postings)
      cursors.push(cursor)
      terms.push(term)
      return cursor
    }
    const opened = openPresence(presence, openTerm, segment.limits)
    return opened === null ? null : new PositionScorer(opened.docs, opened.cost, matcher, segment, cursors, terms)
  }

  private constructor(
    docs: DocumentCursor,
    cost: number,
    matcher: PositionMatcher,
    { postings, sim, norms, limits }: SegmentTerms,
    cursors: readonly PostingsCursor[],
    terms: readonly number[],
  ) {
    super()
    this.cost = cost
    this.#docs = docs
    this.#matcher = matcher
    this.#sim = sim
    this.#norms = norms
    this.#limits = limits
    this.#cursors = cursors
    this.#terms = terms
    this.#positions = new TermPositions(postings.length)
    this.#sources = postings.map(() => null)
  }

  next(from: number): number {
    return this.#docs.advance(from)
  }

  bound(): number {
    // The saturated score: frequencies of near matches are far below those of their terms, so blocks tell nothing.
    return this.#sim === null ? 0 : this.#sim.score(0x7fffffff, NO_NORM)
  }

  fill(window: Window, min: number): void {
    const { hi } = window
    const docs = this.#docs
    for (let doc = docs.advance(window.lo); doc < hi; doc = docs.advance(doc + 1)) {
      const freq = this.#frequency(doc, min)
      if (freq > 0) window.add(doc, this.#score(freq, doc))
    }
  }

  probe(candidates: Candidates): void {
    const { docs, scores, matched, length } = candidates
    for (let i = 0; i < length; i++) {
      const doc = docs[i]!
      const freq = this.freqAt(doc)
      if (freq === 0) continue
      matched[i] = 1
      scores[i]! += this.#score(freq, doc)
    }
  }

  freqAt(doc: number): number {
    return this.#docs.advance(doc) === doc ? this.#frequency(doc, -Infinity) : 0
  }

  #score(freq: number, doc: number): number {
    if (this.#sim === null) return 0
    return this.#sim.score(freq, this.#norms === null ? NO_NORM : this.#norms[doc]!)
  }

  /** Frequency in the current document of `#docs`; 0 also where its score cannot be above `min`. */
  #frequency(doc: number, min: number): number {
    const positions = this.#positions
    const { counts } = positions
    const cursors = this.#cursors
    counts.fill(0)
    let all = 0
    for (let i = 0; i < cursors.length; i++) {
      const term = this.#terms[i]!
      const cursor = cursors[i]!
      if (cursor.doc !== doc || counts[term] !== 0) continue
      const count = cursor.freq()
      counts[term] = count
      this.#sources[term] = cursor
      all += count
    }
    const most = this.#matcher.maxFrequency(counts)
    if (most === 0 || (min > -Infinity && this.#score(most, doc) <= min)) return 0
    for (let term = 0; term < counts.length; term++) {
      const count = counts[term]!
      if (count > 0) this.#sources[term]!.positions(positions.reserve(term, count), 0)
    }
    const found = this.#found
    found.length = 0
    const limit = this.#sim === null ? 1 : Infinity
    this.#limits.spend(all + this.#matcher.find(positions, found, limit))
    return this.#sim === null ? found.length : found.frequency()
  }
}
