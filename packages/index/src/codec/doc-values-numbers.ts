/**
 * How the numbers of a column are written. Tried in this order, always checked number by number to be exact:
 *
 *   packed  (base + step · n) ÷ 10^decimals with n in a packed sequence: whole numbers, dates (step 1000 or 86,400,000),
 *           prices (decimals 2)
 *   table   up to 256 distinct numbers, sorted, and their places in the table: where that is smaller
 *   raw     float64
 */
import { sequenceBytes } from './doc-values-sequence.js'

/** Numbers as codes that sort like them. */
export type NumberEncoding =
  | { readonly kind: 'packed'; readonly base: number; readonly step: number; readonly decimals: number }
  | { readonly kind: 'table'; readonly table: Float64Array }
  | { readonly kind: 'raw' }

const MAX_TABLE = 256
const MAX_DECIMALS = 6
/** 10^decimals. */
export const SCALES: readonly number[] = [1, 10, 100, 1000, 10000, 100000, 1000000]

/** Numbers with how they are written; `codes` are the numbers themselves where they are raw. */
export interface EncodedNumbers {
  readonly encoding: NumberEncoding
  readonly codes: Float64Array
}

/** Chooses the smallest of the exact ways to write `values[0 … length)`, which are finite. */
export function encodeNumbers(values: Float64Array, length: number): EncodedNumbers {
  const packed = tryPacked(values, length)
  const table = tableOf(values, length)
  const tableBytes =
    table === null ? Infinity : table.length * 8 + 16 + sequenceBytes(length, Math.max(0, table.length - 1))
  const packedBytes = packed === null ? Infinity : packed.bytes
  if (tableBytes < packedBytes && tableBytes < length * 8) {
    const places = new Map<number, number>()
    for (let i = 0; i < table!.length; i++) places.set(table![i], i)
    const codes = new Float64Array(length)
    for (let i = 0; i < length; i++) codes[i] = places.get(values[i])!
    return { encoding: { kind: 'table', table: table! }, codes }
  }
  if (packed !== null && packedBytes < length * 8 + 17) return packed
  return { encoding: { kind: 'raw' }, codes: values.subarray(0, length) }
}

function tryPacked(values: Float64Array, length: number): (EncodedNumbers & { bytes: number }) | null {
  const whole = new Float64Array(length)
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    if (!scaled(values, length, SCALES[decimals], whole)) continue
    let min = Infinity
    let max = -Infinity
    for (let i = 0; i < length; i++) {
      if (whole[i] < min) min = whole[i]
      if (whole[i] > max) max = whole[i]
    }
    if (length === 0) min = max = 0
    if (max - min > Number.MAX_SAFE_INTEGER) return null
    let step = 0
    for (let i = 0; i < length && step !== 1; i++) step = gcd(whole[i] - min, step)
    if (step === 0) step = 1
    for (let i = 0; i < length; i++) whole[i] = (whole[i] - min) / step
    const bytes = 17 + sequenceBytes(length, (max - min) / step)
    return { encoding: { kind: 'packed', base: min, step, decimals }, codes: whole, bytes }
  }
  return null
}

/** Multiplies into `out`; false where that would lose anything. */
function scaled(values: Float64Array, length: number, scale: number, out: Float64Array): boolean {
  for (let i = 0; i < length; i++) {
    const whole = Math.round(values[i] * scale)
    // −0 is told from 0 only where numbers are kept as they are.
    if (Object.is(values[i], -0)) return false
    if (!(Math.abs(whole) <= Number.MAX_SAFE_INTEGER && Object.is(whole / scale, values[i]))) return false
    out[i] = whole
  }
  return true
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
function tableOf(values: Float64Array, length: number): Float64Array | null {
  const distinct = new Set<number>()
  for (let i = 0; i < length; i++) {
    if (Object.is(values[i], -0)) return null
    distinct.add(values[i])
    if (distinct.size > MAX_TABLE) return null
  }
  return Float64Array.from(distinct).sort()
}
