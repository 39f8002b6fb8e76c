/**
 * The query of a text without operators, run by run, by the layers of one analyzer (see `QueryPlan`):
 *
 * - one character of a run: the layer that holds every character;
 * - a short run that is one word: its main-layer tokens must stand next to each other (上海 never finds 海上);
 * - a longer run, or one of several words (卸载软件): its words and its main-layer tokens are alternatives, each term
 *   once, and up to a certain length so is the run as it stands, with a weight that puts exact hits first;
 * - what a question word leaves of a run (宏是 of 宏是什么): its words, or its characters that say something;
 * - other words: the layer that ranks, which holds their stems and parts, with the weight of both layers (see `compoundWord`);
 * - of a site's search, numbers, dates and identifiers: their phrase (see `isIdentifier`).
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
import { BooleanQuery, type Occur } from '../search/query/boolean-query.js'
import type { Query } from '../search/query/query.js'
import { UnmarkedQuery } from '../search/query/unmarked-query.js'
import { compoundWord } from './compound-word.js'
import { type AskedField, countAsOne, type FieldClauses } from './field-clauses.js'
import {
  crossesWord,
  firstCharacter,
  holdsFunctionWord,
  isIdentifier,
  isShort,
  mainWeight,
  NO_PLAN,
  wholeWords,
} from './plan-tokens.js'

/** Alternatives that stand together as typed weigh so much more than their terms alone. */
export const TOGETHER_WEIGHT = 2
/** Main-layer tokens of a piece of text that is also looked for as it stands. */
export const MAX_TOGETHER = 8
/** What a character that a question leaves weighs by itself, where it need not be a word. */
const CHARACTER_WEIGHT = 0.3

/** A word, run or phrase that a query asks for, and what a document has to match to hold it. */
export interface QueryWord {
  /** As it was typed. */
  readonly text: string
  readonly query: Query
}

/** What {@link PlainClause} is made of. */
export interface PlainClauseOptions {
  readonly text: string
  readonly analyzer: Analyzer
  /** Fields of that analyzer. */
  readonly fields: readonly AskedField[]
  /** How the words are combined. */
  readonly occur: Occur
  readonly make: FieldClauses
}

/**
 * What a term is for: it has to be there like any word; it stems from a long run, so that it need not match (`hidden`: nor is
 * it marked in texts); or it only ranks what others match.
 */
type Role = 'word' | 'part' | 'hidden' | 'rank'

/** A term of the query in the making. */
interface AskedTerm {
  readonly layer: string
  readonly term: string
  readonly weight: number
  readonly role: Role
  /** How often it was typed. */
  count: number
}

/** A word that may be dropped. */
interface FunctionWord {
  readonly text: string
  readonly layer: string
  readonly term: string
}

/** One text; what it asks is worked out when it is made. */
export class PlainClause {
  /** Null where the analyzer leaves nothing. */
  readonly query: Query | null
  /** What is asked for word by word; function words only where there is nothing else. */
  readonly words: QueryWord[] = []
  /** Whether there is nothing but function words of `scoring`. */
  onlyFunctionWords = false
  readonly #text: string
  readonly #fields: readonly AskedField[]
  readonly #occur: Occur
  readonly #make: FieldClauses
  readonly #plan: QueryPlan
  /** The text as typed, by which runs are told. */
  readonly #typed: LayerTokens
  /** The same without what the analyzer drops from queries. */
  readonly #asked: LayerTokens
  readonly #clauses: Query[] = []
  /** Each term once. */
  readonly #terms = new Map<string, AskedTerm>()
  readonly #functionWords: FunctionWord[] = []
  /** Function words of one character that a question word leaves of a run, such as 是 of PDF是什么. */
  readonly #remains: string[] = []
  /** Runs that say something. */
  #runs = 0
  /** Whether a run is asked by alternatives. */
  #loose = false

  constructor({ text, analyzer, fields, occur, make }: PlainClauseOptions) {
    this.#text = text
    this.#fields = fields
    this.#occur = occur
    this.#make = make
    this.#plan = analyzer.queryPlan ?? NO_PLAN
    this.#typed = analyzeLayers(analyzer, text, 'index')
    this.#asked = analyzeLayers(analyzer, text, 'query')
    const runs = splitRuns(this.#typed.tokens[0]!)
    this.query = make.scoring !== undefined && isIdentifier(text, runs) ? this.#identifier() : this.#allRuns(runs)
  }

  get #wordLayer(): string {
    return this.#typed.names[this.#plan.words!.layer]!
  }

  get #characterLayer(): string {
    return this.#typed.names[this.#plan.characterLayer!]!
  }

  #identifier(): Query {
    const query = this.#make.exact(this.#fields, this.#typed, this.#plan.characterLayer, mainWeight(this.#plan))
    this.words.push({ text: this.#text, query })
    return query
  }

  #allRuns(runs: readonly TokenRun[]): Query | null {
    const { words } = this.#plan
    const main = new TokenCursor(this.#asked.tokens[0]!)
    const wordTokens = new TokenCursor(words === undefined ? [] : this.#asked.tokens[words.layer]!)
    for (const run of runs) {
      this.#run(run, main.takeUntil(run.start, run.end), wordTokens.takeUntil(run.start, run.end))
    }
    if (this.#terms.size === 0 && this.#clauses.length === 0) this.#askWhatIsLeft()
    return this.#combine()
  }

  /**
   * @param kept its main-layer tokens as far as they are asked for
   * @param words those of the layer that ranks
   */
  #run(run: TokenRun, kept: readonly LayerToken[], words: readonly LayerToken[]): void {
    const first = run.tokens[0]!.term
    const single = run.tokens.length === 1
    const isOfCharacters = this.#isCharacter(this.#typed, firstCharacter(first))
    const isOneCharacter = single && this.#isCharacter(this.#typed, first)
    // In the index a character stands alone in the main layer only where its run is one character long.
    const tokens = isOneCharacter ? kept : kept.filter(({ term }) => !this.#isCharacter(this.#asked, term))
    if (tokens.length < kept.length) this.#askLoneCharacters(kept)
    if (tokens.length === 0) return
    this.#runs++
    const isIntact = tokens.length === run.tokens.length
    if (isOneCharacter) {
      this.#ask(this.#characterLayer, first, 1, 'word')
      this.#hold(run, this.#characterLayer, first)
    } else if (single && !isOfCharacters) this.#word(run, first, words)
    else if (isIntact && isShort(run, words, this.#plan)) {
      this.#clauses.push(this.#shortRun(tokens, words))
      this.#holdPhrase(run, tokens)
    } else this.#longRun(run, tokens, words, isIntact)
  }

  #isCharacter(layers: LayerTokens, term: string): boolean {
    const { characterLayer } = this.#plan
    return characterLayer !== undefined && layers.holds(characterLayer, term)
  }

  /** Characters whose neighbours are question words. */
  #askLoneCharacters(tokens: readonly LayerToken[]): void {
    for (const token of tokens) {
      if (!this.#isCharacter(this.#asked, token.term)) continue
      if (CHINESE_FUNCTION_WORDS.has(token.term)) this.#remains.push(token.term)
      else this.#askCharacter(token)
    }
  }

  #askCharacter(token: LayerToken): void {
    const { words } = this.#plan
    this.#ask(this.#characterLayer, token.term, CHARACTER_WEIGHT, 'part')
    if (words !== undefined) this.#ask(this.#wordLayer, token.term, words.weight, 'part')
    this.#hold(token, this.#characterLayer, token.term)
  }

  #word(run: TokenRun, first: string, words: readonly LayerToken[]): void {
    const [layer, term] = words.length === 1 ? [this.#wordLayer, words[0]!.term] : ['', first]
    if (this.#make.scoring?.functionWords?.has(first)) {
      this.#functionWords.push({ text: this.#text.slice(run.start, run.end), layer, term })
      return
    }
    if (words.length > 1) {
      const compound = (weight: number): Query =>
        compoundWord(run, words, (form, share) => {
          return this.#make.term(this.#fields, this.#wordLayer, form, weight * share)
        })
      this.#clauses.push(compound(mainWeight(this.#plan)))
      this.words.push({ text: this.#text.slice(run.start, run.end), query: compound(1) })
      return
    }
    this.#ask(layer, term, mainWeight(this.#plan), 'word')
    this.#hold(run, layer, term)
  }

  /** A run that must match as it stands; the words in it only rank. */
  #shortRun(tokens: readonly LayerToken[], wordTokens: readonly LayerToken[]): Query {
    const { mainWeight, words } = this.#plan
    const fields = this.#fields
    const make = this.#make
    const phrase = make.phrase(fields, tokens, mainWeight)
    const ranking: Query[] = []
    if (words !== undefined) {
      for (const term of new Set(wholeWords(wordTokens).map((token) => token.term))) {
        ranking.push(make.term(fields, this.#wordLayer, term, words.weight))
      }
    }
    let occur: Occur = 'must'
    const asOne = countAsOne(fields)
    if (make.scoring !== undefined && asOne && tokens.length > 1) {
      // The phrase decides, the pairs in it rank: as in a longer run, fields count as one.
      occur = 'filter'
      for (const term of new Set(tokens.map((token) => token.term))) {
        ranking.push(new UnmarkedQuery(make.term(fields, '', term, mainWeight)))
      }
    }
    if (ranking.length === 0) return phrase
    return new BooleanQuery([
      { query: phrase, occur },
      ...ranking.map((query) => ({ query, occur: 'should' as const })),
    ])
  }

  /** A run that is asked by its words and pairs. @param isIntact whether no question word was taken out of it */
  #longRun(run: TokenRun, tokens: readonly LayerToken[], words: readonly LayerToken[], isIntact: boolean): void {
    this.#loose = true
    const { mainWeight, words: plan, characterLayer } = this.#plan
    const whole = wholeWords(words)
    // What a question leaves, such as 是宏 of 什么是宏, is about single characters.
    const isRest = !isIntact && whole.length === 0 && characterLayer !== undefined
    const singles = isRest ? words.filter(({ term }) => !CHINESE_FUNCTION_WORDS.has(term)) : []
    for (const token of singles) this.#askCharacter(token)
    for (const word of whole) {
      const inWord = tokens.filter(({ start, end }) => start >= word.start && end <= word.end)
      if (inWord.length > 0 && !CHINESE_FUNCTION_WORDS.has(word.term)) this.#holdPhrase(word, inWord)
    }
    const saysSomething = whole.some(({ term }) => !CHINESE_FUNCTION_WORDS.has(term))
    if (whole.length === 0 && singles.length === 0) this.#holdPhrase(run, tokens)
    // Where the dictionary knows no word (蒙版), single characters would rank by pages about something else.
    for (const { term } of whole.length > 0 ? words : []) {
      // Of a site's search 在 and the like are no reason to find a page.
      const ranks = this.#make.scoring !== undefined && saysSomething && CHINESE_FUNCTION_WORDS.has(term)
      this.#ask(this.#wordLayer, term, plan!.weight, ranks ? 'rank' : 'part')
    }
    // Beside a character that is asked for, a pair with a function word is one by chance.
    const pairs = singles.length === 0 ? tokens : tokens.filter(({ term }) => !holdsFunctionWord(term))
    for (const token of pairs) this.#ask('', token.term, mainWeight, crossesWord(token, whole) ? 'hidden' : 'part')
  }

  #askWhatIsLeft(): void {
    for (const { text, layer, term } of this.#functionWords) {
      this.#ask(layer, term, mainWeight(this.#plan), 'word')
      this.words.push({ text, query: this.#make.term(this.#fields, layer, term, 1) })
    }
    this.onlyFunctionWords = this.#functionWords.length > 0
    for (const term of this.#remains) {
      this.#ask(this.#characterLayer, term, 1, 'word')
      this.words.push({ text: term, query: this.#make.term(this.#fields, this.#characterLayer, term, 1) })
    }
  }

  #ask(layer: string, term: string, weight: number, role: Role): void {
    const key = `${layer} ${term}`
    const known = this.#terms.get(key)
    if (known !== undefined) known.count++
    else this.#terms.set(key, { layer, term, weight, role, count: 1 })
  }

  #hold({ start, end }: { readonly start: number; readonly end: number }, layer: string, term: string): void {
    const query = this.#make.term(this.#fields, layer, term, 1)
    this.words.push({ text: this.#text.slice(start, end), query })
  }

  #holdPhrase({ start, end }: { readonly start: number; readonly end: number }, tokens: readonly LayerToken[]): void {
    const query = this.#make.phrase(this.#fields, tokens, 1)
    this.words.push({ text: this.#text.slice(start, end), query })
  }

  #combine(): Query | null {
    const clauses = this.#clauses
    const alternatives: Query[] = []
    const ranking: Query[] = []
    for (const { layer, term, weight, count, role } of this.#terms.values()) {
      // A word typed n times counts 1 + ln n times (relevance measurements of the project).
      const query = this.#make.term(this.#fields, layer, term, weight * (1 + Math.log(count)))
      if (role === 'word') clauses.push(query)
      else if (role === 'rank') ranking.push(query)
      else alternatives.push(role === 'hidden' ? new UnmarkedQuery(query) : query)
    }
    const query = this.#joined(clauses, alternatives)
    if (ranking.length === 0 || query === null) return query
    return new BooleanQuery([
      { query, occur: 'must' },
      ...ranking.map((query) => ({ query, occur: 'should' as const })),
    ])
  }

  #joined(clauses: Query[], alternatives: Query[]): Query | null {
    const occur = this.#occur
    const together = this.#remains.length === 0 ? this.#asked.tokens[0]! : []
    const isCompound = this.#make.scoring !== undefined && occur === 'should' && this.#runs > 1
    if ((this.#loose || isCompound) && together.length > 1 && together.length <= MAX_TOGETHER) {
      // The parts of a compound word (f-string) mostly stand together anyway.
      const weight = this.#loose ? TOGETHER_WEIGHT : 1
      alternatives.push(this.#make.phrase(this.#fields, together, this.#plan.mainWeight * weight))
    }
    if (occur === 'should' || clauses.length === 0) return this.#make.any([...clauses, ...alternatives])
    if (alternatives.length > 0) clauses.push(this.#make.any(alternatives)!)
    return clauses.length === 1 ? clauses[0]! : new BooleanQuery(clauses.map((query) => ({ query, occur })))
  }
}
