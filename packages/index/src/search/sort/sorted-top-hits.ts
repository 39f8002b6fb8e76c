/** The first k documents by several keys so far: a heap in flat arrays whose last document is at the top. */

/** Keeps the documents with the smallest keys; of equal ones the smaller id. */
export class SortedTopHits {
  readonly #limit: number
  readonly #width: number
  readonly #keys: Float64Array
  readonly #docs: Int32Array
  /** Heap of places in the two arrays. */
  readonly #heap: Int32Array
  #size = 0

  /** @param width keys a document */
  constructor(limit: number, width: number) {
    this.#limit = limit
    this.#width = width
    this.#keys = new Float64Array(limit * width)
    this.#docs = new Int32Array(limit)
    this.#heap = new Int32Array(limit)
  }

  /** The first key that a document must not exceed to get in. */
  get worstFirstKey(): number {
    if (this.#size < this.#limit) return Number.POSITIVE_INFINITY
    return this.#limit === 0 ? Number.NEGATIVE_INFINITY : this.#keys[this.#heap[0]! * this.#width]!
  }

  /** Offers a document; ids ascend. */
  offer(keys: Float64Array, doc: number): void {
    if (this.#limit === 0) return
    if (this.#size < this.#limit) {
      const place = this.#size++
      this.#put(place, keys, doc)
      let at = place
      while (at > 0) {
        const parent = (at - 1) >>> 1
        if (!this.#isBehind(place, this.#heap[parent]!)) break
        this.#heap[at] = this.#heap[parent]!
        at = parent
      }
      this.#heap[at] = place
      return
    }
    const worst = this.#heap[0]!
    // Ids ascend, so of equal keys the newcomer is behind.
    if (compareKeys(keys, 0, this.#keys, worst * this.#width, this.#width) >= 0) return
    this.#put(worst, keys, doc)
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= this.#size) break
      if (child + 1 < this.#size && this.#isBehind(this.#heap[child + 1]!, this.#heap[child]!)) child++
      if (!this.#isBehind(this.#heap[child]!, worst)) break
      this.#heap[at] = this.#heap[child]!
      at = child
    }
    this.#heap[at] = worst
  }

  #put(place: number, keys: Float64Array, doc: number): void {
    this.#docs[place] = doc
    for (let i = 0; i < this.#width; i++) this.#keys[place * this.#width + i] = keys[i]!
  }

  #isBehind(a: number, b: number): boolean {
    const order = compareKeys(this.#keys, a * this.#width, this.#keys, b * this.#width, this.#width)
    return order > 0 || (order === 0 && this.#docs[a]! > this.#docs[b]!)
  }

  /** The documents in order, each with its keys. */
  sorted(): { readonly doc: number; readonly keys: Float64Array }[] {
    const places = Array.from({ length: this.#size }, (_, i) => i)
    places.sort((a, b) => (this.#isBehind(a, b) ? 1 : -1))
    const width = this.#width
    return places.map((i) => ({ doc: this.#docs[i]!, keys: this.#keys.slice(i * width, (i + 1) * width) }))
  }
}

/** Below 0 where the keys of a come first. */
export function compareKeys(a: Float64Array, atA: number, b: Float64Array, atB: number, width: number): number {
  for (let i = 0; i < width; i++) {
    const x = a[atA + i]!
    const y = b[atB + i]!
    if (x < y) return -1
    if (x > y) return 1
  }
  return 0
}
