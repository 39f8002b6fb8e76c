/** Clauses about fields of numbers, dates and booleans. */
import { isSpindleError } from '@spindle/core'
import { periodOf } from '../document/date-period.js'
import { type FieldKind, isNumeric } from '../document/field-type.js'
import { nextDown, nextUp, numberOf } from '../document/numeric-text.js'
import { type NumberRange, NumberRangeQuery } from '../search/query/number-range-query.js'
import type { RangeSyntax } from './syntax-tree.js'

/** Whether the values of a field are numbers; fields of an unknown kind hold words. */
export function holdsNumbers(kind: FieldKind | undefined): kind is FieldKind {
  return kind !== undefined && isNumeric(kind)
}

/** Values equal to a text; of dates, those within the day, month or year. Null where the text is no value of the kind. */
export function numberQuery(field: string, kind: FieldKind, text: string): NumberRangeQuery | null {
  return rangeOf(field, kind, { lower: text, upper: text, includeLower: true, includeUpper: true })
}

/** The reverse: a range as it is typed. @throws RangeError for moments that no date has */
export function numberRangeSyntax({ from, to }: NumberRangeQuery, kind: FieldKind | undefined): RangeSyntax {
  // Of what is just below a whole number the whole number is the bound, and outside.
  const includeLower = isWhole(from) || !isWhole(nextDown(from))
  const includeUpper = isWhole(to) || !isWhole(nextUp(to))
  const text = (value: number): string => (kind === 'date' ? new Date(value).toISOString() : String(value))
  return {
    kind: 'range',
    lower: from === Number.NEGATIVE_INFINITY ? null : text(includeLower ? from : nextDown(from)),
    upper: to === Number.POSITIVE_INFINITY ? null : text(includeUpper ? to : nextUp(to)),
    includeLower,
    includeUpper,
  }
}

function isWhole(value: number): boolean {
  return Number.isInteger(value)
}

/** Values in a range; null where a bound is no value of the kind. */
export function numberRangeQuery(field: string, kind: FieldKind, range: RangeSyntax): NumberRangeQuery | null {
  return rangeOf(field, kind, range)
}

function rangeOf(field: string, kind: FieldKind, range: Omit<RangeSyntax, 'kind'>): NumberRangeQuery | null {
  const { lower, upper, includeLower, includeUpper } = range
  const from = lower === null ? {} : lowerBound(field, kind, lower, includeLower)
  const to = upper === null ? {} : upperBound(field, kind, upper, includeUpper)
  return from === null || to === null ? null : new NumberRangeQuery(field, { ...from, ...to })
}

function lowerBound(field: string, kind: FieldKind, text: string, include: boolean): NumberRange | null {
  const period = kind === 'date' ? periodOf(text) : undefined
  if (period !== undefined) return { gte: include ? period.start : period.end }
  const value = numberValue(field, kind, text)
  if (value === null) return null
  return include ? { gte: value } : { gt: value }
}

function upperBound(field: string, kind: FieldKind, text: string, include: boolean): NumberRange | null {
  const period = kind === 'date' ? periodOf(text) : undefined
  if (period !== undefined) return { lt: include ? period.end : period.start }
  const value = numberValue(field, kind, text)
  if (value === null) return null
  return include ? { lte: value } : { lt: value }
}

function numberValue(field: string, kind: FieldKind, text: string): number | null {
  // The 30th of February is no date, though a Date makes one of it.
  if (kind === 'date' && /^\d{4}/.test(text) && periodOf(text.slice(0, 10)) === undefined) return null
  try {
    return numberOf(field, kind === 'integer' ? 'float' : kind, text)
  } catch (error) {
    if (isSpindleError(error, 'DOCUMENT_INVALID')) return null
    throw error
  }
}
