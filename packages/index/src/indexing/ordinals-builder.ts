/**
 * Turns the postings of a keyword field into its column of ordinals, while they are written: a term's ordinal is its
 * place among the field's terms, so the term dictionary is the dictionary of the column too, and merging has nothing to
 * renumber. 4 bytes a document until the field is done, and 8 a value that is not the first of its document.
 */
import type { ValuePairs } from '../codec/doc-values-writer.js'
import { IntBuffer } from '../codec/int-buffer.js'

/** Collects the documents of a field's terms, term after term in order. */
export class OrdinalsBuilder {
  /** The first ordinal of each document + 1, 0: it has none. */
  readonly #firsts: Int32Array
  /** Documents and ordinals of the values that are not the first. */
  readonly #docs = new IntBuffer()
  readonly #ordinals = new IntBuffer()
  #docCount = 0
  #termCount = 0

  constructor(maxDoc: number) {
    this.#firsts = new Int32Array(maxDoc)
  }

  /** Terms so far. */
  get termCount(): number {
    return this.#termCount
  }

  /** A document of the term at hand. */
  add(doc: number): void {
    if (this.#firsts[doc] === 0) {
      this.#firsts[doc] = this.#termCount + 1
      this.#docCount++
    } else {
      this.#docs.push(doc)
      this.#ordinals.push(this.#termCount)
    }
  }

  /** Ends a term that was written. */
  finishTerm(): void {
    this.#termCount++
  }

  /** The ordinals by document, ascending in each. */
  pairs(): ValuePairs {
    const { words: moreDocs, length: moreCount } = this.#docs
    const firsts = this.#firsts
    const length = this.#docCount + moreCount
    const docs = new Int32Array(length)
    const values = new Int32Array(length)
    if (moreCount === 0) {
      let at = 0
      for (let doc = 0; doc < firsts.length; doc++) {
        if (firsts[doc] === 0) continue
        docs[at] = doc
        values[at++] = firsts[doc] - 1
      }
      return { docs, values, length }
    }
    const starts = new Int32Array(firsts.length + 1)
    for (let i = 0; i < moreCount; i++) starts[moreDocs[i] + 1]++
    for (let doc = 0; doc < firsts.length; doc++) starts[doc + 1] += starts[doc] + (firsts[doc] === 0 ? 0 : 1)
    const put = (doc: number, ordinal: number) => {
      const at = starts[doc]++
      docs[at] = doc
      values[at] = ordinal
    }
    for (let doc = 0; doc < firsts.length; doc++) if (firsts[doc] !== 0) put(doc, firsts[doc] - 1)
    for (let i = 0; i < moreCount; i++) put(moreDocs[i], this.#ordinals.words[i])
    return { docs, values, length }
  }
}
