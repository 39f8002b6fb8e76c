/**
 * Regular expressions as automata. All but `&` and `~` are built as they stand (Thompson 1968); those two are made from
 * deterministic automata, which is the one place where a short expression can need very many states. One budget of
 * states and steps holds for all of an expression.
 */
import { ByteNfaBuilder, PatternBudget } from './byte-nfa.js'
import { parseRegexp, type RegexpNode } from './regexp-parser.js'
import { DEAD, TermAutomaton } from './term-automaton.js'

/**
 * Terms that an expression describes as a whole; see regexp-parser.ts for the syntax.
 * @throws SpindleError QUERY_SYNTAX, REGEX_TOO_COMPLEX
 */
export function regexpAutomaton(pattern: string): TermAutomaton {
  return automatonOf(parseRegexp(pattern), new PatternBudget(pattern))
}

function automatonOf(node: RegexpNode, budget: PatternBudget): TermAutomaton {
  const nfa = new ByteNfaBuilder(budget)
  const start = nfa.state()
  const end = nfa.state()
  connect(nfa, node, start, end)
  return new TermAutomaton(nfa.build(start, end))
}

/** Makes what a node describes lead from a state to another. Adds no way into `from` nor out of `to`, unless both are one. */
function connect(nfa: ByteNfaBuilder, node: RegexpNode, from: number, to: number): void {
  switch (node.kind) {
    case 'points':
      for (let i = 0; i < node.ranges.length; i += 2) nfa.points(from, node.ranges[i], node.ranges[i + 1], to)
      break
    case 'text':
      nfa.text(from, node.text, to)
      break
    case 'anyText':
      anyText(nfa, from, to)
      break
    case 'nothing':
      break
    case 'union':
      for (const part of node.parts) connect(nfa, part, from, to)
      break
    case 'sequence':
      connectAll(nfa, node.parts, from, to)
      break
    case 'repeat':
      repeat(nfa, node, from, to)
      break
    case 'interval':
      interval(nfa, node.min, node.max, node.digits, from, to)
      break
    case 'complement':
      product(nfa, automatonOf(node.part, nfa.budget), automatonOf(ANY_POINTS, nfa.budget), true, from, to)
      break
    case 'intersection': {
      // The parts but the last one are a node of their own.
      const others = node.parts.slice(0, -1)
      const first: RegexpNode = others.length === 1 ? others[0] : { kind: 'intersection', parts: others }
      const second = automatonOf(node.parts[others.length], nfa.budget)
      product(nfa, automatonOf(first, nfa.budget), second, false, from, to)
    }
  }
}

/** Any text, and unlike `anyText` nothing that is no UTF-8: what is left of it is made of whole characters. */
const ANY_POINTS: RegexpNode = {
  kind: 'repeat',
  part: { kind: 'sequence', parts: [{ kind: 'points', ranges: [0, 0x10ffff] }] },
  min: 0,
  max: Number.POSITIVE_INFINITY,
}

function connectAll(nfa: ByteNfaBuilder, parts: readonly RegexpNode[], from: number, to: number): void {
  let at = from
  for (let i = 0; i < parts.length; i++) {
    const next = i === parts.length - 1 ? to : nfa.state()
    connect(nfa, parts[i], at, next)
    at = next
  }
}

function anyText(nfa: ByteNfaBuilder, from: number, to: number): void {
  const loop = nfa.state()
  nfa.empty(from, loop)
  nfa.anyText(loop)
  nfa.empty(loop, to)
}

function repeat(
  nfa: ByteNfaBuilder,
  { part, min, max }: Extract<RegexpNode, { kind: 'repeat' }>,
  from: number,
  to: number,
): void {
  let at = from
  for (let n = 0; n < min; n++) {
    const next = nfa.state()
    connect(nfa, part, at, next)
    at = next
  }
  if (max === Number.POSITIVE_INFINITY) {
    if (part.kind === 'points' && part.ranges[0] === 0 && part.ranges[1] === 0x10ffff) {
      anyText(nfa, at, to)
      return
    }
    const loop = nfa.state()
    nfa.empty(at, loop)
    connect(nfa, part, loop, loop)
    nfa.empty(loop, to)
    return
  }
  for (let n = min; n < max; n++) {
    const next = nfa.state()
    nfa.empty(at, to)
    connect(nfa, part, at, next)
    at = next
  }
  nfa.empty(at, to)
}

/** Decimal numbers from `min` to `max`. */
function interval(nfa: ByteNfaBuilder, min: number, max: number, digits: number, from: number, to: number): void {
  if (digits > 0) {
    digitsBetween(nfa, String(min).padStart(digits, '0'), String(max).padStart(digits, '0'), from, to)
    return
  }
  const zeros = nfa.state()
  nfa.empty(from, zeros)
  nfa.bytes(zeros, ZERO, ZERO, zeros)
  for (let length = String(min).length; length <= String(max).length; length++) {
    const least = Math.max(min, length === 1 ? 0 : 10 ** (length - 1))
    digitsBetween(nfa, String(least), String(Math.min(max, 10 ** length - 1)), zeros, to)
  }
}

const ZERO = 0x30
const NINE = 0x39

/** Digits between two texts of them of one length. */
function digitsBetween(nfa: ByteNfaBuilder, min: string, max: string, from: number, to: number): void {
  if (min.length === 0) {
    nfa.empty(from, to)
    return
  }
  const first = min.charCodeAt(0)
  const last = max.charCodeAt(0)
  const rest = min.length - 1
  const lead = (lo: number, hi: number, restMin: string, restMax: string): void => {
    const next = nfa.state()
    nfa.bytes(from, lo, hi, next)
    digitsBetween(nfa, restMin, restMax, next, to)
  }
  if (first === last) {
    lead(first, first, min.slice(1), max.slice(1))
    return
  }
  lead(first, first, min.slice(1), '9'.repeat(rest))
  lead(last, last, '0'.repeat(rest), max.slice(1))
  if (last - first < 2) return
  let at = nfa.state()
  nfa.bytes(from, first + 1, last - 1, at)
  for (let n = 0; n < rest; n++) {
    const next = nfa.state()
    nfa.bytes(at, ZERO, NINE, next)
    at = next
  }
  nfa.empty(at, to)
}

/**
 * What both of two automata accept, or what the second accepts and the first does not.
 * @throws SpindleError REGEX_TOO_COMPLEX
 */
function product(
  nfa: ByteNfaBuilder,
  first: TermAutomaton,
  second: TermAutomaton,
  negated: boolean,
  from: number,
  to: number,
): void {
  if (second.start === DEAD || (first.start === DEAD && !negated)) return
  const epoch = first.epoch + second.epoch
  const bounds = [...new Set([...first.byteBounds, ...second.byteBounds])].sort((a, b) => a - b)
  const states = new Map<string, number>()
  const waiting: { a: number; b: number; state: number }[] = []
  const reach = (a: number, b: number): number => {
    const key = `${a} ${b}`
    let state = states.get(key)
    if (state === undefined) {
      state = nfa.state()
      states.set(key, state)
      waiting.push({ a, b, state })
      const accepted = a !== DEAD && first.accepts(a)
      if (accepted !== negated && second.accepts(b)) nfa.empty(state, to)
    }
    return state
  }
  nfa.empty(from, reach(first.start, second.start))
  let work = first.work + second.work
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    for (let i = 0; i < bounds.length; i++) {
      const byte = bounds[i]
      const a = pair.a === DEAD ? DEAD : first.step(pair.a, byte)
      const b = second.step(pair.b, byte)
      if (first.epoch + second.epoch !== epoch) nfa.budget.exceed()
      if (b === DEAD || (a === DEAD && !negated)) continue
      nfa.bytes(pair.state, byte, i + 1 < bounds.length ? bounds[i + 1] - 1 : 0xff, reach(a, b))
    }
    nfa.budget.spend(first.work + second.work - work + bounds.length)
    work = first.work + second.work
  }
}
