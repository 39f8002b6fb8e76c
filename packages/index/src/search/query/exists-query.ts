/** Documents that have a field at all. */
import { BitSet } from '@spindle/core'
import { TermBounds } from '../automaton/term-bounds.js'
import { walkTermRange } from '../automaton/term-walk.js'
import { BitSetScorer } from '../scorer/bit-set-scorer.js'
import { MatchAllScorer } from '../scorer/match-all-scorer.js'
import type { SearchContext } from '../search-context.js'
import { SetWeight } from '../weight/set-weight.js'
import { TermUnion } from '../weight/term-union.js'
import type { Weight } from '../weight/weight.js'
import { requireDocValues } from '../without-doc-values.js'
import { Query, type QueryVisitor } from './query.js'

const ALL_TERMS = new TermBounds({ lower: null, upper: null, includeLower: true, includeUpper: true })

/**
 * Documents with a value in a field: with doc values where it keeps any, otherwise with at least one word. Fields that
 * are only stored cannot be asked. Scores are constant.
 * @example
 * ```ts
 * import {
 *   Document,
 *   ExistsQuery,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
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
 * console.log(await searcher.count(new ExistsQuery('price'))) // 2
 * ```
 */
export class ExistsQuery extends Query {
  readonly field: string

  constructor(field: string) {
    super()
    this.field = field
  }

  createWeight(context: SearchContext, boost: number): Weight {
    let cost = 0
    for (const segment of context.segments) cost += segment.maxDoc
    return SetWeight.create(context, this.toString(), boost, cost, async (leaf) => {
      const segment = context.segments[leaf]!
      const { maxDoc } = segment
      const info = segment.fieldInfo(this.field)
      if (info === undefined) return null
      if (info.type.docValues || !info.type.indexed) {
        const values = await requireDocValues(segment, this.field)
        if (values === null) return null
        const { presence, docCount } = values
        return presence === null
          ? () => new MatchAllScorer(maxDoc, 0)
          : () => new BitSetScorer(presence, maxDoc, docCount)
      }
      await segment.data.norms.load(this.field)
      const norms = segment.norms(this.field)
      if (norms === null) {
        const { docs, count } = await new TermUnion(segment, this.field, context.limits).of((union) =>
          walkTermRange(segment.data, this.field, ALL_TERMS, context.limits, union),
        )
        return () => new BitSetScorer(docs.words, maxDoc, count)
      }
      const set = new BitSet(maxDoc)
      for (let doc = 0; doc < maxDoc; doc++) if (norms[doc] !== 0) set.set(doc)
      context.limits.spend(maxDoc)
      const { docCount } = info
      return () => new BitSetScorer(set.words, maxDoc, docCount)
    })
  }

  visit(_visitor: QueryVisitor): void {}

  toString(): string {
    return `${this.field}:*`
  }
}
