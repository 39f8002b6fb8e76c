/** Several queries combined: AND, OR, NOT, filters. */
import type { SearchContext } from '../search-context.js'
import { BooleanWeight, type BooleanWeights } from '../weight/boolean-weight.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/**
 * The part that a clause plays: `must` has to match and scores, `filter` has to match and does not score, `should`
 * scores and at least one has to match where nothing is required, `mustNot` must not match.
 */
export type Occur = 'must' | 'should' | 'mustNot' | 'filter'

/** A query and its part. */
export interface BooleanClause {
  readonly query: Query
  readonly occur: Occur
}

const PREFIX: Readonly<Record<Occur, string>> = { must: '+', should: '', mustNot: '-', filter: '#' }

/**
 * A combination of clauses; its score is the sum of those of the clauses that match. Only exclusions match nothing.
 * @example
 * ```ts
 * import {
 *   BooleanQuery,
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   Term,
 *   TermQuery,
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
 * const word = (text: string) => new TermQuery(new Term('body', text))
 * const query = new BooleanQuery([
 *   { query: word('tea'), occur: 'must' },
 *   { query: word('porcelain'), occur: 'mustNot' },
 * ])
 * const hits = await searcher.search(query)
 * console.log(hits.length, (await hits.doc(0)).get('body')) // 1 silk and tea
 *
 * const words = ['silk', 'tea', 'porcelain'].map((text) => ({ query: word(text), occur: 'should' as const }))
 * console.log(await searcher.count(new BooleanQuery(words)), await searcher.count(new BooleanQuery(words, 2))) // 3 2
 * ```
 */
export class BooleanQuery extends Query {
  readonly clauses: readonly BooleanClause[]
  /** How many `should` clauses have to match; 0: one where nothing else is required, otherwise none. */
  readonly minimumShouldMatch: number

  /** @throws RangeError where `minimumShouldMatch` is not a whole number ≥ 0 */
  constructor(clauses: readonly BooleanClause[], minimumShouldMatch = 0) {
    super()
    if (!Number.isSafeInteger(minimumShouldMatch) || minimumShouldMatch < 0) {
      throw new RangeError(`minimumShouldMatch must be a whole number ≥ 0: ${minimumShouldMatch}`)
    }
    this.clauses = clauses
    this.minimumShouldMatch = minimumShouldMatch
  }

  createWeight(context: SearchContext, boost: number): Weight {
    const weights = { must: [], filter: [], should: [], mustNot: [] } satisfies BooleanWeights
    const byOccur: Record<Occur, Weight[]> = weights
    for (const { query, occur } of this.clauses) {
      const scored = occur === 'must' || occur === 'should'
      const weight = scored ? query.createWeight(context, boost) : query.createWeight(context.withoutScores(), 1)
      byOccur[occur].push(weight)
    }
    if (byOccur.must.length + byOccur.filter.length + byOccur.should.length === 0) return new MatchNoneWeight()
    return new BooleanWeight(context, weights, this.minimumShouldMatch)
  }

  visit(visitor: QueryVisitor): void {
    for (const { query, occur } of this.clauses) if (occur !== 'mustNot') query.visit(visitor)
  }

  toString(defaultField = ''): string {
    const parts = this.clauses.map(({ query, occur }) => {
      const inner = query.toString(defaultField)
      return PREFIX[occur] + (query instanceof BooleanQuery ? `(${inner})` : inner)
    })
    const all = parts.join(' ')
    return this.minimumShouldMatch > 0 ? `(${all})~${this.minimumShouldMatch}` : all
  }
}
