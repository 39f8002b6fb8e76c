/**
 * Reads the query string of a request into one clean string a field, so that no handler ever meets an array, a lone
 * surrogate, a control character or a name such as `__proto__`. Linear; the length is bounded by Node's header limit.
 */

/** The fields that our pages and API know; everything else in a query string is dropped unread. */
const SINGLE = new Set('q page size from to sort hl strict all phrase any none where'.split(' '))
const REPEATABLE = new Set(['site', 'type', 'lang'])
const MAX_VALUES = 16

/** The known fields of a query string, as {@link parseQueryFields} gives them. */
export interface QueryFields {
  readonly q?: string
  readonly page?: string
  readonly size?: string
  readonly from?: string
  readonly to?: string
  readonly sort?: string
  readonly hl?: string
  readonly strict?: string
  readonly all?: string
  readonly phrase?: string
  readonly any?: string
  readonly none?: string
  readonly where?: string
  readonly site?: readonly string[]
  readonly type?: readonly string[]
  readonly lang?: readonly string[]
}

const SPACES = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
// C0, C1, byte order mark, zero-width space, and what turns the writing direction around (it could disguise a page)
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b\ufeff\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g

/** Text or HTML without control characters; nothing else is changed, so that HTML stays as it is. */
export function stripControls(text: string): string {
  return text.replace(SPACES, ' ').replace(CONTROLS, '')
}

/** Text as a person would type it: well-formed, composed (NFC), no control characters, no space at the ends. */
export function cleanText(text: string): string {
  return stripControls(text.toWellFormed()).normalize('NFC').trim()
}

/** Never throws: a broken escape stays as it is, invalid UTF-8 becomes U+FFFD. Of a repeated single field, the first counts. */
export function parseQueryFields(queryString: string): QueryFields {
  const fields = Object.create(null) as Record<string, string | string[]>
  for (const [name, value] of new URLSearchParams(queryString)) {
    if (SINGLE.has(name)) {
      if (fields[name] === undefined) fields[name] = cleanText(value)
    } else if (REPEATABLE.has(name)) {
      const text = cleanText(value)
      const values = (fields[name] as string[] | undefined) ?? []
      fields[name] = values
      if (text !== '' && values.length < MAX_VALUES && !values.includes(text)) values.push(text)
    }
  }
  return fields
}

/** The same as JSON schema, for the routes. */
export const queryFieldsSchema = {
  type: 'object',
  properties: {
    q: { type: 'string' },
    page: { type: 'string' },
    size: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    sort: { type: 'string' },
    hl: { type: 'string' },
    strict: { type: 'string' },
    all: { type: 'string' },
    phrase: { type: 'string' },
    any: { type: 'string' },
    none: { type: 'string' },
    where: { type: 'string' },
    site: { type: 'array', items: { type: 'string' }, maxItems: MAX_VALUES },
    type: { type: 'array', items: { type: 'string' }, maxItems: MAX_VALUES },
    lang: { type: 'array', items: { type: 'string' }, maxItems: MAX_VALUES },
  },
} as const
