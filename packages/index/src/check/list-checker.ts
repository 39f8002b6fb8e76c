/**
 * The postings lists of one field, each decoded whole and once. Long lists block by block through `Postings`; of short
 * ones there are so many that they are read here, without an object for each.
 */
import { BitSet } from '@spindle/core'
import { BLOCK_SIZE } from '../codec/bit-packing.js'
import { NO_NORM } from '../codec/impacts.js'
import { Offsets } from '../codec/offsets.js'
import { type LoadedRange, Postings, type PostingsContext } from '../codec/postings.js'
import { MAX_FREQ } from '../codec/postings-writer.js'
import { PACKED_LENGTH, type TermEntry } from '../codec/term-entry.js'
import { type FieldInfo, hasOffsets } from '../document/field-info.js'
import { indexCorrupt } from '../store/index-corrupt.js'
import { PositionStream } from './position-stream.js'

const NO_NORMS: Uint8Array = new Uint8Array(0)
/** Also where a frequency ends at its limit: then the length is not known. */
const MAX_LENGTH = 0x7fffffff

/** What the postings of a field say of its documents. */
export interface FieldDocuments {
  /** Documents that have the field. */
  readonly withField: BitSet
  /** Sum of the frequencies of each document, where the field keeps norms and frequencies. */
  readonly lengths: Int32Array | null
}

/** Checks list after list, field after field. */
export class ListChecker {
  readonly #maxDoc: number
  /** Documents with the field at hand. */
  readonly #documents: BitSet
  /** Lengths of the documents; empty until a field needs them. */
  #allLengths = new Int32Array(0)
  #context: PostingsContext | null = null
  #hasFreqs = false
  #norms = NO_NORMS
  #lengths: Int32Array | null = null
  /** Words of the set of documents with the field. */
  readonly #withField: Uint32Array
  readonly #stream = new PositionStream()
  readonly #docs = new Int32Array(BLOCK_SIZE)
  readonly #freqs = new Int32Array(BLOCK_SIZE)
  readonly #impacts = new Int32Array(4)
  #isCombined = false
  #hasOffsets = false
  #offsets: Offsets | null = null
  #starts = new Int32Array(BLOCK_SIZE)
  #ends = new Int32Array(BLOCK_SIZE)
  /** Of the term, so far. */
  #occurrences = 0
  /** Where the next varint is, and where the list ends. */
  #cursor = 0
  #end = 0
  #bytes: Uint8Array = NO_NORMS

  constructor(maxDoc: number) {
    this.#maxDoc = maxDoc
    this.#documents = new BitSet(maxDoc)
    this.#withField = this.#documents.words
  }

  /** Begins a field. @returns what its lists will say of the documents, valid until the next field */
  startField(info: FieldInfo, norms: Uint8Array | null): FieldDocuments {
    this.#hasFreqs = info.options === 'freqs' || info.options === 'positions'
    this.#isCombined = info.sources !== undefined
    this.#hasOffsets = hasOffsets(info)
    this.#context = { info, maxDoc: this.#maxDoc, norms }
    this.#norms = norms ?? NO_NORMS
    this.#withField.fill(0)
    this.#lengths = null
    if (norms !== null && this.#hasFreqs) {
      if (this.#allLengths.length === 0) this.#allLengths = new Int32Array(this.#maxDoc)
      else this.#allLengths.fill(0)
      this.#lengths = this.#allLengths
    }
    return { withField: this.#documents, lengths: this.#lengths }
  }

  /**
   * Checks a list.
   * @param postings holds its range; null where the dictionary has the list
   * @param positions holds the range of its positions and offsets; null where there are none, or the dictionary has the
   * only one
   * @throws SpindleError INDEX_CORRUPT
   */
  check(entry: TermEntry, postings: LoadedRange | null, positions: LoadedRange | null): void {
    if (positions !== null) this.#stream.start(entry, positions)
    this.#offsets = this.#hasOffsets ? new Offsets(entry, entry.offsetsLength === 0 ? null : positions) : null
    this.#occurrences = 0
    if (postings === null) {
      this.#docs[0] = entry.singleDoc
      this.#freqs[0] = entry.totalTermFreq
      this.#take(1, positions !== null)
    } else if (entry.docFreq < PACKED_LENGTH) {
      const length = this.#decodeShort(entry, postings)
      this.#take(length, positions !== null)
    } else this.#checkLong(entry, postings, positions !== null)
    if (positions !== null) this.#stream.finish()
  }

  #checkLong(entry: TermEntry, postings: LoadedRange, hasPositions: boolean): void {
    // Without its positions: those are gone through as a stream.
    const list = new Postings(this.#context!, entry, postings, null, false)
    const impacts = this.#impacts
    for (let b = 0; b < list.blockCount; b++) {
      const total = this.#occurrences
      // Documents ascend below maxDoc, and frequencies are from 1 on: else these two throw.
      const length = list.decodeDocs(b, this.#docs)
      list.decodeFreqs(b, this.#freqs)
      const before = list.occurrence(b, 0)
      if (hasPositions && before !== total) this.#wrong(entry, postings, `${total} positions before block ${b}`, before)
      if (list.impacts(b, impacts) === 1) {
        impacts[2] = 0
        impacts[3] = 0
      }
      const exposed = this.#exposed(length)
      if (exposed >= 0) {
        this.#wrong(entry, postings, `impacts that cover document ${this.#docs[exposed]}`, String(impacts))
      }
      this.#take(length, hasPositions)
    }
    const total = this.#occurrences
    if (this.#hasFreqs && total !== entry.totalTermFreq) {
      this.#wrong(entry, postings, `${entry.totalTermFreq} occurrences`, total)
    }
  }

  /** The first posting of a block that can score more than its impacts say; −1 where none can. */
  #exposed(length: number): number {
    const firstFreq = this.#impacts[0]
    const firstNorm = this.#impacts[1]
    const secondFreq = this.#impacts[2]
    const secondNorm = this.#impacts[3]
    const norms = this.#norms
    const hasNorms = norms.length > 0
    const docs = this.#docs
    const freqs = this.#freqs
    for (let i = 0; i < length; i++) {
      const norm = hasNorms ? norms[docs[i]] : NO_NORM
      const freq = freqs[i]
      if (!((freq <= firstFreq && norm >= firstNorm) || (freq <= secondFreq && norm >= secondNorm))) return i
    }
    return -1
  }

  /** Notes the documents of a block, and goes through their positions and offsets. */
  #take(length: number, hasPositions: boolean): void {
    const docs = this.#docs
    const freqs = this.#freqs
    const words = this.#withField
    const lengths = this.#lengths
    let sum = 0
    for (let i = 0; i < length; i++) {
      const doc = docs[i]
      words[doc >>> 5] |= 1 << (doc & 31)
      sum += freqs[i]
    }
    if (lengths !== null && this.#isCombined) {
      for (let i = 0; i < length; i++) {
        const freq = freqs[i]
        lengths[docs[i]] = freq < MAX_FREQ ? Math.min(lengths[docs[i]] + freq, MAX_LENGTH) : MAX_LENGTH
      }
    } else if (lengths !== null) for (let i = 0; i < length; i++) lengths[docs[i]] += freqs[i]
    if (hasPositions) this.#stream.pass(freqs, length, sum)
    if (this.#offsets !== null) this.#passOffsets(this.#offsets, length)
    this.#occurrences += sum
  }

  #passOffsets(offsets: Offsets, length: number): void {
    let first = this.#occurrences
    for (let i = 0; i < length; i++) {
      const freq = this.#freqs[i]
      if (freq > this.#starts.length) {
        this.#starts = new Int32Array(freq * 2)
        this.#ends = new Int32Array(freq * 2)
      }
      // Ascending starts and ends behind them are what the distances and lengths make, whatever they are.
      offsets.read(first, freq, this.#starts, this.#ends)
      first += freq
    }
  }

  /** Decodes a list of 2 to 127 documents. @returns how many */
  #decodeShort(entry: TermEntry, postings: LoadedRange): number {
    const docs = this.#docs
    const freqs = this.#freqs
    const { docFreq } = entry
    this.#bytes = postings.bytes
    this.#cursor = entry.postingsStart - postings.start
    this.#end = this.#cursor + entry.postingsLength
    let doc = -1
    let total = 0
    for (let i = 0; i < docFreq; i++) {
      const code = this.#varint(entry, postings)
      let freq = 1
      if (!this.#hasFreqs) doc += code + 1
      else {
        doc += Math.floor(code / 2) + 1
        if (code % 2 === 1) freq = this.#varint(entry, postings)
      }
      if (doc >= this.#maxDoc) this.#wrong(entry, postings, `a document below ${this.#maxDoc}`, doc)
      if (freq === 0) this.#wrong(entry, postings, 'a frequency', freq)
      docs[i] = doc
      freqs[i] = freq
      total += freq
    }
    if (this.#hasFreqs && total !== entry.totalTermFreq) {
      this.#wrong(entry, postings, `${entry.totalTermFreq} occurrences`, total)
    }
    if (this.#cursor !== this.#end)
      this.#wrong(entry, postings, 'the end of the list', `${docFreq} documents before it`)
    return docFreq
  }

  #varint(entry: TermEntry, postings: LoadedRange): number {
    const bytes = this.#bytes
    let at = this.#cursor
    if (at < this.#end && bytes[at] < 0x80) {
      this.#cursor = at + 1
      return bytes[at]
    }
    let value = 0
    let scale = 1
    for (let i = 0; i < 5 && at < this.#end; i++) {
      const byte = bytes[at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.#cursor = at
        return value
      }
      scale *= 128
    }
    return this.#wrong(entry, postings, 'a varint of 5 bytes at most', 'a longer one or the end')
  }

  #wrong(entry: TermEntry, { file }: LoadedRange, expected: string, found: number | string): never {
    throw indexCorrupt(file, entry.postingsStart, expected, found)
  }
}
