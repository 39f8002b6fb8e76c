/** Words and phrases that mean the same, as if they were one word: a list of synonyms asks for them. */
import type { SearchContext } from '../search-context.js'
import { DisjunctionMaxWeight } from '../weight/disjunction-max-weight.js'
import type { Weight } from '../weight/weight.js'
import { BooleanQuery } from './boolean-query.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * The best of several alternatives counts, and each weighs as much as the most common of them does by itself: that a word
 * is written seldom says nothing about pages that have it instead of another. (Lucene's SynonymQuery gives all of its terms
 * the largest document frequency, too; here alternatives may be phrases.)
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   SynonymQuery,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['a car', 'the car', 'an automobile', 'a bicycle']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const words = ['car', 'automobile'].map((text) => new TermQuery(new Term('body', text)))
 * const hits = await searcher.search(new SynonymQuery(words))
 * console.log(hits.length, hits.score(0) === hits.score(2)) // 3 true
 * ```
 */
export class SynonymQuery extends Query {
  readonly queries: readonly Query[]

  constructor(queries: readonly Query[]) {
    super()
    this.queries = queries
  }

  createWeight(context: SearchContext, boost: number): Weight {
    const weights = this.queries.map((query) => query.createWeight(context, boost))
    const known = weights.map(({ importance }) => importance).filter((importance) => importance > 0)
    const least = Math.min(...known)
    const equal = weights.map((weight, i) => {
      const { importance } = weight
      if (!(importance > least)) return weight
      return this.queries[i]!.createWeight(context, (boost * least) / importance)
    })
    return new DisjunctionMaxWeight(context, equal, 0)
  }

  visit(visitor: QueryVisitor): void {
    for (const query of this.queries) query.visit(visitor)
  }

  toString(defaultField = ''): string {
    const parts = this.queries.map((query) => {
      const text = query.toString(defaultField)
      return query instanceof BooleanQuery ? `(${text})` : text
    })
    return `Synonym(${parts.join(' | ')})`
  }
}
