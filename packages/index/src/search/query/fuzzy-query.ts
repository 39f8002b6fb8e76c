/** Documents with a word that is nearly the one asked for. */
import { codePoints } from '../automaton/byte-nfa.js'
import { levenshteinAutomaton } from '../automaton/levenshtein-automaton.js'
import type { TermAutomaton } from '../automaton/term-automaton.js'
import type { SearchContext } from '../search-context.js'
import { Term } from '../term.js'
import { BooleanWeight } from '../weight/boolean-weight.js'
import { MatchNoneWeight } from '../weight/constant-weight.js'
import { findFuzzyTerms } from '../weight/fuzzy-terms.js'
import { TermWeight } from '../weight/term-weight.js'
import type { Weight } from '../weight/weight.js'
import { Query, type QueryVisitor } from './query.js'

/** Options of {@link FuzzyQuery}. */
export interface FuzzyOptions {
  /** Edits that a term may be away, 0 to 2; 2 where not given. */
  readonly maxEdits?: number
  /** Characters at the beginning that have to be the same; 0 where not given. */
  readonly prefixLength?: number
  /** The nearest terms, so many at most, are looked for; 50 where not given. */
  readonly maxExpansions?: number
  /** Whether two neighbours swapped are one edit; they are where not given. */
  readonly transpositions?: boolean
}

/** Edits that an automaton is made for. */
const MAX_EDITS = 2

/**
 * Matches documents with a term of the field that one or two edits make of the text: a character inserted, removed,
 * replaced, or swapped with its neighbour. Of all such terms the nearest ones count; a term scores by
 * 1 − edits / characters of the shorter one, with the document frequency of the most frequent of them (as Lucene's
 * FuzzyQuery with its TopTermsBlendedFreqScoringRewrite). Terms that cannot be near are passed over: a prefix makes
 * it cheap.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   FuzzyQuery,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['spindle', 'a spnidle', 'candle']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const hits = await searcher.search(new FuzzyQuery('body', 'spindle', { maxEdits: 1 }))
 * console.log(hits.length, (await hits.doc(0)).get('body')) // 2 spindle
 * ```
 */
export class FuzzyQuery extends Query {
  readonly field: string
  readonly text: string
  readonly maxEdits: number
  readonly prefixLength: number
  readonly maxExpansions: number
  readonly transpositions: boolean
  #built: readonly TermAutomaton[] | null = null

  /** @throws RangeError for an option out of its range */
  constructor(field: string, text: string, options: FuzzyOptions = {}) {
    super()
    this.field = field
    this.text = text
    this.maxEdits = checkOption('maxEdits', options.maxEdits ?? MAX_EDITS, 0, MAX_EDITS)
    this.prefixLength = checkOption('prefixLength', options.prefixLength ?? 0, 0)
    this.maxExpansions = checkOption('maxExpansions', options.maxExpansions ?? 50, 1)
    this.transpositions = options.transpositions ?? true
  }

  /** By number of edits; made when first asked for, since a query can hold many fuzzy words and not be searched at all. */
  get #automata(): readonly TermAutomaton[] {
    if (this.#built === null) {
      const points = codePoints(this.text)
      this.#built = Array.from({ length: this.maxEdits + 1 }, (_, edits) =>
        levenshteinAutomaton(points, edits, this.prefixLength, this.transpositions),
      )
    }
    return this.#built
  }

  /**
   * @throws (when it is bound) SpindleError QUERY_TOO_COMPLEX beyond the limits of a search, REGEX_TOO_COMPLEX for a text
   *   of some thousand characters
   */
  createWeight(context: SearchContext, boost: number): Weight {
    const { field } = this
    if (this.maxEdits === 0) return new TermWeight(context, new Term(field, this.text), boost)
    const found = context.prepared(this.#automata, () =>
      findFuzzyTerms(context, field, this.#automata, codePoints(this.text).length, this.maxExpansions),
    )
    if (found === undefined || found.terms.length === 0) return new MatchNoneWeight()
    const should = found.terms.map(
      (term) => new TermWeight(context, new Term(field, term.text), boost * Math.max(0, term.boost), found.blended),
    )
    return new BooleanWeight(context, { must: [], filter: [], should, mustNot: [] }, 0)
  }

  visit(visitor: QueryVisitor): void {
    visitor.matching?.(this.field, (term) => this.#automata[this.maxEdits].test(term))
  }

  toString(defaultField = ''): string {
    return `${this.field === defaultField ? '' : `${this.field}:`}${this.text}~${this.maxEdits}`
  }
}

function checkOption(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`
  throw new RangeError(`${name} must be a whole number of at least ${least}${upTo}: ${value}`)
}
