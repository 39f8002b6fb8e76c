/** Documents with a word of a certain shape. */
import type { TermAutomaton } from '../automaton/term-automaton.js'
import { wildcardAutomaton } from '../automaton/wildcard-automaton.js'
import type { SearchContext } from '../search-context.js'
import { automatonWeight } from '../weight/expansion-weight.js'
import type { Weight } from '../weight/weight.js'
import { ExistsQuery } from './exists-query.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * Matches documents with a term of the field that has the shape of the pattern, all with a constant score: `*` is any
 * text, `?` any one character, and `\` takes its meaning from the character behind it. Every term counts. Terms that
 * cannot match are passed over where the pattern begins with letters; one that begins with `*` looks at all terms of the
 * field. Stars alone ask whether the field is there at all.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   WildcardQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['weave', 'wove and woven', 'a loom']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new WildcardQuery('body', 'w?ve'))) // 1
 * console.log(await searcher.count(new WildcardQuery('body', 'w*ve*'))) // 2
 * ```
 */
export class WildcardQuery extends Query {
  readonly field: string
  readonly pattern: string
  readonly #automaton: TermAutomaton

  constructor(field: string, pattern: string) {
    super()
    this.field = field
    this.pattern = pattern
    this.#automaton = wildcardAutomaton(pattern)
  }

  /** @throws (when it is bound) SpindleError QUERY_TOO_COMPLEX beyond the limits of a search */
  createWeight(context: SearchContext, boost: number): Weight {
    if (/^\*+$/.test(this.pattern)) return new ExistsQuery(this.field).createWeight(context, boost)
    return automatonWeight(context, this.#automaton, this.field, this.toString(), boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.matching?.(this.field, (term) => this.#automaton.test(term))
  }

  toString(defaultField = ''): string {
    return this.field === defaultField ? this.pattern : `${this.field}:${this.pattern}`
  }
}
