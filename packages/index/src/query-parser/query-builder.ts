/** Syntax tree → query: fields and field words, the parts that clauses play, clauses that narrow, scoring of a site. */
import { isSpindleError } from '@spindle/core'
import type { FieldKind } from '../document/field-type.js'
import { type BooleanClause, BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { CoverageQuery } from '../search/query/coverage-query.js'
import { ExistsQuery } from '../search/query/exists-query.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import type { Query } from '../search/query/query.js'
import { ClauseBuilder, type ClauseBuilderOptions } from './clause-builder.js'
import type { FieldWeight } from './field-clauses.js'
import { fieldsWithLayer } from './field-clauses.js'
import type { FieldWord } from './field-word.js'
import { joinSynonyms } from './join-synonyms.js'
import type { ParseProblems } from './parse-problem.js'
import { type FuzzyLimits, type PatternSyntax, patternQuery } from './pattern-clause.js'
import type { QueryWord } from './plain-clause.js'
import { printSyntax } from './print-syntax.js'
import type { ClauseSyntax, GroupSyntax, NearSyntax, SyntaxNode } from './syntax-tree.js'
import { holdsNumbers, numberQuery } from './typed-clause.js'

/** Stands before the name of a field that has to have a value at all. */
export const EXISTS_WORD = '_exists_'

/** Settings of a {@link QueryBuilder}. */
export interface QueryBuilderOptions extends ClauseBuilderOptions {
  /** Where a clause without a field is looked for. */
  readonly fields: readonly FieldWeight[]
  readonly kindOf: (field: string) => FieldKind | undefined
  readonly fieldWords: ReadonlyMap<string, FieldWord>
  /** Names of fields and field words whose clauses only narrow. */
  readonly filterFields: ReadonlySet<string>
  /** Names before a colon that say something about the search instead of asking for something. */
  readonly directives: ReadonlySet<string>
  /** Clauses without an operator between them are joined by AND. */
  readonly and: boolean
  readonly fuzzy: FuzzyLimits
  /** Longest prefix, wildcard, fuzzy word and regular expression, UTF-16 units. */
  readonly maxPatternLength: number
}

/** Where a clause is looked for. */
interface Scope {
  readonly fields: readonly FieldWeight[]
  readonly isDefault: boolean
  /** What stands before the colon as it was typed; null by default. */
  readonly name: string | null
  readonly word: FieldWord | null
}

/** A clause of a group under construction. */
interface Clause {
  readonly query: Query
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

/** A query and what was said beside it. */
export interface BuiltQuery {
  /** Null where there is nothing to look for. */
  readonly query: Query | null
  /** There are only exclusions, so that nothing can match. */
  readonly onlyExclusions: boolean
  readonly directives: ReadonlyMap<string, string>
  readonly words: readonly QueryWord[]
}

/** Builds the query of one text. */
export class QueryBuilder {
  readonly #options: QueryBuilderOptions
  readonly #problems: ParseProblems
  readonly #clauseBuilder: ClauseBuilder
  readonly #directives = new Map<string, string>()
  /** Whether the clause built last holds nothing but function words. */
  #minor = false
  /** What is asked for word by word, without what is excluded or only narrows. */
  readonly #words: (QueryWord & { readonly minor: boolean })[] = []
  /** Whether a clause is built that is excluded, and with it only what was typed. */
  #excluded = false

  constructor(options: QueryBuilderOptions, problems: ParseProblems) {
    this.#options = options
    this.#problems = problems
    this.#clauseBuilder = new ClauseBuilder(options)
  }

  /** @throws QueryParseError where the problems are not lenient */
  build(root: GroupSyntax): BuiltQuery {
    const scope: Scope = { fields: this.#options.fields, isDefault: true, name: null, word: null }
    const clauses = this.#clauses(root.clauses, scope, true)
    const query = this.#combine(clauses, 0)
    const asTyped = query === null ? null : this.#asTyped(root.clauses, scope)
    return {
      query:
        asTyped === null
          ? query
          : new BooleanQuery([
              { query: query!, occur: 'must' },
              { query: asTyped, occur: 'should' },
            ]),
      onlyExclusions: clauses.length > 0 && clauses.every(({ occur }) => occur === 'mustNot'),
      directives: this.#directives,
      words: query === null ? [] : this.#heldWords(),
    }
  }

  /** Each word once; function words only where there is nothing else. */
  #heldWords(): QueryWord[] {
    const major = this.#words.filter(({ minor }) => !minor)
    const words = new Map<string, QueryWord>()
    for (const { text, query } of major.length > 0 ? major : this.#words) {
      const key = query.toString()
      if (!words.has(key)) words.set(key, { text, query })
    }
    return [...words.values()]
  }

  /** Several words and nothing else: their phrase, so that pages that say it as it was typed come first. */
  #asTyped(syntax: readonly ClauseSyntax[], { fields }: Scope): Query | null {
    if (this.#options.scoring === undefined || syntax.length < 2) return null
    const words: string[] = []
    for (const { conjunction, modifier, node } of syntax) {
      const plain = node.kind === 'text' && node.field === null && node.boost === null
      if (!plain || modifier !== 'none' || conjunction !== 'none') return null
      words.push(node.text)
    }
    return this.#clauseBuilder.buildTogether(fields, words.join(' '))
  }

  /** The clauses of a group, by Lucene's rules of AND, OR, NOT, + and −. */
  #clauses(syntax: readonly ClauseSyntax[], scope: Scope, isRoot: boolean): Clause[] {
    const { and, filterFields, directives } = this.#options
    const clauses: Clause[] = []
    for (const { conjunction, modifier, node } of this.#joined(syntax, scope)) {
      if (node.field !== null && directives.has(node.field)) {
        this.#directive(node, isRoot && modifier !== 'not')
        continue
      }
      const inner = node.field === null ? scope : this.#scope(node.field)
      const outer = this.#excluded
      this.#excluded ||= modifier === 'not'
      const query = this.#node(node, inner)
      this.#excluded = outer
      const minor = this.#minor && inner.isDefault
      const last = clauses.at(-1)
      if (last !== undefined && last.occur !== 'mustNot') {
        if (conjunction === 'and') last.occur = 'must'
        if (conjunction === 'or' && and) last.occur = 'should'
      }
      if (query === null) continue
      let occur: Occur = 'should'
      if (modifier === 'not') occur = 'mustNot'
      else if (and ? conjunction !== 'or' : modifier === 'required' || conjunction === 'and') occur = 'must'
      const narrows = [node.field, inner.word?.field].some((name) => name != null && filterFields.has(name))
      const filterField = node.field !== null && narrows ? (inner.word?.field ?? node.field) : null
      const alternative = conjunction === 'or' && last !== undefined && last.filterField !== filterField
      if (alternative) last.alternative = true
      clauses.push({ query, occur, explicit: modifier === 'required', filterField, minor, alternative })
    }
    return clauses
  }

  /** Clauses with those made one that have synonyms together. */
  #joined(clauses: readonly ClauseSyntax[], { fields, word }: Scope): readonly ClauseSyntax[] {
    if (this.#options.synonyms === undefined || this.#excluded || word?.toQuery !== undefined) return clauses
    return joinSynonyms(clauses, (text) => this.#clauseBuilder.synonymsOf(fields, text))
  }

  #directive(node: SyntaxNode, isAllowed: boolean): void {
    if (!isAllowed || (node.kind !== 'text' && node.kind !== 'phrase')) {
      const message = `'${node.field}:' takes one word, and stands neither in parentheses nor behind a NOT`
      this.#problems.add('QUERY_SYNTAX', node, message)
      return
    }
    this.#directives.set(node.field!, node.text)
  }

  #scope(name: string): Scope {
    const word = this.#options.fieldWords.get(name) ?? null
    const field = word === null ? name : word.field
    return { fields: field === undefined ? [] : [{ name: field, boost: 1 }], isDefault: false, name, word }
  }

  /** The query of a node with its boost; null where nothing is in it. */
  #node(node: SyntaxNode, scope: Scope): Query | null {
    this.#minor = false
    const query = this.#content(node, scope)
    if (query !== null && node.kind !== 'group' && scope.isDefault && !this.#excluded) this.#addWords(node, query)
    return query === null || node.boost === null ? query : new BoostQuery(query, node.boost)
  }

  #addWords(node: SyntaxNode, query: Query): void {
    if (node.kind === 'text') {
      for (const word of this.#clauseBuilder.words) this.#words.push({ ...word, minor: this.#minor })
    } else if (node.kind !== 'everything' && node.kind !== 'any') {
      this.#words.push({ text: printSyntax(withoutBoost(node)), query, minor: false })
    }
  }

  #content(node: SyntaxNode, scope: Scope): Query | null {
    switch (node.kind) {
      case 'group': {
        const query = this.#combine(this.#clauses(node.clauses, scope, false), node.minimumShouldMatch)
        this.#minor = false
        return query
      }
      case 'everything':
        return new MatchAllQuery()
      case 'text':
      case 'phrase':
        return this.#text(node, scope)
      case 'near':
        return this.#near(node, scope)
      case 'any':
        if (scope.isDefault) return new MatchAllQuery()
        return this.#pattern(node, node, scope)
      default:
        return this.#pattern(node, node, scope)
    }
  }

  #text(node: SyntaxNode & { kind: 'text' | 'phrase' }, scope: Scope): Query | null {
    const { text } = node
    if (scope.name === EXISTS_WORD) return new ExistsQuery(this.#options.fieldWords.get(text)?.field ?? text)
    if (scope.word?.toQuery !== undefined) {
      const query = scope.word.toQuery(text)
      if (query === null) this.#problems.add('QUERY_SYNTAX', node, `no value of '${scope.name}:'`)
      return query
    }
    const { kindOf } = this.#options
    const numbers: Query[] = []
    const words: FieldWeight[] = []
    for (const field of scope.fields) {
      const kind = kindOf(field.name)
      if (!holdsNumbers(kind)) words.push(field)
      else {
        const query = numberQuery(field.name, kind, text)
        if (query !== null) numbers.push(boosted(query, field.boost))
      }
    }
    if (words.length === 0) {
      if (numbers.length === 0) this.#badValue(node, scope)
      return this.#clauseBuilder.best(numbers)
    }
    const builder = this.#clauseBuilder
    const query =
      node.kind === 'text' ? builder.build(words, text, !this.#excluded) : builder.buildPhrase(words, text, node.slop)
    if (builder.cut) this.#problems.limit(node, 'a phrase has too many words')
    this.#minor = builder.onlyFunctionWords
    return numbers.length === 0 ? query : builder.best(query === null ? numbers : [query, ...numbers])
  }

  #near(node: SyntaxNode & NearSyntax, scope: Scope): Query | null {
    const { fields, name } = scope
    if (fields.length === 0 || name === EXISTS_WORD) return this.#noPattern(node, scope)
    const texts = node.clauses.map(({ text }) => text)
    const query = this.#clauseBuilder.buildNear(fields, texts, node.slop, node.inOrder)
    if (this.#clauseBuilder.cut) this.#problems.limit(node, 'a phrase has too many words')
    return query
  }

  #noPattern(node: SyntaxNode, { name }: Scope): null {
    this.#problems.add('QUERY_SYNTAX', node, `'${name}:' takes a word and no pattern`)
    return null
  }

  #pattern(node: SyntaxNode, syntax: PatternSyntax, scope: Scope): Query | null {
    const { analyzerFor, kindOf, fuzzy, maxPatternLength } = this.#options
    const { fields } = scope
    if (scope.name === EXISTS_WORD || fields.length === 0) return this.#noPattern(node, scope)
    if (lengthOf(syntax) > maxPatternLength) {
      this.#problems.limit(node, `a pattern is longer than ${maxPatternLength} characters`)
      return null
    }
    const plain = this.#withoutPattern(syntax, fields)
    if (plain !== undefined) return plain
    const queries: Query[] = []
    for (const { name, boost } of fields.flatMap((field) => this.#holdingMainLayer(field))) {
      const query = this.#guarded(node, () => patternQuery(name, kindOf(name), syntax, analyzerFor(name), fuzzy))
      if (query === undefined) return null
      if (query !== null) queries.push(boosted(query, boost))
    }
    if (queries.length === 0) this.#badValue(node, scope)
    return this.#clauseBuilder.best(queries)
  }

  /** The field, or its sources where it does not hold words as they stand. */
  #holdingMainLayer(field: FieldWeight): readonly FieldWeight[] {
    const { sourcesOf, hasLayer } = this.#options
    const sources = sourcesOf(field.name)
    return sources === undefined
      ? [field]
      : fieldsWithLayer({ ...field, sources: [...sources] }, hasLayer(field.name, ''))
  }

  /**
   * Several words, or a run of Chinese, are no term that a longer or a similar one could equal: what begins like them is
   * looked for as their phrase, what is similar as they are.
   */
  #withoutPattern(syntax: PatternSyntax, fields: readonly FieldWeight[]): Query | null | undefined {
    if (syntax.kind !== 'prefix' && syntax.kind !== 'fuzzy') return undefined
    const builder = this.#clauseBuilder
    if (!fields.every(({ name }) => builder.isSeveralWords(name, syntax.text))) return undefined
    return syntax.kind === 'prefix'
      ? builder.buildPhrase(fields, syntax.text, 0)
      : builder.build(fields, syntax.text, false)
  }

  /** What a pattern that cannot be compiled makes is told with its place. */
  #guarded<T>(node: SyntaxNode, make: () => T): T | undefined {
    try {
      return make()
    } catch (error) {
      if (!isSpindleError(error, 'QUERY_SYNTAX') && !isSpindleError(error, 'REGEX_TOO_COMPLEX')) throw error
      const code = error.code === 'QUERY_SYNTAX' ? 'QUERY_SYNTAX' : 'REGEX_TOO_COMPLEX'
      this.#problems.add(code, node, error.message.replace(/\.$/, ''), error)
      return undefined
    }
  }

  #badValue(node: SyntaxNode, { name, fields }: Scope): void {
    this.#problems.add('QUERY_SYNTAX', node, `no value of the field '${name ?? fields[0]!.name}', which holds no words`)
  }

  /** The query of a group; null where nothing is in it. One clause without an operator stands for itself. */
  #combine(all: readonly Clause[], minimumShouldMatch: number): Query | null {
    const clauses = withoutMinor(all)
    const first = clauses[0]
    if (first === undefined) return null
    const counts = minimumShouldMatch > 0
    if (clauses.length === 1 && !counts && !first.explicit && first.occur !== 'mustNot') return first.query
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
    if (counts) return new BooleanQuery(parts, minimumShouldMatch)
    const { scoring } = this.#options
    const narrowed = parts.some(({ occur }) => occur === 'filter')
    if (optional.length === 0 || (!narrowed && scoring === undefined)) return new BooleanQuery(parts)
    const any = scoring === undefined ? anyOf(optional) : anyCovering(optional, scoring.coverage)
    const rest = parts.filter(({ occur }) => occur !== 'should')
    if (rest.length === 0) return any
    // Where something narrows, one of the words still has to be there.
    return new BooleanQuery([{ query: any, occur: narrowed && !required ? 'must' : 'should' }, ...rest])
  }
}

/** A node as a whole query. */
function withoutBoost(node: SyntaxNode): GroupSyntax {
  const clauses = [{ conjunction: 'none', modifier: 'none', node: { ...node, boost: null } }] as const
  return { kind: 'group', clauses, minimumShouldMatch: 0 }
}

/** UTF-16 units of what is made an automaton. */
function lengthOf(syntax: PatternSyntax): number {
  if (syntax.kind === 'wildcard' || syntax.kind === 'regexp') return syntax.pattern.length
  return syntax.kind === 'prefix' || syntax.kind === 'fuzzy' ? syntax.text.length : 0
}

/** Without clauses of nothing but function words that need not match, where something else is asked for. */
function withoutMinor(clauses: readonly Clause[]): readonly Clause[] {
  const isMajor = ({ minor, occur, filterField }: Clause): boolean =>
    !minor && occur !== 'mustNot' && filterField === null
  return clauses.some(isMajor) ? clauses.filter(({ minor, occur }) => !(minor && occur === 'should')) : clauses
}

function boosted(query: Query, boost: number): Query {
  return boost === 1 ? query : new BoostQuery(query, boost)
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
