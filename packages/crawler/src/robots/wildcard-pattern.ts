/**
 * Patterns with `*` (any run of characters, none included) and, at the end, `$` (here the text must end); everything else
 * stands for itself. Matching goes once through the text from left to right, whatever the pattern: each piece between two
 * wildcards is taken where it is found first, which is right because only the last piece can be bound to the end.
 */

/** Counts what matching costs, so that whoever matches many patterns can stop. */
export interface StepCount {
  steps: number
}

/** See the head of this file. */
export class WildcardPattern {
  readonly #pieces: readonly string[]
  readonly #bound: boolean

  /**
   * @param pieces what stands between the wildcards; the first one is where the text begins
   * @param bound true where the text must end with the last piece
   */
  constructor(pieces: readonly string[], bound: boolean) {
    this.#pieces = pieces
    this.#bound = bound
  }

  /** A pattern as written; `$` means the end only as its last character. */
  static parse(pattern: string): WildcardPattern {
    const bound = pattern.endsWith('$')
    return new WildcardPattern((bound ? pattern.slice(0, -1) : pattern).split(/\*+/), bound)
  }

  /** True where the pattern fits the text from its beginning, whole where it is bound. */
  matches(text: string, count?: StepCount): boolean {
    const pieces = this.#pieces
    const last = pieces.length - 1
    const first = pieces[0]!
    if (!text.startsWith(first)) return false
    if (last === 0) return !this.#bound || text.length === first.length
    let at = first.length
    for (let i = 1; i <= last; i++) {
      const piece = pieces[i]!
      if (i === last && this.#bound) return text.length - piece.length >= at && text.endsWith(piece)
      const found = text.indexOf(piece, at)
      if (count !== undefined) count.steps += PIECE_STEPS + (found < 0 ? text.length : found) - at
      if (found < 0) return false
      at = found + piece.length
    }
    return true
  }
}

/** What beginning a search costs beside the characters looked at. */
const PIECE_STEPS = 8
