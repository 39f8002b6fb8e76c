/**
 * Terms near a text: those that at most `maxEdits` edits make of it, where an edit inserts, removes or replaces one
 * character, or swaps two neighbours that are not edited otherwise (the optimal string alignment distance of Damerau
 * and Levenshtein). The automaton is the usual one with a state for each place in the text and number of edits; its
 * size is linear in the text.
 */
import { ByteNfaBuilder } from './byte-nfa.js'
import { TermAutomaton } from './term-automaton.js'

/**
 * @param points code points of the text
 * @param prefixLength so many characters at the beginning are not edited
 * @param transpositions whether a swap is one edit, and not two
 */
export function levenshteinAutomaton(
  points: readonly number[],
  maxEdits: number,
  prefixLength: number,
  transpositions: boolean,
): TermAutomaton {
  const nfa = new ByteNfaBuilder()
  const length = points.length
  const first = Math.min(prefixLength, length)
  const start = nfa.state()
  let at = start
  for (let i = 0; i < first; i++) {
    const next = nfa.state()
    nfa.points(at, points[i], points[i], next)
    at = next
  }
  const end = nfa.state()
  // states[e][i - first]: i characters of the text are matched with e edits.
  const states: number[][] = []
  for (let edits = 0; edits <= maxEdits; edits++) {
    states.push(Array.from({ length: length - first + 1 }, () => nfa.state()))
    nfa.empty(states[edits][length - first], end)
  }
  nfa.empty(at, states[0][0])
  for (let edits = 0; edits <= maxEdits; edits++) {
    for (let i = first; i <= length; i++) {
      const state = states[edits][i - first]
      if (i < length) nfa.points(state, points[i], points[i], states[edits][i + 1 - first])
      if (edits === maxEdits) continue
      const edited = states[edits + 1]
      nfa.anyPoint(state, edited[i - first])
      if (i === length) continue
      nfa.anyPoint(state, edited[i + 1 - first])
      nfa.empty(state, edited[i + 1 - first])
      if (transpositions && i + 1 < length && points[i] !== points[i + 1]) {
        const swapped = nfa.state()
        nfa.points(state, points[i + 1], points[i + 1], swapped)
        nfa.points(swapped, points[i], points[i], edited[i + 2 - first])
      }
    }
  }
  return new TermAutomaton(nfa.build(start, end))
}
