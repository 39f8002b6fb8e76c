/**
 * The result of a search. The best 100 (or as many as were asked for) are there at once; what lies further back is
 * found when it is asked for, by searching again for twice as many: reading all of n hits costs about log2(n / 100)
 * searches and no memory is held for hits that nobody looks at.
 */
import type { Document } from '../document/document.js'
import type { TopDocs } from './search-runner.js'
import type { SortCursor, SortValue } from './sort/sort-key.js'

/** A document that was found. */
export interface Hit {
  /** Place in the result, 0 for the best. */
  readonly index: number
  /** Unit-less, ≥ 0; comparable only within one result. */
  readonly score: number
  /** Index-wide id, valid for the state of the index that was searched. */
  readonly docId: number
  /** Its stored fields. */
  readonly document: Document
}

/** Where {@link Hits} get further hits and documents from. */
export interface HitsSource {
  /** The best `limit` documents of the same query over the same state of the index. */
  search(limit: number): Promise<TopDocs>
  document(docId: number): Promise<Document>
  /** Hits that can be reached at most, all together. */
  readonly maxDoc: number
  /** Keeps the index open as long as the result is there. */
  readonly hold: object
}

/** Documents read at once by the iterator. */
const BATCH = 20

/** Matching documents, best first (or in the order of the sort); of equal ones the earlier document first. */
export class Hits {
  /** Number of matching documents; where `relation` is `gte`, at least so many match. */
  readonly length: number
  /** Whether `length` is exact. */
  readonly relation: 'eq' | 'gte'
  /**
   * Whether the search met a limit and was asked to give what it had found by then: better documents may be missing,
   * and no more can be loaded.
   */
  readonly partial: boolean
  readonly #source: HitsSource
  #docs: Int32Array
  #scores: Float64Array
  #sortValues: TopDocs['sortValues']
  #groupCounts: TopDocs['groupCounts']
  #asked: number

  /** @param asked the limit that `first` was searched with */
  constructor(source: HitsSource, first: TopDocs, asked: number) {
    this.#source = source
    this.length = first.total
    this.relation = first.relation
    this.partial = first.partial
    this.#docs = first.docs
    this.#scores = first.scores
    this.#sortValues = first.sortValues
    this.#groupCounts = first.groupCounts
    this.#asked = asked
  }

  /** How many hits can be read by {@link Hits.docId} and {@link Hits.score} without {@link Hits.load}. */
  get loaded(): number {
    return this.#docs.length
  }

  /** Makes sure that the first `count` hits are there. @returns how many are: fewer only where there are no more */
  async load(count: number): Promise<number> {
    if (this.partial) return Math.min(count, this.#docs.length)
    // A full first window means that there may be more behind it, whatever the counted total says.
    while (this.#docs.length < count && this.#docs.length === this.#asked && this.#asked < this.#source.maxDoc) {
      const limit = Math.min(Math.max(2 * this.#asked, count, 100), this.#source.maxDoc)
      const more = await this.#source.search(limit)
      if (limit <= this.#asked) continue
      this.#docs = more.docs
      this.#scores = more.scores
      this.#sortValues = more.sortValues
      this.#groupCounts = more.groupCounts
      this.#asked = limit
    }
    return Math.min(count, this.#docs.length)
  }

  /** Index-wide id of hit `i`. @throws RangeError where it is not loaded */
  docId(i: number): number {
    return this.#docs[this.#check(i)]!
  }

  /** Values of hit `i` for each key of the sort; empty where results are not sorted. @throws RangeError where it is not loaded */
  sortValues(i: number): readonly SortValue[] {
    return this.#sortValues?.[this.#check(i)] ?? []
  }

  /** The place of hit `i`, as `after` of the next search in the same order. @throws RangeError where it is not loaded */
  cursor(i: number): SortCursor {
    return { values: this.#sortValues?.[this.#check(i)] ?? [this.score(i)], docId: this.docId(i) }
  }

  /** Further matching documents in the group that hit `i` stands for; 0 where results are not collapsed. */
  others(i: number): number {
    return (this.#groupCounts?.[this.#check(i)] ?? 1) - 1
  }

  /** Score of hit `i`; NaN where results are sorted and no key asks for it. @throws RangeError where it is not loaded */
  score(i: number): number {
    return this.#scores[this.#check(i)]!
  }

  #check(i: number): number {
    if (Number.isInteger(i) && i >= 0 && i < this.#docs.length) return i
    throw new RangeError(`Hit ${i} is not among the ${this.#docs.length} loaded ones; await load(${i} + 1) first.`)
  }

  /** Stored fields of hit `i`, which is found where it is not loaded. @throws RangeError where there is no such hit */
  async doc(i: number): Promise<Document> {
    if (Number.isInteger(i) && i >= this.#docs.length) await this.load(i + 1)
    return this.#source.document(this.docId(i))
  }

  /** Hits `from` to `to − 1` with their documents; fewer at the end. Negative bounds count as 0. */
  async slice(from: number, to: number): Promise<Hit[]> {
    const start = Math.max(0, Math.trunc(from))
    const end = await this.load(Math.max(start, Math.trunc(to)))
    const waiting: Promise<Hit>[] = []
    for (let i = start; i < end; i++) waiting.push(this.#hit(i))
    return Promise.all(waiting)
  }

  async #hit(index: number): Promise<Hit> {
    const docId = this.docId(index)
    const score = this.score(index)
    return { index, score, docId, document: await this.#source.document(docId) }
  }

  /** All hits from the best on; documents are read in batches of 20. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Hit, void, undefined> {
    for (let at = 0; ; at += BATCH) {
      const batch = await this.slice(at, at + BATCH)
      yield* batch
      if (batch.length < BATCH) return
    }
  }
}
