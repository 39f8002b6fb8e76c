/** Patterns with wildcards as automata. */
import { ByteNfaBuilder, codePoints } from './byte-nfa.js'
import { TermAutomaton } from './term-automaton.js'

/** Terms that begin with a text. @throws SpindleError REGEX_TOO_COMPLEX for one of more than some 10,000 bytes */
export function prefixAutomaton(prefix: string): TermAutomaton {
  const nfa = new ByteNfaBuilder(`${prefix}*`)
  const start = nfa.state()
  const end = nfa.state()
  nfa.text(start, prefix, end)
  nfa.anyText(end)
  return new TermAutomaton(nfa.build(start, end))
}

/**
 * Terms that a pattern describes: `*` is any text, `?` any one character, and what follows a backslash is itself; a
 * backslash at the end stands for itself.
 * @throws SpindleError REGEX_TOO_COMPLEX for a pattern of more than some 10,000 bytes
 */
export function wildcardAutomaton(pattern: string): TermAutomaton {
  const nfa = new ByteNfaBuilder(pattern)
  const points = codePoints(pattern)
  const start = nfa.state()
  let at = start
  for (let i = 0; i < points.length; i++) {
    let point = points[i]
    const escaped = point === BACKSLASH && i + 1 < points.length
    if (escaped) point = points[++i]
    const next = nfa.state()
    if (!escaped && point === STAR) {
      nfa.empty(at, next)
      nfa.anyText(next)
    } else if (!escaped && point === QUESTION_MARK) {
      nfa.anyPoint(at, next)
    } else {
      nfa.points(at, point, point, next)
    }
    at = next
  }
  return new TermAutomaton(nfa.build(start, at))
}

const STAR = 0x2a
const QUESTION_MARK = 0x3f
const BACKSLASH = 0x5c
