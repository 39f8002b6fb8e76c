/** No document: what is left of a query of stop words or punctuation. */
import { MatchNoneWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query } from './query.js'

/**
 * Matches nothing.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MatchNoneQuery,
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
 * console.log(await searcher.count(new MatchNoneQuery())) // 0
 * ```
 */
export class MatchNoneQuery extends Query {
  createWeight(): Weight {
    return new MatchNoneWeight()
  }

  visit(): void {}

  toString(): string {
    return ''
  }
}
