/**
 * The language of the search box: that of Lucene's classic query parser. Words, "phrases" with `~slop`, wildcards `*` and
 * `?`, fuzzy words `~1`, regular expressions between slashes, ranges `[a TO b}`, AND OR NOT && || !, + and −, parentheses,
 * `field:`, `^boost`, `*:*`, `field:*` and `_exists_:field`, backslash escapes; and `(a b c)@2` (two of them), `a NEAR/3 b`,
 * `a ADJ/3 b`. AND and OR have no precedence, as there: AND makes its two neighbours required, so `a OR b AND c` is `a +b +c`.
 * Differences: `!`, `+` and `−` are operators only directly before a clause; a slash is text where no regular expression
 * begins or ends; a star alone asks for every document; full-width punctuation counts as ASCII. A lenient parser takes as
 * text what people rather mean as text: a question mark at the end of a word, brackets without a range, `5~10`.
 */
import type { Analyzer } from '../analysis/analyzer.js'
import type { SynonymMap } from '../analysis/synonyms/synonym-map.js'
import type { CombinedSource } from '../document/field-info.js'
import type { FieldKind } from '../document/field-type.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import type { Query } from '../search/query/query.js'
import type { CombinedScoring, FieldWeight } from './field-clauses.js'
import type { FieldWord } from './field-word.js'
import { type IgnoredPart, ParseProblems } from './parse-problem.js'
import type { QueryWord } from './plain-clause.js'
import { printSyntax } from './print-syntax.js'
import { EXISTS_WORD, QueryBuilder } from './query-builder.js'
import { querySyntax } from './query-syntax.js'
import { parseSyntax } from './syntax-parser.js'
import type { GroupSyntax } from './syntax-tree.js'

/** One field, or several with the factors of their scores. */
export type QueryFields = string | { readonly fields: Readonly<Record<string, number>> }

/** What a parser has to know of fields. */
export interface FieldAnalyzers {
  forField(name: string): Analyzer
  /**
   * What a combined field is made of, undefined for any other: its words are those that the analyzers of its sources
   * make, and phrases, which it has no positions for, are looked for in the sources.
   */
  sourcesOf?(name: string): readonly CombinedSource[] | undefined
  /** Whether a combined field holds a layer of its sources, which are asked where it does not; it does where unknown. */
  hasLayer?(name: string, layer: string): boolean
  /** Kind of a field: what is asked of numbers, dates and booleans is no word. Words where unknown. */
  kindOf?(name: string): FieldKind | undefined
}

/** How much one query may ask. */
export interface QueryParserLimits {
  /** Longest query in UTF-16 units; 10,000 where not given. */
  readonly maxLength?: number
  /** Most clauses as typed; 1,024 where not given. */
  readonly maxClauses?: number
  /** Deepest nesting of parentheses, at most 1,000, and most operators in a row (`NOT NOT …`); 20 where not given. */
  readonly maxDepth?: number
  /** Longest phrase in terms; 64 where not given. */
  readonly maxPhraseTerms?: number
  /** Largest distance behind a phrase or of NEAR; 100 where not given. */
  readonly maxSlop?: number
  /** Longest prefix, wildcard, fuzzy word and regular expression in UTF-16 units; 1,000 where not given. */
  readonly maxPatternLength?: number
  /** Characters at the begin of a fuzzy word that have to be equal; 0 where not given. */
  readonly fuzzyPrefixLength?: number
  /** Terms that a fuzzy word looks for, at most; 50 where not given. */
  readonly maxFuzzyExpansions?: number
}

/** Options of the parser beside fields and analyzer. */
export interface QueryParserOptions extends QueryParserLimits {
  /** Analyzers of single fields, for example those of {@link indexAnalyzers}; the parser's analyzer for all where not given. */
  readonly analyzers?: FieldAnalyzers
  /** Fields that may stand before a colon; before any other name the colon is text. Any name where not given. */
  readonly knownFields?: Iterable<string>
  /** Words that may stand before a colon too, and what they ask; none where not given. */
  readonly fieldWords?: Readonly<Record<string, FieldWord>>
  /**
   * Words before a colon that say something about the search instead of asking for something, such as `sort`: their
   * values are handed back in `directives`. None where not given.
   */
  readonly directives?: Iterable<string>
  /**
   * What words and phrases without quotation marks, wildcards and the like are looked for as well; those that are excluded
   * are excluded as typed. None where not given.
   */
  readonly synonyms?: SynonymMap
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
   * Fields and field words whose clauses only narrow: `silk site:a.org site:b.org` is silk on one of the two sites, with
   * the scores of `silk`. None where not given, as in Lucene.
   */
  readonly filterFields?: Iterable<string>
}

/** All settings of a {@link QueryParser}. */
export interface QueryParserSettings extends QueryParserOptions {
  /** Where a clause without a field is looked for. */
  readonly field: QueryFields
  readonly analyzer: Analyzer
}

/** A query and what was passed over. */
export interface ParsedQuery {
  readonly query: Query
  /** The query as it was written; {@link printSyntax} writes it again. */
  readonly syntax: GroupSyntax
  readonly ignored: readonly IgnoredPart[]
  /**
   * The words, runs and phrases that are asked for without a field, each once, with what a document has to match to hold
   * them: to tell which ones a hit lacks. Function words are among them only where there is nothing else.
   */
  readonly words: readonly QueryWord[]
  /** There are only exclusions, so that nothing can match. */
  readonly onlyExclusions: boolean
  /** Names before a colon that are no fields, a few of them: they were searched for as words. */
  readonly unknownFields: readonly string[]
  /** By name: what was said about the search. */
  readonly directives: ReadonlyMap<string, string>
}

/** Nesting beyond this could exhaust the stack of whoever walks through a query. */
const DEEPEST = 1000

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
  /** Null: any name. */
  readonly #known: ReadonlySet<string> | null
  readonly #fieldWords: ReadonlyMap<string, FieldWord>
  readonly #directives: ReadonlySet<string>
  readonly #filterFields: ReadonlySet<string>

  constructor(settings: QueryParserSettings) {
    this.#settings = settings
    const { field, knownFields } = settings
    this.#fields =
      typeof field === 'string'
        ? [{ name: field, boost: 1 }]
        : Object.entries(field.fields).map(([name, boost]) => ({ name, boost }))
    this.#fieldWords = new Map(Object.entries(settings.fieldWords ?? {}))
    this.#directives = new Set(settings.directives)
    this.#filterFields = new Set(settings.filterFields)
    const words = [EXISTS_WORD, ...this.#fieldWords.keys(), ...this.#directives]
    this.#known =
      knownFields === undefined ? null : new Set([...knownFields, ...words, ...this.#fields.map(({ name }) => name)])
  }

  /**
   * Parses one query.
   * @throws QueryParseError `QUERY_SYNTAX`, `QUERY_TOO_LONG`, `QUERY_TOO_COMPLEX`, `REGEX_TOO_COMPLEX`, unless the options
   *   say `lenient`
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

  /** As `parse`, and tells what else there is to say of the query, such as what a lenient parser passed over. */
  parseWithReport(text: string): ParsedQuery {
    const { lenient = false, maxLength = 10_000, maxClauses = 1024, maxDepth = 20, maxSlop = 100 } = this.#settings
    const problems = new ParseProblems(text, lenient)
    if (text.length > maxLength) {
      const place = { start: maxLength, end: text.length }
      problems.add('QUERY_TOO_LONG', place, `the query is longer than ${maxLength} characters`)
    }
    const known = this.#known
    const options = {
      isField: (name: string) => known === null || known.has(name),
      strict: !lenient,
      maxClauses,
      maxDepth: Math.min(maxDepth, DEEPEST),
      maxSlop,
    }
    const { root, unknownFields } = parseSyntax(cut(text, maxLength), options, problems)
    const { query, words, onlyExclusions, directives } = this.#builder(problems).build(root)
    const { ignored } = problems
    const asked = query ?? new MatchNoneQuery()
    return { query: asked, syntax: root, ignored, words, onlyExclusions, unknownFields, directives }
  }

  /**
   * Writes a query as a text that this parser reads as the same query, provided that its analyzers make of each term
   * the term itself and nothing else. A BooleanQuery of one optional clause becomes the clause.
   * @throws RangeError for a query that the language has no words for: filters, phrases with gaps, layers of an analyzer
   */
  print(query: Query): string {
    const defaultField = this.#fields.length === 1 ? this.#fields[0]!.name : null
    const kindOf = (field: string) => this.#settings.analyzers?.kindOf?.(field)
    return printSyntax(querySyntax(query, { defaultField, kindOf }))
  }

  #builder(problems: ParseProblems): QueryBuilder {
    const { analyzers, analyzer, scoring, synonyms, ...rest } = this.#settings
    const and = rest.defaultOperator === 'and'
    const options = {
      fields: this.#fields,
      analyzerFor: (field: string) => analyzers?.forField(field) ?? analyzer,
      sourcesOf: (field: string) => analyzers?.sourcesOf?.(field),
      hasLayer: (field: string, layer: string) => analyzers?.hasLayer?.(field, layer) ?? true,
      kindOf: (field: string) => analyzers?.kindOf?.(field),
      fieldWords: this.#fieldWords,
      filterFields: this.#filterFields,
      directives: this.#directives,
      tieBreaker: rest.tieBreaker ?? 0.3,
      and,
      occur: and ? ('must' as const) : ('should' as const),
      maxPhraseTerms: rest.maxPhraseTerms ?? 64,
      maxPatternLength: rest.maxPatternLength ?? 1000,
      fuzzy: { prefixLength: rest.fuzzyPrefixLength ?? 0, maxExpansions: rest.maxFuzzyExpansions ?? 50 },
      scoring,
      synonyms,
    }
    return new QueryBuilder(options, problems)
  }
}

/** The first `maxLength` UTF-16 units; a pair of surrogates is not cut in two. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const code = text.charCodeAt(maxLength - 1)
  return text.slice(0, code >= 0xd800 && code < 0xdc00 ? maxLength - 1 : maxLength)
}
