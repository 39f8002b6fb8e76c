/** A condition that many searches share: its documents are found once a segment and kept as a bit set. */
import type { BitSet } from '@spindle/core'
import type { SegmentReader } from '../../reading/segment-reader.js'
import { BitSetScorer } from '../scorer/bit-set-scorer.js'
import { SearchLimits } from '../scorer/search-limits.js'
import type { SearchContext } from '../search-context.js'
import { SetWeight } from '../weight/set-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * The documents of another query with a constant score. Keep the object and use it again: it remembers the documents of
 * every segment it has seen, one bit a document, as long as the segment is open.
 * @example
 * ```ts
 * import {
 *   BooleanQuery,
 *   Document,
 *   Field,
 *   FilterQuery,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   NumberRangeQuery,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const { title, price } of [
 *   { title: 'Tea', price: 12 },
 *   { title: 'Silk', price: 90 },
 *   { title: 'Gift' },
 * ]) {
 *   const document = new Document().add(Field.text('title', title))
 *   if (price !== undefined) document.add(Field.integer('price', price))
 *   await writer.addDocument(document)
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const cheap = new FilterQuery(new NumberRangeQuery('price', { lt: 50 }))
 * for (const word of ['tea', 'silk']) {
 *   const query = new TermQuery(new Term('title', word))
 *   const filtered = new BooleanQuery([{ query, occur: 'must' }, { query: cheap, occur: 'filter' }])
 *   if ((await searcher.count(filtered)) > 0) console.log(word, 'is cheap') // tea is cheap
 * }
 * ```
 */
export class FilterQuery extends Query {
  readonly query: Query
  readonly #sets = new WeakMap<SegmentReader, Promise<BitSet>>()

  constructor(query: Query) {
    super()
    this.query = query
  }

  createWeight(context: SearchContext, boost: number): Weight {
    let cost = 0
    for (const segment of context.segments) cost += segment.maxDoc
    return SetWeight.create(context, this.toString(), boost, cost, async (leaf) => {
      const segment = context.segments[leaf]!
      const set = await this.#docs(segment)
      const count = set.count()
      return count === 0 ? null : () => new BitSetScorer(set.words, segment.maxDoc, count)
    })
  }

  #docs(segment: SegmentReader): Promise<BitSet> {
    let finding = this.#sets.get(segment)
    if (finding === undefined) {
      finding = this.query.matchingDocs(segment, new SearchLimits())
      this.#sets.set(segment, finding)
      finding.catch(() => this.#sets.delete(segment))
    }
    return finding
  }

  visit(visitor: QueryVisitor): void {
    this.query.visit(visitor)
  }

  toString(defaultField = ''): string {
    return `filter(${this.query.toString(defaultField)})`
  }
}
