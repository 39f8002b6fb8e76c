/** A number or a moment as it is written in a query. */
import { numberOf } from '../../document/numeric-text.js'

/** A number, a Date, or an ISO 8601 text for fields of dates. */
export type NumberBound = number | Date | string

/** @throws RangeError for NaN, SpindleError DOCUMENT_INVALID for a text that is no date */
export function numberBound(field: string, bound: NumberBound): number {
  const value =
    typeof bound === 'string' ? numberOf(field, 'date', bound) : bound instanceof Date ? bound.getTime() : bound
  if (Number.isNaN(value)) throw new RangeError(`${String(bound)} is no number or date to compare '${field}' with`)
  return value
}
