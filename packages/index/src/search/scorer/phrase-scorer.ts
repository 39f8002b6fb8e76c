/**
 * Exact phrases: a block of the rarest term at a time, its documents that the other terms have too, and of these the
 * positions, but only where the rarest frequency lets them pass. The frequency of a phrase in a document is the number
 * of places where it stands.
 */
import type { Postings } from '../../codec/postings.js'
import { countPairs, thin } from '../positions/exact-matcher.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import { BlockBounds } from './block-bounds.js'
import type { Candidates } from './candidates.js'
import type { FrequencyScorer } from './position-scorer.js'
import { BLOCK_SIZE, lowerBound, lowerBoundInBlock, PostingsCursor } from './postings-cursor.js'
import { NO_MORE_DOCS, Scorer } from './scorer.js'
import type { SearchLimits } from './search-limits.js'
import type { Window } from './window.js'

/** A term of a phrase in one segment. */
export interface PhrasePostings {
  readonly postings: Postings
  /** Place of the term in the phrase, ≥ 0. */
  readonly position: number
}

/** Where a term stands in the documents of a block. */
interface TermPlaces {
  readonly blocks: Int32Array
  readonly freqs: Int32Array
  readonly before: Int32Array
}

/** What is found in the block at hand; shared by all scorers, since nothing waits in between. */
const slots = new Int32Array(BLOCK_SIZE)
const foundDocs = new Int32Array(BLOCK_SIZE)
const foundFreqs = new Int32Array(BLOCK_SIZE)
/** Places in the block of another term. */
const otherPlaces = new Int32Array(BLOCK_SIZE)
const blockScores = new Float64Array(BLOCK_SIZE)

/** Scores the documents where terms stand at given distances. */
export class PhraseScorer extends Scorer implements FrequencyScorer {
  readonly cost: number
  /** Of the different terms, the rarest first. */
  readonly #cursors: readonly PostingsCursor[]
  /** Index of the cursor of each word of the phrase, in the same order. */
  readonly #words: Int32Array
  /** Distance of each word from the first of these. */
  readonly #offsets: Int32Array
  readonly #sim: SimScorer | null
  readonly #norms: Uint8Array | null
  readonly #limits: SearchLimits
  /** Bounds by the frequencies of the rarest term; null where nothing is scored. */
  readonly #bounds: BlockBounds | null
  /** Of each term: block, frequency, and frequencies before it in the block, by place in the block of the rarest one. */
  readonly #places: readonly TermPlaces[]
  /** Positions of the rarest term that are still possible, and those of the term being looked at. */
  #starts = new Int32Array(64)
  #positions = new Int32Array(64)

  constructor(terms: readonly PhrasePostings[], sim: SimScorer | null, norms: Uint8Array | null, limits: SearchLimits) {
    super()
    const ordered = [...terms].sort((a, b) => a.postings.docFreq - b.postings.docFreq)
    const lists = [...new Set(ordered.map((term) => term.postings))]
    this.#cursors = lists.map((postings) => new PostingsCursor(postings))
    this.#words = Int32Array.from(ordered, (term) => lists.indexOf(term.postings))
    this.#offsets = Int32Array.from(ordered, (term) => term.position - ordered[0]!.position)
    this.cost = ordered[0]!.postings.docFreq
    this.#sim = sim
    this.#norms = norms
    this.#limits = limits
    this.#bounds = sim === null ? null : new BlockBounds(ordered[0]!.postings, sim, norms !== null)
    const size = Math.min(BLOCK_SIZE, this.cost)
    this.#places = lists.map(() => ({
      blocks: new Int32Array(size),
      freqs: new Int32Array(size),
      before: new Int32Array(size),
    }))
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
    return this.#bounds === null ? 0 : this.#bounds.from(this.#cursors[0]!.findBlock(lo), hi)
  }

  override seek(from: number, min: number): number {
    const lead = this.#cursors[0]!
    const b = lead.findBlock(from)
    if (this.#bounds !== null && min > -Infinity) return this.#bounds.seek(b, from, min, NO_MORE_DOCS)
    return b < lead.blockCount ? from : NO_MORE_DOCS
  }

  override stretch(from: number): number {
    const lead = this.#cursors[0]!
    const b = lead.findBlock(from)
    return b < lead.blockCount ? lead.lastDoc[b]! + 1 : NO_MORE_DOCS
  }

  override list(candidates: Candidates, lo: number, hi: number, min: number): void {
    const { docs, scores } = candidates
    let n = 0
    for (let b = this.#cursors[0]!.findBlock(lo); this.#reaches(b, hi); b++) {
      const found = this.#findInBlock(b, lo, hi, min)
      for (let i = 0; i < found; i++) {
        docs[n] = foundDocs[i]!
        scores[n++] = this.#score(foundFreqs[i]!, foundDocs[i]!)
      }
    }
    candidates.length = n
  }

  fill(window: Window, min: number): void {
    const { lo, hi } = window
    for (let b = this.#cursors[0]!.findBlock(lo); this.#reaches(b, hi); b++) {
      const found = this.#findInBlock(b, lo, hi, min)
      for (let i = 0; i < found; i++) window.add(foundDocs[i]!, this.#score(foundFreqs[i]!, foundDocs[i]!))
    }
  }

  /** Whether block `b` of the rarest term may have documents below `hi`. */
  #reaches(b: number, hi: number): boolean {
    const { lastDoc, blockCount } = this.#cursors[0]!
    return b < blockCount && (b === 0 || lastDoc[b - 1]! < hi - 1)
  }

  /** Finds the phrase in the documents of a block of the rarest term. @returns how many have it */
  #findInBlock(b: number, lo: number, hi: number, min: number): number {
    const sim = this.#sim
    const pruned = sim !== null && min > -Infinity
    if (pruned && this.#bounds!.of(b) <= min) return 0
    const lead = this.#cursors[0]!
    lead.load(b)
    lead.forget()
    const { docs, length } = lead
    const freqs = lead.freqs()
    const own = this.#places[0]!
    if (pruned) sim.scoreBlock(docs, freqs, 0, length, this.#norms, blockScores)
    let left = 0
    let sum = 0
    for (let i = 0; i < length; i++) {
      const freq = freqs[i]!
      own.before[i] = sum
      own.freqs[i] = freq
      sum += freq
      const doc = docs[i]!
      if (doc < lo || doc >= hi || (pruned && blockScores[i]! <= min)) continue
      slots[left] = i
      foundFreqs[left++] = freq
    }
    own.blocks.fill(b, 0, length)
    this.#limits.spend(length)
    for (let c = 1; c < this.#cursors.length && left > 0; c++) left = this.#keepCommon(c, left)
    let found = 0
    for (let k = 0; k < left; k++) {
      const doc = docs[slots[k]!]!
      if (pruned && this.#score(foundFreqs[k]!, doc) <= min) continue
      const freq = this.#freqOf(slots[k]!)
      if (freq === 0) continue
      foundDocs[found] = doc
      foundFreqs[found++] = freq
    }
    return found
  }

  /** Keeps the documents of the first `left` slots that term `c` has, and the lowest frequency of each. @returns how many */
  #keepCommon(c: number, left: number): number {
    const cursor = this.#cursors[c]!
    const { blocks, freqs, before } = this.#places[c]!
    const leadDocs = this.#cursors[0]!.docs
    const { docs, lastDoc, blockCount } = cursor
    let kept = 0
    let k = 0
    while (k < left) {
      const b = cursor.findBlock(leadDocs[slots[k]!]!)
      if (b >= blockCount) break
      cursor.load(b)
      cursor.forget()
      const { length } = cursor
      const last = lastDoc[b]!
      const first = kept
      for (; k < left; k++) {
        const slot = slots[k]!
        const doc = leadDocs[slot]!
        if (doc > last) break
        const at = length === BLOCK_SIZE ? lowerBoundInBlock(docs, doc) : lowerBound(docs, 0, length, doc)
        slots[kept] = slot
        foundFreqs[kept] = foundFreqs[k]!
        otherPlaces[kept] = at
        // Without a branch: which documents have both cannot be foreseen. 1 where they are equal.
        kept += ((docs[at]! ^ doc) - 1) >>> 31
      }
      if (kept === first) continue
      const own = cursor.freqs()
      let sum = 0
      for (let n = first, i = 0; n < kept; n++) {
        const slot = slots[n]!
        const at = otherPlaces[n]!
        const freq = own[at]!
        for (; i < at; i++) sum += own[i]!
        blocks[slot] = b
        freqs[slot] = freq
        before[slot] = sum
        foundFreqs[n] = Math.min(foundFreqs[n]!, freq)
      }
    }
    this.#limits.spend(left)
    return kept
  }

  /** Intersects the positions in the document of a slot. Without a formula the first match is enough. */
  #freqOf(slot: number): number {
    const places = this.#places
    const cursors = this.#cursors
    const words = this.#words
    const last = words.length - 1
    const pairs = last === 1 ? this.#pairsIn(slot) : -1
    if (pairs >= 0) return pairs
    let left = places[0]!.freqs[slot]!
    if (this.#starts.length < left) this.#starts = new Int32Array(2 * left)
    const starts = this.#starts
    cursors[0]!.postings.positions(places[0]!.blocks[slot]!, places[0]!.before[slot]!, left, starts, 0)
    let read = left
    for (let w = 1; w <= last && left > 0; w++) {
      const c = words[w]!
      const { blocks, freqs, before } = places[c]!
      const freq = freqs[slot]!
      if (this.#positions.length < freq) this.#positions = new Int32Array(2 * freq)
      const positions = this.#positions
      // A word that is repeated has its positions decoded once.
      if (w === 1 || c !== words[w - 1]) {
        cursors[c]!.postings.positions(blocks[slot]!, before[slot]!, freq, positions, 0)
      }
      read += freq
      const offset = this.#offsets[w]!
      if (w < last) left = thin(starts, left, positions, freq, offset)
      else left = count(starts, left, positions, freq, offset, this.#sim === null ? 1 : 0x7fffffff)
    }
    this.#limits.spend(read)
    return left
  }

  /** The same for two words whose positions each lie in one block; −1 for others. */
  #pairsIn(slot: number): number {
    const words = this.#words
    const a = words[0]!
    const b = words[1]!
    const { blocks, freqs, before } = this.#places[a]!
    const other = this.#places[b]!
    const freq = freqs[slot]!
    const otherFreq = other.freqs[slot]!
    const list = this.#cursors[a]!.postings
    const otherList = this.#cursors[b]!.postings
    const at = list.locatePositions(blocks[slot]!, before[slot]!, freq)
    if (at < 0) return -1
    const otherAt = otherList.locatePositions(other.blocks[slot]!, other.before[slot]!, otherFreq)
    if (otherAt < 0) return -1
    this.#limits.spend(freq + otherFreq)
    const limit = this.#sim === null ? 1 : 0x7fffffff
    const places = list.positionDifferences
    const otherPlaces = otherList.positionDifferences
    return countPairs(places, at, freq, otherPlaces, otherAt, otherFreq, this.#offsets[1]!, limit)
  }

  override get prefersLists(): boolean {
    return true
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
    const cursors = this.#cursors
    for (const cursor of cursors) if (cursor.advance(doc) !== doc) return 0
    for (let c = 0; c < cursors.length; c++) {
      const cursor = cursors[c]!
      const { blocks, freqs, before } = this.#places[c]!
      blocks[0] = cursor.block
      freqs[0] = cursor.freq()
      before[0] = cursor.freqBefore()
    }
    return this.#freqOf(0)
  }

  #score(freq: number, doc: number): number {
    if (this.#sim === null) return 0
    return this.#sim.score(freq, this.#norms === null ? NO_NORM : this.#norms[doc]!)
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
