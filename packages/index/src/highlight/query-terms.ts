/** The words of a query that concern one field, sorted for the highlighter. */
import type { Analyzer } from '../analysis/analyzer.js'
import { layerFieldName } from '../document/field-info.js'
import type { PositionPattern } from '../search/positions/position-pattern.js'
import type { Query } from '../search/query/query.js'

/** A phrase in one layer. */
export interface PhraseTerms {
  readonly terms: readonly string[]
  readonly positions: readonly number[]
}

/** All terms that pass a test. */
export interface TermTest {
  readonly test: (term: string) => boolean
  readonly id: number
}

/** A sloppy phrase or the like, with its number. */
export interface NumberedPattern {
  readonly pattern: PositionPattern
  readonly id: number
}

/** What is looked for in one layer. */
export interface LayerTerms {
  /** Single terms, each with a number of its own; numbers are those of {@link QueryTerms}. */
  readonly terms: ReadonlyMap<string, number>
  /** Terms of a prefix or a pattern, with a number each. */
  readonly tests: readonly TermTest[]
  readonly phrases: readonly PhraseTerms[]
  /** Numbers of the phrases, one each. */
  readonly phraseIds: readonly number[]
  /** What matches by the positions of its terms in other ways than as an exact phrase. */
  readonly patterns: readonly NumberedPattern[]
}

/** What is looked for in a field. */
export interface QueryTerms {
  /** One entry a layer of the analyzer. */
  readonly layers: readonly LayerTerms[]
  /** How many different terms and phrases there are; they are numbered from 0. */
  readonly count: number
}

/** What was collected for a query, by field: a page of hits asks again and again. */
const collected = new WeakMap<Query, Map<string, { analyzer: Analyzer; terms: QueryTerms }>>()

/**
 * Terms and phrases of the field and of its layers; clauses that exclude are left out.
 * @param combinedFields fields that the words of this one count in: asked for there, they are asked for here
 */
export function queryTerms(
  query: Query,
  field: string,
  analyzer: Analyzer,
  combinedFields: readonly string[] = [],
): QueryTerms {
  const names = [field, ...combinedFields]
  const key = names.join('#')
  let fields = collected.get(query)
  if (fields === undefined) {
    fields = new Map()
    collected.set(query, fields)
  }
  const known = fields.get(key)
  if (known !== undefined && known.analyzer === analyzer) return known.terms
  const terms = collect(query, names, analyzer)
  fields.set(key, { analyzer, terms })
  return terms
}

function collect(query: Query, fields: readonly string[], analyzer: Analyzer): QueryTerms {
  const layerOf = new Map(
    fields.flatMap((field) => analyzer.layers.map((layer, i) => [layerFieldName(field, layer.name), i] as const)),
  )
  const terms: Map<string, number>[] = analyzer.layers.map(() => new Map())
  const phrases: PhraseTerms[][] = analyzer.layers.map(() => [])
  const phraseIds: number[][] = analyzer.layers.map(() => [])
  const tests: TermTest[][] = analyzer.layers.map(() => [])
  const patterns: NumberedPattern[][] = analyzer.layers.map(() => [])
  const seen = new Set<string>()
  let count = 0
  const addTerm = (layer: number, text: string): void => {
    if (!terms[layer]!.has(text)) terms[layer]!.set(text, count++)
  }
  query.visit({
    term: (term) => {
      const layer = layerOf.get(term.field)
      if (layer !== undefined) addTerm(layer, term.text)
    },
    phrase: (name, words, positions) => {
      const layer = layerOf.get(name)
      if (layer === undefined || words.length === 0) return
      if (words.length === 1) {
        addTerm(layer, words[0]!)
        return
      }
      const key = JSON.stringify([layer, words, positions])
      if (seen.has(key)) return
      seen.add(key)
      phrases[layer]!.push({ terms: words, positions })
      phraseIds[layer]!.push(count++)
    },
    matching: (name, test) => {
      const layer = layerOf.get(name)
      if (layer !== undefined) tests[layer]!.push({ test, id: count++ })
    },
    near: (pattern) => {
      const layer = layerOf.get(pattern.field)
      const key = String(pattern.query)
      if (layer === undefined || seen.has(key)) return
      seen.add(key)
      patterns[layer]!.push({ pattern, id: count++ })
    },
  })
  return {
    layers: terms.map((map, i) => ({
      terms: i === 0 ? map : dropSingles(map),
      tests: tests[i]!,
      phrases: phrases[i]!,
      phraseIds: phraseIds[i]!,
      patterns: patterns[i]!,
    })),
    count,
  }
}

const ONE_HAN = /^\p{Script=Han}$/u

/**
 * Leaves out terms of one character where a further layer is asked for longer ones too: a long Chinese question contains
 * characters such as 的 and 是 as words, and marking each of them in a text would hide the words that matter.
 */
function dropSingles(terms: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const longer = [...terms].filter(([text]) => !ONE_HAN.test(text))
  return longer.length === 0 || longer.length === terms.size ? terms : new Map(longer)
}
