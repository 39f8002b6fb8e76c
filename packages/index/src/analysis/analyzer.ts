/**
 * The interface of every analyzer: text in, tokens out, pushed into a sink (no iterator and no token object a word,
 * because indexing makes millions of them a second).
 * One text field may be indexed in several layers, each with its own postings and length norms.
 */
import type { PostingsOptions } from '../document/field-info.js'

/**
 * One token stream of an analyzer. The layer named `''` is the field itself; a layer named `word` of the field `body`
 * becomes the hidden field `body#word`.
 */
export interface AnalyzerLayer {
  /** `''` for the main layer, which is always the first. */
  readonly name: string
  /** What the layer's postings hold. */
  readonly options: PostingsOptions
  /** Whether a length norm is kept for each document. */
  readonly norms: boolean
}

/** Receives the tokens of a text. */
export interface TokenSink {
  /**
   * @param term the indexed form of the word: at least 1 UTF-16 unit, at most {@link MAX_TERM_LENGTH} of them from the
   *   analyzers of text and 32,766 bytes of UTF-8 from any
   * @param startOffset first UTF-16 unit of the word in the original text
   * @param endOffset one past its last UTF-16 unit
   * @param positionIncrement distance (≥ 0) to the position of the token before it in the same layer
   * @param layer index into `analyzer.layers`
   */
  token(term: string, startOffset: number, endOffset: number, positionIncrement: number, layer: number): void
}

/** Settings of an analyzer as they are written into the index: plain JSON. */
export type AnalyzerSettings = { readonly [key: string]: AnalyzerSetting }

/** A JSON value. */
export type AnalyzerSetting =
  | string
  | number
  | boolean
  | null
  | readonly AnalyzerSetting[]
  | { readonly [key: string]: AnalyzerSetting }

/**
 * How the query parser turns a piece of text without operators into a query over the layers. A *run* is a stretch of
 * main-layer tokens that overlap in the text (bigrams), or one token that overlaps no other.
 */
export interface QueryPlan {
  /** A run of at most this many characters must match as a phrase of its main-layer tokens; a longer one ranks by OR. */
  readonly phraseRun: number
  /** Weight of the scores of the main layer. */
  readonly mainWeight: number
  /** The layer that ranks by words, and the weight of its scores. */
  readonly words?: { readonly layer: number; readonly weight: number }
  /** Index of the layer that holds every single character of the runs: it answers a run of one character. */
  readonly characterLayer?: number
}

/** What a text is analyzed for: question words are dropped from queries only. */
export type AnalysisMode = 'index' | 'query'

/** Turns text into tokens. The rules of a language live behind this interface and can be replaced. */
export interface Analyzer {
  /** Name in the registry, for example `chinese`; written into the index. */
  readonly name: string
  /** Everything besides the name that is needed to make the same analyzer again. */
  readonly settings: AnalyzerSettings
  /** Changes whenever the tokens of some text could change; written into the index and compared at opening. */
  readonly fingerprint: string
  /** The token streams made, at least one; the first is the main layer. */
  readonly layers: readonly AnalyzerLayer[]
  /** How queries use the layers; where absent, only the main layer is asked and the tokens of a text are alternatives. */
  readonly queryPlan?: QueryPlan
  /**
   * Feeds the tokens of `text` into `sink`. Within a layer the start offsets never go back; layers may interleave.
   * Total (no string makes it throw), time linear in the length of the text. Not re-entrant: the sink must not call
   * `analyze` of the same analyzer.
   * @param mode `index` where not given
   */
  analyze(text: string, sink: TokenSink, mode?: AnalysisMode): void
  /**
   * Folds the characters of a text as those of the terms of the main layer are folded (case, width, script), without
   * cutting it into words or leaving any out: for wildcards and ranges, which are compared with whole terms. Where absent,
   * a text that is one word becomes its term and any other stays as it is.
   */
  normalize?(text: string): string
}

/** Longest term of an analyzer of text, in UTF-16 units (Lucene's default too); at most 765 bytes of UTF-8. */
export const MAX_TERM_LENGTH = 255
