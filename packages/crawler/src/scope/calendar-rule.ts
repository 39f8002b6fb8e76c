/**
 * Against calendars whose “next month” never ends: no address whose path or query names a day or month of a year that is
 * more than two years ahead, or lies before 1700. The past between is left to the budgets: archives are full of it.
 */
import type { ScopeCandidate, ScopeReason, ScopeRule } from './scope-rule.js'

const YEARS_AHEAD = 2
const FIRST_YEAR = 1700

/** A whole date (`2031-05-01`, `2031_5_1`), not within a longer number. */
const DATE = /(?:^|[/=_.-])(\d{4})[_.-](?:0?[1-9]|1[0-2])[_.-](?:0?[1-9]|[12]\d|3[01])(?=$|[/&_.?T-])/
/** A year and a month as parts of a path or a value (`/2031/05`, `month=2031-05`): they may be other numbers as well. */
const YEAR_MONTH = /[/=](\d{4})[/_.-](?:0?[1-9]|1[0-2])(?=$|[/&?])/
/** Words that make it a calendar. */
const CALENDAR = /cal|event|agenda|schedule|termin|kalender|month|date|veranstalt|evenement|%E6%97%A5%E5%8E%86/i
/** A year with a month in a query (`year=2031&month=5`). */
const YEAR = /[?&](?:y|yr|year|jahr|annee|ano)=(\d{4})(?=&|$)/i
const MONTH = /[?&](?:m|mo|mon|month|monat|mois|mes)=\d{1,2}(?=&|$)/i

/** See the head of this file. */
export class CalendarRule implements ScopeRule {
  readonly #lastYear: number

  /** @param now milliseconds since 1970 */
  constructor(now = Date.now()) {
    this.#lastYear = new Date(now).getUTCFullYear() + YEARS_AHEAD
  }

  check({ url }: ScopeCandidate): ScopeReason | undefined {
    const start = url.indexOf('/', url.indexOf('//') + 2)
    if (start < 0) return undefined
    const path = url.slice(start)
    const year =
      DATE.exec(path)?.[1] ??
      (CALENDAR.test(path) ? YEAR_MONTH.exec(path)?.[1] : undefined) ??
      (MONTH.test(path) ? YEAR.exec(path)?.[1] : undefined)
    if (year === undefined) return undefined
    const number = Number(year)
    return number > this.#lastYear || number < FIRST_YEAR ? 'calendar-trap' : undefined
  }
}
