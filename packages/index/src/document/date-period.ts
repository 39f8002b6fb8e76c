/** Days, months and years as they are typed, as moments. */

const PERIOD = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/

/** A day, month or year: from its first moment to before the first of the next one, milliseconds since 1970. */
export interface Period {
  readonly start: number
  readonly end: number
}

/** The period, in UTC, that `2024`, `2024-05` or `2024-05-06` names; undefined for anything else. */
export function periodOf(text: string): Period | undefined {
  const match = PERIOD.exec(text)
  if (match === null) return undefined
  const [, year, month, day] = match
  const start = Date.parse(`${year}-${month ?? '01'}-${day ?? '01'}T00:00:00Z`)
  // 2024-02-31 is read as a day of March
  if (Number.isNaN(start) || !new Date(start).toISOString().startsWith(text)) return undefined
  const next = new Date(start)
  if (day !== undefined) next.setUTCDate(next.getUTCDate() + 1)
  else if (month !== undefined) next.setUTCMonth(next.getUTCMonth() + 1)
  else next.setUTCFullYear(next.getUTCFullYear() + 1)
  return { start, end: next.getTime() }
}
