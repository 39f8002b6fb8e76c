/** Deletes that wait for the next flush. Each counts only for the documents added before it. */
import type { BitSet } from '@spindle/core'
import type { SegmentReader } from '../reading/segment-reader.js'
import { BufferedUpdates } from './buffered-updates.js'

/** A term to delete by: the word as it is in the index. */
export interface DeleteTerm {
  readonly field: string
  readonly text: string
}

/** Something else to delete by. */
export interface DeleteQuery {
  /** The documents of a segment to delete, in a set of `segment.maxDoc` bits; deleted ones may be among them. */
  matchingDocs(segment: SegmentReader): Promise<BitSet>
}

/** A query, and the number of buffered documents when it came. */
export interface BufferedQuery {
  readonly query: DeleteQuery
  readonly limit: number
}

const BYTES_PER_TERM = 120

/** Terms and queries. */
export class BufferedDeletes {
  /** For each field and term, the number of buffered documents when it came last. */
  readonly terms = new Map<string, Map<string, number>>()
  readonly queries: BufferedQuery[] = []
  /** Changes of doc values, which wait for the same moment. */
  readonly updates = new BufferedUpdates()
  #ramBytes = 0

  /** Bytes of memory in use, about. */
  get ramBytes(): number {
    return this.#ramBytes + this.updates.ramBytes
  }

  get isEmpty(): boolean {
    return this.terms.size === 0 && this.queries.length === 0 && this.updates.isEmpty
  }

  addTerm({ field, text }: DeleteTerm, limit: number): void {
    let texts = this.terms.get(field)
    if (texts === undefined) {
      texts = new Map()
      this.terms.set(field, texts)
    }
    if (!texts.has(text)) this.#ramBytes += BYTES_PER_TERM + text.length * 2
    texts.set(text, limit)
  }

  addQuery(query: DeleteQuery, limit: number): void {
    this.queries.push({ query, limit })
    this.#ramBytes += BYTES_PER_TERM
  }

  clear(): void {
    this.terms.clear()
    this.queries.length = 0
    this.updates.clear()
    this.#ramBytes = 0
  }
}
