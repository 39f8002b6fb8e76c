/** Numbers, dates and booleans as text and back, exactly; and as terms whose bytes sort like the numbers. */
import { SpindleError } from '@spindle/core'
import type { FieldKind } from './field-type.js'

/** The largest distance from 1970 that a Date has, in milliseconds. */
const MAX_DATE = 8.64e15
const NUMBER = /^-?(?:0|[1-9]\d{0,400})(?:\.\d{1,1100})?(?:e[+-]\d{1,3})?$/
const ISO_DATE = /^(?:[+-]\d{6}|\d{4})(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?)?)?$/

/** Text of a number of a numeric kind. @throws SpindleError DOCUMENT_INVALID for a value that the kind does not have */
export function numberText(name: string, kind: FieldKind, value: number): string {
  checkNumber(name, kind, value)
  if (kind === 'date') return new Date(value).toISOString()
  if (kind === 'boolean') return value === 1 ? 'true' : 'false'
  if (Object.is(value, -0)) return kind === 'integer' ? '0' : '-0'
  return String(value)
}

/** Number of a text of a numeric kind. @throws SpindleError DOCUMENT_INVALID */
export function numberOf(name: string, kind: FieldKind, text: string): number {
  let value: number
  if (kind === 'boolean') value = text === 'true' ? 1 : text === 'false' ? 0 : Number.NaN
  else if (kind === 'date') value = dateOf(text)
  else value = typeof text === 'string' && NUMBER.test(text) ? Number(text) : Number.NaN
  if (kind === 'integer' && value === 0) value = 0
  checkNumber(name, kind, value, text)
  return value
}

/** @throws SpindleError DOCUMENT_INVALID for a value that the kind does not have */
export function checkNumber(name: string, kind: FieldKind, value: number, given: unknown = value): void {
  let valid = Number.isFinite(value)
  if (kind === 'integer') valid = Number.isSafeInteger(value)
  else if (kind === 'date') valid = Number.isInteger(value) && Math.abs(value) <= MAX_DATE
  else if (kind === 'boolean') valid = value === 0 || value === 1
  if (valid) return
  const wanted = {
    integer: 'a whole number between −(2^53 − 1) and 2^53 − 1',
    date: 'a date (a Date, whole milliseconds, or ISO 8601)',
    boolean: 'true or false',
  }
  const what = kind === 'integer' || kind === 'date' || kind === 'boolean' ? wanted[kind] : 'a finite number'
  const shown = String(typeof given === 'string' ? JSON.stringify(given) : given).slice(0, 60)
  throw new SpindleError('DOCUMENT_INVALID', `The field ${name} needs ${what}, and ${shown} is none.`)
}

/** Milliseconds of an ISO 8601 text; a time without a zone is UTC, so that an index is the same wherever it is made. */
function dateOf(text: string): number {
  const match = typeof text === 'string' ? ISO_DATE.exec(text) : null
  if (match === null) return Number.NaN
  const hasTime = text.includes('T')
  return Date.parse(hasTime && match[1] === undefined ? `${text}Z` : text)
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~'
const bits = new DataView(new ArrayBuffer(8))

/**
 * A number as a term of 11 characters: the 64 bits of the float64, turned so that they sort like the numbers (−0 as 0),
 * in digits of 6 bits that sort by bytes.
 */
export function numberTerm(value: number): string {
  bits.setFloat64(0, value === 0 ? 0 : value)
  let high = bits.getUint32(0)
  let low = bits.getUint32(4)
  if (high >>> 31 === 1) {
    high = ~high >>> 0
    low = ~low >>> 0
  } else {
    high = (high | 0x80000000) >>> 0
  }
  let term = ''
  for (let shift = 60; shift >= 0; shift -= 6) {
    // Bits 64 and 65 of the first digit are zeros.
    const part =
      shift >= 32 ? high >>> (shift - 32) : shift + 6 <= 32 ? low >>> shift : (low >>> shift) | (high << (32 - shift))
    term += DIGITS[part & 63]
  }
  return term
}

const float = new Float64Array(1)
const word = new BigInt64Array(float.buffer)

/** The least float64 above a number; of −0 and 0 the least above 0. */
export function nextUp(value: number): number {
  if (value === Number.POSITIVE_INFINITY || Number.isNaN(value)) return value
  float[0] = value + 0
  word[0] = word[0]! + (float[0] >= 0 ? 1n : -1n)
  return float[0]
}

/** The greatest float64 below a number. */
export function nextDown(value: number): number {
  return -nextUp(-value)
}
