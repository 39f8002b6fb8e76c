/** The user's own patterns: only addresses that one of the `include` patterns fits, and none that an `exclude` pattern fits. */
import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'
import { parseUrlPattern, type UrlPattern } from './url-pattern.js'

/** See the head of this file. */
export class PatternRule implements ScopeRule {
  readonly #include: readonly UrlPattern[]
  readonly #exclude: readonly UrlPattern[]

  /**
   * @param include no pattern: every address is included
   * @throws Error of the first pattern that is none
   */
  constructor(include: readonly string[], exclude: readonly string[]) {
    this.#include = include.map(parseUrlPattern)
    this.#exclude = exclude.map(parseUrlPattern)
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    if (this.#exclude.some((pattern) => pattern.matches(url))) return 'excluded'
    if (this.#include.length > 0 && !this.#include.some((pattern) => pattern.matches(url))) return 'not-included'
    return undefined
  }
}
