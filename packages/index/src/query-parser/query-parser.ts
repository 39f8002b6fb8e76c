/**
 * The language of the search box, after Lucene's classic query parser: words, "phrases", AND OR NOT && || !, + and −,
 * parentheses, `field:`, `^boost`, backslash escapes. AND and OR have no precedence, as there: AND makes its two
 * neighbours required, so `a OR b AND c` is `a +b +c`.
 * Differences: `!`, `+` and `−` are operators only directly before a clause; wildcards, fuzzy words, ranges and distances
 * behind phrases are not supported; `/` is text; full-width punctuation counts as ASCII.
 * The parser keeps its own stack, so no nesting can exhaust the machine's.
 */
import { type ErrorCode, SpindleError } from '@spindle/core'
import type { Analyzer } from '../analysis/analyzer.js'
import type { CombinedSource } from '../document/field-info.js'
import { type BooleanClause, BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { CoverageQuery } from '../search/query/coverage-query.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import type { Query } from '../search/query/query.js'
import { ClauseBuilder, type CombinedScoring, type FieldWeight } from './clause-builder.js'
import { QueryLexer, type QueryToken } from './query-lexer.js'

/** One field, or several with the factors of their scores. */
export type QueryFields = string | { readonly fields: Readonly<Record<string, number>> }

/** Analyzers by field. */
export interface FieldAnalyzers {
  forField(name: string): Analyzer
  /**
   * What a combined field is made of, undefined for any other: its words are those that the analyzers of its sources
   * make, and phrases, which it has no positions for, are looked for in the sources.
   */
  sourcesOf?(name: string): readonly CombinedSource[] | undefined
}

/** Options of the parser beside fields and analyzer. */
export interface QueryParserOptions {
  /** Analyzers of single fields, for example those of {@link indexAnalyzers}; the parser's analyzer for all where not given. */
  readonly analyzers?: FieldAnalyzers
  /** Fields that may stand before a colon; before any other name the colon is text. Any name where not given. */
  readonly knownFields?: Iterable<string>
  /** What joins clauses without an operator between them; `or` where not given. */
  readonly defaultOperator?: 'or' | 'and'
  /** Mistakes are passed over and told in `ignored`, instead of thrown. */
  readonly lenient?: boolean
  /** Where several fields are searched: share of those that are not a term's best one, 0–1; 0.3 where not given. */
  readonly tieBreaker?: number
  /**
   * Several fields count as one, and pages that match more of the query come first (see {@link CombinedScoring}); where
   * not given, each word counts by its best field, as in Lucene.
   */
  readonly scoring?: CombinedScoring
  /**
   * Fields whose clauses only narrow: `silk site:a.org site:b.org` is silk on one of the two sites, with the scores of
   * `silk`. None where not given, as in Lucene.
   */
  readonly filterFields?: Iterable<string>
  /** Longest query in UTF-16 units; 10,000 where not given. */
  readonly maxLength?: number
  /** Most clauses as typed; 1,024 where not given. */
  readonly maxClauses?: number
  /** Deepest nesting of parentheses; 20 where not given. */
  readonly maxDepth?: number
  /** Longest phrase in terms; 64 where not given. */
  readonly maxPhraseTerms?: number
}

/** All settings of a {@link QueryParser}. */
export interface QueryParserSettings extends QueryParserOptions {
  /** Where a clause without a field is looked for. */
  readonly field: QueryFields
  readonly analyzer: Analyzer
}

/** A part of a query that a lenient parser passed over. */
export interface IgnoredPart {
  /** `QUERY_SYNTAX`, or the limit that it went beyond. */
  readonly code: Extract<ErrorCode, 'QUERY_SYNTAX' | 'QUERY_TOO_LONG' | 'QUERY_TOO_COMPLEX'>
  /** UTF-16 range in the query text. */
  readonly start: number
  readonly end: number
  /** That range of the text, at most 40 characters of it. */
  readonly text: string
  /** What was wrong. */
  readonly message: string
}

/** A query and what was passed over. */
export interface ParsedQuery {
  readonly query: Query
  readonly ignored: readonly IgnoredPart[]
  /** There are only exclusions, so that nothing can match. */
  readonly onlyExclusions: boolean
  /** Names before a colon that are no fields, a few of them: they were searched for as words. */
  readonly unknownFields: readonly string[]
}

/** Ignored parts beyond this number are not told. */
const MAX_IGNORED = 20

/**
 * Parses queries; holds only settings, so it can be used again and again.
 * @example
 * ```ts
 * import {
 *   Document,
 *   Field,
 *   IndexSearcher,
 *   IndexWriter,
 *   MemoryDirectory,
 *   QueryParser,
 *   StandardAnalyzer,
 * } from '@spindle/index'
 *
 * const directory = new MemoryDirectory()
 * const writer = await IndexWriter.open(directory, { analyzer: new StandardAnalyzer() })
 * for (const body of ['silk and tea', 'the silk road', 'porcelain']) {
 *   await writer.addDocument(new Document().add(Field.text('body', body)))
 * }
 * await writer.close()
 * const searcher = await IndexSearcher.open(directory)
 *
 * const parser = new QueryParser({ field: 'body', analyzer: new StandardAnalyzer() })
 * console.log(await searcher.count(parser.parse('silk -tea'))) // 1
 * console.log(await searcher.count(parser.parse('"silk road" OR porcelain'))) // 2
 * ```
 */
export class QueryParser {
  readonly #settings: QueryParserSettings
  readonly #fields: readonly FieldWeight[]
  readonly #known: ReadonlySet<string> | null

  constructor(settings: QueryParserSettings) {
    this.#settings = settings
    const { field } = settings
    this.#fields =
      typeof field === 'string'
        ? [{ name: field, boost: 1 }]
        : Object.entries(field.fields).map(([name, boost]) => ({ name, boost }))
    this.#known =
      settings.knownFields === undefined
        ? null
        : new Set([...settings.knownFields, ...this.#fields.map(({ name }) => name)])
  }

  /**
   * Parses one query.
   * @throws SpindleError `QUERY_SYNTAX`, `QUERY_TOO_LONG`, `QUERY_TOO_COMPLEX`, unless the options say `lenient`
   */
  static parse(text: string, field: QueryFields, analyzer: Analyzer, options: QueryParserOptions = {}): Query {
    return new QueryParser({ ...options, field, analyzer }).parse(text)
  }

  /**
   * Parses a query; one that holds nothing to look for becomes a MatchNoneQuery.
   * @throws as {@link QueryParser.parse}; a lenient parser never throws
   */
  parse(text: string): Query {
    return this.parseWithReport(text).query
  }

  /** As `parse`, and tells what a lenient parser passed over. */
  parseWithReport(text: string): ParsedQuery {
    return new Parse(this.#settings, this.#fields, this.#known, text).run()
  }
}

/** A clause of a group under construction. */
interface Clause {
  query: Query
  occur: Occur
  /** Has a + of its own. */
  readonly explicit: boolean
  /** The filter field that it asks, or null. */
  readonly filterField: string | null
  /** Holds nothing but function words. */
  readonly minor: boolean
  /** An OR joins it to something that is not of the same filter field. */
  alternative: boolean
}

/** What stands before a clause. */
interface Prefix {
  conjunction: 'none' | 'and' | 'or'
  modifier: 'none' | 'not' | 'required'
  /** Fields named before the clause; null: those of the group. */
  fields: readonly FieldWeight[] | null
  /** The token that has no clause behind it yet. */
  pending: QueryToken | null
}

/** A group under construction: the whole query or a pair of parentheses. */
interface Group {
  readonly clauses: Clause[]
  readonly fields: readonly FieldWeight[]
  /** What stands before the opening parenthesis. */
  readonly outer: Prefix
  readonly open: QueryToken | null
  /** Clauses as typed, those that the analyzer emptied included. */
  typed: number
}

function noPrefix(): Prefix {
  return { conjunction: 'none', modifier: 'none', fields: null, pending: null }
}

/** The parsing of one text. */
class Parse {
  readonly #lenient: boolean
  readonly #and: boolean
  readonly #scoring: CombinedScoring | undefined
  readonly #filterFields: ReadonlySet<string>
  readonly #maxClauses: number
  readonly #maxDepth: number
  readonly #text: string
  readonly #lexer: QueryLexer
  readonly #builder: ClauseBuilder
  readonly #ignored: IgnoredPart[] = []
  readonly #stack: Group[] = []
  readonly #defaultFields: readonly FieldWeight[]
  #group: Group
  #prefix = noPrefix()
  #clauses = 0
  /** Parentheses that are open beyond the deepest nesting allowed; they are passed over. */
  #tooDeep = 0
  /** The clause added last, while a boost may still follow right behind it. */
  #boostable: { query: Query | null; end: number } | null = null

  constructor(
    settings: QueryParserSettings,
    fields: readonly FieldWeight[],
    known: ReadonlySet<string> | null,
    text: string,
  ) {
    this.#lenient = settings.lenient ?? false
    this.#and = settings.defaultOperator === 'and'
    this.#scoring = settings.scoring
    this.#filterFields = new Set(settings.filterFields)
    this.#maxClauses = settings.maxClauses ?? 1024
    this.#maxDepth = settings.maxDepth ?? 20
    const { analyzers, analyzer } = settings
    this.#builder = new ClauseBuilder({
      analyzerFor: (field) => analyzers?.forField(field) ?? analyzer,
      sourcesOf: (field) => analyzers?.sourcesOf?.(field),
      tieBreaker: settings.tieBreaker ?? 0.3,
      occur: this.#and ? 'must' : 'should',
      maxPhraseTerms: settings.maxPhraseTerms ?? 64,
      scoring: settings.scoring,
    })
    this.#text = this.#cut(text, settings.maxLength ?? 10_000)
    this.#defaultFields = fields
    this.#group = { clauses: [], fields, outer: noPrefix(), open: null, typed: 0 }
    this.#lexer = new QueryLexer(
      this.#text,
      (name) => known === null || known.has(name),
      (start, end, message) => this.#problem('QUERY_SYNTAX', start, end, message),
      !this.#lenient,
    )
  }

  #cut(text: string, maxLength: number): string {
    if (text.length <= maxLength) return text
    this.#problem('QUERY_TOO_LONG', maxLength, text.length, `the query is longer than ${maxLength} characters`)
    // A pair of surrogates is not cut in two.
    const code = text.charCodeAt(maxLength - 1)
    return text.slice(0, code >= 0xd800 && code < 0xdc00 ? maxLength - 1 : maxLength)
  }

  /** Throws or notes a problem. */
  #problem(code: IgnoredPart['code'], start: number, end: number, message: string): void {
    if (!this.#lenient) throw new SpindleError(code, `${capital(message)} (at character ${start + 1} of the query).`)
    if (this.#ignored.length >= MAX_IGNORED) return
    const text = (this.#text ?? '').slice(start, Math.min(end, start + 40))
    this.#ignored.push({ code, start, end, text, message })
  }

  /** Notes that a limit was passed, once. */
  #limit(token: QueryToken, message: string): void {
    if (this.#lenient && this.#ignored.some((part) => part.message === message)) return
    this.#problem('QUERY_TOO_COMPLEX', token.start, token.end, message)
  }

  run(): ParsedQuery {
    let token = this.#lexer.next()
    while (token.kind !== 'end') {
      this.#take(token)
      token = this.#lexer.next()
    }
    while (this.#stack.length > 0) {
      const { open } = this.#group
      this.#problem('QUERY_SYNTAX', open!.start, open!.end, 'a parenthesis that is never closed')
      this.#close(token)
    }
    this.#dropPrefix()
    const { clauses } = this.#group
    return {
      query: this.#combine(clauses) ?? new MatchNoneQuery(),
      ignored: this.#ignored,
      onlyExclusions: clauses.length > 0 && clauses.every(({ occur }) => occur === 'mustNot'),
      unknownFields: [...this.#lexer.unknownFields],
    }
  }

  #take(token: QueryToken): void {
    if (token.kind === 'boost') {
      this.#takeBoost(token)
      return
    }
    this.#boostable = null
    switch (token.kind) {
      case 'and':
      case 'or':
        this.#conjunction(token, token.kind)
        break
      case 'not':
      case 'minus':
        this.#modifier(token, 'not')
        break
      case 'plus':
        this.#modifier(token, 'required')
        break
      case 'field':
        this.#prefix.fields = [{ name: token.text, boost: 1 }]
        this.#prefix.pending = token
        break
      case 'open':
        this.#open(token)
        break
      case 'close':
        this.#close(token)
        break
      default:
        this.#leaf(token)
    }
  }

  #conjunction(token: QueryToken, kind: 'and' | 'or'): void {
    const { pending } = this.#prefix
    if (pending !== null) {
      this.#problem('QUERY_SYNTAX', pending.start, pending.end, 'an operator or field name with no clause behind it')
    } else if (this.#group.typed === 0) {
      this.#problem('QUERY_SYNTAX', token.start, token.end, 'an operator with no clause before it')
      return
    }
    this.#prefix = { ...noPrefix(), conjunction: kind, pending: token }
  }

  #modifier(token: QueryToken, modifier: 'not' | 'required'): void {
    const { pending } = this.#prefix
    if (pending !== null && pending.kind !== 'and' && pending.kind !== 'or') {
      this.#problem('QUERY_SYNTAX', pending.start, pending.end, 'an operator or field name with no clause behind it')
      this.#prefix.fields = null
    }
    this.#prefix.modifier = modifier
    this.#prefix.pending = token
  }

  #open(token: QueryToken): void {
    if (this.#stack.length >= this.#maxDepth) {
      this.#limit(token, `the query is nested deeper than ${this.#maxDepth} parentheses`)
      this.#tooDeep++
      return
    }
    this.#stack.push(this.#group)
    const fields = this.#prefix.fields ?? this.#group.fields
    this.#group = { clauses: [], fields, outer: this.#prefix, open: token, typed: 0 }
    this.#prefix = noPrefix()
  }

  #close(token: QueryToken): void {
    if (this.#tooDeep > 0 && token.kind === 'close') {
      this.#tooDeep--
      return
    }
    const outer = this.#stack.pop()
    if (outer === undefined) {
      this.#problem('QUERY_SYNTAX', token.start, token.end, 'a closing parenthesis without an opening one')
      return
    }
    this.#dropPrefix()
    const inner = this.#group
    if (inner.typed === 0) {
      this.#problem('QUERY_SYNTAX', inner.open!.start, token.end, 'parentheses with nothing between them')
    }
    this.#group = outer
    this.#prefix = inner.outer
    this.#add(this.#combine(inner.clauses), token)
  }

  /** Passes over operators and field names that have no clause behind them. */
  #dropPrefix(): void {
    const { pending } = this.#prefix
    if (pending !== null) {
      this.#problem('QUERY_SYNTAX', pending.start, pending.end, 'an operator or field name with no clause behind it')
    }
    this.#prefix = noPrefix()
  }

  #leaf(token: QueryToken): void {
    if (++this.#clauses > this.#maxClauses) {
      this.#limit(token, `the query has more than ${this.#maxClauses} clauses`)
      this.#prefix = noPrefix()
      return
    }
    const fields = this.#prefix.fields ?? this.#group.fields
    const isMatchAll = token.kind === 'word' && token.text === '*'
    const query = isMatchAll ? new MatchAllQuery() : this.#builder.build(fields, token.text, token.kind === 'quoted')
    if (this.#builder.cut) this.#limit(token, 'a phrase has too many words')
    this.#add(query, token, fields === this.#defaultFields && this.#builder.onlyFunctionWords)
  }

  /** Adds a clause to the group, by Lucene's rules of AND, OR, NOT, + and −. */
  #add(query: Query | null, token: QueryToken, minor = false): void {
    const { clauses } = this.#group
    const { conjunction, modifier, fields } = this.#prefix
    const field = fields?.length === 1 ? fields[0]!.name : ''
    const filterField = this.#filterFields.has(field) ? field : null
    this.#prefix = noPrefix()
    this.#group.typed++
    const last = clauses.at(-1)
    if (last !== undefined && last.occur !== 'mustNot') {
      if (conjunction === 'and') last.occur = 'must'
      if (conjunction === 'or' && this.#and && !last.explicit) last.occur = 'should'
    }
    this.#boostable = { query, end: token.end }
    if (query === null) return
    let occur: Occur = 'should'
    if (modifier === 'not') occur = 'mustNot'
    else if (modifier === 'required' || conjunction === 'and' || (this.#and && conjunction !== 'or')) occur = 'must'
    const alternative = conjunction === 'or' && last !== undefined && last.filterField !== filterField
    if (alternative) last.alternative = true
    clauses.push({ query, occur, explicit: modifier === 'required', filterField, minor, alternative })
  }

  /** The query of a group; null where nothing is in it. One clause without an operator stands for itself. */
  #combine(all: readonly Clause[]): Query | null {
    const clauses = withoutMinor(all)
    const first = clauses[0]
    if (first === undefined) return null
    if (clauses.length === 1 && !first.explicit && first.occur !== 'mustNot') return first.query
    const parts: BooleanClause[] = []
    const optional: Query[] = []
    const filters = new Map<string, Query[]>()
    let required = false
    for (const { query, occur, filterField, alternative } of clauses) {
      const narrows = filterField !== null && !alternative
      if (narrows && occur === 'should') {
        const queries = filters.get(filterField)
        if (queries === undefined) filters.set(filterField, [query])
        else queries.push(query)
      } else if (narrows && occur === 'must') parts.push({ query, occur: 'filter' })
      else {
        parts.push({ query, occur })
        if (occur === 'must') required = true
        if (occur === 'should') optional.push(query)
      }
    }
    for (const queries of filters.values()) parts.push({ query: anyOf(queries), occur: 'filter' })
    const narrowed = parts.some(({ occur }) => occur === 'filter')
    if (optional.length === 0 || (!narrowed && this.#scoring === undefined)) return new BooleanQuery(parts)
    const any = this.#scoring === undefined ? anyOf(optional) : anyCovering(optional, this.#scoring.coverage)
    const rest = parts.filter(({ occur }) => occur !== 'should')
    if (rest.length === 0) return any
    // Where something narrows, one of the words still has to be there.
    return new BooleanQuery([{ query: any, occur: narrowed && !required ? 'must' : 'should' }, ...rest])
  }

  #takeBoost(token: QueryToken): void {
    const target = this.#boostable
    this.#boostable = null
    if (target === null || target.end !== token.start) {
      this.#problem('QUERY_SYNTAX', token.start, token.end, 'a boost without a clause right before it')
      return
    }
    if (target.query === null) return
    const last = this.#group.clauses.at(-1)!
    last.query = new BoostQuery(last.query, token.boost)
  }
}

/** Without clauses of nothing but function words that need not match, where something else is asked for. */
function withoutMinor(clauses: readonly Clause[]): readonly Clause[] {
  const isMajor = ({ minor, occur, filterField }: Clause): boolean =>
    !minor && occur !== 'mustNot' && filterField === null
  return clauses.some(isMajor) ? clauses.filter(({ minor, occur }) => !(minor && occur === 'should')) : clauses
}

function anyOf(queries: readonly Query[]): Query {
  if (queries.length === 1) return queries[0]!
  return new BooleanQuery(queries.map((query) => ({ query, occur: 'should' })))
}

/** Alternatives, those inside of alternatives too, each once: what was typed n times counts 1 + ln n times. */
function anyCovering(queries: readonly Query[], coverage: number | undefined): Query {
  const counted = new Map<string, { query: Query; count: number }>()
  for (const query of queries) {
    for (const part of query instanceof CoverageQuery ? query.queries : [query]) {
      const key = part.toString()
      const known = counted.get(key)
      if (known === undefined) counted.set(key, { query: part, count: 1 })
      else known.count++
    }
  }
  const parts = [...counted.values()].map(({ query, count }) =>
    count === 1 ? query : new BoostQuery(query, 1 + Math.log(count)),
  )
  return parts.length === 1 ? parts[0]! : new CoverageQuery(parts, coverage)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
