/**
 * The scope of a crawl: rules asked in order, the first objection decides.
 * A list of rule objects, so that further kinds of rule (domain, prefix, pattern, address range) are further classes.
 */

import { DepthRule, HostRule, LengthRule, PathRule, SchemeRule, SuffixRule } from './basic-rules.js'
import type { ScopeCandidate, ScopeReason, ScopeRule, ScopeVerdict } from './scope-rule.js'

/** Settings of the usual scope. */
export interface ScopeOptions {
  /** start addresses: their hosts (name and port) are the scope */
  readonly seeds: Iterable<string>
  /** false lets every host in; default true */
  readonly sameHost?: boolean
  /** most link steps from a seed; default no limit */
  readonly maxDepth?: number
  /** file name endings left out, without dot, lower case; default {@link BINARY_SUFFIXES} */
  readonly excludeSuffixes?: Iterable<string>
  /** most characters of an address; default 2,048 */
  readonly maxUrlLength?: number
}

const IN_SCOPE: ScopeVerdict = Object.freeze({ inScope: true })

/** An ordered list of {@link ScopeRule}s. */
export class ScopeRules {
  readonly #rules: readonly ScopeRule[]
  readonly #verdicts = new Map<ScopeReason, ScopeVerdict>()

  constructor(rules: readonly ScopeRule[]) {
    this.#rules = [...rules]
  }

  /** The usual scope: http and https, the seeds' hosts, no obvious binaries, bounded depth and length, no endless paths. */
  static fromOptions(options: ScopeOptions): ScopeRules {
    const rules: ScopeRule[] = [new SchemeRule(), new LengthRule(options.maxUrlLength), new PathRule()]
    if (options.sameHost !== false) rules.push(new HostRule(options.seeds))
    if (options.maxDepth !== undefined) rules.push(new DepthRule(options.maxDepth))
    rules.push(new SuffixRule(options.excludeSuffixes))
    return new ScopeRules(rules)
  }

  check(candidate: ScopeCandidate): ScopeVerdict {
    for (const rule of this.#rules) {
      const reason = rule.check(candidate)
      if (reason !== undefined) return this.#outOfScope(reason)
    }
    return IN_SCOPE
  }

  #outOfScope(reason: ScopeReason): ScopeVerdict {
    let verdict = this.#verdicts.get(reason)
    if (verdict === undefined) {
      verdict = Object.freeze({ inScope: false, reason })
      this.#verdicts.set(reason, verdict)
    }
    return verdict
  }
}
