/**
 * The postings of the documents in memory: one row a term in parallel arrays, documents, frequencies and positions as
 * varints in a pool. Nothing is allocated a token.
 *
 *   document stream of a term: frequency of the 1st document, distance to the 2nd, its frequency, … (the first document
 *   and the last frequency are in the arrays, so a term of one document needs no stream)
 *   position stream: distances within each document
 *   offset stream: distance of the start within each document, length
 *
 * A combined field (see combined-fields.ts) finds its term by that of the source: both have the same bytes.
 */
import { MAX_FREQ, type PostingsWriter } from '../codec/postings-writer.js'
import type { PostingsOptions } from '../document/field-info.js'
import { ArrayRoom } from './array-room.js'
import { copy, SlicePool, SliceReader, SliceStreams } from './slice-pool.js'
import { TermTable } from './term-table.js'

/** Bytes a term beside the table: six words and two streams. */
const BYTES_PER_TERM = 6 * 4 + 2 * SliceStreams.BYTES

/** A room larger than this, which has place for more than the usual budget, is given back. */
const LARGE_ROOM = 64 * 2 ** 20

/** Bytes a term more, once some field keeps offsets: a word and a stream. */
const BYTES_PER_OFFSETS = 4 + SliceStreams.BYTES

/** Bytes a term more, once there is a combined field. */
const BYTES_PER_WEIGHTED = 8

/** Terms and postings of the documents in memory. */
export class PostingsBuffer {
  readonly terms = new TermTable()
  readonly #pool = new SlicePool()
  readonly #docs = new SliceStreams()
  readonly #positions = new SliceStreams()
  #capacity = 0
  /** Of the streams of documents and positions and the six arrays that follow. */
  #room = new ArrayRoom(0)
  #docFreqs = new Int32Array(0)
  #firstDocs = new Int32Array(0)
  #lastDocs = new Int32Array(0)
  /** Frequency in the last document. */
  #lastFreqs = new Int32Array(0)
  #lastPositions = new Int32Array(0)
  #totalFreqs = new Int32Array(0)
  /** Sums of combined fields, which may have more than 31 bits, by the id of the term; as long as there is one. */
  #weightedTotals = new Float64Array(0)
  /** Start of the last occurrence, and streams, of the terms up to `#offsetsCapacity`. */
  #lastOffsets = new Int32Array(0)
  readonly #offsets = new SliceStreams()
  #offsetsCapacity = 0
  /** For the n-th combined field that a source counts in: id + 1 of the combined term, by the id of the source's term. */
  readonly #twins: Int32Array<ArrayBuffer>[] = []
  readonly #offsetReader = new SliceReader()
  readonly #docReader = new SliceReader()
  readonly #positionReader = new SliceReader()

  /** Bytes of memory in use. */
  get ramBytes(): number {
    let perTerm = BYTES_PER_TERM + 4 * this.#twins.length
    if (this.#offsetsCapacity > 0) perTerm += BYTES_PER_OFFSETS
    if (this.#twins.length > 0) perTerm += BYTES_PER_WEIGHTED
    return this.terms.ramBytes + this.terms.size * perTerm + this.#pool.used
  }

  /**
   * Adds an occurrence. Documents come in ascending order, positions of a document too.
   * @returns id of the term, −1 where it is too long
   */
  add(field: number, options: PostingsOptions, term: string, doc: number, position: number): number {
    const id = this.terms.add(field, term)
    if (id < 0) return -1
    if (id >= this.#capacity) this.#grow()
    const docFreq = this.#docFreqs[id]
    if (docFreq === 0 || this.#lastDocs[id] !== doc) {
      this.#startDoc(id, options, doc, docFreq)
      this.#lastFreqs[id] = 1
      this.#totalFreqs[id]++
      this.#lastPositions[id] = 0
    } else if (options === 'docs') {
      return id
    } else {
      this.#lastFreqs[id]++
      this.#totalFreqs[id]++
    }
    if (options === 'positions') {
      this.#pool.writeVarint(this.#positions, id, position - this.#lastPositions[id])
      this.#lastPositions[id] = position
    }
    return id
  }

  /** Adds the offsets of the occurrence of a term that was added last; starts of a document ascend. */
  addOffsets(id: number, start: number, end: number): void {
    if (id >= this.#offsetsCapacity) this.#growOffsets()
    if (this.#lastFreqs[id] === 1) this.#lastOffsets[id] = 0
    this.#pool.writeVarint(this.#offsets, id, start - this.#lastOffsets[id])
    this.#pool.writeVarint(this.#offsets, id, end - start)
    this.#lastOffsets[id] = start
  }

  /**
   * Adds `weight` occurrences in a combined field; the frequency in a document ends at {@link MAX_FREQ}.
   * @param source id of the term in the source field
   * @param rank which of the combined fields of the source it is, from 0
   */
  addCombined(
    source: number,
    rank: number,
    field: number,
    options: PostingsOptions,
    doc: number,
    weight: number,
  ): void {
    let twins = this.#twins[rank]
    if (twins === undefined || source >= twins.length) {
      twins = copy(twins ?? new Int32Array(0), new Int32Array(this.terms.capacity))
      this.#twins[rank] = twins
    }
    let id = twins[source] - 1
    if (id < 0) {
      id = this.terms.addSame(field, source)
      twins[source] = id + 1
      if (id >= this.#capacity) this.#grow()
    }
    const docFreq = this.#docFreqs[id]
    if (docFreq === 0 || this.#lastDocs[id] !== doc) {
      this.#startDoc(id, options, doc, docFreq)
      this.#lastFreqs[id] = 0
    } else if (options === 'docs') {
      return
    }
    const before = this.#lastFreqs[id]
    const freq = options === 'docs' ? 1 : Math.min(before + weight, MAX_FREQ)
    this.#lastFreqs[id] = freq
    if (id >= this.#weightedTotals.length) this.#growWeighted()
    this.#weightedTotals[id] += freq - before
  }

  /** Begins a document of a term; its frequency is for the caller to set. */
  #startDoc(id: number, options: PostingsOptions, doc: number, docFreq: number): void {
    if (docFreq === 0) {
      this.#firstDocs[id] = doc
    } else {
      if (options !== 'docs') this.#pool.writeVarint(this.#docs, id, this.#lastFreqs[id])
      this.#pool.writeVarint(this.#docs, id, doc - this.#lastDocs[id])
    }
    this.#docFreqs[id] = docFreq + 1
    this.#lastDocs[id] = doc
  }

  docFreq(id: number): number {
    return this.#docFreqs[id]
  }

  totalTermFreq(id: number): number {
    return this.#totalFreqs[id] + (this.#weightedTotals[id] ?? 0)
  }

  /** Calls `visit` for the documents of a term, ascending. */
  forEachDoc(id: number, options: PostingsOptions, visit: (doc: number) => void): void {
    const reader = this.#docReader
    let doc = this.#firstDocs[id]
    visit(doc)
    if (this.#docFreqs[id] === 1) return
    reader.open(this.#pool, this.#docs, id)
    for (let i = 1; i < this.#docFreqs[id]; i++) {
      if (options !== 'docs') reader.readVarint()
      doc += reader.readVarint()
      visit(doc)
    }
  }

  /**
   * Writes the list of a term.
   * @param hasOffsets whether the field keeps offsets
   * @param norms norm bytes of the field, or null
   */
  writeTerm(
    id: number,
    options: PostingsOptions,
    hasOffsets: boolean,
    norms: Uint8Array | null,
    defaultNorm: number,
    writer: PostingsWriter,
  ): void {
    const docReader = this.#docReader
    const positionReader = this.#positionReader
    const docFreq = this.#docFreqs[id]
    const hasFreqs = options !== 'docs'
    const hasPositions = options === 'positions'
    if (docFreq > 1) docReader.open(this.#pool, this.#docs, id)
    if (hasPositions) positionReader.open(this.#pool, this.#positions, id)
    const offsetReader = this.#offsetReader
    if (hasOffsets) offsetReader.open(this.#pool, this.#offsets, id)
    let doc = this.#firstDocs[id]
    writer.startTerm()
    for (let i = 1; i <= docFreq; i++) {
      const freq = !hasFreqs ? 1 : i === docFreq ? this.#lastFreqs[id] : docReader.readVarint()
      writer.addDoc(doc, freq, norms === null ? defaultNorm : norms[doc])
      if (hasPositions) {
        let position = 0
        let start = 0
        for (let n = 0; n < freq; n++) {
          position += positionReader.readVarint()
          writer.addPosition(position)
          if (!hasOffsets) continue
          start += offsetReader.readVarint()
          writer.addOffsets(start, start + offsetReader.readVarint())
        }
      }
      if (i < docFreq) doc += docReader.readVarint()
    }
  }

  /**
   * Forgets everything and keeps the memory of a usual budget: what is thrown away stays in memory until the garbage
   * collector finds it, beside what the next documents take.
   */
  reset(): void {
    const size = this.terms.size
    this.#weightedTotals.fill(0)
    if (this.#room.buffer.byteLength > LARGE_ROOM) {
      this.#dropRoom()
    } else {
      this.#docFreqs.fill(0, 0, size)
      this.#totalFreqs.fill(0, 0, size)
      this.#docs.heads.fill(0, 0, size)
      this.#positions.heads.fill(0, 0, size)
    }
    this.#offsets.heads.fill(0, 0, Math.min(size, this.#offsetsCapacity))
    for (const twins of this.#twins) twins.fill(0, 0, Math.min(size, twins.length))
    this.terms.reset()
    this.#pool.reset()
  }

  #grow(): void {
    const capacity = this.terms.capacity
    const room = new ArrayRoom(capacity * BYTES_PER_TERM)
    this.#room = room
    this.#capacity = capacity
    this.#docs.grow(capacity, room)
    this.#positions.grow(capacity, room)
    this.#docFreqs = copy(this.#docFreqs, room.words(capacity))
    this.#firstDocs = copy(this.#firstDocs, room.words(capacity))
    this.#lastDocs = copy(this.#lastDocs, room.words(capacity))
    this.#lastFreqs = copy(this.#lastFreqs, room.words(capacity))
    this.#lastPositions = copy(this.#lastPositions, room.words(capacity))
    this.#totalFreqs = copy(this.#totalFreqs, room.words(capacity))
  }

  #dropRoom(): void {
    this.#room = new ArrayRoom(0)
    this.#capacity = 0
    this.#docs.clear()
    this.#positions.clear()
    this.#docFreqs = this.#firstDocs = this.#lastDocs = new Int32Array(0)
    this.#lastFreqs = this.#lastPositions = this.#totalFreqs = new Int32Array(0)
  }

  #growWeighted(): void {
    const grown = new Float64Array(this.#capacity)
    grown.set(this.#weightedTotals)
    this.#weightedTotals = grown
  }

  #growOffsets(): void {
    this.#offsetsCapacity = this.#capacity
    this.#offsets.grow(this.#capacity)
    this.#lastOffsets = copy(this.#lastOffsets, new Int32Array(this.#capacity))
  }
}
