/** Documents with a word that begins with a text. */
import { prefixAutomaton } from '../automaton/wildcard-automaton.js'
import { AutomatonQuery } from './automaton-query.js'

/**
 * Matches documents with a term of the field that begins with the prefix, all with a constant score. Every term counts;
 * the cost is that of the terms it covers and their lists. An empty prefix asks whether the field is there at all.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   PrefixQuery,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['spindle', 'spinning and weaving', 'a loom']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new PrefixQuery('body', 'spin'))) // 2
 * ```
 */
export class PrefixQuery extends AutomatonQuery {
  readonly prefix: string

  constructor(field: string, prefix: string) {
    super(field, prefixAutomaton(prefix))
    this.prefix = prefix
  }

  toString(defaultField = ''): string {
    return `${this.field === defaultField ? '' : `${this.field}:`}${this.prefix}*`
  }
}
