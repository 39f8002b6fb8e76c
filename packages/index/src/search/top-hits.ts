/** The k best documents so far: a heap over typed arrays whose worst entry is the threshold for all that follow. */

/** Keeps the best by score, and of equal scores the smaller document ids. Documents must come in ascending order. */
export class TopHits {
  #limit = 0
  readonly #docs: Int32Array
  readonly #scores: Float64Array
  #size = 0
  /** Only a higher score gets in. −Infinity while there is room. */
  threshold = -Infinity

  constructor(limit: number) {
    this.#docs = new Int32Array(limit)
    this.#scores = new Float64Array(limit)
    this.reset(limit)
  }

  /** For how many it has memory. */
  get room(): number {
    return this.#docs.length
  }

  /** Begins anew. @param limit at most `room` */
  reset(limit: number): void {
    this.#limit = limit
    this.#size = 0
    this.threshold = limit === 0 ? Infinity : -Infinity
  }

  /** Offers a document whose score is above the threshold. */
  insert(doc: number, score: number): void {
    if (this.#size < this.#limit) {
      this.#up(this.#size++, doc, score)
      if (this.#size < this.#limit) return
    } else this.#down(doc, score)
    if (this.#scores[0]! > this.threshold) this.threshold = this.#scores[0]!
  }

  /** Tells that at least `limit` of the documents that are offered in all have a score ≥ `score`, which is > 0. */
  expect(score: number): void {
    const below = score * (1 - Number.EPSILON)
    if (below > this.threshold) this.threshold = below
  }

  /** Whether a is worse than b. */
  #worse(scoreA: number, docA: number, scoreB: number, docB: number): boolean {
    return scoreA < scoreB || (scoreA === scoreB && docA > docB)
  }

  #up(start: number, doc: number, score: number): void {
    const docs = this.#docs
    const scores = this.#scores
    let at = start
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#worse(score, doc, scores[parent]!, docs[parent]!)) break
      scores[at] = scores[parent]!
      docs[at] = docs[parent]!
      at = parent
    }
    scores[at] = score
    docs[at] = doc
  }

  #down(doc: number, score: number): void {
    const docs = this.#docs
    const scores = this.#scores
    const size = this.#size
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && this.#worse(scores[child + 1]!, docs[child + 1]!, scores[child]!, docs[child]!)) child++
      if (!this.#worse(scores[child]!, docs[child]!, score, doc)) break
      scores[at] = scores[child]!
      docs[at] = docs[child]!
      at = child
    }
    scores[at] = score
    docs[at] = doc
  }

  /** Takes the documents and scores out, best first. */
  sorted(): { docs: Int32Array; scores: Float64Array } {
    const docs = new Int32Array(this.#size)
    const scores = new Float64Array(this.#size)
    while (this.#size > 0) {
      const last = --this.#size
      docs[last] = this.#docs[0]!
      scores[last] = this.#scores[0]!
      this.#down(this.#docs[last]!, this.#scores[last]!)
    }
    return { docs, scores }
  }
}
