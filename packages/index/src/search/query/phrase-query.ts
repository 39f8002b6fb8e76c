/** Documents in which terms stand at given distances, or nearly so: "words next to each other". */
import { type PositionPattern, phrasePattern } from '../positions/position-pattern.js'
import { PhraseScorer } from '../scorer/phrase-scorer.js'
import type { SearchContext } from '../search-context.js'
import { Term } from '../term.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { PositionWeight } from '../weight/position-weight.js'
import { TermWeight } from '../weight/term-weight.js'
import type { Weight } from '../weight/weight.js'
import { checkPhrase, printPhrase } from './phrase-positions.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * A phrase in one field. With a slop its words may be moved by so many positions in all to make it: `"a b"~1` finds
 * "a x b", and "b a" needs a slop of 2. A match at a distance of d moves counts as 1 / (1 + d) occurrences, as in Lucene.
 * A word that the phrase has twice needs two in the text. With a slop at most 4 million steps are taken in one document:
 * what is found until then counts.
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
 * console.log(await searcher.count(new PhraseQuery('body', ['silk', 'road'], undefined, 3))) // 3
 * ```
 */
export class PhraseQuery extends Query {
  readonly field: string
  readonly terms: readonly string[]
  /** Place of each term, ascending or equal; only differences count. */
  readonly positions: readonly number[]
  /** How many positions the terms may be moved by in all. */
  readonly slop: number

  /**
   * @param positions one a term; 0, 1, 2, … where not given
   * @param slop 0: the phrase as it stands
   * @throws RangeError where positions are missing, fractional, negative, too large or descend, or the slop is none
   */
  constructor(
    field: string,
    terms: readonly string[],
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
    if (this.terms.length === 0) return new MatchNoneWeight()
    if (this.terms.length === 1) return new TermWeight(context, new Term(this.field, this.terms[0]!), boost)
    const pattern = this.#pattern()
    if (this.slop > 0) return new PositionWeight(context, pattern, boost)
    return new PositionWeight(context, pattern, boost, ({ postings, sim, norms, limits }) => {
      const terms = pattern.scored.map((term, i) => ({ postings: postings[term]!, position: this.positions[i]! }))
      return new PhraseScorer(terms, sim, norms, limits)
    })
  }

  #pattern(): PositionPattern {
    const slots = this.terms.map((term) => [term])
    return phrasePattern(this, this.field, slots, this.positions, this.slop)
  }

  visit(visitor: QueryVisitor): void {
    if (this.slop === 0 || this.terms.length < 2) visitor.phrase(this.field, this.terms, this.positions)
    else visitor.near?.(this.#pattern())
  }

  /** Gaps are printed as `?`, several terms at one place with `|` between them. */
  toString(defaultField = ''): string {
    const prefix = this.field === defaultField ? '' : `${this.field}:`
    return prefix + printPhrase(this.terms, this.positions, this.slop)
  }
}
