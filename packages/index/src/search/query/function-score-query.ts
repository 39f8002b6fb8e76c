/** Another query whose scores depend on a number of the document: popularity, price, how fresh it is. */
import { FieldFunction } from '../function/field-function.js'
import type { CombineScores, ScoreFunction } from '../function/score-function.js'
import type { SearchContext } from '../search-context.js'
import { FunctionScoreWeight } from '../weight/function-score-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

const COMBINES: readonly CombineScores[] = ['multiply', 'add', 'replace']

/** How the function counts. */
export interface FunctionScoreOptions {
  /** `multiply` where not given. */
  readonly combine?: CombineScores
}

/**
 * Matches what the query matches. Its score is multiplied by a function of a doc value of the document, or the function
 * is added to it or takes its place. Documents without a number keep their score unless the function says what they
 * count (`missing`); where scores are replaced they get 0. Pruning works on: the function's bounds come from the numbers
 * of each 1,024 documents.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   FunctionScoreQuery,
 *   IndexSearcher,
 *   IndexWriter,
 *   MatchAllQuery,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const { title, date } of [
 *   { title: 'Silk', date: '2019-05-01' },
 *   { title: 'Silk road', date: '2024-05-01' },
 * ]) {
 *   await writer.addDocument(new Document().add(Field.text('title', title)).add(Field.date('date', date)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const query = new TermQuery(new Term('title', 'silk'))
 * console.log((await (await searcher.search(query)).doc(0)).get('title')) // Silk
 *
 * // Half as fresh after a year, but never less than half of the score.
 * const scale = 365 * 86_400_000
 * const freshness = { kind: 'exponential', field: 'date', origin: '2024-06-01', scale, base: 0.5, weight: 0.5 } as const
 * console.log((await (await searcher.search(new FunctionScoreQuery(query, freshness))).doc(0)).get('title')) // Silk road
 *
 * const newest = new FunctionScoreQuery(new MatchAllQuery(), { ...freshness, base: 0, weight: 1 }, { combine: 'replace' })
 * console.log((await searcher.search(newest)).score(0).toFixed(2)) // 0.94
 * ```
 */
export class FunctionScoreQuery extends Query {
  readonly query: Query
  readonly function: ScoreFunction
  readonly combine: CombineScores
  readonly #ready: FieldFunction

  /** @throws RangeError for a parameter of the function out of its range, SpindleError DOCUMENT_INVALID for an origin that is no date */
  constructor(query: Query, scoreFunction: ScoreFunction, { combine = 'multiply' }: FunctionScoreOptions = {}) {
    super()
    if (!COMBINES.includes(combine)) throw new RangeError(`Scores are not combined by ${combine}`)
    this.query = query
    this.function = scoreFunction
    this.combine = combine
    this.#ready = new FieldFunction(scoreFunction, combine)
  }

  /** @throws (when the search loads) SpindleError FIELD_WITHOUT_DOC_VALUES */
  createWeight(context: SearchContext, boost: number): Weight {
    if (context.similarity === null) return this.query.createWeight(context, 1)
    const inner = this.query.createWeight(this.combine === 'replace' ? context.withoutScores() : context, 1)
    return new FunctionScoreWeight(context, inner, this.#ready, boost)
  }

  visit(visitor: QueryVisitor): void {
    this.query.visit(visitor)
  }

  toString(defaultField = ''): string {
    return `FunctionScoreQuery(${this.query.toString(defaultField)}, ${this.combine}(${this.#ready}))`
  }
}
