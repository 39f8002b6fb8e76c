/** Documents in which terms, or groups of terms, stand near each other. */
import type { NearShape } from '../positions/near-shape.js'
import { nearPattern, type PositionPattern, TermNumbers } from '../positions/position-pattern.js'
import type { SearchContext } from '../search-context.js'
import type { Term } from '../term.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { PositionWeight } from '../weight/position-weight.js'
import type { Weight } from '../weight/weight.js'
import { checkSlop } from './phrase-positions.js'
import { Query, type QueryVisitor } from './query.js'

/** A term; a list of which any clause may stand there; or clauses that are near each other themselves. */
export type NearClause = Term | readonly NearClause[] | NearQuery

/** Options of {@link NearQuery}. */
export interface NearOptions {
  /** Positions that may stand between the clauses in all; 0 where not given: side by side. */
  readonly slop?: number
  /** Whether the clauses must stand in their order, without overlaps; true where not given. */
  readonly inOrder?: boolean
}

/**
 * Matches stretches of one field that hold a stretch of every clause, with at most `slop` positions of it not covered.
 * Scored as Lucene's SpanNearQuery is: by the summed idf of the different terms, and a frequency in which each match
 * counts as 1 / (1 + width), width being the positions between clauses in order, and the whole stretch otherwise. In one
 * document at most some 4 million steps are taken, shared out to the groups: what they find until then counts.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   NearQuery,
 *   StandardAnalyzer,
 *   Term,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['the road that silk took', 'silk came by the old trade route']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const silk = new Term('body', 'silk')
 * const way = [new Term('body', 'road'), new Term('body', 'route')]
 * console.log(await searcher.count(new NearQuery([silk, way], { slop: 5 }))) // 1
 * console.log(await searcher.count(new NearQuery([silk, way], { slop: 5, inOrder: false }))) // 2
 * ```
 */
export class NearQuery extends Query {
  readonly clauses: readonly NearClause[]
  readonly slop: number
  readonly inOrder: boolean
  /** The field of all terms; empty where there is none. */
  readonly field: string

  /** @throws RangeError where terms are of several fields, or the slop is none */
  constructor(clauses: readonly NearClause[], options: NearOptions = {}) {
    super()
    this.clauses = clauses
    this.slop = options.slop ?? 0
    this.inOrder = options.inOrder ?? true
    checkSlop(this.slop)
    const fields = new Set(clauses.flatMap(fieldsOf))
    if (fields.size > 1) {
      throw new RangeError(`The clauses of a NearQuery must be of one field, not of ${[...fields].join(', ')}`)
    }
    this.field = [...fields][0] ?? ''
  }

  createWeight(context: SearchContext, boost: number): Weight {
    return this.clauses.length === 0 ? new MatchNoneWeight() : new PositionWeight(context, this.#pattern(), boost)
  }

  #pattern(): PositionPattern {
    const numbers = new TermNumbers()
    const shape = shapeOf(this, numbers)
    return nearPattern(this, this.field, numbers.terms, shape)
  }

  visit(visitor: QueryVisitor): void {
    if (this.clauses.length > 0) visitor.near?.(this.#pattern())
  }

  /** Lucene's form, for example `spanNear([silk, spanOr([road, route])], 5, true)`. */
  toString(defaultField = ''): string {
    const clauses = this.clauses.map((clause) => printClause(clause, defaultField))
    return `spanNear([${clauses.join(', ')}], ${this.slop}, ${this.inOrder})`
  }
}

function isList(clause: NearClause): clause is readonly NearClause[] {
  return Array.isArray(clause)
}

function fieldsOf(clause: NearClause): readonly string[] {
  if (isList(clause)) return clause.flatMap(fieldsOf)
  return clause.field === '' ? [] : [clause.field]
}

function printClause(clause: NearClause, defaultField: string): string {
  if (!isList(clause)) return clause.toString(defaultField)
  return `spanOr([${clause.map((part) => printClause(part, defaultField)).join(', ')}])`
}

function shapeOf(clause: NearClause, numbers: TermNumbers): NearShape {
  if (isList(clause)) return { kind: 'any', parts: clause.map((part) => shapeOf(part, numbers)) }
  if (!(clause instanceof NearQuery)) return { kind: 'term', term: numbers.of(clause.text) }
  const parts = clause.clauses.map((part) => shapeOf(part, numbers))
  // One clause is near itself; none is nowhere.
  if (parts.length === 1) return parts[0]!
  if (parts.length === 0) return { kind: 'any', parts }
  return { kind: 'near', parts, slop: clause.slop, inOrder: clause.inOrder }
}
