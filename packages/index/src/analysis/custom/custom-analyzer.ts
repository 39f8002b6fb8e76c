/**
 * An analyzer put together from parts: character filters, a tokenizer and token filters, each by its name and settings, so
 * that an index can record it and make it again. Parts of a program's own are registered beside those of the library.
 */
import {
  type AnalysisMode,
  type Analyzer,
  type AnalyzerLayer,
  type AnalyzerSettings,
  MAX_TERM_LENGTH,
  type QueryPlan,
  type TokenSink,
} from '../analyzer.js'
import { STEMMER_VERSION } from '../english/word-stemmer.js'
import { fingerprint } from '../fingerprint.js'
import type { CharacterFilter, MappedText, PartSpec, TokenFilter, Tokenizer, TokenTarget } from './chain-parts.js'
import { characterFilters } from './character-filters.js'
import { tokenFilters } from './token-filters.js'
import { tokenizers } from './tokenizers.js'

/** Raised whenever the tokens of some text change. */
const VERSION = 1

const MAIN: AnalyzerLayer = { name: '', options: 'positions', norms: true }
const WORD: AnalyzerLayer = { name: 'word', options: 'freqs', norms: true }
const QUERY_PLAN: QueryPlan = { phraseRun: 0, mainWeight: 0.7, words: { layer: 1, weight: 1 } }

/** What a {@link CustomAnalyzer} is put together from. */
export interface CustomAnalyzerSettings {
  /** Changes of characters before the text is cut; see `characterFilters`. */
  readonly characters?: readonly PartSpec[]
  /** What cuts the text, `standard` where not given; see `tokenizers`. */
  readonly tokenizer?: PartSpec
  /** What becomes of the words, in this order; see `tokenFilters`. */
  readonly filters?: readonly PartSpec[]
  /**
   * What becomes of them in a second layer, which ranks while the main one answers phrases and patterns: stems and stop words
   * belong here. Without it there is the main layer alone.
   */
  readonly wordFilters?: readonly PartSpec[]
}

/**
 * A tokenizer and its filters.
 * @example
 * ```ts
 * import { CustomAnalyzer, tokenize } from '@spindle/index'
 *
 * const analyzer = new CustomAnalyzer({
 *   characters: [{ name: 'mapping', mappings: { '&': ' and ' } }],
 *   filters: ['fold'],
 *   wordFilters: ['fold', 'stop', { name: 'stem', stemmer: 'english' }],
 * })
 * console.log(tokenize(analyzer, 'Salt & the Peppers', 0).map(({ term }) => term)) // [ 'salt', 'and', 'the', 'peppers' ]
 * console.log(tokenize(analyzer, 'Salt & the Peppers', 1).map(({ term }) => term)) // [ 'salt', 'pepper' ]
 * ```
 */
export class CustomAnalyzer implements Analyzer {
  readonly name = 'custom'
  readonly settings: AnalyzerSettings
  readonly fingerprint: string
  readonly layers: readonly AnalyzerLayer[]
  readonly queryPlan?: QueryPlan
  readonly #characters: readonly CharacterFilter[]
  readonly #tokenizer: Tokenizer
  readonly #chains: readonly Chain[]

  /** @throws SpindleError `ANALYZER_UNKNOWN` for a part that nobody has registered; RangeError for a wrong stemmer */
  constructor({ characters = [], tokenizer = 'standard', filters = [], wordFilters }: CustomAnalyzerSettings) {
    this.settings = { characters, tokenizer, filters, ...(wordFilters === undefined ? {} : { wordFilters }) }
    this.fingerprint = fingerprint(this.name, this.settings, VERSION, [STEMMER_VERSION])
    this.#characters = characters.map((spec) => characterFilters.make(spec))
    this.#tokenizer = tokenizers.make(tokenizer)
    const chains = [filters, ...(wordFilters === undefined ? [] : [wordFilters])]
    this.#chains = chains.map((specs, layer) => new Chain(specs, layer))
    this.layers = chains.length === 1 ? [MAIN] : [MAIN, WORD]
    if (chains.length > 1) this.queryPlan = QUERY_PLAN
  }

  analyze(text: string, sink: TokenSink, _mode?: AnalysisMode): void {
    const mapped = mapText(text, this.#characters)
    const [first, second] = this.#chains
    for (const chain of this.#chains) chain.begin(sink, mapped.origins)
    this.#tokenizer.tokenize(
      mapped.text,
      second === undefined
        ? first!.head
        : {
            token(term, start, end, positionIncrement) {
              first!.head.token(term, start, end, positionIncrement)
              second.head.token(term, start, end, positionIncrement)
            },
          },
    )
    for (const chain of this.#chains) chain.finish()
  }

  normalize(text: string): string {
    return this.#chains[0]!.normalize(mapText(text, this.#characters).text)
  }
}

/** What an index recorded of {@link CustomAnalyzer.settings}; what is none of it is left out. */
export function customSettings(settings: AnalyzerSettings): CustomAnalyzerSettings {
  const lists = (['characters', 'filters', 'wordFilters'] as const).flatMap((key) => {
    const value = settings[key]
    return Array.isArray(value) ? [[key, value.filter(isPart)] as const] : []
  })
  const { tokenizer } = settings
  return { ...Object.fromEntries(lists), ...(isPart(tokenizer) ? { tokenizer } : {}) }
}

function isPart(value: unknown): value is PartSpec {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && 'name' in value)
}

/** The filters of one layer, and what is behind them. */
class Chain {
  /** Takes the tokens of the tokenizer. */
  readonly head: TokenTarget
  readonly #filters: readonly TokenFilter[]
  /** What each filter hands its tokens to. */
  readonly #targets: TokenTarget[]
  readonly #end: ChainEnd

  constructor(specs: readonly PartSpec[], layer: number) {
    this.#filters = specs.map((spec) => tokenFilters.make(spec))
    this.#end = new ChainEnd(layer)
    this.#targets = [this.#end]
    for (const filter of [...this.#filters].reverse()) {
      const next = this.#targets[0]!
      this.#targets.unshift({
        token: (term, start, end, increment) => filter.token(term, start, end, increment, next),
      })
    }
    this.head = this.#targets.shift()!
  }

  begin(sink: TokenSink, origins: Int32Array | null): void {
    this.#end.begin(sink, origins)
    for (const filter of this.#filters) filter.begin?.()
  }

  finish(): void {
    for (let i = 0; i < this.#filters.length; i++) this.#filters[i]!.finish?.(this.#targets[i]!)
    this.#end.finish()
  }

  normalize(text: string): string {
    let normalized = text
    for (const filter of this.#filters) {
      if (filter.normalizes !== true) continue
      const terms: string[] = []
      filter.token(normalized, 0, normalized.length, 1, { token: (term) => terms.push(term) })
      normalized = terms[0] ?? ''
    }
    return normalized
  }
}

const NOWHERE: TokenSink = { token: () => {} }

/** Puts the tokens of a chain into the index, with their places in the original text and as the index wants them. */
class ChainEnd implements TokenTarget {
  readonly #layer: number
  #sink = NOWHERE
  #origins: Int32Array | null = null
  #lastStart = 0
  #gap = 0

  constructor(layer: number) {
    this.#layer = layer
  }

  begin(sink: TokenSink, origins: Int32Array | null): void {
    this.#sink = sink
    this.#origins = origins
    this.#lastStart = 0
    this.#gap = 0
  }

  finish(): void {
    this.begin(NOWHERE, null)
  }

  token(term: string, start: number, end: number, positionIncrement: number): void {
    if (term === '') {
      this.#gap += positionIncrement
      return
    }
    const origins = this.#origins
    const from = Math.max(this.#lastStart, origins === null ? start : origins[start]!)
    // What was put in for a character ends where the next one of the original begins.
    const to = origins === null ? end : endIn(origins, end)
    this.#sink.token(cut(term), from, Math.max(to, from + 1), positionIncrement + this.#gap, this.#layer)
    this.#lastStart = from
    this.#gap = 0
  }
}

/** Where the original of the units before `end` ends. */
function endIn(origins: Int32Array, end: number): number {
  const last = origins[end - 1]!
  for (let i = end; i < origins.length; i++) if (origins[i]! > last) return origins[i]!
  return origins.at(-1)!
}

function cut(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term
  const last = term.charCodeAt(MAX_TERM_LENGTH - 1)
  return term.slice(0, (last & 0xfc00) === 0xd800 ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH)
}

/** A text behind all its character filters. */
function mapText(text: string, filters: readonly CharacterFilter[]): MappedText {
  let mapped: MappedText = { text, origins: null }
  for (const filter of filters) {
    const { text: changed, origins } = filter.filter(mapped.text)
    const before = mapped.origins
    mapped = {
      text: changed,
      origins: origins === null || before === null ? (origins ?? before) : origins.map((at) => before[at]!),
    }
  }
  return mapped
}
