/**
 * Makes a query of a piece of text without operators, by the layers of the field's analyzer (see `QueryPlan`):
 *
 * - one character of a run: the layer that holds every character;
 * - a short run that is one word: its main-layer tokens must stand next to each other (上海 never finds 海上);
 * - a longer run, or one of several words (卸载软件): its words and its main-layer tokens are alternatives, each term
 *   once, and up to a certain length so is the run as it stands, with a weight that puts exact hits first;
 * - other words: the layer that ranks, which holds their stems, with the weight of both layers;
 * - quoted text: the exact phrase of the main layer;
 * - of a site's search, a whole query of a few words: also its phrase, so that what stands as it was typed comes first.
 *
 * What a list of synonyms has of the text, but for quoted text, stands beside its synonyms, the best of which counts; those of
 * several words count as phrases.
 *
 * Where several fields are searched, each term counts by its best field plus a share of the others (tieBreaker), or, with
 * `CombinedScoring`, by all fields as if they were one. A field that the index has combined of others is asked like any
 * field, but for phrases: they count by the best of its sources in the same way.
 */
import type { Analyzer, QueryPlan } from '../analysis/analyzer.js'
import { CHINESE_FUNCTION_WORDS } from '../analysis/chinese/function-words.js'
import {
  analyzeLayers,
  type LayerToken,
  type LayerTokens,
  splitRuns,
  TokenCursor,
  type TokenRun,
} from '../analysis/layer-tokens.js'
import type { SynonymMap, SynonymMatch } from '../analysis/synonyms/synonym-map.js'
import { type CombinedSource, layerFieldName } from '../document/field-info.js'
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import { BoostQuery } from '../search/query/boost-query.js'
import { CombinedFieldQuery } from '../search/query/combined-field-query.js'
import { CoverageQuery } from '../search/query/coverage-query.js'
import { DisjunctionMaxQuery } from '../search/query/disjunction-max-query.js'
import { MultiPhraseQuery } from '../search/query/multi-phrase-query.js'
import { NearQuery } from '../search/query/near-query.js'
import { PhraseQuery } from '../search/query/phrase-query.js'
import type { Query } from '../search/query/query.js'
import { TermQuery } from '../search/query/term-query.js'
import { UnmarkedQuery } from '../search/query/unmarked-query.js'
import type { BM25FOptions } from '../search/similarity/bm25f-formula.js'
import { Term } from '../search/term.js'
import { synonymClauses } from './synonym-clauses.js'

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

/** Settings of a {@link ClauseBuilder}. */
export interface ClauseBuilderOptions {
  readonly analyzerFor: (field: string) => Analyzer
  /** Sources of a combined field, undefined for any other. */
  readonly sourcesOf: (field: string) => readonly CombinedSource[] | undefined
  /** Share of the fields that are not a term's best one, 0–1. */
  readonly tieBreaker: number
  /** How the words of one clause are combined. */
  readonly occur: Occur
  /** A phrase is cut behind so many terms. */
  readonly maxPhraseTerms: number
  /** What words are looked for as well. */
  readonly synonyms: SynonymMap | undefined
  readonly scoring: CombinedScoring | undefined
}

/** Alternatives that stand together as typed weigh so much more than their terms alone. */
const TOGETHER_WEIGHT = 2
/** So does a whole query of several words. */
const AS_TYPED_WEIGHT = 2
/** What a character that a question leaves weighs by itself, where it need not be a word. */
const CHARACTER_WEIGHT = 0.3
/** Main-layer tokens of a piece of text that is also looked for as it stands. */
const MAX_TOGETHER = 8

/** More than one Chinese character. */
const HAN_WORD = /\p{Script=Han}{2}/u

/** Synonyms that one query may ask for. */
const MAX_SYNONYMS = 256

/** What `QueryPlan` means where an analyzer has none: the tokens are alternatives. */
const NO_PLAN: QueryPlan = { phraseRun: 0, mainWeight: 1 }

/** A field, or a combined field as far as it is made of fields with one analyzer. */
interface AskedField extends FieldWeight {
  /** These sources of a combined field; null for any other. */
  readonly sources: string[] | null
}

/** The fields that share an analyzer. */
interface FieldGroup {
  readonly analyzer: Analyzer
  readonly fields: AskedField[]
}

/** A term of the query in the making. */
interface AskedTerm {
  readonly layer: string
  readonly term: string
  readonly weight: number
  readonly alternative: boolean
  readonly marked: boolean
  /** How often it was typed. */
  count: number
}

/** A word, run or phrase that a query asks for, and what a document has to match to hold it. */
export interface QueryWord {
  /** As it was typed. */
  readonly text: string
  readonly query: Query
}

/** Turns texts into queries. */
export class ClauseBuilder {
  readonly #options: ClauseBuilderOptions
  /** Whether a phrase of the last call was cut. */
  cut = false
  /** Whether the last call met nothing but function words. */
  onlyFunctionWords = false
  /** What the last call of `build` asks for word by word; function words only where there is nothing else. */
  words: readonly QueryWord[] = []
  readonly #synonymBudget = { left: MAX_SYNONYMS }

  constructor(options: ClauseBuilderOptions) {
    this.#options = options
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
      return this.#phrase(members, tokens, mainWeight(analyzer.queryPlan ?? NO_PLAN) * AS_TYPED_WEIGHT)
    })
  }

  /**
   * Words and quoted texts within a distance.
   * @param slop positions that may stand between them, in all
   * @returns null where the analyzers leave nothing of them
   */
  buildNear(fields: readonly FieldWeight[], texts: readonly string[], slop: number, inOrder: boolean): Query | null {
    return this.#byAnalyzer(fields, (analyzer, members) => {
      const parts = texts.map((text) => this.#cutPhrase(analyzeLayers(analyzer, text, 'index').tokens[0]!))
      const [first, ...others] = parts.filter((tokens) => tokens.length > 0)
      if (first === undefined) return null
      if (others.length === 0) return this.#phrase(members, first, 1)
      const nearIn = (field: string): Query =>
        new NearQuery(
          [first, ...others].map((tokens) => nearClause(field, tokens)),
          { slop, inOrder },
        )
      return this.#fields(members, 1, ({ name, sources }) =>
        sources === null ? nearIn(name) : this.best(sources.map(nearIn))!,
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
    if (queries.length <= 1) return queries[0] ?? null
    return new DisjunctionMaxQuery(queries, this.#options.tieBreaker)
  }

  #byAnalyzer(
    fields: readonly FieldWeight[],
    make: (analyzer: Analyzer, fields: readonly AskedField[]) => Query | null,
  ): Query | null {
    this.cut = false
    this.onlyFunctionWords = false
    // Analyzers of the sources of one field mostly make the same of a text: each query once.
    const queries = new Map<string, Query>()
    for (const { analyzer, fields: members } of this.#groups(fields)) {
      const query = make(analyzer, members)
      if (query !== null) queries.set(query.toString(), query)
    }
    return this.best([...queries.values()])
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
        if (known === undefined) members.push({ name, boost, sources: [source.name] })
        else known.sources?.push(source.name)
      }
    }
    return groups.values()
  }

  #quoted(analyzer: Analyzer, fields: readonly AskedField[], text: string, slop: number): Query | null {
    const layers = analyzeLayers(analyzer, text, 'index')
    const main = layers.tokens[0]!
    if (main.length === 0) return null
    const characterLayer = analyzer.queryPlan?.characterLayer
    if (main.length === 1 && characterLayer !== undefined && layers.holds(characterLayer, main[0]!.term)) {
      return this.#term(fields, layers.names[characterLayer]!, main[0]!.term, 1)
    }
    return this.#phrase(fields, main, 1, slop)
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
        alternative: (part) =>
          isOneWord(analyzer, part, plan) ? typed(part) : this.#quoted(analyzer, fields, part, 0),
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
      clauses.push(this.#phrase(fields, together, plan.mainWeight * TOGETHER_WEIGHT))
    }
    return this.#any(clauses)
  }

  #plain(analyzer: Analyzer, fields: readonly AskedField[], text: string): Query | null {
    const plan = analyzer.queryPlan ?? NO_PLAN
    // Runs are those of the text as typed; what is asked for leaves out what the analyzer drops from queries.
    const typed = analyzeLayers(analyzer, text, 'index')
    const asked = analyzeLayers(analyzer, text, 'query')
    const { words, characterLayer } = plan
    const main = new TokenCursor(asked.tokens[0]!)
    const wordTokens = new TokenCursor(words === undefined ? [] : asked.tokens[words.layer]!)
    const all = splitRuns(typed.tokens[0]!)
    this.onlyFunctionWords = false
    if (this.#options.scoring !== undefined && isIdentifier(text, all)) {
      const query = this.#phrase(fields, typed.tokens[0]!, mainWeight(plan))
      this.words = [{ text, query }]
      return query
    }
    const clauses: Query[] = []
    // Each term is asked once; `alternative`: it stems from a long run, so that it need not match.
    const terms = new Map<string, AskedTerm>()
    const ask = (layer: string, term: string, weight: number, alternative: boolean, marked = true): void => {
      const key = `${layer} ${term}`
      const known = terms.get(key)
      if (known !== undefined) known.count++
      else terms.set(key, { layer, term, weight, alternative, marked, count: 1 })
    }
    const held: QueryWord[] = []
    const functionWords: { text: string; layer: string; term: string }[] = []
    // Characters that a question word leaves of a run, such as 是 of 谁是.
    const remains: string[] = []
    const askCharacter = ({ term, start, end }: LayerToken): void => {
      ask(typed.names[characterLayer!]!, term, CHARACTER_WEIGHT, true)
      if (words !== undefined) ask(typed.names[words.layer]!, term, words.weight, true)
      held.push({ text: text.slice(start, end), query: this.#term(fields, typed.names[characterLayer!]!, term, 1) })
    }
    let runs = 0
    let loose = false
    for (const run of all) {
      const kept = main.takeUntil(run.start, run.end)
      const inRun = wordTokens.takeUntil(run.start, run.end)
      const first = run.tokens[0]!.term
      const single = run.tokens.length === 1
      const isCharacter = ({ holds }: LayerTokens, term: string): boolean =>
        characterLayer !== undefined && holds(characterLayer, term)
      const ofCharacters = isCharacter(typed, firstCharacter(first))
      const oneCharacter = single && isCharacter(typed, first)
      // In the index a character stands alone in the main layer only where its run is one character long.
      const tokens = oneCharacter ? kept : kept.filter(({ term }) => !isCharacter(asked, term))
      for (const token of tokens.length < kept.length ? kept : []) {
        if (!isCharacter(asked, token.term)) continue
        if (CHINESE_FUNCTION_WORDS.has(token.term)) remains.push(token.term)
        else askCharacter(token)
      }
      if (tokens.length === 0) continue
      const intact = tokens.length === run.tokens.length
      runs++
      const asTyped = text.slice(run.start, run.end)
      if (oneCharacter) {
        ask(typed.names[characterLayer!]!, first, 1, false)
        held.push({ text: asTyped, query: this.#term(fields, typed.names[characterLayer!]!, first, 1) })
      } else if (single && !ofCharacters) {
        const [layer, term] = inRun.length === 1 ? [typed.names[words!.layer]!, inRun[0]!.term] : ['', first]
        if (this.#options.scoring?.functionWords?.has(first)) functionWords.push({ text: asTyped, layer, term })
        else {
          ask(layer, term, mainWeight(plan), false)
          held.push({ text: asTyped, query: this.#term(fields, layer, term, 1) })
        }
      } else if (intact && run.tokens.length < plan.phraseRun && wholeWords(inRun).length < 2) {
        clauses.push(this.#shortRun(fields, tokens, inRun, plan, typed.names))
        held.push({ text: asTyped, query: this.#phrase(fields, tokens, 1) })
      } else {
        loose = true
        const whole = wholeWords(inRun)
        // What a question leaves, such as 是宏 of 什么是宏, is about single characters.
        const singles = intact || whole.length > 0 ? [] : inRun.filter(({ term }) => !CHINESE_FUNCTION_WORDS.has(term))
        if (characterLayer !== undefined) for (const token of singles) askCharacter(token)
        for (const { start, end, term } of whole) {
          if (CHINESE_FUNCTION_WORDS.has(term)) continue
          const inWord = tokens.filter((token) => token.start >= start && token.end <= end)
          if (inWord.length > 0) held.push({ text: text.slice(start, end), query: this.#phrase(fields, inWord, 1) })
        }
        if (whole.length === 0 && singles.length === 0)
          held.push({ text: asTyped, query: this.#phrase(fields, tokens, 1) })
        // Where the dictionary knows no word (蒙版), single characters would rank by pages about something else.
        for (const token of whole.length === 0 ? [] : inRun) {
          ask(typed.names[words!.layer]!, token.term, words!.weight, true)
        }
        // Beside such a character, a pair with a function word is one by chance.
        const pairs = singles.length === 0 ? tokens : tokens.filter(({ term }) => !holdsFunctionWord(term))
        for (const token of pairs) ask('', token.term, plan.mainWeight, true, !crossesWord(token, whole))
      }
    }
    if (terms.size === 0 && clauses.length === 0) {
      for (const { text, layer, term } of functionWords) {
        ask(layer, term, mainWeight(plan), false)
        held.push({ text, query: this.#term(fields, layer, term, 1) })
      }
      for (const character of remains) {
        ask(typed.names[characterLayer!]!, character, 1, false)
        held.push({ text: character, query: this.#term(fields, typed.names[characterLayer!]!, character, 1) })
      }
      this.onlyFunctionWords = functionWords.length > 0
    }
    this.words = held
    const alternatives: Query[] = []
    for (const { layer, term, weight, count, alternative, marked } of terms.values()) {
      // A word typed n times counts 1 + ln n times (relevance measurements of the project).
      const query = this.#term(fields, layer, term, weight * (1 + Math.log(count)))
      if (!alternative) clauses.push(query)
      else alternatives.push(marked ? query : new UnmarkedQuery(query))
    }
    const { occur, scoring } = this.#options
    const together = remains.length === 0 ? asked.tokens[0]! : []
    const compound = scoring !== undefined && occur === 'should' && runs > 1
    if ((loose || compound) && together.length > 1 && together.length <= MAX_TOGETHER) {
      alternatives.push(this.#phrase(fields, together, plan.mainWeight * TOGETHER_WEIGHT))
    }
    if (occur === 'should' || clauses.length === 0) return this.#any([...clauses, ...alternatives])
    if (alternatives.length > 0) clauses.push(this.#any(alternatives)!)
    return clauses.length === 1 ? clauses[0]! : new BooleanQuery(clauses.map((query) => ({ query, occur })))
  }

  #any(queries: readonly Query[]): Query | null {
    if (queries.length <= 1) return queries[0] ?? null
    const { scoring } = this.#options
    if (scoring !== undefined) return new CoverageQuery(queries, scoring.coverage)
    return new BooleanQuery(queries.map((query) => ({ query, occur: 'should' })))
  }

  /** A run that must match as it stands; the words in it only rank. */
  #shortRun(
    fields: readonly AskedField[],
    tokens: readonly LayerToken[],
    wordTokens: readonly LayerToken[],
    plan: QueryPlan,
    layerNames: readonly string[],
  ): Query {
    const phrase = this.#phrase(fields, tokens, plan.mainWeight)
    const { words } = plan
    const ranking: Query[] = []
    if (words !== undefined) {
      const layer = layerNames[words.layer]!
      for (const term of new Set(wholeWords(wordTokens).map((token) => token.term))) {
        ranking.push(this.#term(fields, layer, term, words.weight))
      }
    }
    let occur: Occur = 'must'
    const countAsOne = fields.length > 1 || fields[0]!.sources !== null
    if (this.#options.scoring !== undefined && countAsOne && tokens.length > 1) {
      // The phrase decides, the pairs in it rank: as in a longer run, fields count as one.
      occur = 'filter'
      for (const term of new Set(tokens.map((token) => token.term))) {
        ranking.push(new UnmarkedQuery(this.#term(fields, '', term, plan.mainWeight)))
      }
    }
    if (ranking.length === 0) return phrase
    return new BooleanQuery([
      { query: phrase, occur },
      ...ranking.map((query) => ({ query, occur: 'should' as const })),
    ])
  }

  #cutPhrase(tokens: readonly LayerToken[]): readonly LayerToken[] {
    const { maxPhraseTerms } = this.#options
    if (tokens.length <= maxPhraseTerms) return tokens
    this.cut = true
    return tokens.slice(0, maxPhraseTerms)
  }

  #phrase(fields: readonly AskedField[], tokens: readonly LayerToken[], weight: number, slop = 0): Query {
    const used = this.#cutPhrase(tokens)
    if (used.length === 1) return this.#term(fields, '', used[0]!.term, weight)
    const { scoring } = this.#options
    const boosted =
      scoring === undefined || fields.length === 1
        ? fields
        : fields.map((field) => ({ ...field, boost: 1 + (scoring.bonuses?.[field.name] ?? 0) }))
    const phraseIn = phraseMaker(used, slop)
    return this.#fields(boosted, weight, ({ name, sources }) =>
      sources === null ? phraseIn(name) : this.best(sources.map(phraseIn))!,
    )
  }

  #term(fields: readonly AskedField[], layer: string, term: string, weight: number): Query {
    const { scoring } = this.#options
    if (scoring !== undefined && fields.length > 1) {
      const combined = fields.map(({ name, boost }) => ({
        name: layerFieldName(name, layer),
        weight: boost,
        bonus: scoring.bonuses?.[name] ?? 0,
      }))
      const query = new CombinedFieldQuery(combined, term, scoring)
      return weight === 1 ? query : new BoostQuery(query, weight)
    }
    return this.#fields(fields, weight, ({ name }) => new TermQuery(new Term(layerFieldName(name, layer), term)))
  }

  #fields(fields: readonly AskedField[], weight: number, make: (field: AskedField) => Query): Query {
    const queries = fields.map((field) => {
      const { boost } = field
      const query = make(field)
      return boost * weight === 1 ? query : new BoostQuery(query, boost * weight)
    })
    return this.best(queries)!
  }
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

/** A word, or words side by side. */
function nearClause(field: string, tokens: readonly LayerToken[]): Term | NearQuery {
  const terms = tokens.map(({ term }) => new Term(field, term))
  return terms.length === 1 ? terms[0]! : new NearQuery(terms)
}

/** Between the words of compounds that people write in several ways: f-string, and/or. */
const LOOSE_SEPARATORS = /^[-‐–/·&+,;'’!?()]*$/

/**
 * Whether a text is a number, a date, an address or the like, which says something only as it stands: 2026-11-30, 3年2月,
 * CVE-2024-1234, user@example.org, std::vector. Web addresses are words, since pages are called by parts of theirs.
 */
function isIdentifier(text: string, runs: readonly TokenRun[]): boolean {
  if (runs.length < 2 || text.includes('://')) return false
  if (runs.some(({ start, end, tokens }) => tokens.length > 1 || HAN_WORD.test(text.slice(start, end)))) return false
  if (/\p{Nd}/u.test(text)) return true
  const between = runs.slice(1).map(({ start }, i) => text.slice(runs[i]!.end, start))
  return !/\p{Script=Han}/u.test(text) && between.some((separator) => !LOOSE_SEPARATORS.test(separator))
}

/** Whether a text is a word of letters, or a run that has to stand as it is. */
function isOneWord(analyzer: Analyzer, text: string, plan: QueryPlan): boolean {
  const { tokens } = analyzeLayers(analyzer, text, 'index')
  const [run, another] = splitRuns(tokens[0]!)
  if (run === undefined || another !== undefined) return false
  const words = plan.words === undefined ? [] : wholeWords(tokens[plan.words.layer]!)
  return run.tokens.length === 1 || (run.tokens.length < plan.phraseRun && words.length < 2)
}

/** Weight of a word that is the same term in all layers. */
function mainWeight({ mainWeight, words }: QueryPlan): number {
  return mainWeight + (words === undefined ? 0 : words.weight)
}

/** The words of more than one character. */
function wholeWords(tokens: readonly LayerToken[]): readonly LayerToken[] {
  return tokens.filter(({ term }) => term.length > firstCharacter(term).length)
}

/** Whether a main-layer token covers a part of a word and something beside it. */
function crossesWord({ start, end }: LayerToken, words: readonly LayerToken[]): boolean {
  return words.some((word) => word.start < end && start < word.end && !(word.start <= start && end <= word.end))
}

function holdsFunctionWord(pair: string): boolean {
  return [...pair].some((character) => CHINESE_FUNCTION_WORDS.has(character))
}

function firstCharacter(term: string): string {
  return String.fromCodePoint(term.codePointAt(0)!)
}
