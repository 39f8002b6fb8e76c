/** A phrase or a near query apart from any index: its terms with numbers, and how they have to stand. */
import { ExactMatcher } from './exact-matcher.js'
import { NearMatcher } from './near-matcher.js'
import { type NearShape, presenceOf } from './near-shape.js'
import type { PositionMatcher } from './position-matcher.js'
import type { Presence } from './presence.js'
import { SloppyMatcher } from './sloppy-matcher.js'

/** Terms of one field that match by their positions. Terms are known by their index in `terms`. */
export interface PositionPattern {
  readonly field: string
  /** The query that it comes from: its printed form tells it from others. */
  readonly query: { toString(): string }
  /** The different terms. */
  readonly terms: readonly string[]
  /** The terms whose statistics are summed up for the score, each as often as it counts. */
  readonly scored: readonly number[]
  /** Which of them a document has to hold. */
  readonly presence: Presence
  /**
   * A matcher for one segment or text.
   * @param withRanges whether the stretches are wanted; otherwise only their number and distances are
   */
  createMatcher(withRanges: boolean): PositionMatcher
}

/** Numbers for the different ones of some terms. */
export class TermNumbers {
  readonly terms: string[] = []
  readonly #numbers = new Map<string, number>()

  of(term: string): number {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.terms.length
      this.terms.push(term)
      this.#numbers.set(term, number)
    }
    return number
  }
}

/**
 * A phrase of slots, each with one or several terms.
 * @param positions place of each slot, ascending
 */
export function phrasePattern(
  query: PositionPattern['query'],
  field: string,
  slots: readonly (readonly string[])[],
  positions: readonly number[],
  slop: number,
): PositionPattern {
  const numbers = new TermNumbers()
  const all = slots.map((terms) => terms.map((term) => numbers.of(term)))
  const numbered = all.map((terms) => (terms.length === 1 ? terms : [...new Set(terms)]))
  const offsets = Int32Array.from(positions, (position) => position - positions[0]!)
  return {
    field,
    query,
    terms: numbers.terms,
    scored: all.flat(),
    presence: { all: differentSlots(numbered) },
    createMatcher: (withRanges) =>
      slop === 0 ? new ExactMatcher(numbered, offsets) : new SloppyMatcher(numbered, offsets, slop, withRanges),
  }
}

/** What the slots ask for, each once. */
function differentSlots(slots: readonly (readonly number[])[]): Presence[] {
  const different = new Map<string, Presence>()
  for (const terms of slots) different.set(terms.join(), terms.length === 1 ? terms[0]! : { any: terms })
  return [...different.values()]
}

/**
 * Parts near each other.
 * @param terms the different terms, by the numbers of the shape
 */
export function nearPattern(
  query: PositionPattern['query'],
  field: string,
  terms: readonly string[],
  shape: NearShape,
): PositionPattern {
  return {
    field,
    query,
    terms,
    scored: terms.map((_, number) => number),
    presence: presenceOf(shape),
    createMatcher: () => new NearMatcher(shape),
  }
}
