/**
 * Turns the postings of a keyword field into its column of ordinals, while they are written: a term's ordinal is its
 * place among the field's terms, so the term dictionary is the dictionary of the column too, and merging has nothing to
 * renumber. 4 bytes a document, the same ones for each field; where documents have several values, 4 more, and 12 a value
 * that is not the first of its document.
 */
import type { ValuePairs } from '../codec/doc-values-writer.js'
import { IntBuffer } from '../codec/int-buffer.js'

/** Values that are given at once. */
const RUN = 1024

/** Collects the documents of a field's terms, term after term in order. */
export class OrdinalsBuilder {
  /** The first ordinal of each document + 1, 0: it has none. */
  readonly #firsts: Int32Array
  /** Documents and ordinals of the values that are not the first. */
  readonly #docs = new IntBuffer()
  readonly #ordinals = new IntBuffer()
  #termCount = 0

  constructor(maxDoc: number) {
    this.#firsts = new Int32Array(maxDoc)
  }

  /** Terms so far. */
  get termCount(): number {
    return this.#termCount
  }

  /** Begins a field; what was of the one before is forgotten. */
  startField(): void {
    if (this.#termCount > 0) this.#firsts.fill(0)
    this.#docs.length = 0
    this.#ordinals.length = 0
    this.#termCount = 0
  }

  /** A document of the term at hand. */
  add(doc: number): void {
    if (this.#firsts[doc] === 0) {
      this.#firsts[doc] = this.#termCount + 1
    } else {
      this.#docs.push(doc)
      this.#ordinals.push(this.#termCount)
    }
  }

  /** Ends a term that was written. */
  finishTerm(): void {
    this.#termCount++
  }

  /** The ordinals by document, ascending in each, some at a time; the arrays are filled anew for the next ones. */
  *runs(): Generator<ValuePairs> {
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

  /** The ordinals that are not the first of their documents, by document. */
  #moreByDoc(): { readonly starts: Int32Array; readonly ordinals: Int32Array } {
    const { words: docs, length } = this.#docs
    const starts = new Int32Array(this.#firsts.length + 1)
    for (let i = 0; i < length; i++) starts[docs[i] + 1]++
    for (let doc = 1; doc < starts.length; doc++) starts[doc] += starts[doc - 1]
    const ordinals = new Int32Array(length)
    for (let i = 0; i < length; i++) ordinals[starts[docs[i]]++] = this.#ordinals.words[i]
    // Each start has become the next one's.
    starts.copyWithin(1, 0, starts.length - 1)
    starts[0] = 0
    return { starts, ordinals }
  }
}
