/** Numbers and dates between two bounds. */
import { isNumeric } from '../../document/field-type.js'
import { nextDown, nextUp, numberTerm } from '../../document/numeric-text.js'
import { TermBounds } from '../automaton/term-bounds.js'
import { DocValuesRangeScorer } from '../scorer/doc-values-range-scorer.js'
import type { SearchContext } from '../search-context.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { SetWeight } from '../weight/set-weight.js'
import { countTerms, termRangeWeight } from '../weight/term-range-weight.js'
import type { Weight } from '../weight/weight.js'
import { requireDocValues } from '../without-doc-values.js'
import { type NumberBound, numberBound } from './number-bound.js'
import { Query, type QueryVisitor } from './query.js'

/** Bounds of a range; those left out are open. */
export interface NumberRange {
  /** At least. */
  readonly gte?: NumberBound
  /** More than. */
  readonly gt?: NumberBound
  /** At most. */
  readonly lte?: NumberBound
  /** Less than. */
  readonly lt?: NumberBound
}

/** Ranges of so few distinct numbers are looked up in the dictionary, where the field has terms. */
const FEW_TERMS = 64

/**
 * Documents with a number of a field in a range; where a document has several, one is enough. Reads the doc values and
 * skips blocks whose bounds miss the range; a narrow range over a field that is `indexed` too reads only its terms.
 * Scores are constant.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   NumberRangeQuery,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const { title, price } of [
 *   { title: 'Tea', price: 12 },
 *   { title: 'Silk', price: 90 },
 *   { title: 'Gift' },
 * ]) {
 *   const document = new Document().add(Field.text('title', title))
 *   if (price !== undefined) document.add(Field.integer('price', price))
 *   await writer.addDocument(document)
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const hits = await searcher.search(new NumberRangeQuery('price', { gte: 12, lt: 90 }))
 * console.log(hits.length, (await hits.doc(0)).get('title')) // 1 Tea
 * console.log(await searcher.count(NumberRangeQuery.exactly('price', 90))) // 1
 * ```
 */
export class NumberRangeQuery extends Query {
  readonly field: string
  /** The least number that matches; −Infinity: open. */
  readonly from: number
  /** The greatest number that matches. */
  readonly to: number
  readonly #terms: TermBounds

  /** @throws RangeError for bounds that are no numbers, SpindleError DOCUMENT_INVALID for a text that is no date */
  constructor(field: string, range: NumberRange) {
    super()
    this.field = field
    const { gte, gt, lte, lt } = range
    let from = gte === undefined ? Number.NEGATIVE_INFINITY : numberBound(field, gte)
    let to = lte === undefined ? Number.POSITIVE_INFINITY : numberBound(field, lte)
    if (gt !== undefined) from = Math.max(from, nextUp(numberBound(field, gt)))
    if (lt !== undefined) to = Math.min(to, nextDown(numberBound(field, lt)))
    this.from = from
    this.to = to
    const terms = { lower: numberTerm(from), upper: numberTerm(to), includeLower: true, includeUpper: true }
    this.#terms = new TermBounds(terms)
  }

  /** Documents with exactly this number. */
  static exactly(field: string, value: NumberBound): NumberRangeQuery {
    return new NumberRangeQuery(field, { gte: value, lte: value })
  }

  createWeight(context: SearchContext, boost: number): Weight {
    const { field, from, to } = this
    if (!(from <= to)) return new MatchNoneWeight()
    const types = context.segments.map((segment) => segment.fieldInfo(field)?.type)
    const indexed = types.every((type) => type === undefined || (type.indexed && isNumeric(type.kind)))
    const onlyTerms = types.some((type) => type?.docValues === false)
    if (indexed && (onlyTerms || countTerms(context, field, this.#terms) <= FEW_TERMS)) {
      return termRangeWeight(context, this.#terms, field, this.toString(), boost)
    }
    let cost = 0
    for (const segment of context.segments) cost += segment.maxDoc
    return SetWeight.create(context, this.toString(), boost, cost, async (leaf) => {
      const values = await requireDocValues(context.segments[leaf]!, field, 'number')
      if (values === null) return null
      const least = values.codeAtLeast(from)
      const greatest = values.codeAtMost(to)
      if (!(least <= greatest)) return null
      return () => new DocValuesRangeScorer(values, least, greatest, context.limits)
    })
  }

  visit(_visitor: QueryVisitor): void {}

  toString(defaultField = ''): string {
    const range = `[${this.from} TO ${this.to}]`
    return this.field === defaultField ? range : `${this.field}:${range}`
  }
}
