/** Transitions of an automaton by one character of a set. */
import type { ByteNfaBuilder } from '../search/automaton/byte-nfa.js'

/**
 * Adds transitions from one state to another by each of the characters. Characters that begin with the same bytes share
 * states, so that a set of thousands needs a few hundred.
 * @param points of three bytes in UTF-8, as the unified ideographs are, ascending
 */
export function addCharacterClass(nfa: ByteNfaBuilder, from: number, points: readonly number[], to: number): void {
  let lead = -1
  let second = -1
  let behindLead = from
  let behindSecond = from
  for (let i = 0; i < points.length; i++) {
    const point = points[i]!
    if (point >> 12 !== lead) {
      lead = point >> 12
      second = -1
      behindLead = nfa.state()
      nfa.bytes(from, 0xe0 | lead, 0xe0 | lead, behindLead)
    }
    if (point >> 6 !== second) {
      second = point >> 6
      behindSecond = nfa.state()
      const byte = 0x80 | (second & 0x3f)
      nfa.bytes(behindLead, byte, byte, behindSecond)
    }
    const first = 0x80 | (point & 0x3f)
    let last = first
    while (i + 1 < points.length && points[i + 1] === points[i]! + 1 && points[i + 1]! >> 6 === second) {
      i++
      last++
    }
    nfa.bytes(behindSecond, first, last, to)
  }
}
