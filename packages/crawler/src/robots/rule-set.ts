/**
 * The rules of one robots.txt for one user agent: of those that match a path the longest decides, and of equally long ones
 * the one that allows (RFC 9309 §2.2.2).
 *
 * A check must stay cheap whatever the file: rules without wildcards are a sorted list, in which the range of those that the
 * path begins with narrows character by character (path length × log of the rules); rules with wildcards are tried from the
 * longest down, and only those longer than what the sorted list found.
 */
import { type StepCount, WildcardPattern } from './wildcard-pattern.js'

/** One line of the file; the pattern is in the normal form of `normalizeRobotsPath`. */
export interface RobotsRule {
  readonly allow: boolean
  readonly pattern: string
}

/**
 * Steps that the wildcards of a file may cost in one check, about 10 ms. No honest file comes near: 5,000 rules with a
 * wildcard take 500,000 for an address of 100 characters.
 */
const MAX_STEPS = 2_000_000

interface WildcardRule {
  readonly allow: boolean
  readonly length: number
  readonly pattern: WildcardPattern
}

/** See the head of this file. */
export class RuleSet {
  readonly #literals: readonly string[]
  readonly #literalAllows: readonly boolean[]
  readonly #wildcards: readonly WildcardRule[]

  constructor(rules: Iterable<RobotsRule>) {
    const literals = new Map<string, boolean>()
    const wildcards = new Map<string, boolean>()
    for (const { allow, pattern } of rules) {
      if (pattern === '') continue
      const into = pattern.includes('*') || pattern.endsWith('$') ? wildcards : literals
      into.set(pattern, allow || into.get(pattern) === true)
    }
    this.#literals = [...literals.keys()].sort()
    this.#literalAllows = this.#literals.map((pattern) => literals.get(pattern)!)
    this.#wildcards = [...wildcards]
      .map(([pattern, allow]) => ({ allow, length: pattern.length, pattern: WildcardPattern.parse(pattern) }))
      .sort((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow))
  }

  /** @param path path and query in normal form; where the file costs too much to decide, nothing is allowed */
  isAllowed(path: string): boolean {
    const literal = this.#longestLiteral(path)
    const length = literal < 0 ? -1 : this.#literals[literal]!.length
    const allow = literal < 0 || this.#literalAllows[literal]!
    const count: StepCount = { steps: 0 }
    for (const rule of this.#wildcards) {
      if (rule.length < length || (rule.length === length && (allow || !rule.allow))) break
      if (rule.pattern.matches(path, count)) return rule.allow
      if (count.steps > MAX_STEPS) return false
    }
    return allow
  }

  /** The number of the longest rule without wildcards that the path begins with; -1 where there is none. */
  #longestLiteral(path: string): number {
    const literals = this.#literals
    let low = 0
    let high = literals.length
    let best = -1
    for (let depth = 0; low < high; depth++) {
      // all from low to high begin with the first `depth` characters of the path; one that ends there sorts first
      if (literals[low]!.length === depth) best = low++
      if (depth === path.length) break
      const code = path.charCodeAt(depth)
      low = this.#firstFrom(low, high, depth, code)
      high = this.#firstFrom(low, high, depth, code + 1)
    }
    return best
  }

  /** The first rule of a range whose character at `depth` is `code` or a greater one. */
  #firstFrom(low: number, high: number, depth: number, code: number): number {
    let from = low
    let to = high
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#literals[middle]!.charCodeAt(depth) < code) from = middle + 1
      else to = middle
    }
    return from
  }
}
