/** Documents with a word that a regular expression describes. */
import { regexpAutomaton } from '../automaton/regexp-automaton.js'
import { AutomatonQuery } from './automaton-query.js'

/**
 * Matches documents with a term of the field that the expression describes from its first to its last character, all with
 * a constant score. The syntax is that of Lucene's RegExp: `|`, `(…)`, `[…]`, `[^…]`, `.`, `?`, `*`, `+`, `{n}`, `{n,}`,
 * `{n,m}`, `"…"` (as it stands), `&` (and), `~` (not), `@` (any text), `#` (nothing), `<1-31>` (numbers), `\d`, `\s`, `\w`
 * and their opposites, `\` before any other character. Every term counts; terms that cannot match are passed over. No
 * expression takes more than linear time in the terms it looks at.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   RegexpQuery,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['colour', 'the color 丝', 'collar of 1987']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new RegexpQuery('body', 'colou?r'))) // 2
 * console.log(await searcher.count(new RegexpQuery('body', '<1900-1999>'))) // 1
 * ```
 */
export class RegexpQuery extends AutomatonQuery {
  readonly pattern: string

  /**
   * @throws SpindleError QUERY_SYNTAX with the place of the fault; REGEX_TOO_COMPLEX for a pattern of more than 1,000
   * characters, or one that needs more than 10,000 states
   */
  constructor(field: string, pattern: string) {
    super(field, regexpAutomaton(pattern))
    this.pattern = pattern
  }

  toString(defaultField = ''): string {
    return `${this.field === defaultField ? '' : `${this.field}:`}/${this.pattern}/`
  }
}
