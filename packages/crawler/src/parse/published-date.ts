/**
 * Dates as people and programs write them, into ISO 8601: numbers in the order of years or of days, names of months in seven
 * languages, Chinese numerals, the years of the Republic of China and of Japanese eras.
 */

/** A date that a text begins with. */
export interface WrittenDate {
  /** ISO 8601: a moment in UTC where a time and a zone are told, else the day alone, for the zone is unknown */
  readonly date: string
  /** UTF-16 units of the text that belong to it */
  readonly length: number
}

/** UTF-16 units of a written date, at most. */
const MAX_LENGTH = 64

/** `2024-05-06`, `2024/5/6`, `2024.5.6`, `2024年5月6日` */
const YEAR_FIRST = /^(\d{4})(?:[-/.]|\s*年\s*)(\d{1,2})(?:[-/.]|\s*月\s*)(\d{1,2})(?!\d)(?:\s*[日号號])?/
/** `20240506`, `20240506T120000Z` */
const BASIC = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z|[+-]\d{4})?)?(?!\d)/
/** `民国113年5月6日`, `令和6年5月6日` */
const ERA = /^(民國|民国|令和|平成|昭和)\s*(\d{1,3}|元)\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日/
/** `二〇二四年五月六日` */
const NUMERALS = /^([〇零○一二三四五六七八九]{4})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})日/
/** `6 May 2024`, `Mon, 6. Mai 2024`, `6 de mayo de 2024` */
const DAY_FIRST =
  /^(?:\p{L}{2,12}\.?,?\s+)?(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:de\s+)?(\p{L}{3,10})\.?,?[\s-]+(?:de\s+)?(\d{4})(?!\d)/u
/** `May 6, 2024`, `Monday, May 6th 2024` */
const MONTH_FIRST = /^(?:\p{L}{3,10}\.?,\s+)?(\p{L}{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/u
/** `06.05.2024`; with slashes only where one of the numbers can be no month */
const NUMBERS = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?!\d)/
const TIME =
  /^(?:T|\s*[,，]\s*|\s+(?:at\s+|um\s+|à\s+)?|(?=\d))(\d{1,2})(?::|\s*[时時点點]\s*)(\d{2})(?:\s*分)?(?:(?::|\s*)(\d{2})(?:[.,]\d{1,9})?(?:\s*秒)?)?(?:\s*([ap])\.?m\.?)?(?:\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?(?![\d:])/i

const MONTHS: ReadonlyMap<string, number> = new Map(
  [
    'jan january januar jänner janvier janv enero ene gennaio gen januari janeiro',
    'feb february februar février févr fév febrero febbraio februari fevereiro fev',
    'mar march märz mär mrz mars marzo maart mrt março',
    'apr april avril avr abril abr aprile',
    'may mai mayo maggio mag mei maio',
    'jun june juni juin junio giugno giu junho',
    'jul july juli juillet juil julio luglio lug julho',
    'aug august août aoû agosto ago augustus',
    'sep sept september septembre septiembre settembre set setembro',
    'oct october oktober okt octobre octubre ottobre ott outubro out',
    'nov november novembre noviembre novembro',
    'dec december dezember dez décembre déc diciembre dic dicembre dezembro',
  ].flatMap((names, i) => names.split(' ').map((name) => [name, i + 1] as const)),
)

/** First year of an era, less one. */
const ERAS: Readonly<Record<string, number>> = { 民國: 1911, 民国: 1911, 令和: 2018, 平成: 1988, 昭和: 1925 }

/** ISO 8601 of a text that is a date and nothing else, or undefined. */
export function parseDate(text: string): string | undefined {
  const written = text.trim()
  if (written.length > MAX_LENGTH) return undefined
  const found = dateAt(written)
  return found !== undefined && found.length === written.length ? found.date : undefined
}

/** The date that a text begins with, or undefined where it begins with none. */
export function dateAt(text: string): WrittenDate | undefined {
  const head = text.slice(0, MAX_LENGTH)
  const basic = BASIC.exec(head)
  if (basic !== null) {
    const [whole, year, month, day, hour, minute, second = '00', zone] = basic
    return toDate(
      [Number(year), Number(month), Number(day)],
      whole.length,
      hour && { hour, minute: minute!, second, zone },
    )
  }
  const found = dayAt(head)
  if (found === undefined) return undefined
  const time = TIME.exec(head.slice(found.length))
  if (time === null) return toDate(found.day, found.length)
  const [whole, hour, minute, second = '00', half, zone] = time
  const length = found.length + whole.length
  return toDate(found.day, length, { hour: hours(hour!, half), minute: minute!, second, zone })
}

type Day = readonly [year: number, month: number, day: number]

function dayAt(text: string): { readonly day: Day; readonly length: number } | undefined {
  let match = YEAR_FIRST.exec(text)
  if (match !== null) return { day: [Number(match[1]), Number(match[2]), Number(match[3])], length: match[0].length }
  match = DAY_FIRST.exec(text)
  const named = match === null ? undefined : MONTHS.get(match[2]!.toLowerCase())
  if (match !== null && named !== undefined) {
    return { day: [Number(match[3]), named, Number(match[1])], length: match[0].length }
  }
  match = MONTH_FIRST.exec(text)
  const first = match === null ? undefined : MONTHS.get(match[1]!.toLowerCase())
  if (match !== null && first !== undefined) {
    return { day: [Number(match[3]), first, Number(match[2])], length: match[0].length }
  }
  match = NUMBERS.exec(text)
  if (match !== null) {
    const [a, b, year] = [Number(match[1]), Number(match[3]), Number(match[4])]
    if (match[2] === '/' && a <= 12 && b <= 12 && a !== b) return undefined
    return { day: b > 12 ? [year, a, b] : [year, b, a], length: match[0].length }
  }
  match = NUMERALS.exec(text)
  if (match !== null) {
    const year = Number([...match[1]!].map((digit) => numeral(digit)).join(''))
    return { day: [year, numeral(match[2]!), numeral(match[3]!)], length: match[0].length }
  }
  match = ERA.exec(text)
  if (match === null) return undefined
  const year = ERAS[match[1]!]! + (match[2] === '元' ? 1 : Number(match[2]))
  return { day: [year, Number(match[3]), Number(match[4])], length: match[0].length }
}

/** Chinese numerals up to 99. */
function numeral(text: string): number {
  const ten = text.indexOf('十')
  if (ten < 0) return '〇一二三四五六七八九'.indexOf(text.replace(/[零○]/, '〇'))
  return (
    (ten === 0 ? 1 : numeral(text.slice(0, ten))) * 10 + (ten === text.length - 1 ? 0 : numeral(text.slice(ten + 1)))
  )
}

function hours(hour: string, half: string | undefined): string {
  if (half === undefined) return hour
  return String((Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0))
}

interface Time {
  readonly hour: string
  readonly minute: string
  readonly second: string
  readonly zone: string | undefined
}

function toDate([year, month, day]: Day, length: number, time?: Time | '' | undefined): WrittenDate | undefined {
  if (year < 1000) return undefined
  const date = `${year}-${pad(month)}-${pad(day)}`
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // 2024-02-31 is read as a day of March by Date
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined
  if (time === undefined || time === '' || time.zone === undefined) return { date, length }
  const { hour, minute, second, zone } = time
  const moment = Date.parse(`${date}T${hour.padStart(2, '0')}:${minute}:${second}${offset(zone)}`)
  return { date: Number.isNaN(moment) ? date : new Date(moment).toISOString().replace('.000Z', 'Z'), length }
}

function offset(zone: string): string {
  if (/^[a-z]/i.test(zone)) return 'Z'
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
