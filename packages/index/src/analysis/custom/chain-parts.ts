/**
 * The parts that a CustomAnalyzer is put together from, and their names. Tokens are pushed from the tokenizer through the
 * filters, one behind the other, without an object for each:
 *
 * ```
 * text → character filters → tokenizer → filter → filter → index
 * ```
 */
import { SpindleError } from '@spindle/core'
import type { AnalyzerSetting } from '../analyzer.js'

/** Whatever takes tokens: the next filter, or the index. */
export interface TokenTarget {
  /**
   * @param term the word
   * @param start first UTF-16 unit of it in the text that the tokenizer was given
   * @param end one past its last unit
   * @param positionIncrement distance (≥ 0) to the position of the token before it
   */
  token(term: string, start: number, end: number, positionIncrement: number): void
}

/** A text whose characters were changed, and where each of them comes from. */
export interface MappedText {
  readonly text: string
  /** For each unit of `text`, and one past its last, the unit of the original that it comes from; null where it is the same. */
  readonly origins: Int32Array | null
}

/** Changes the characters of a text before it is cut into words. */
export interface CharacterFilter {
  filter(text: string): MappedText
}

/** Cuts a text into words; the starts of its tokens never go back, and its time is linear in the text. */
export interface Tokenizer {
  tokenize(text: string, target: TokenTarget): void
}

/** Changes, drops or adds tokens. One that drops a token adds the token's increment to the next one's. */
export interface TokenFilter {
  /** Whether it only changes the characters of terms: it is applied to prefixes, wildcards and ranges too. */
  readonly normalizes?: boolean
  /** A text begins. */
  begin?(): void
  /** @param next takes none, one or several tokens in the place of this one */
  token(term: string, start: number, end: number, positionIncrement: number, next: TokenTarget): void
  /** The text has ended. */
  finish?(next: TokenTarget): void
}

/** A part by its name alone, or with settings beside it: `'lowercase'`, `{ name: 'stop', words: ['the'] }`. */
export type PartSpec = string | ({ readonly name: string } & { readonly [key: string]: AnalyzerSetting })

/** Settings of a part. */
export type PartSettings = { readonly [key: string]: AnalyzerSetting | undefined }

/** Makes a part of its settings. */
export type PartFactory<T> = (settings: PartSettings) => T

/**
 * Parts of one kind by name.
 * @example
 * ```ts
 * import { CustomAnalyzer, tokenFilters, tokenize } from '@spindle/index'
 *
 * tokenFilters.register('backwards', () => ({
 *   token(term, start, end, positionIncrement, next) {
 *     next.token([...term].reverse().join(''), start, end, positionIncrement)
 *   },
 * }))
 * const analyzer = new CustomAnalyzer({ filters: ['lowercase', 'backwards'] })
 * console.log(tokenize(analyzer, 'Silk Road').map(({ term }) => term)) // [ 'klis', 'daor' ]
 * ```
 */
export class PartRegistry<T> {
  readonly #kind: string
  readonly #factories: Map<string, PartFactory<T>>

  /** @param kind what they are, for messages */
  constructor(kind: string, factories: Readonly<Record<string, PartFactory<T>>>) {
    this.#kind = kind
    this.#factories = new Map(Object.entries(factories))
  }

  register(name: string, factory: PartFactory<T>): void {
    this.#factories.set(name, factory)
  }

  /** @throws SpindleError `ANALYZER_UNKNOWN` for a name that nobody has registered */
  make(spec: PartSpec): T {
    const settings: PartSettings & { readonly name: string } = typeof spec === 'string' ? { name: spec } : spec
    const factory = this.#factories.get(settings.name)
    if (factory !== undefined) return factory(settings)
    const known = [...this.#factories.keys()].sort().join(', ')
    throw new SpindleError(
      'ANALYZER_UNKNOWN',
      `There is no ${this.#kind} "${settings.name}" (known: ${known}): register it before the analyzer is made.`,
    )
  }
}

/** A whole number among the settings of a part, no smaller than `least`. */
export function numberOf(settings: PartSettings, key: string, fallback: number, least: number): number {
  const value = settings[key]
  return typeof value === 'number' && value >= least ? Math.trunc(value) : Math.max(fallback, least)
}

/** A list of texts among the settings of a part. */
export function textsOf(settings: PartSettings, key: string): string[] {
  const value = settings[key]
  return Array.isArray(value) ? value.map(String) : []
}
