/** Content-Type as servers really send it: any case, quotes of both kinds, stray blanks, the header twice. */

/** A parsed Content-Type. */
export interface ContentType {
  /** `type/subtype`, lower case, empty where there is none */
  readonly essence: string
  /** the charset parameter as given, without quotes */
  readonly charset: string | undefined
}

const NONE: ContentType = { essence: '', charset: undefined }

/**
 * Parses a Content-Type header. Of several joined by commas the last valid one counts (WHATWG Fetch, “extract a MIME type”),
 * with the charset of an earlier one where it has none of its own.
 */
export function parseContentType(header: string | undefined): ContentType {
  if (header === undefined || header === '') return NONE
  let essence = ''
  let charset: string | undefined
  for (const part of splitOutsideQuotes(header, 0x2c)) {
    const pieces = splitOutsideQuotes(part, 0x3b)
    const type = (pieces[0] ?? '').trim().toLowerCase()
    if (!/^[^\s/;,]+\/[^\s/;,]+$/.test(type)) continue
    essence = type
    for (let i = 1; i < pieces.length; i++) {
      const piece = pieces[i]!
      const equals = piece.indexOf('=')
      if (equals < 0 || piece.slice(0, equals).trim().toLowerCase() !== 'charset') continue
      const value = unquote(piece.slice(equals + 1).trim())
      if (value === '') continue
      charset = value
      break
    }
  }
  return { essence, charset }
}

function unquote(value: string): string {
  const quote = value[0]
  if (quote !== '"' && quote !== "'") return value
  const end = value.indexOf(quote, 1)
  return value.slice(1, end < 0 ? undefined : end).trim()
}

function splitOutsideQuotes(text: string, separator: number): string[] {
  const parts: string[] = []
  let start = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) quoted = !quoted
    else if (code === separator && !quoted) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  parts.push(text.slice(start))
  return parts
}
