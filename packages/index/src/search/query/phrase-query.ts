/** Documents in which terms stand at given distances: "words next to each other". */
import type { SearchContext } from '../search-context.js'
import { Term } from '../term.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { PhraseWeight } from '../weight/phrase-weight.js'
import { TermWeight } from '../weight/term-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * An exact phrase in one field.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   PhraseQuery,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['silk road', 'road of silk', 'the old silk road']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new PhraseQuery('body', ['silk', 'road']))) // 2
 * console.log(await searcher.count(new PhraseQuery('body', ['the', 'road'], [0, 3]))) // 1
 * ```
 */
export class PhraseQuery extends Query {
  readonly field: string
  readonly terms: readonly string[]
  /** Place of each term, ascending or equal; only differences count. */
  readonly positions: readonly number[]

  /**
   * @param positions one a term; 0, 1, 2, … where not given
   * @throws RangeError where positions are missing, fractional, negative or descend
   */
  constructor(field: string, terms: readonly string[], positions: readonly number[] = terms.map((_, i) => i)) {
    super()
    if (positions.length !== terms.length) {
      throw new RangeError(`A phrase of ${terms.length} terms needs as many positions, not ${positions.length}`)
    }
    for (let i = 0; i < positions.length; i++) {
      const position = positions[i]!
      if (!Number.isSafeInteger(position) || position < (i === 0 ? 0 : positions[i - 1]!)) {
        throw new RangeError(`Positions of a phrase must be whole numbers that never go back: ${positions.join(', ')}`)
      }
    }
    this.field = field
    this.terms = terms
    this.positions = positions
  }

  createWeight(context: SearchContext, boost: number): Weight {
    if (this.terms.length === 0) return new MatchNoneWeight()
    if (this.terms.length === 1) return new TermWeight(context, new Term(this.field, this.terms[0]!), boost)
    return new PhraseWeight(context, this.field, this.terms, this.positions, this.toString(), boost)
  }

  visit(visitor: QueryVisitor): void {
    visitor.phrase(this.field, this.terms, this.positions)
  }

  /** Gaps are printed as `?`, several terms at one place with `|` between them. */
  toString(defaultField = ''): string {
    const words: string[] = []
    let last = this.positions[0] ?? 0
    for (let i = 0; i < this.terms.length; i++) {
      const gap = this.positions[i]! - last
      if (i > 0 && gap === 0) words[words.length - 1] += `|${this.terms[i]!}`
      else {
        for (let g = 1; g < gap && g < 100; g++) words.push('?')
        words.push(this.terms[i]!)
      }
      last = this.positions[i]!
    }
    const prefix = this.field === defaultField ? '' : `${this.field}:`
    return `${prefix}"${words.join(' ')}"`
  }
}
