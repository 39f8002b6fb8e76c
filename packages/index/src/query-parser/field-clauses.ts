/**
 * Queries of terms and phrases over several fields. Each counts by its best field plus a share of the others (tieBreaker), or, with
 * `CombinedScoring`, terms by all fields as if they were one. A field that the index has combined of others is asked like any
 * field, but for phrases: they count by the best of its sources in the same way; and bonuses, which are those of its sources.
 */
import type { LayerToken, LayerTokens } from '../analysis/layer-tokens.js'
import { type CombinedSource, layerFieldName } from '../document/field-info.js'
import { type BooleanClause, BooleanQuery } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { CombinedFieldQuery } from '../search/query/combined-field-query.js'
import { CoverageQuery } from '../search/query/coverage-query.js'
import { DisjunctionMaxQuery } from '../search/query/disjunction-max-query.js'
import { MultiPhraseQuery } from '../search/query/multi-phrase-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { UnmarkedQuery } from '../search/query/unmarked-query.js'
import type { BM25FOptions } from '../search/similarity/bm25f-formula.js'
import { Term } from '../search/term.js'

/** A field to search and the factor of its scores. */
export interface FieldWeight {
  readonly name: string
  readonly boost: number
}

/** Scoring for the search box of a site: several fields count as one, and pages that match more of the query come first. */
export interface CombinedScoring extends BM25FOptions {
  /** By field: added, times the idf, where a word stands in it at all. */
  readonly bonuses?: Readonly<Record<string, number>>
  /** Factor of the share of the query that a document matches; 0.25 where not given. */
  readonly coverage?: number
  /** Words that are not scored where the query asks for others too. */
  readonly functionWords?: ReadonlySet<string>
}

/** A field, or a combined field as far as it is made of fields with one analyzer. */
export interface AskedField extends FieldWeight {
  /** These sources of a combined field; null for any other. */
  readonly sources: CombinedSource[] | null
}

/** Settings of {@link FieldClauses}. */
export interface FieldClausesOptions {
  /** Share of the fields that are not a term's best one, 0–1. */
  readonly tieBreaker: number
  /** A phrase is cut behind so many terms. */
  readonly maxPhraseTerms: number
  readonly scoring: CombinedScoring | undefined
  /** Whether a combined field holds a layer of its sources. */
  readonly hasLayer: (field: string, layer: string) => boolean
}

/** Makes the queries. */
export class FieldClauses {
  readonly #options: FieldClausesOptions
  /** Whether a phrase was cut; whoever asks sets it back. */
  cut = false

  constructor(options: FieldClausesOptions) {
    this.#options = options
  }

  get scoring(): CombinedScoring | undefined {
    return this.#options.scoring
  }

  /** The alternatives that different fields make of one clause: the best one counts. */
  best(queries: readonly Query[]): Query | null {
    if (queries.length <= 1) return queries[0] ?? null
    return new DisjunctionMaxQuery(queries, this.#options.tieBreaker)
  }

  /** Alternatives of which one has to match; the more, the better. */
  any(queries: readonly Query[]): Query | null {
    if (queries.length <= 1) return queries[0] ?? null
    const { scoring } = this.#options
    if (scoring !== undefined) return new CoverageQuery(queries, scoring.coverage)
    return new BooleanQuery(queries.map((query) => ({ query, occur: 'should' })))
  }

  /** The first terms of a phrase, as many as it may have. */
  cutPhrase(tokens: readonly LayerToken[]): readonly LayerToken[] {
    const { maxPhraseTerms } = this.#options
    if (tokens.length <= maxPhraseTerms) return tokens
    this.cut = true
    return tokens.slice(0, maxPhraseTerms)
  }

  /**
   * Tokens that stand as they do in the text, in one of the fields.
   * @param slop how far they may be moved, in positions
   */
  phrase(fields: readonly AskedField[], tokens: readonly LayerToken[], weight: number, slop = 0): Query {
    const used = this.cutPhrase(tokens)
    if (used.length === 1) return this.term(fields, '', used[0]!.term, weight)
    const phraseIn = phraseMaker(used, slop)
    if (this.scoring !== undefined && countAsOne(fields)) {
      const names = fields.flatMap(({ name, sources }) => sources?.map((source) => source.name) ?? [name])
      return this.best(names.map((name) => boosted(phraseIn(name), (1 + this.#bonus(name)) * weight)))!
    }
    return this.inFields(fields, weight, ({ name, sources }) =>
      sources === null ? phraseIn(name) : this.best(sources.map((source) => phraseIn(source.name)))!,
    )
  }

  /**
   * A text as it stands. A character alone at its begin or end may be the edge of a longer run in a document, which has pairs
   * and no single characters there (`13日` in 13日之后): it has to be in the document, and the rest stands as it does in the text.
   * @param layers those of the text
   * @param characterLayer number of the layer of single characters
   */
  exact(
    fields: readonly AskedField[],
    layers: LayerTokens,
    characterLayer: number | undefined,
    weight: number,
    slop = 0,
  ): Query {
    const tokens = layers.tokens[0]!
    const whole = this.phrase(fields, tokens, weight, slop)
    if (characterLayer === undefined) return whole
    const isAlone = ({ term }: LayerToken): boolean => layers.holds(characterLayer, term)
    const name = layers.names[characterLayer]!
    if (tokens.length === 1) return isAlone(tokens[0]!) ? this.term(fields, name, tokens[0]!.term, weight) : whole
    let from = 0
    let to = tokens.length
    while (from < to && isAlone(tokens[from]!)) from++
    while (to > from && isAlone(tokens[to - 1]!)) to--
    const edges = [...tokens.slice(0, from), ...tokens.slice(to)]
    if (edges.length === 0) return whole
    const parts: BooleanClause[] = edges.map(({ term }) => ({
      query: new UnmarkedQuery(this.term(fields, name, term, 1)),
      occur: 'filter',
    }))
    if (from < to) parts.unshift({ query: this.phrase(fields, tokens.slice(from, to), weight, slop), occur: 'must' })
    return new BooleanQuery([...parts, { query: whole, occur: 'should' }])
  }

  /** A term in one of the fields. @param layer of their analyzer */
  term(asked: readonly AskedField[], layer: string, term: string, weight: number): Query {
    const { scoring, hasLayer } = this.#options
    const fields = asked.flatMap((field) => fieldsWithLayer(field, hasLayer(field.name, layer)))
    if (scoring !== undefined && countAsOne(fields)) {
      const part = (name: string, weight: number) => ({
        name: layerFieldName(name, layer),
        weight,
        bonus: this.#bonus(name),
      })
      const combined = fields.flatMap(({ name, boost, sources }) => [
        part(name, boost),
        // Their words are in the combined list: they only tell whether the word stands there at all.
        ...(sources ?? []).filter(({ name }) => this.#bonus(name) > 0).map(({ name }) => part(name, 0)),
      ])
      return boosted(new CombinedFieldQuery(combined, term, scoring), weight)
    }
    return this.inFields(fields, weight, ({ name }) => new TermQuery(new Term(layerFieldName(name, layer), term)))
  }

  /** What `make` makes of each field, the best of which counts. */
  inFields(fields: readonly AskedField[], weight: number, make: (field: AskedField) => Query): Query {
    return this.best(fields.map((field) => boosted(make(field), field.boost * weight)))!
  }

  /** What is added where a word stands in a field at all. */
  #bonus(field: string): number {
    return this.#options.scoring?.bonuses?.[field] ?? 0
  }
}

/** The field, or its sources where it does not hold what is looked for. */
export function fieldsWithLayer(field: AskedField, hasLayer: boolean): readonly AskedField[] {
  if (field.sources === null || hasLayer) return [field]
  return field.sources.map(({ name, weight }) => ({ name, boost: field.boost * weight, sources: null }))
}

/** Whether they are several fields, or one that is made of several. */
export function countAsOne(fields: readonly AskedField[]): boolean {
  return fields.length > 1 || fields[0]!.sources !== null
}

function boosted(query: Query, weight: number): Query {
  return weight === 1 ? query : new BoostQuery(query, weight)
}

/** The phrase of some tokens in a field; of several at one place (synonyms) any may stand there. */
function phraseMaker(tokens: readonly LayerToken[], slop: number): (field: string) => Query {
  const base = tokens[0]!.position
  const byPlace = new Map<number, string[]>()
  for (const { term, position } of tokens) {
    const place = position - base
    const there = byPlace.get(place)
    if (there === undefined) byPlace.set(place, [term])
    else there.push(term)
  }
  const positions = [...byPlace.keys()]
  const terms = [...byPlace.values()]
  if (terms.some(({ length }) => length > 1)) return (field) => new MultiPhraseQuery(field, terms, positions, slop)
  const single = terms.map(([term]) => term!)
  return (field) => new PhraseQuery(field, single, positions, slop)
}
