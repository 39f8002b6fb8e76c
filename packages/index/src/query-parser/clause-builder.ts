/**
 * Makes a query of a piece of text for the fields that it is asked of, which may have several analyzers: words by `PlainClause`;
 * quoted text as the exact phrase of the main layer; of a site's search a whole query of a few words also as its phrase, so
 * that what stands as it was typed comes first. What a list of synonyms has of the text, but for quoted text, stands beside its
 * synonyms, the best of which counts; those of several words count as phrases.
 */
import type { Analyzer } from '../analysis/analyzer.js'
import { analyzeLayers, type LayerToken, splitRuns } from '../analysis/layer-tokens.js'
import type { SynonymMap, SynonymMatch } from '../analysis/synonyms/synonym-map.js'
import type { CombinedSource } from '../document/field-info.js'
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { NearQuery } from '../search/query/near-query.js'
import type { Query } from '../search/query/query.js'
import { Term } from '../search/term.js'
import { type AskedField, FieldClauses, type FieldClausesOptions, type FieldWeight } from './field-clauses.js'
import { MAX_TOGETHER, PlainClause, type QueryWord, TOGETHER_WEIGHT } from './plain-clause.js'
import { firstCharacter, isShort, mainWeight, NO_PLAN } from './plan-tokens.js'
import { synonymClauses } from './synonym-clauses.js'

/** Settings of a {@link ClauseBuilder}. */
export interface ClauseBuilderOptions extends FieldClausesOptions {
  readonly analyzerFor: (field: string) => Analyzer
  /** Sources of a combined field, undefined for any other. */
  readonly sourcesOf: (field: string) => readonly CombinedSource[] | undefined
  /** How the words of one clause are combined. */
  readonly occur: Occur
  /** What words are looked for as well. */
  readonly synonyms: SynonymMap | undefined
}

/** A whole query of several words weighs so much more than its words. */
const AS_TYPED_WEIGHT = 2
/** Synonyms that one query may ask for. */
const MAX_SYNONYMS = 256

/** The fields that share an analyzer. */
interface FieldGroup {
  readonly analyzer: Analyzer
  readonly fields: AskedField[]
}

/** Turns texts into queries. */
export class ClauseBuilder {
  readonly #options: ClauseBuilderOptions
  readonly #make: FieldClauses
  /** Whether the last call met nothing but function words. */
  onlyFunctionWords = false
  /** What the last call of `build` asks for word by word; function words only where there is nothing else. */
  words: readonly QueryWord[] = []
  readonly #synonymBudget = { left: MAX_SYNONYMS }

  constructor(options: ClauseBuilderOptions) {
    this.#options = options
    this.#make = new FieldClauses(options)
  }

  /** Whether a phrase of the last call was cut. */
  get cut(): boolean {
    return this.#make.cut
  }

  /**
   * A text without quotation marks.
   * @param synonyms whether those of its parts are looked for
   * @returns null where the analyzers leave nothing of it
   */
  build(fields: readonly FieldWeight[], text: string, synonyms: boolean): Query | null {
    const words: (readonly QueryWord[])[] = []
    const query = this.#byAnalyzer(fields, (analyzer, members) => {
      const made = synonyms ? this.#withSynonyms(analyzer, members, text) : this.#plain(analyzer, members, text)
      words.push(this.words)
      return made
    })
    // Where analyzers make different words of a text, it counts as a whole.
    if (words.length !== 1) this.words = query === null ? [] : [{ text, query }]
    return query
  }

  /** The parts of a text that have synonyms, as the first of the fields has its words. */
  synonymsOf(fields: readonly FieldWeight[], text: string): readonly SynonymMatch[] {
    const name = fields[0]?.name
    if (name === undefined) return []
    return this.#synonymsOf(this.#options.analyzerFor(this.#options.sourcesOf(name)?.[0]?.name ?? name), text)
  }

  /**
   * A quoted text.
   * @param slop how far its words may be moved, in positions
   * @returns null where the analyzers leave nothing of it
   */
  buildPhrase(fields: readonly FieldWeight[], text: string, slop: number): Query | null {
    return this.#byAnalyzer(fields, (analyzer, members) => this.#quoted(analyzer, members, text, slop))
  }

  /** A text of several words as it stands, to be worth more than its words; null where it is one word or a long text. */
  buildTogether(fields: readonly FieldWeight[], text: string): Query | null {
    return this.#byAnalyzer(fields, (analyzer, members) => {
      const tokens = analyzeLayers(analyzer, text, 'index').tokens[0]!
      if (tokens.length < 2 || tokens.length > MAX_TOGETHER) return null
      return this.#make.phrase(members, tokens, mainWeight(analyzer.queryPlan ?? NO_PLAN) * AS_TYPED_WEIGHT)
    })
  }

  /**
   * Words and quoted texts within a distance.
   * @param slop positions that may stand between them, in all
   * @returns null where the analyzers leave nothing of them
   */
  buildNear(fields: readonly FieldWeight[], texts: readonly string[], slop: number, inOrder: boolean): Query | null {
    return this.#byAnalyzer(fields, (analyzer, members) => {
      const parts = texts.map((text) => this.#make.cutPhrase(analyzeLayers(analyzer, text, 'index').tokens[0]!))
      const [first, ...others] = parts.filter((tokens) => tokens.length > 0)
      if (first === undefined) return null
      if (others.length === 0) return this.#make.phrase(members, first, 1)
      const nearIn = (field: string): Query =>
        new NearQuery(
          [first, ...others].map((tokens) => nearClause(field, tokens)),
          { slop, inOrder },
        )
      return this.#make.inFields(members, 1, ({ name, sources }) =>
        sources === null ? nearIn(name) : this.#make.best(sources.map((source) => nearIn(source.name)))!,
      )
    })
  }

  /** Whether the analyzer of a field makes more than one word of a text, or parts of a run of characters. */
  isSeveralWords(field: string, text: string): boolean {
    const analyzer = this.#options.analyzerFor(field)
    const layers = analyzeLayers(analyzer, text, 'index')
    const [first, second] = layers.tokens[0]!
    const characterLayer = analyzer.queryPlan?.characterLayer
    if (first === undefined || second !== undefined) return second !== undefined
    return characterLayer !== undefined && layers.holds(characterLayer, firstCharacter(first.term))
  }

  /** The alternatives that different fields make of one clause: the best one counts. */
  best(queries: readonly Query[]): Query | null {
    return this.#make.best(queries)
  }

  #byAnalyzer(
    fields: readonly FieldWeight[],
    make: (analyzer: Analyzer, fields: readonly AskedField[]) => Query | null,
  ): Query | null {
    this.#make.cut = false
    this.onlyFunctionWords = false
    // Analyzers of the sources of one field mostly make the same of a text: each query once.
    const queries = new Map<string, Query>()
    for (const { analyzer, fields: members } of this.#groups(fields)) {
      const query = make(analyzer, members)
      if (query !== null) queries.set(query.toString(), query)
    }
    return this.#make.best([...queries.values()])
  }

  #groups(fields: readonly FieldWeight[]): Iterable<FieldGroup> {
    const groups = new Map<string, FieldGroup>()
    const groupOf = (field: string): FieldGroup => {
      const analyzer = this.#options.analyzerFor(field)
      let group = groups.get(analyzer.fingerprint)
      if (group === undefined) {
        group = { analyzer, fields: [] }
        groups.set(analyzer.fingerprint, group)
      }
      return group
    }
    for (const { name, boost } of fields) {
      const sources = this.#options.sourcesOf(name)
      if (sources === undefined) groupOf(name).fields.push({ name, boost, sources: null })
      for (const source of sources ?? []) {
        const members = groupOf(source.name).fields
        const known = members.find((field) => field.name === name)
        if (known === undefined) members.push({ name, boost, sources: [source] })
        else known.sources?.push(source)
      }
    }
    return groups.values()
  }

  #quoted(analyzer: Analyzer, fields: readonly AskedField[], text: string, slop: number): Query | null {
    const layers = analyzeLayers(analyzer, text, 'index')
    if (layers.tokens[0]!.length === 0) return null
    return this.#make.exact(fields, layers, analyzer.queryPlan?.characterLayer, 1, slop)
  }

  #synonymsOf(analyzer: Analyzer, text: string): readonly SynonymMatch[] {
    const { synonyms } = this.#options
    // A field without positions holds identifiers and no words.
    return synonyms === undefined || analyzer.layers[0]!.options !== 'positions' ? [] : synonyms.find(analyzer, text)
  }

  /** A text without quotation marks, with the synonyms of its parts. */
  #withSynonyms(analyzer: Analyzer, fields: readonly AskedField[], text: string): Query | null {
    const matches = this.#synonymsOf(analyzer, text)
    if (matches.length === 0) return this.#plain(analyzer, fields, text)
    const plan = analyzer.queryPlan ?? NO_PLAN
    const held: QueryWord[] = []
    const typed = (part: string): Query | null => this.#plain(analyzer, fields, part)
    const clauses = synonymClauses(
      text,
      matches,
      {
        typed,
        rest: (part) => {
          const query = typed(part)
          if (this.onlyFunctionWords) return null
          held.push(...this.words)
          return query
        },
        alternative: (part) => (isOneWord(analyzer, part) ? typed(part) : this.#quoted(analyzer, fields, part, 0)),
        made: (part, query) => held.push({ text: part, query }),
      },
      this.#synonymBudget,
    )
    this.words = held
    this.onlyFunctionWords = false
    const { occur } = this.#options
    if (occur !== 'should' && clauses.length > 1) {
      return new BooleanQuery(clauses.map((query) => ({ query, occur })))
    }
    const together = clauses.length > 1 ? analyzeLayers(analyzer, text, 'index').tokens[0]! : []
    // A run that its synonyms cut stands first where it stands as typed.
    if (together.length > 1 && together.length <= MAX_TOGETHER && !/\s/.test(text)) {
      clauses.push(this.#make.phrase(fields, together, plan.mainWeight * TOGETHER_WEIGHT))
    }
    return this.#make.any(clauses)
  }

  #plain(analyzer: Analyzer, fields: readonly AskedField[], text: string): Query | null {
    const { occur } = this.#options
    const { query, words, onlyFunctionWords } = new PlainClause({ text, analyzer, fields, occur, make: this.#make })
    this.words = words
    this.onlyFunctionWords = onlyFunctionWords
    return query
  }
}

/** A word, or words side by side. */
function nearClause(field: string, tokens: readonly LayerToken[]): Term | NearQuery {
  const terms = tokens.map(({ term }) => new Term(field, term))
  return terms.length === 1 ? terms[0]! : new NearQuery(terms)
}

/** Whether a text is a word of letters, or a run that has to stand as it is. */
function isOneWord(analyzer: Analyzer, text: string): boolean {
  const plan = analyzer.queryPlan ?? NO_PLAN
  const { tokens } = analyzeLayers(analyzer, text, 'index')
  const [run, another] = splitRuns(tokens[0]!)
  if (run === undefined || another !== undefined) return false
  return run.tokens.length === 1 || isShort(run, plan.words === undefined ? [] : tokens[plan.words.layer]!, plan)
}
