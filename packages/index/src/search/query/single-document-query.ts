/** One document of one segment: for leaving it out. */

import { BitSet } from '@spindle/core'
import type { SegmentReader } from '../../reading/segment-reader.js'
import { BitSetScorer } from '../scorer/bit-set-scorer.js'
import type { SearchContext } from '../search-context.js'
import { SetWeight } from '../weight/set-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query } from './query.js'

/** Matches a document by its place; in another state of the index too, as long as its segment is there. */
export class SingleDocumentQuery extends Query {
  readonly #segment: SegmentReader
  readonly #doc: number

  constructor(segment: SegmentReader, doc: number) {
    super()
    this.#segment = segment
    this.#doc = doc
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return SetWeight.create(context, this.toString(), boost, 1, async (leaf) => {
      const { maxDoc, data } = context.segments[leaf]!
      if (data !== this.#segment.data) return null
      const set = new BitSet(maxDoc)
      set.set(this.#doc)
      return () => new BitSetScorer(set.words, maxDoc, 1)
    })
  }

  visit(): void {}

  toString(): string {
    return `document(${this.#segment.name}/${this.#doc})`
  }
}
