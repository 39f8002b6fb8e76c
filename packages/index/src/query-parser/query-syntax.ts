/** Query → the syntax tree that the parser would build it of. */

import type { FieldKind } from '../document/field-type.js'
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { ExistsQuery } from '../search/query/exists-query.js'
import { FuzzyQuery } from '../search/query/fuzzy-query.js'
import { MatchAllQuery } from '../search/query/match-all-query.js'
import { MatchNoneQuery } from '../search/query/match-none-query.js'
import { NearQuery } from '../search/query/near-query.js'
import { NumberRangeQuery } from '../search/query/number-range-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import { PrefixQuery } from '../search/query/prefix-query.js'
import type { Query } from '../search/query/query.js'
import { RegexpQuery } from '../search/query/regexp-query.js'
import { TermQuery } from '../search/query/term-query.js'
import { TermRangeQuery } from '../search/query/term-range-query.js'
import { WildcardQuery } from '../search/query/wildcard-query.js'
import { Term } from '../search/term.js'
import type { ClauseSyntax, GroupSyntax, LeafSyntax, Modifier, NearSyntax, SyntaxNode } from './syntax-tree.js'
import { numberRangeSyntax } from './typed-clause.js'

const MODIFIERS: Readonly<Partial<Record<Occur, Modifier>>> = { must: 'required', should: 'none', mustNot: 'not' }

/** What a query is printed for. */
export interface PrintScope {
  /** The field that is not named; null: all are. */
  readonly defaultField: string | null
  readonly kindOf: (field: string) => FieldKind | undefined
}

/** @throws RangeError for what the language cannot say */
export function querySyntax(query: Query, scope: PrintScope): GroupSyntax {
  if (query instanceof MatchNoneQuery) return group([])
  // At the top no parentheses are needed.
  if (query instanceof BooleanQuery && query.minimumShouldMatch === 0) return group(clausesOf(query, scope))
  return group([clause('none', nodeOf(query, scope))])
}

function group(clauses: readonly ClauseSyntax[], minimumShouldMatch = 0): GroupSyntax {
  return { kind: 'group', clauses, minimumShouldMatch }
}

function clause(modifier: Modifier, node: SyntaxNode): ClauseSyntax {
  return { conjunction: 'none', modifier, node }
}

function clausesOf(query: BooleanQuery, scope: PrintScope): ClauseSyntax[] {
  if (query.clauses.length === 0) throw unspeakable(query)
  return query.clauses.map(({ query: inner, occur }) => {
    const modifier = MODIFIERS[occur]
    if (modifier === undefined) throw unspeakable(query)
    return clause(modifier, nodeOf(inner, scope))
  })
}

function nodeOf(query: Query, scope: PrintScope): SyntaxNode {
  const around = { field: null, boost: null, start: 0, end: 0 }
  if (query instanceof BoostQuery) {
    const inner = nodeOf(query.query, scope)
    if (inner.boost === null) return { ...inner, boost: query.boost }
    return { ...group([clause('none', inner)]), ...around, boost: query.boost }
  }
  if (query instanceof BooleanQuery) {
    return { ...group(clausesOf(query, scope), query.minimumShouldMatch), ...around }
  }
  if (query instanceof MatchAllQuery) return { kind: 'everything', ...around }
  const [field, leaf] = query instanceof NearQuery ? nearOf(query) : leafOf(query, scope)
  // A star without a field would ask for every document.
  return { ...leaf, ...around, field: field === scope.defaultField && leaf.kind !== 'any' ? null : field }
}

function leafOf(query: Query, { kindOf }: PrintScope): [field: string, leaf: LeafSyntax] {
  if (query instanceof TermQuery) return [query.term.field, { kind: 'text', text: query.term.text }]
  if (query instanceof ExistsQuery) return [query.field, { kind: 'any' }]
  if (query instanceof PhraseQuery && query.positions.every((position, i) => position === i)) {
    return [query.field, { kind: 'phrase', text: query.terms.join(' '), slop: query.slop }]
  }
  if (query instanceof PrefixQuery) return [query.field, { kind: 'prefix', text: query.prefix }]
  if (query instanceof WildcardQuery) return [query.field, { kind: 'wildcard', pattern: query.pattern }]
  if (query instanceof RegexpQuery) return [query.field, { kind: 'regexp', pattern: query.pattern }]
  if (query instanceof FuzzyQuery) return [query.field, { kind: 'fuzzy', text: query.text, amount: query.maxEdits }]
  if (query instanceof TermRangeQuery) return [query.field, { kind: 'range', ...query.range }]
  if (query instanceof NumberRangeQuery) return [query.field, numberRangeSyntax(query, kindOf(query.field))]
  throw unspeakable(query)
}

/** Words, and words side by side, within a distance. */
function nearOf(query: NearQuery): [field: string, near: NearSyntax] {
  const clauses = query.clauses.map((clause): NearSyntax['clauses'][number] => {
    if (clause instanceof Term) return { kind: 'text', text: clause.text }
    if (!(clause instanceof NearQuery) || clause.slop > 0 || !clause.inOrder) throw unspeakable(query)
    const words = clause.clauses.map((part) => {
      if (part instanceof Term) return part.text
      throw unspeakable(query)
    })
    return { kind: 'phrase', text: words.join(' '), slop: 0 }
  })
  if (clauses.length < 2) throw unspeakable(query)
  return [query.field, { kind: 'near', clauses, slop: query.slop, inOrder: query.inOrder }]
}

function unspeakable(query: Query): RangeError {
  return new RangeError(`The query language has no words for ${query.constructor.name}: ${query.toString()}`)
}
