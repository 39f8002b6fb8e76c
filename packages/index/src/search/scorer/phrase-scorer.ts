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

/** Best pairs of the block at hand; shared by all scorers, since nothing waits in between. */
const impacts = new Int32Array(4)

/** A term of a phrase in one segment. */
export interface PhrasePostings {
  readonly postings: Postings
  /** Place of the term in the phrase, ≥ 0. */
  readonly position: number
}

/** Scores the documents where terms stand at given distances. */
export class PhraseScorer extends Scorer implements FrequencyScorer {
  readonly cost: number
  /** Of the different terms, the rarest first; and the one of each word of the phrase, in the same order. */
  readonly #cursors: readonly PostingsCursor[]
  readonly #slots: readonly PostingsCursor[]
  /** Distance of each term from the rarest one. */
  readonly #offsets: Int32Array
  readonly #sim: SimScorer | null
  readonly #norms: Uint8Array | null
  readonly #limits: SearchLimits
  /** Upper bound of each block of the rarest term, −1 where not yet known. */
  #bounds: Float64Array | null = null
  /** Positions of the rarest term that are still possible, and those of the term being looked at. */
  #starts = new Int32Array(64)
  #positions = new Int32Array(64)

  constructor(terms: readonly PhrasePostings[], sim: SimScorer | null, norms: Uint8Array | null, limits: SearchLimits) {
    super()
    const ordered = [...terms].sort((a, b) => a.postings.docFreq - b.postings.docFreq)
    const lists = [...new Set(ordered.map((term) => term.postings))]
    this.#cursors = lists.map((postings) => new PostingsCursor(postings))
    this.#slots = ordered.map((term) => this.#cursors[lists.indexOf(term.postings)]!)
    this.#offsets = Int32Array.from(ordered, (term) => term.position - ordered[0]!.position)
    this.cost = ordered[0]!.postings.docFreq
    this.#sim = sim
    this.#norms = norms
    this.#limits = limits
  }

  /** The next document that holds all terms, in whatever order. */
  next(from: number): number {
    const cursors = this.#cursors
    const lead = cursors[0]!
    const second = cursors[1]!
    let doc = lead.advance(from)
    let i = 1
    while (i < cursors.length && doc !== NO_MORE_DOCS) {
      const other = cursors[i]!.advance(doc)
      if (other === doc) {
        i++
        continue
      }
      this.#limits.spend(1)
      // The two rarest lists are merged inside of their decoded blocks as far as these go.
      doc = i === 1 && other !== NO_MORE_DOCS && meet(lead, second) ? lead.doc : lead.advance(other)
      i = 1
    }
    return doc
  }

  bound(lo: number, hi: number): number {
    const lead = this.#cursors[0]!
    // Where the rarest list has already been read past `lo`, its current document tells that it has none in the range.
    if (this.#sim === null || lead.doc >= hi) return 0
    const { lastDoc, blockCount } = lead
    let bound = 0
    for (let block = lead.findBlock(lo); block < blockCount; block++) {
      bound = Math.max(bound, this.#blockBound(block))
      if (lastDoc[block]! >= hi - 1) break
    }
    return bound
  }

  fill(window: Window, min: number): void {
    const { hi } = window
    if (min === -Infinity) {
      for (let doc = this.next(window.lo); doc < hi; doc = this.next(doc + 1)) {
        const freq = this.#phraseFreq()
        if (freq > 0) window.add(doc, this.#score(freq, doc))
      }
      return
    }
    const lead = this.#cursors[0]!
    const { lastDoc, blockCount } = lead
    /** Last document of the block of the rarest term that may hold something better than `min`. */
    let upTo = -1
    for (let from = window.lo; from < hi; ) {
      if (from > upTo) {
        const block = lead.findBlock(from)
        if (block >= blockCount) return
        upTo = lastDoc[block]!
        if (this.#blockBound(block) <= min) {
          from = upTo + 1
          continue
        }
      }
      const doc = this.next(from)
      if (doc >= hi) return
      if (doc > upTo) {
        from = doc
        continue
      }
      from = doc + 1
      if (this.#best(doc) <= min) continue
      const freq = this.#phraseFreq()
      if (freq > 0) window.add(doc, this.#score(freq, doc))
    }
  }

  /** Bound of the score in a block of the rarest term: a phrase is no more frequent than it. */
  #blockBound(block: number): number {
    this.#bounds ??= new Float64Array(this.#cursors[0]!.blockCount).fill(-1)
    const known = this.#bounds[block]!
    if (known >= 0) return known
    const pairs = this.#cursors[0]!.postings.impacts(block, impacts)
    let bound = 0
    for (let i = 0; i < pairs; i++) {
      const norm = this.#norms === null ? NO_NORM : impacts[2 * i + 1]!
      bound = Math.max(bound, this.#sim === null ? 0 : this.#sim.score(impacts[2 * i]!, norm))
    }
    this.#bounds[block] = bound
    return bound
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

  /** Intersects the positions of the document that all cursors stand on. Without a formula the first match is enough. */
  #phraseFreq(): number {
    const slots = this.#slots
    const lead = slots[0]!
    const last = slots.length - 1
    let left = lead.freq()
    if (this.#starts.length < left) this.#starts = new Int32Array(2 * left)
    const starts = this.#starts
    lead.positions(starts, 0)
    let read = left
    for (let c = 1; c <= last && left > 0; c++) {
      const cursor = slots[c]!
      const freq = cursor.freq()
      if (this.#positions.length < freq) this.#positions = new Int32Array(2 * freq)
      const positions = this.#positions
      // A word that is repeated has its positions decoded once.
      if (c === 1 || cursor !== slots[c - 1]) cursor.positions(positions, 0)
      read += freq
      const offset = this.#offsets[c]!
      if (c < last) left = thin(starts, left, positions, freq, offset)
      else left = count(starts, left, positions, freq, offset, this.#sim === null ? 1 : 0x7fffffff)
    }
    this.#limits.spend(read)
    return left
  }
}

/** Moves two cursors on to a document of both, not beyond their decoded blocks. @returns whether they have come to one */
function meet(a: PostingsCursor, b: PostingsCursor): boolean {
  const aDocs = a.docs
  const bDocs = b.docs
  const aLength = a.length
  const bLength = b.length
  let i = a.index
  let j = b.index
  let aDoc = a.doc
  let bDoc = b.doc
  while (aDoc !== bDoc) {
    if (aDoc < bDoc) {
      if (++i === aLength) break
      aDoc = aDocs[i]!
    } else {
      // The other list has many more documents: eight at a time.
      while (j + 8 < bLength && bDocs[j + 8]! < aDoc) j += 8
      if (++j === bLength) break
      bDoc = bDocs[j]!
    }
  }
  a.index = Math.min(i, aLength - 1)
  a.doc = aDoc
  b.index = Math.min(j, bLength - 1)
  b.doc = bDoc
  return aDoc === bDoc
}

/** Of the places, those at which one of `positions` is at the distance given; all ascend. @returns how many, at most `limit` */
function count(
  places: Int32Array,
  length: number,
  positions: Int32Array,
  positionCount: number,
  offset: number,
  limit: number,
): number {
  let found = 0
  let at = 0
  for (let i = 0; i < length && found < limit; i++) {
    const wanted = places[i]! + offset
    while (at < positionCount && positions[at]! < wanted) at++
    if (at === positionCount) break
    if (positions[at] === wanted) found++
  }
  return found
}
