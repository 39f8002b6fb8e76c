/** The fields of the advanced form as one query in the language of the search box, which can be edited further. */

/** Where the words of the form are looked for. */
export type AdvancedWhere = 'anywhere' | 'title' | 'address'

/** What is filled in; a field that is empty or missing asks nothing. */
export interface AdvancedFields {
  /** Words, separated by spaces, which all have to be there. */
  readonly all?: string | undefined
  /** Words in exactly this order. */
  readonly phrase?: string | undefined
  /** Words of which one has to be there. */
  readonly any?: string | undefined
  /** Words of which none may be there. */
  readonly none?: string | undefined
  readonly where?: AdvancedWhere
  /** Hosts, perhaps with a path: pages of any of them. */
  readonly site?: string | undefined
  readonly type?: string | undefined
  readonly lang?: string | undefined
  /** First and last day, month or year, both included. */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const FIELD_WORD: Readonly<Record<AdvancedWhere, string>> = { anywhere: '', title: 'intitle:', address: 'inurl:' }
const OPERATOR = /^(?:AND|OR|NOT)$|^(?:NEAR|ADJ)\//
/** What may have a meaning in a word; a hyphen or slash has one at its begin only. */
const IN_WORD = /^[-/]|[^\p{L}\p{N}\p{M}\p{Cs}._,'/-]/gu
/** Quotation marks as the search box knows them, and the backslash. */
const IN_PHRASE = /[\\"＂“”„‟「」『』]/g

/** @returns '' where nothing is filled in */
export function advancedQuery(fields: AdvancedFields): string {
  const word = FIELD_WORD[fields.where ?? 'anywhere']
  const clauses = wordsOf(fields.all).map((text) => `+${word}${text}`)
  const phrase = (fields.phrase ?? '').trim()
  if (phrase !== '') clauses.push(`+${word}"${escapeAll(phrase, IN_PHRASE)}"`)
  clauses.push(...anyOf(wordsOf(fields.any).map((text) => word + text)))
  clauses.push(...wordsOf(fields.none).map((text) => `-${word}${text}`))
  clauses.push(...anyOf(wordsOf(fields.site).map((text) => `site:${text}`)))
  for (const text of wordsOf(fields.type)) clauses.push(`+filetype:${text}`)
  for (const text of wordsOf(fields.lang)) clauses.push(`+lang:${text}`)
  const { from = '', to = '' } = fields
  if (from !== '' || to !== '') clauses.push(`+date:[${from || '*'} TO ${to || '*'}]`)
  return clauses.join(' ')
}

function anyOf(clauses: readonly string[]): string[] {
  if (clauses.length < 2) return clauses.map((clause) => `+${clause}`)
  return [`+(${clauses.join(' OR ')})`]
}

/** Words that mean themselves, whatever they are written with. */
function wordsOf(text = ''): string[] {
  const words = text.split(/\s+/u).filter((word) => word !== '')
  return words.map((word) => {
    const escaped = escapeAll(word, IN_WORD)
    return OPERATOR.test(escaped) ? `\\${escaped}` : escaped
  })
}

/** A backslash takes one UTF-16 unit: what lies beyond the first 65,536 characters has no meaning and needs none. */
function escapeAll(text: string, special: RegExp): string {
  return text.replace(special, (char) => (char.length === 1 ? `\\${char}` : char))
}
