/**
 * Exact phrases: documents that hold all terms (leapfrog over the lists, the rarest leading), then the positions of
 * those documents only. The frequency of a phrase in a document is the number of places where it stands.
 */
import type { Postings } from '../../codec/postings.js'
import { thin } from '../positions/exact-matcher.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import type { Candidates } from './candidates.js'
import type { FrequencyScorer } from './position-scorer.js'
import { PostingsCursor } from './postings-cursor.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { SearchLimits } from './search-limits.js'
import type { Window } from './window.js'

/** A term of a phrase in one segment. */
export interface PhrasePostings {
  readonly postings: Postings
  /** Place of the term in the phrase, ≥ 0. */
  readonly position: number
}

/** Scores the documents where terms stand at given distances. */
export class PhraseScorer extends Scorer implements FrequencyScorer {
  readonly cost: number
  readonly #cursors: readonly PostingsCursor[]
  readonly #offsets: Int32Array
  readonly #sim: SimScorer | null
  readonly #norms: Uint8Array | null
  readonly #limits: SearchLimits
  /** Places of the phrase that are still possible, and the positions of the term being looked at. */
  #starts = new Int32Array(64)
  #positions = new Int32Array(64)

  constructor(terms: readonly PhrasePostings[], sim: SimScorer | null, norms: Uint8Array | null, limits: SearchLimits) {
    super()
    const ordered = [...terms].sort((a, b) => a.postings.docFreq - b.postings.docFreq)
    this.#cursors = ordered.map((term) => new PostingsCursor(term.postings))
    this.#offsets = Int32Array.from(ordered, (term) => term.position)
    this.cost = ordered[0]!.postings.docFreq
    this.#sim = sim
    this.#norms = norms
    this.#limits = limits
  }

  /** The next document that holds all terms, in whatever order. */
  next(from: number): number {
    const cursors = this.#cursors
    const lead = cursors[0]!
    let doc = lead.advance(from)
    let i = 1
    while (i < cursors.length && doc !== NO_MORE_DOCS) {
      const other = cursors[i]!.advance(doc)
      if (other === doc) i++
      else {
        doc = lead.advance(other)
        i = 1
        this.#limits.spend(1)
      }
    }
    return doc
  }

  bound(): number {
    // The saturated score: a phrase is rare enough to make a closer bound not worth its cost.
    return this.#sim === null ? 0 : this.#sim.score(0x7fffffff, NO_NORM)
  }

  fill(window: Window, min: number): void {
    const hi = window.hi
    for (let doc = this.next(window.lo); doc < hi; doc = this.next(doc + 1)) {
      if (min > -Infinity && this.#best(doc) <= min) continue
      const freq = this.#phraseFreq()
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

  /** How often the phrase stands in a document. */
  freqAt(doc: number): number {
    for (const cursor of this.#cursors) if (cursor.advance(doc) !== doc) return 0
    return this.#phraseFreq()
  }

  #score(freq: number, doc: number): number {
    if (this.#sim === null) return 0
    return this.#sim.score(freq, this.#norms === null ? NO_NORM : this.#norms[doc]!)
  }

  /** Bound of the score in the document that all cursors stand on: a phrase is no more frequent than its rarest term. */
  #best(doc: number): number {
    let freq = 0x7fffffff
    for (const cursor of this.#cursors) freq = Math.min(freq, cursor.freq())
    return this.#score(freq, doc)
  }

  /** Intersects the positions of the document that all cursors stand on. */
  #phraseFreq(): number {
    const cursors = this.#cursors
    const lead = cursors[0]!
    let left = lead.freq()
    if (this.#starts.length < left) this.#starts = new Int32Array(2 * left)
    const starts = this.#starts
    lead.positions(starts, 0)
    const leadOffset = this.#offsets[0]!
    for (let i = 0; i < left; i++) starts[i]! -= leadOffset
    this.#limits.spend(left)
    for (let c = 1; c < cursors.length && left > 0; c++) {
      const cursor = cursors[c]!
      const freq = cursor.freq()
      if (this.#positions.length < freq) this.#positions = new Int32Array(2 * freq)
      const positions = this.#positions
      // A word that is repeated has its positions decoded once.
      if (c === 1 || cursor.postings !== cursors[c - 1]!.postings) cursor.positions(positions, 0)
      this.#limits.spend(freq)
      left = thin(starts, left, positions, freq, this.#offsets[c]!)
    }
    return left
  }
}
