/**
 * Turns the postings of a keyword field into its column of ordinals, while they are written: a term's ordinal is its
 * place among the field's terms, so the term dictionary is the dictionary of the column too, and merging has nothing to
 * renumber. The values of a field that few documents have are kept as they come, and sorted: such a field costs what it
 * holds, and there may be very many. Otherwise 4 bytes a document, the same ones for each field; where documents have
 * several values, 4 more, and 12 a value that is not the first of its document.
 */
import { largeInt32Array } from '@spindle/core'
import type { ValuePairs } from '../codec/doc-values-writer.js'
import { IntBuffer } from '../codec/int-buffer.js'

/** Values that are given at once. */
const RUN = 1024
/** A field with more than one value for so many documents, or more values than this, is not one of few documents. */
const DOCS_PER_VALUE = 32
const MOST_VALUES = 1 << 20

/** Collects the documents of a field's terms, term after term in order. */
export class OrdinalsBuilder {
  readonly #maxDoc: number
  /** The first ordinal of each document + 1, 0: it has none; empty until a field needs it. */
  #firsts = new Int32Array(0)
  /** Whether the first ordinals are in `#firsts`. */
  #isDense = false
  /** Documents and ordinals of the values that are not there. */
  readonly #docs = new IntBuffer()
  readonly #ordinals = new IntBuffer()
  #termCount = 0

  constructor(maxDoc: number) {
    this.#maxDoc = maxDoc
  }

  /** Terms so far. */
  get termCount(): number {
    return this.#termCount
  }

  /** Begins a field; what was of the one before is forgotten. */
  startField(): void {
    if (this.#isDense) this.#firsts.fill(0)
    this.#isDense = false
    this.#docs.length = 0
    this.#ordinals.length = 0
    this.#termCount = 0
  }

  /** A document of the term at hand. */
  add(doc: number): void {
    if (this.#isDense && this.#firsts[doc] === 0) {
      this.#firsts[doc] = this.#termCount + 1
      return
    }
    this.#docs.push(doc)
    this.#ordinals.push(this.#termCount)
    if (this.#isDense) return
    const { length } = this.#docs
    if (length * DOCS_PER_VALUE > this.#maxDoc || length === MOST_VALUES) this.#makeDense()
  }

  /** Ends a term that was written. */
  finishTerm(): void {
    this.#termCount++
  }

  /** The ordinals by document, ascending in each, some at a time; the arrays are filled anew for the next ones. */
  runs(): Iterable<ValuePairs> {
    return this.#isDense ? this.#denseRuns() : [this.#fewByDoc()]
  }

  *#denseRuns(): Generator<ValuePairs> {
    const firsts = this.#firsts
    const more = this.#docs.length === 0 ? null : this.#moreByDoc()
    const docs = new Int32Array(RUN)
    const values = new Int32Array(RUN)
    let length = 0
    for (let doc = 0; doc < firsts.length; doc++) {
      if (firsts[doc] === 0) continue
      docs[length] = doc
      values[length++] = firsts[doc] - 1
      if (length === RUN) {
        yield { docs, values, length }
        length = 0
      }
      if (more === null) continue
      for (let i = more.starts[doc]; i < more.starts[doc + 1]; i++) {
        docs[length] = doc
        values[length++] = more.ordinals[i]
        if (length < RUN) continue
        yield { docs, values, length }
        length = 0
      }
    }
    yield { docs, values, length }
  }

  /** Takes the values so far to the documents that they belong to. */
  #makeDense(): void {
    const { words: docs, length } = this.#docs
    if (this.#firsts.length === 0) this.#firsts = largeInt32Array(this.#maxDoc)
    this.#isDense = true
    let kept = 0
    for (let i = 0; i < length; i++) {
      if (this.#firsts[docs[i]] === 0) {
        this.#firsts[docs[i]] = this.#ordinals.words[i] + 1
      } else {
        docs[kept] = docs[i]
        this.#ordinals.words[kept++] = this.#ordinals.words[i]
      }
    }
    this.#docs.length = this.#ordinals.length = kept
  }

  /** All values of a field of few documents. */
  #fewByDoc(): ValuePairs {
    const { words, length } = this.#docs
    // Ordinals ascend as they come, so their places sort them: a number of less than 53 bits.
    const keys = new Float64Array(length)
    for (let i = 0; i < length; i++) keys[i] = words[i] * MOST_VALUES + i
    keys.sort()
    const docs = new Int32Array(length)
    const values = new Int32Array(length)
    for (let n = 0; n < length; n++) {
      docs[n] = Math.floor(keys[n] / MOST_VALUES)
      values[n] = this.#ordinals.words[keys[n] % MOST_VALUES]
    }
    return { docs, values, length }
  }

  /** The ordinals that are not the first of their documents, by document. */
  #moreByDoc(): { readonly starts: Int32Array; readonly ordinals: Int32Array } {
    const { words: docs, length } = this.#docs
    const starts = largeInt32Array(this.#maxDoc + 1)
    for (let i = 0; i < length; i++) starts[docs[i] + 1]++
    for (let doc = 1; doc < starts.length; doc++) starts[doc] += starts[doc - 1]
    const ordinals = largeInt32Array(length)
    for (let i = 0; i < length; i++) ordinals[starts[docs[i]]++] = this.#ordinals.words[i]
    // Each start has become the next one's.
    starts.copyWithin(1, 0, starts.length - 1)
    starts[0] = 0
    return { starts, ordinals }
  }
}
