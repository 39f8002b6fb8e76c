/**
 * Whether two pages are one text in two frames: one run of whole lines makes up nearly all of both, and what stands before and
 * after it is the frame. A word, number or sign that differs within the run makes them two pages, however alike they are.
 */
import { isNumber, LINE_BREAK } from './page-tokens.js'

/** Tokens of a page that is compared: short ones are too easily alike. */
export const MIN_CORE = 100
/** Tokens that must agree where the run is looked for. */
const PROBE = 12
/** Places that are tried. */
const MAX_PLACES = 64

/** What two pages have in common. */
export interface Core {
  /** Share of the tokens of the page that has more outside of it. */
  readonly share: number
  /** Most tokens outside of it, of either page. */
  readonly outside: number
  /** True where what is outside of it holds the same numbers on both pages. */
  readonly sameNumbers: boolean
}

/** The run that two pages share, or undefined where there is none through the middle of the first. */
export function sharedCore(a: Uint32Array, b: Uint32Array): Core | undefined {
  if (Math.min(a.length, b.length) < MIN_CORE) return undefined
  // A run of more than half of a page goes through its middle.
  const middle = (a.length - PROBE) >> 1
  let best: { a: number; b: number; length: number } | undefined
  let places = 0
  for (let at = b.indexOf(a[middle]!); at >= 0 && places < MAX_PLACES; at = b.indexOf(a[middle]!, at + 1)) {
    let length = 1
    while (length < PROBE && a[middle + length] === b[at + length]) length++
    if (length < PROBE) continue
    places++
    const run = extend(a, middle, b, at)
    if (best === undefined || run.length > best.length) best = run
  }
  return best === undefined ? undefined : measure(a, b, best)
}

function extend(a: Uint32Array, inA: number, b: Uint32Array, inB: number) {
  let before = 0
  while (before < inA && before < inB && a[inA - before - 1] === b[inB - before - 1]) before++
  let after = 0
  while (inA + after < a.length && inB + after < b.length && a[inA + after] === b[inB + after]) after++
  let [start, other, end] = [inA - before, inB - before, inA + after]
  // Only whole lines count.
  if (!(begins(a, start) && begins(b, other))) {
    while (start < end && a[start] !== LINE_BREAK) {
      start++
      other++
    }
  }
  let otherEnd = other + end - start
  if (!(ends(a, end) && ends(b, otherEnd))) {
    while (end > start && a[end - 1] !== LINE_BREAK) {
      end--
      otherEnd--
    }
  }
  return { a: start, b: other, length: end - start }
}

function begins(tokens: Uint32Array, at: number): boolean {
  return at === 0 || tokens[at - 1] === LINE_BREAK || tokens[at] === LINE_BREAK
}

function ends(tokens: Uint32Array, at: number): boolean {
  return at === tokens.length || tokens[at] === LINE_BREAK || tokens[at - 1] === LINE_BREAK
}

function measure(a: Uint32Array, b: Uint32Array, run: { a: number; b: number; length: number }): Core {
  const outsideA = without(a, run.a, run.length)
  const outsideB = without(b, run.b, run.length)
  const outside = Math.max(outsideA.length, outsideB.length)
  return {
    share: Math.min(1 - outsideA.length / a.length, 1 - outsideB.length / b.length),
    outside,
    sameNumbers: numbers(outsideA) === numbers(outsideB),
  }
}

function without(tokens: Uint32Array, start: number, length: number): number[] {
  const rest: number[] = []
  for (let i = 0; i < start; i++) if (tokens[i] !== LINE_BREAK) rest.push(tokens[i]!)
  for (let i = start + length; i < tokens.length; i++) if (tokens[i] !== LINE_BREAK) rest.push(tokens[i]!)
  return rest
}

function numbers(tokens: readonly number[]): string {
  return tokens
    .filter(isNumber)
    .sort((x, y) => x - y)
    .join()
}
