/**
 * The norms of one field of the documents in memory: one byte a document, from the first one that has the field on. A
 * field of a single document, of which there may be very many, has no array.
 */

const NO_BYTES = new Uint8Array(0)
const START_LENGTH = 64
/** Bytes of the object, and of an array beside its content, about. */
const OBJECT_BYTES = 56
const ARRAY_BYTES = 200

/** Norms of documents that come in ascending order. */
export class NormsBuffer {
  readonly #firstDoc: number
  readonly #firstNorm: number
  /** By the distance of a document to the first one, whose own place stays empty. */
  #bytes = NO_BYTES

  constructor(doc: number, norm: number) {
    this.#firstDoc = doc
    this.#firstNorm = norm
  }

  /** Bytes of memory in use. */
  get ramBytes(): number {
    return OBJECT_BYTES + (this.#bytes === NO_BYTES ? 0 : ARRAY_BYTES + this.#bytes.length)
  }

  /** The norm of a later document. */
  add(doc: number, norm: number): void {
    const place = doc - this.#firstDoc
    if (place >= this.#bytes.length) {
      const grown = new Uint8Array(Math.max(START_LENGTH, place * 2))
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes[place] = norm
  }

  /** Norms of all documents, 0 where one lacks the field. */
  ofDocs(docCount: number): Uint8Array {
    const norms = new Uint8Array(docCount)
    norms.set(this.#bytes.subarray(0, docCount - this.#firstDoc), this.#firstDoc)
    norms[this.#firstDoc] = this.#firstNorm
    return norms
  }
}
