/** The tokens of a short text, by layer and in runs: what is made of queries, and of synonyms. */
import type { AnalysisMode, Analyzer } from './analyzer.js'

/** A token of one layer. */
export interface LayerToken {
  readonly term: string
  /** UTF-16 range in the text. */
  readonly start: number
  readonly end: number
  /** Absolute position in its layer, from 0. */
  readonly position: number
}

/** All tokens of a text. */
export interface LayerTokens {
  /** Names of the layers; the first is ''. */
  readonly names: readonly string[]
  readonly tokens: readonly (readonly LayerToken[])[]
  /** Whether a layer has a term. */
  holds(layer: number, term: string): boolean
}

/** Analyzes a text into all layers at once. */
export function analyzeLayers(analyzer: Analyzer, text: string, mode: AnalysisMode): LayerTokens {
  const tokens: LayerToken[][] = analyzer.layers.map(() => [])
  const positions = analyzer.layers.map(() => -1)
  const terms = analyzer.layers.map(() => new Set<string>())
  const sink = {
    token(term: string, start: number, end: number, positionIncrement: number, layer: number): void {
      positions[layer]! += positionIncrement
      tokens[layer]!.push({ term, start, end, position: Math.max(0, positions[layer]!) })
      terms[layer]!.add(term)
    },
  }
  analyzer.analyze(text, sink, mode)
  return {
    names: analyzer.layers.map((layer) => layer.name),
    tokens,
    holds: (layer, term) => terms[layer]!.has(term),
  }
}

/** Tokens of which each overlaps the one before it in the text. */
export interface TokenRun {
  readonly tokens: readonly LayerToken[]
  readonly start: number
  readonly end: number
}

/** Cuts tokens into runs. */
export function splitRuns(tokens: readonly LayerToken[]): TokenRun[] {
  const runs: TokenRun[] = []
  let from = 0
  for (let i = 1; i <= tokens.length; i++) {
    if (i < tokens.length && tokens[i]!.start < tokens[i - 1]!.end) continue
    const run = tokens.slice(from, i)
    runs.push({ tokens: run, start: run[0]!.start, end: run[run.length - 1]!.end })
    from = i
  }
  return tokens.length === 0 ? [] : runs
}

/** Hands out tokens in the order of the text. */
export class TokenCursor {
  readonly #tokens: readonly LayerToken[]
  #at = 0

  constructor(tokens: readonly LayerToken[]) {
    this.#tokens = tokens
  }

  /** The tokens that begin in `[start, end)`; those before are passed over. */
  takeUntil(start: number, end: number): LayerToken[] {
    const taken: LayerToken[] = []
    for (; this.#at < this.#tokens.length && this.#tokens[this.#at]!.start < end; this.#at++) {
      if (this.#tokens[this.#at]!.start >= start) taken.push(this.#tokens[this.#at]!)
    }
    return taken
  }
}
