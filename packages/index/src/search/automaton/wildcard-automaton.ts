/** Patterns with wildcards as automata. */
import { ByteNfaBuilder, codePoints } from './byte-nfa.js'
import { TermAutomaton } from './term-automaton.js'

/** Terms that begin with a text. */
export function prefixAutomaton(prefix: string): TermAutomaton {
  const nfa = new ByteNfaBuilder()
  const start = nfa.state()
  const end = nfa.state()
  nfa.text(start, prefix, end)
  nfa.anyText(end)
  return new TermAutomaton(nfa.build(start, end))
}

/**
 * Terms that a pattern describes: `*` is any text, `?` any one character, and what follows a backslash is itself; a
 * backslash at the end stands for itself.
 */
export function wildcardAutomaton(pattern: string): TermAutomaton {
  const nfa = new ByteNfaBuilder()
  const points = codePoints(pattern)
  const start = nfa.state()
  let at = start
  // Stars in a run of stars and question marks are one star behind them: the same terms, far fewer states.
  let star = false
  const step = (connect: (next: number) => void): void => {
    const next = nfa.state()
    connect(next)
    at = next
  }
  const endRun = (): void => {
    if (!star) return
    star = false
    step((next) => {
      nfa.empty(at, next)
      nfa.anyText(next)
    })
  }
  for (let i = 0; i < points.length; i++) {
    let point = points[i]
    if (point === STAR) {
      star = true
      continue
    }
    if (point === QUESTION_MARK) {
      step((next) => nfa.anyPoint(at, next))
      continue
    }
    if (point === BACKSLASH && i + 1 < points.length) point = points[++i]
    endRun()
    step((next) => nfa.points(at, point, point, next))
  }
  endRun()
  return new TermAutomaton(nfa.build(start, at))
}

const STAR = 0x2a
const QUESTION_MARK = 0x3f
const BACKSLASH = 0x5c
