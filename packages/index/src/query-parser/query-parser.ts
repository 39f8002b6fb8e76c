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
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import type { Query } from '../search/query/query.js'
import { ClauseBuilder, type FieldWeight } from './clause-builder.js'
import { QueryLexer, type QueryToken } from './query-lexer.js'

/** One field, or several with the factors of their scores. */
export type QueryFields = string | { readonly fields: Readonly<Record<string, number>> }

/** Analyzers by field. */
export interface FieldAnalyzers {
  forField(name: string): Analyzer
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
}

/** Ignored parts beyond this number are not told. */
const MAX_IGNORED = 20

/** Parses queries; holds only settings, so it can be used again and again. */
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
  readonly #maxClauses: number
  readonly #maxDepth: number
  readonly #text: string
  readonly #lexer: QueryLexer
  readonly #builder: ClauseBuilder
  readonly #ignored: IgnoredPart[] = []
  readonly #stack: Group[] = []
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
    this.#maxClauses = settings.maxClauses ?? 1024
    this.#maxDepth = settings.maxDepth ?? 20
    const { analyzers, analyzer } = settings
    this.#builder = new ClauseBuilder({
      analyzerFor: (field) => analyzers?.forField(field) ?? analyzer,
      tieBreaker: settings.tieBreaker ?? 0.3,
      occur: this.#and ? 'must' : 'should',
      maxPhraseTerms: settings.maxPhraseTerms ?? 64,
    })
    this.#text = this.#cut(text, settings.maxLength ?? 10_000)
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
    const query = combine(this.#group.clauses)
    return { query: query ?? new MatchNoneQuery(), ignored: this.#ignored }
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
    this.#add(combine(inner.clauses), token)
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
    this.#add(query, token)
  }

  /** Adds a clause to the group, by Lucene's rules of AND, OR, NOT, + and −. */
  #add(query: Query | null, token: QueryToken): void {
    const { clauses } = this.#group
    const { conjunction, modifier } = this.#prefix
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
    clauses.push({ query, occur, explicit: modifier === 'required' })
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

/** The query of a group; null where nothing is in it. One clause without an operator stands for itself. */
function combine(clauses: readonly Clause[]): Query | null {
  const first = clauses[0]
  if (first === undefined) return null
  if (clauses.length === 1 && !first.explicit && first.occur !== 'mustNot') return first.query
  return new BooleanQuery(clauses.map(({ query, occur }) => ({ query, occur })))
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
