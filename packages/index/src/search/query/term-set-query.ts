/** Documents with one of many terms. */
import { TermEntry } from '../../codec/term-entry.js'
import type { SearchContext } from '../search-context.js'
import { Term } from '../term.js'
import { expansionWeight } from '../weight/expansion-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/** What looking a term up costs, in postings read. */
const LOOK_UP_COST = 64
/** A longer list is not printed in explanations. */
const MAX_PRINTED = 100

/**
 * Matches documents with at least one of the terms in the field, all with a constant score: for long lists, such as the
 * ids that someone may see. Each term is one look-up in the dictionary, in its order.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 *   TermSetQuery,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const id of ['a1', 'b2', 'c3']) {
 *   await writer.addDocument(new Document().add(Field.keyword('id', id)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * console.log(await searcher.count(new TermSetQuery('id', ['c3', 'a1', 'z9']))) // 2
 * ```
 */
export class TermSetQuery extends Query {
  readonly field: string
  /** Each once, in the order of the dictionary. */
  readonly terms: readonly string[]

  constructor(field: string, terms: Iterable<string>) {
    super()
    this.field = field
    this.terms = [...new Set(terms)].sort(byCodePoint)
  }

  /** @throws (when it is bound) SpindleError QUERY_TOO_COMPLEX beyond the limits of a search */
  createWeight(context: SearchContext, boost: number): Weight {
    const { field, terms } = this
    const { limits } = context
    const name = terms.length <= MAX_PRINTED ? this.toString() : `${field}:(${terms.length} terms)`
    return expansionWeight(context, terms, field, name, boost, async ({ data }, union) => {
      const entry = new TermEntry()
      for (const term of terms) {
        if (!limits.expand(LOOK_UP_COST)) return
        if (limits.sliceOver) await limits.yield()
        const found = data.terms.isResident ? data.find(field, term, entry) : await data.load(field, term, entry)
        if (found && union.addEntry(entry)) await union.flush()
      }
    })
  }

  visit(visitor: QueryVisitor): void {
    for (const term of this.terms) visitor.term(new Term(this.field, term))
  }

  toString(defaultField = ''): string {
    return `${this.field === defaultField ? '' : `${this.field}:`}(${this.terms.join(' ')})`
  }
}

/** The order of UTF-8, which differs from that of UTF-16 where there are surrogates. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const first = a.charCodeAt(i)
    const second = b.charCodeAt(i)
    if (first === second) continue
    return isSurrogate(first) === isSurrogate(second) ? first - second : isSurrogate(first) ? 1 : -1
  }
  return a.length - b.length
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000
}
