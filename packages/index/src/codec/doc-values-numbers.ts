/**
 * How the numbers of a column are written. Tried in this order, always checked number by number to be exact:
 *
 *   packed  (base + step · n) ÷ 10^decimals with n in a packed sequence: whole numbers, dates (step 1000 or 86,400,000),
 *           prices (decimals 2)
 *   table   up to 256 distinct numbers, sorted, and their places in the table: where that is smaller
 *   raw     float64
 */
import { type NumberRuns, sequenceBytes } from './doc-values-sequence.js'

/** Numbers as codes that sort like them. */
export type NumberEncoding =
  | { readonly kind: 'packed'; readonly base: number; readonly step: number; readonly decimals: number }
  | { readonly kind: 'table'; readonly table: Float64Array }
  | { readonly kind: 'raw' }

const MAX_TABLE = 256
const MAX_DECIMALS = 6
/** 10^decimals. */
export const SCALES: readonly number[] = [1, 10, 100, 1000, 10000, 100000, 1000000]

/** How the numbers of a column are written, and the code of each of them; raw numbers are their own. */
export interface EncodedNumbers {
  readonly encoding: NumberEncoding
  codeOf(value: number): number
}

/** Chooses the smallest of the exact ways to write `length` numbers, which are finite. They are gone through a few times. */
export function encodeNumbers(values: NumberRuns, length: number): EncodedNumbers {
  const packed = tryPacked(values, length)
  const table = tableOf(values)
  const tableBytes =
    table === null ? Infinity : table.length * 8 + 16 + sequenceBytes(length, Math.max(0, table.length - 1))
  const packedBytes = packed === null ? Infinity : packed.bytes
  if (tableBytes < packedBytes && tableBytes < length * 8) {
    const places = new Map<number, number>()
    for (let i = 0; i < table!.length; i++) places.set(table![i], i)
    return { encoding: { kind: 'table', table: table! }, codeOf: (value) => places.get(value)! }
  }
  if (packed !== null && packedBytes < length * 8 + 17) return packed
  return { encoding: { kind: 'raw' }, codeOf: (value) => value }
}

function tryPacked(values: NumberRuns, length: number): (EncodedNumbers & { bytes: number }) | null {
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    const scale = SCALES[decimals]
    const bounds = boundsOf(values, scale)
    if (bounds === null) continue
    const { min, max } = bounds
    if (max - min > Number.MAX_SAFE_INTEGER) return null
    const step = stepOf(values, scale, min)
    return {
      encoding: { kind: 'packed', base: min, step, decimals },
      codeOf: (value) => (Math.round(value * scale) - min) / step,
      bytes: 17 + sequenceBytes(length, (max - min) / step),
    }
  }
  return null
}

/** Bounds of the numbers × scale, null where these are not whole or that would lose anything. */
function boundsOf(values: NumberRuns, scale: number): { readonly min: number; readonly max: number } | null {
  let min = Infinity
  let max = -Infinity
  for (const run of values()) {
    for (let i = 0; i < run.length; i++) {
      const value = run[i]
      const whole = Math.round(value * scale)
      // −0 is told from 0 only where numbers are kept as they are.
      if (Object.is(value, -0)) return null
      if (!(Math.abs(whole) <= Number.MAX_SAFE_INTEGER && Object.is(whole / scale, value))) return null
      if (whole < min) min = whole
      if (whole > max) max = whole
    }
  }
  return min > max ? { min: 0, max: 0 } : { min, max }
}

/** Greatest step from `min` that meets all numbers × scale. */
function stepOf(values: NumberRuns, scale: number, min: number): number {
  let step = 0
  for (const run of values()) {
    for (let i = 0; i < run.length; i++) {
      step = gcd(Math.round(run[i] * scale) - min, step)
      if (step === 1) return 1
    }
  }
  return step === 0 ? 1 : step
}

function gcd(a: number, b: number): number {
  while (b !== 0) {
    const rest = a % b
    a = b
    b = rest
  }
  return a
}

/** The distinct numbers, sorted; null where there are many, or −0 (which a Map does not tell from 0). */
function tableOf(values: NumberRuns): Float64Array | null {
  const distinct = new Set<number>()
  for (const run of values()) {
    for (let i = 0; i < run.length; i++) {
      if (Object.is(run[i], -0)) return null
      distinct.add(run[i])
      if (distinct.size > MAX_TABLE) return null
    }
  }
  return Float64Array.from(distinct).sort()
}
