/**
 * A query as it was written, before any analyzer has seen it: what the parser reads, the builder turns into a `Query`,
 * and `printSyntax` writes again.
 */

/** A place in the text of the query. */
export interface SyntaxRange {
  /** First UTF-16 unit. */
  readonly start: number
  /** One past the last one. */
  readonly end: number
}

/** `word`, escapes resolved. */
export interface TextSyntax {
  readonly kind: 'text'
  readonly text: string
}

/** `"some words"~2`, escapes resolved. */
export interface PhraseSyntax {
  readonly kind: 'phrase'
  readonly text: string
  readonly slop: number
}

/** `word~`, `word~1`; a number below 1 is the old share of the word that has to be equal. */
export interface FuzzySyntax {
  readonly kind: 'fuzzy'
  readonly text: string
  readonly amount: number
}

/** `word*`, escapes resolved. */
export interface PrefixSyntax {
  readonly kind: 'prefix'
  readonly text: string
}

/** `w?rd*s`; a `*`, `?` or backslash that stands for itself has a backslash before it. */
export interface WildcardSyntax {
  readonly kind: 'wildcard'
  readonly pattern: string
}

/** `/w[aeiou]rd/`, without the slashes. */
export interface RegexpSyntax {
  readonly kind: 'regexp'
  readonly pattern: string
}

/** `[a TO b}`; null: open. */
export interface RangeSyntax {
  readonly kind: 'range'
  readonly lower: string | null
  readonly upper: string | null
  readonly includeLower: boolean
  readonly includeUpper: boolean
}

/** `field:*`; `*` alone asks for every document. */
export interface AnySyntax {
  readonly kind: 'any'
}

/** `*:*` */
export interface EverythingSyntax {
  readonly kind: 'everything'
}

/** What a clause is without any parentheses. */
export type LeafSyntax =
  | TextSyntax
  | PhraseSyntax
  | FuzzySyntax
  | PrefixSyntax
  | WildcardSyntax
  | RegexpSyntax
  | RangeSyntax
  | AnySyntax
  | EverythingSyntax

/** Words and phrases within a distance: `a NEAR/3 "b c"`, in the order typed with `ADJ/3`. */
export interface NearSyntax {
  readonly kind: 'near'
  readonly clauses: readonly (TextSyntax | PhraseSyntax)[]
  /** Positions between them, at most. */
  readonly slop: number
  readonly inOrder: boolean
}

/** `(a b)@2`, and the whole query. */
export interface GroupSyntax {
  readonly kind: 'group'
  readonly clauses: readonly ClauseSyntax[]
  /** How many of the optional clauses have to match; 0: nothing was said. */
  readonly minimumShouldMatch: number
}

/** A leaf or a group with what stands around it. */
export type SyntaxNode = SyntaxRange & {
  /** Named before a colon, or null. */
  readonly field: string | null
  /** The number behind `^`, 0–1000, or null. */
  readonly boost: number | null
} & (LeafSyntax | NearSyntax | GroupSyntax)

/** What joins a clause to the one before it. */
export type Conjunction = 'none' | 'and' | 'or'
/** What stands right before a clause. */
export type Modifier = 'none' | 'not' | 'required'

/** A clause of a group. */
export interface ClauseSyntax {
  readonly conjunction: Conjunction
  readonly modifier: Modifier
  readonly node: SyntaxNode
}

/** Words that are operators where they stand alone. */
export const OPERATORS: ReadonlyMap<string, 'and' | 'or' | 'not'> = new Map([
  ['AND', 'and'],
  ['&&', 'and'],
  ['OR', 'or'],
  ['||', 'or'],
  ['NOT', 'not'],
] as const)

/** Punctuation of Chinese keyboards and its ASCII twins. Those that end sentences (？！) and ～ are left as text. */
export const TWINS: ReadonlyMap<string, string> = new Map([
  ['（', '('],
  ['）', ')'],
  ['＂', '"'],
  ['“', '"'],
  ['”', '"'],
  ['„', '"'],
  ['‟', '"'],
  ['「', '"'],
  ['」', '"'],
  ['『', '"'],
  ['』', '"'],
  ['：', ':'],
  ['＋', '+'],
  ['－', '-'],
  ['＊', '*'],
  ['＾', '^'],
  ['［', '['],
  ['］', ']'],
  ['｛', '{'],
  ['｝', '}'],
])

/** White space of any kind. */
export function isSpace(char: string): boolean {
  return char !== '' && char.trim() === ''
}

/** Distance of `NEAR/3` or `ADJ/3`, or null where a word is none of them. */
export function nearOperator(word: string): { readonly slop: number; readonly inOrder: boolean } | null {
  const match = /^(NEAR|ADJ)\/(\d{1,9})$/.exec(word)
  return match === null ? null : { slop: Number(match[2]), inOrder: match[1] === 'ADJ' }
}
