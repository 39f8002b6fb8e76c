/** Every document. */
import type { SearchContext } from '../search-context.js'
import { MatchAllWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query } from './query.js'

/**
 * Matches every document with the score 1.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MatchAllQuery,
 *   MemoryDirectory,
 *   StandardAnalyzer,
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
 * console.log(await searcher.count(new MatchAllQuery())) // 3
 * ```
 */
export class MatchAllQuery extends Query {
  createWeight(context: SearchContext, boost: number): Weight {
    return new MatchAllWeight(context, boost)
  }

  visit(): void {}

  toString(): string {
    return '*:*'
  }
}
