/** Where each of several terms stands in one document: what is read once, whatever number of parts of a query look at it. */

/** Positions of numbered terms in one document, each list ascending. */
export class TermPositions {
  /** How often each term stands in the document; 0 where it does not. */
  readonly counts: Int32Array
  readonly #lists: Int32Array[]

  constructor(terms: number) {
    this.counts = new Int32Array(terms)
    this.#lists = Array.from({ length: terms }, () => new Int32Array(16))
  }

  /** Positions of a term; the first `counts[term]` of them count. */
  list(term: number): Int32Array {
    return this.#lists[term]!
  }

  /** Notes how often a term stands in the document, and gives its list with room for so many positions. */
  reserve(term: number, count: number): Int32Array {
    this.counts[term] = count
    let list = this.#lists[term]!
    if (list.length < count) {
      list = new Int32Array(2 * count)
      this.#lists[term] = list
    }
    return list
  }
}
