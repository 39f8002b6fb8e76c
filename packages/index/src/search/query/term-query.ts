/** Documents that hold a term. */
import type { SearchContext } from '../search-context.js'
import type { Term } from '../term.js'
import { TermWeight } from '../weight/term-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Matches documents that hold the term, scored by its frequency.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['silk and tea', 'silk, silk and silk', 'porcelain and tea']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const hits = await searcher.search(new TermQuery(new Term('body', 'silk')))
 * console.log(hits.length, (await hits.doc(0)).get('body')) // 2 silk, silk and silk
 * ```
 */
export class TermQuery extends Query {
  readonly term: Term

  constructor(term: Term) {
    super()
    this.term = term
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return new TermWeight(context, this.term, boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.term(this.term)
  }

  toString(defaultField = ''): string {
    return this.term.toString(defaultField)
  }
}
