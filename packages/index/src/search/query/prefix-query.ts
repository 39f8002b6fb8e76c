/** Documents with a word that begins with a text. */
import type { TermAutomaton } from '../automaton/term-automaton.js'
import { prefixAutomaton } from '../automaton/wildcard-automaton.js'
import type { SearchContext } from '../search-context.js'
import { automatonWeight } from '../weight/expansion-weight.js'
import type { Weight } from '../weight/weight.js'
import { ExistsQuery } from './exists-query.js'
import { Query, type QueryVisitor } from './query.js'

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
export class PrefixQuery extends Query {
  readonly field: string
  readonly prefix: string
  readonly #automaton: TermAutomaton

  constructor(field: string, prefix: string) {
    super()
    this.field = field
    this.prefix = prefix
    this.#automaton = prefixAutomaton(prefix)
  }

  /** @throws (when it is bound) SpindleError QUERY_TOO_COMPLEX beyond the limits of a search */
  createWeight(context: SearchContext, boost: number): Weight {
    if (this.prefix === '') return new ExistsQuery(this.field).createWeight(context, boost)
    return automatonWeight(context, this.#automaton, this.field, this.toString(), boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.matching?.(this.field, (term) => this.#automaton.test(term))
  }

  toString(defaultField = ''): string {
    return `${this.field === defaultField ? '' : `${this.field}:`}${this.prefix}*`
  }
}
