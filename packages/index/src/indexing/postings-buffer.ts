/**
 * The postings of the documents in memory: one row a term in parallel arrays, documents, frequencies and positions as
 * varints in a pool. Nothing is allocated a token.
 *
 *   document stream of a term: frequency of the 1st document, distance to the 2nd, its frequency, … (the first document
 *   and the last frequency are in the arrays, so a term of one document needs no stream)
 *   position stream: distances within each document
 */

import type { PostingsWriter } from '../codec/postings-writer.js'
import type { PostingsOptions } from '../document/field-info.js'
import { copy, SlicePool, SliceReader, SliceStreams } from './slice-pool.js'
import { TermTable } from './term-table.js'

/** Bytes a term beside the table: six words and two streams. */
const BYTES_PER_TERM = 6 * 4 + 2 * SliceStreams.BYTES

/** Terms and postings of the documents in memory. */
export class PostingsBuffer {
  readonly terms = new TermTable()
  readonly #pool = new SlicePool()
  readonly #docs = new SliceStreams()
  readonly #positions = new SliceStreams()
  #capacity = 0
  #docFreqs = new Int32Array(0)
  #firstDocs = new Int32Array(0)
  #lastDocs = new Int32Array(0)
  /** Frequency in the last document. */
  #lastFreqs = new Int32Array(0)
  #lastPositions = new Int32Array(0)
  #totalFreqs = new Int32Array(0)
  readonly #docReader = new SliceReader()
  readonly #positionReader = new SliceReader()

  /** Bytes of memory in use. */
  get ramBytes(): number {
    return this.terms.ramBytes + this.terms.size * BYTES_PER_TERM + this.#pool.used
  }

  /**
   * Adds an occurrence. Documents come in ascending order, positions of a document too.
   * @returns false where the term is too long
   */
  add(field: number, options: PostingsOptions, term: string, doc: number, position: number): boolean {
    const id = this.terms.add(field, term)
    if (id < 0) return false
    if (id >= this.#capacity) this.#grow()
    const docFreq = this.#docFreqs[id]
    if (docFreq === 0 || this.#lastDocs[id] !== doc) {
      if (docFreq === 0) {
        this.#firstDocs[id] = doc
      } else {
        if (options !== 'docs') this.#pool.writeVarint(this.#docs, id, this.#lastFreqs[id])
        this.#pool.writeVarint(this.#docs, id, doc - this.#lastDocs[id])
      }
      this.#docFreqs[id] = docFreq + 1
      this.#lastDocs[id] = doc
      this.#lastFreqs[id] = 1
      this.#totalFreqs[id]++
      this.#lastPositions[id] = 0
    } else if (options === 'docs') {
      return true
    } else {
      this.#lastFreqs[id]++
      this.#totalFreqs[id]++
    }
    if (options === 'positions') {
      this.#pool.writeVarint(this.#positions, id, position - this.#lastPositions[id])
      this.#lastPositions[id] = position
    }
    return true
  }

  docFreq(id: number): number {
    return this.#docFreqs[id]
  }

  totalTermFreq(id: number): number {
    return this.#totalFreqs[id]
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

  /** Writes the list of a term. @param norms norm bytes of the field, or null */
  writeTerm(
    id: number,
    options: PostingsOptions,
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
    let doc = this.#firstDocs[id]
    writer.startTerm()
    for (let i = 1; i <= docFreq; i++) {
      const freq = !hasFreqs ? 1 : i === docFreq ? this.#lastFreqs[id] : docReader.readVarint()
      writer.addDoc(doc, freq, norms === null ? defaultNorm : norms[doc])
      if (hasPositions) {
        let position = 0
        for (let n = 0; n < freq; n++) {
          position += positionReader.readVarint()
          writer.addPosition(position)
        }
      }
      if (i < docFreq) doc += docReader.readVarint()
    }
  }

  /** Forgets everything and keeps the memory. */
  reset(): void {
    const size = this.terms.size
    this.#docFreqs.fill(0, 0, size)
    this.#totalFreqs.fill(0, 0, size)
    this.#docs.heads.fill(-1, 0, size)
    this.#positions.heads.fill(-1, 0, size)
    this.terms.reset()
    this.#pool.reset()
  }

  #grow(): void {
    const capacity = this.terms.capacity
    this.#capacity = capacity
    this.#docs.grow(capacity)
    this.#positions.grow(capacity)
    this.#docFreqs = copy(this.#docFreqs, new Int32Array(capacity))
    this.#firstDocs = copy(this.#firstDocs, new Int32Array(capacity))
    this.#lastDocs = copy(this.#lastDocs, new Int32Array(capacity))
    this.#lastFreqs = copy(this.#lastFreqs, new Int32Array(capacity))
    this.#lastPositions = copy(this.#lastPositions, new Int32Array(capacity))
    this.#totalFreqs = copy(this.#totalFreqs, new Int32Array(capacity))
  }
}
