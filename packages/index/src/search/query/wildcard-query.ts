/** Documents with a word of a certain shape. */
import { wildcardAutomaton } from '../automaton/wildcard-automaton.js'
import { AutomatonQuery } from './automaton-query.js'

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
export class WildcardQuery extends AutomatonQuery {
  readonly pattern: string

  constructor(field: string, pattern: string) {
    super(field, wildcardAutomaton(pattern))
    this.pattern = pattern
  }

  toString(defaultField = ''): string {
    return this.field === defaultField ? this.pattern : `${this.field}:${this.pattern}`
  }
}
