/** Makes queries of prefixes, wildcards, regular expressions, fuzzy words and ranges: what is compared with whole terms. */
import type { Analyzer } from '../analysis/analyzer.js'
import type { FieldKind } from '../document/field-type.js'
import { ExistsQuery } from '../search/query/exists-query.js'
import { FuzzyQuery } from '../search/query/fuzzy-query.js'
import { PrefixQuery } from '../search/query/prefix-query.js'
import type { Query } from '../search/query/query.js'
import { RegexpQuery } from '../search/query/regexp-query.js'
import { TermRangeQuery } from '../search/query/term-range-query.js'
import { WildcardQuery } from '../search/query/wildcard-query.js'
import { normalizePattern, normalizeTerm } from './normalize-term.js'
import type { AnySyntax, FuzzySyntax, PrefixSyntax, RangeSyntax, RegexpSyntax, WildcardSyntax } from './syntax-tree.js'
import { holdsNumbers, numberRangeQuery } from './typed-clause.js'

/** What is asked of terms as they stand in the index. */
export type PatternSyntax = PrefixSyntax | WildcardSyntax | RegexpSyntax | FuzzySyntax | RangeSyntax | AnySyntax

/** How far fuzzy words reach. */
export interface FuzzyLimits {
  /** Characters at the begin of the word that have to be equal, at least. */
  readonly prefixLength: number
  /** Terms that are looked for, at most. */
  readonly maxExpansions: number
}

/** @returns null where the field holds numbers and this is no question about numbers */
export function patternQuery(
  field: string,
  kind: FieldKind | undefined,
  syntax: PatternSyntax,
  analyzer: Analyzer,
  fuzzy: FuzzyLimits,
): Query | null {
  if (syntax.kind === 'any') return new ExistsQuery(field)
  if (holdsNumbers(kind)) return syntax.kind === 'range' ? numberRangeQuery(field, kind, syntax) : null
  switch (syntax.kind) {
    case 'prefix':
      return new PrefixQuery(field, normalizeTerm(analyzer, syntax.text))
    case 'wildcard':
      return new WildcardQuery(field, normalizePattern(analyzer, syntax.pattern))
    case 'regexp':
      return new RegexpQuery(field, syntax.pattern)
    case 'fuzzy': {
      const text = normalizeTerm(analyzer, syntax.text)
      return new FuzzyQuery(field, text, { ...fuzzy, maxEdits: editsOf(syntax.amount, text) })
    }
    case 'range': {
      const { lower, upper, includeLower, includeUpper } = syntax
      const bound = (text: string | null): string | null => (text === null ? null : normalizeTerm(analyzer, text))
      return new TermRangeQuery(field, bound(lower), bound(upper), includeLower, includeUpper)
    }
  }
}

/** Edits of the number behind `~`; one below 1 is the share of the word that stays, as in Lucene's `floatToEdits`. */
function editsOf(amount: number, text: string): number {
  if (amount >= 1 || amount === 0) return Math.min(amount, 2)
  return Math.min(2, Math.trunc((1 - Math.fround(amount)) * [...text].length))
}
