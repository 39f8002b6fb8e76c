/** What is wrong with a query, and where: an error, or a note where mistakes are passed over. */
import { type ErrorCode, SpindleError } from '@spindle/core'
import type { SyntaxRange } from './syntax-tree.js'

/** Codes of what can be wrong with a query. */
export type QueryErrorCode = Extract<
  ErrorCode,
  'QUERY_SYNTAX' | 'QUERY_TOO_LONG' | 'QUERY_TOO_COMPLEX' | 'REGEX_TOO_COMPLEX'
>

/**
 * Thrown by a strict parser.
 * @example
 * ```ts
 * import { QueryParseError, QueryParser, StandardAnalyzer } from '@spindle/index'
 *
 * try {
 *   QueryParser.parse('silk AND (road', 'body', new StandardAnalyzer())
 * } catch (error) {
 *   if (!(error instanceof QueryParseError)) throw error
 *   console.log(error.code, error.start, error.end) // QUERY_SYNTAX 9 10
 *   console.log(error.message) // A parenthesis that is never closed (at character 10 of the query).
 * }
 * ```
 */
export class QueryParseError extends SpindleError {
  declare readonly code: QueryErrorCode
  /** UTF-16 range of the mistake in the text of the query. */
  readonly start: number
  readonly end: number

  constructor(code: QueryErrorCode, message: string, { start, end }: SyntaxRange, options?: ErrorOptions) {
    super(
      code,
      `${message.charAt(0).toUpperCase()}${message.slice(1)} (at character ${start + 1} of the query).`,
      options,
    )
    this.name = 'QueryParseError'
    this.start = start
    this.end = end
  }
}

/** A part of a query that a lenient parser passed over. */
export interface IgnoredPart extends SyntaxRange {
  /** `QUERY_SYNTAX`, or the limit that it went beyond. */
  readonly code: QueryErrorCode
  /** That range of the text, at most 40 characters of it. */
  readonly text: string
  /** What was wrong. */
  readonly message: string
}

/** Ignored parts beyond this number are not told. */
const MAX_IGNORED = 20
/** Characters of an ignored part that are told. */
const MAX_SHOWN = 40

/** Collects the problems of one query. */
export class ParseProblems {
  readonly #text: string
  readonly #lenient: boolean
  readonly ignored: IgnoredPart[] = []

  /** @param lenient problems are noted instead of thrown */
  constructor(text: string, lenient: boolean) {
    this.#text = text
    this.#lenient = lenient
  }

  /** @throws QueryParseError unless lenient */
  add(code: QueryErrorCode, { start, end }: SyntaxRange, message: string, cause?: unknown): void {
    if (!this.#lenient) throw new QueryParseError(code, message, { start, end }, { cause })
    if (this.ignored.length >= MAX_IGNORED) return
    const text = this.#text.slice(start, Math.min(end, start + MAX_SHOWN))
    this.ignored.push({ code, start, end, text, message })
  }

  /** Tells that a limit was passed, once a limit. @throws QueryParseError unless lenient */
  limit(place: SyntaxRange, message: string): void {
    if (this.ignored.some((part) => part.message === message)) return
    this.add('QUERY_TOO_COMPLEX', place, message)
  }
}
