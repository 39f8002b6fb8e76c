/** Phrases with a choice of terms at a place: "quick (brown|red) fox". */
import { type PositionPattern, phrasePattern } from '../positions/position-pattern.js'
import type { SearchContext } from '../search-context.js'
import { Term } from '../term.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { PositionWeight } from '../weight/position-weight.js'
import type { Weight } from '../weight/weight.js'
import { BooleanQuery } from './boolean-query.js'
import { checkPhrase, printPhrase } from './phrase-positions.js'
import { Query, type QueryVisitor } from './query.js'
import { TermQuery } from './term-query.js'

/**
 * A phrase in one field in which one of several terms may stand at each place. It is scored like a phrase, with the
 * idf of all its terms summed up, as in Lucene.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   MultiPhraseQuery,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['a quick brown fox', 'a quick red fox', 'a quick fox']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new MultiPhraseQuery('body', [['quick'], ['brown', 'red'], ['fox']]))) // 2
 * ```
 */
export class MultiPhraseQuery extends Query {
  readonly field: string
  /** The terms of each place. */
  readonly terms: readonly (readonly string[])[]
  /** Each place, ascending or equal; only differences count. */
  readonly positions: readonly number[]
  /** How many positions the words may be moved by in all. */
  readonly slop: number

  /**
   * @param terms one list a place; an empty one matches nothing
   * @param positions one a place; 0, 1, 2, … where not given
   * @param slop 0: the phrase as it stands
   * @throws RangeError where positions are missing, fractional, negative, too large or descend, or the slop is none
   */
  constructor(
    field: string,
    terms: readonly (readonly string[])[],
    positions: readonly number[] = terms.map((_, i) => i),
    slop = 0,
  ) {
    super()
    checkPhrase(terms.length, positions, slop)
    this.field = field
    this.terms = terms
    this.positions = positions
    this.slop = slop
  }

  createWeight(context: SearchContext, boost: number): Weight {
    if (this.terms.length === 0 || this.terms.some((slot) => slot.length === 0)) return new MatchNoneWeight()
    if (this.terms.length > 1) return new PositionWeight(context, this.#pattern(), boost)
    const clauses = this.terms[0]!.map((text) => ({
      query: new TermQuery(new Term(this.field, text)),
      occur: 'should' as const,
    }))
    return new BooleanQuery(clauses).createWeight(context, boost)
  }

  #pattern(): PositionPattern {
    return phrasePattern(this, this.field, this.terms, this.positions, this.slop)
  }

  visit(visitor: QueryVisitor): void {
    if (this.terms.length > 1) visitor.near?.(this.#pattern())
    else for (const text of this.terms[0] ?? []) visitor.term(new Term(this.field, text))
  }

  /** Several terms at one place are printed in brackets, gaps as `?`. */
  toString(defaultField = ''): string {
    const prefix = this.field === defaultField ? '' : `${this.field}:`
    const words = this.terms.map((slot) => (slot.length === 1 ? slot[0]! : `(${slot.join(' ')})`))
    return prefix + printPhrase(words, this.positions, this.slop)
  }
}
