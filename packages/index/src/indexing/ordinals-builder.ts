/**
 * Turns the postings of a keyword field into its column of ordinals, while they are written: a term's ordinal is its
 * place among the field's terms, so the term dictionary is the dictionary of the column too, and merging has nothing to
 * renumber. 8 bytes a posting until the field is done.
 */
import type { ValuePairs } from '../codec/doc-values-writer.js'
import { IntBuffer } from '../codec/int-buffer.js'

/** Collects the documents of a field's terms, term after term in order. */
export class OrdinalsBuilder {
  readonly #maxDoc: number
  readonly #docs = new IntBuffer(1024)
  readonly #ordinals = new IntBuffer(1024)
  #termCount = 0

  constructor(maxDoc: number) {
    this.#maxDoc = maxDoc
  }

  /** Terms so far. */
  get termCount(): number {
    return this.#termCount
  }

  /** A document of the term at hand. */
  add(doc: number): void {
    this.#docs.push(doc)
    this.#ordinals.push(this.#termCount)
  }

  /** Ends a term that was written. */
  finishTerm(): void {
    this.#termCount++
  }

  /** The ordinals by document, ascending in each. */
  pairs(): ValuePairs {
    const length = this.#docs.length
    const from = this.#docs.words
    const starts = new Int32Array(this.#maxDoc + 1)
    for (let i = 0; i < length; i++) starts[from[i] + 1]++
    for (let doc = 0; doc < this.#maxDoc; doc++) starts[doc + 1] += starts[doc]
    const docs = new Int32Array(length)
    const values = new Float64Array(length)
    for (let i = 0; i < length; i++) {
      const at = starts[from[i]]++
      docs[at] = from[i]
      values[at] = this.#ordinals.words[i]
    }
    return { docs, values, length }
  }
}
