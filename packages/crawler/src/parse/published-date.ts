/** A page's date of publication: from what pages write into meta elements and `<time>`, into ISO 8601. */

/** Meta names and properties that tell it, the most telling first; lower case. */
export const DATE_NAMES: readonly string[] = [
  'article:published_time',
  'og:published_time',
  'datepublished',
  'pubdate',
  'publishdate',
  'publish_date',
  'publication_date',
  'dcterms.issued',
  'dc.date.issued',
  'dcterms.created',
  'dc.date.created',
  'dcterms.date',
  'dc.date',
  'citation_publication_date',
  'date',
]

const DATE =
  /^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?)?\s*$/i

/**
 * ISO 8601 of a written date (`2024-05-06`, `2024/5/6 12:00`, `2024年5月6日`, RFC 1123), or undefined where it is none.
 * With a time and a zone it is a moment in UTC; otherwise only the day is kept, for the zone is unknown.
 */
export function parseDate(text: string): string | undefined {
  const written = text.trim()
  if (written.length > 64) return undefined
  const match = DATE.exec(written)
  if (match === null) {
    // RFC 1123, as in HTTP: “Mon, 06 May 2024 12:00:00 GMT”
    if (!/^(?:[a-z]{3,9},\s+)?\d{1,2}\s+[a-z]{3,9}\s+\d{4}\b/i.test(written)) return undefined
    const moment = Date.parse(written)
    return Number.isNaN(moment) ? undefined : iso(moment)
  }
  const [, year, month, day, hour, minute, second = '00', zone] = match
  const date = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`
  const midnight = Date.parse(`${date}T00:00:00Z`)
  // 2024-02-31 is read as a day of March by Date
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined
  if (Number(year) < 1000) return undefined
  if (hour === undefined || zone === undefined) return date
  const offset =
    zone.toUpperCase() === 'Z' || zone.includes(':') ? zone.toUpperCase() : `${zone.slice(0, 3)}:${zone.slice(3)}`
  const moment = Date.parse(`${date}T${hour.padStart(2, '0')}:${minute}:${second}${offset}`)
  return Number.isNaN(moment) ? date : iso(moment)
}

function iso(moment: number): string {
  return new Date(moment).toISOString().replace('.000Z', 'Z')
}
