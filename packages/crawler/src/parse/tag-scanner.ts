/**
 * Reads a tag as nearly all are written: letters, digits and a few marks in its names, no references in its values but those that
 * `reference-scanner.ts` reads. Whatever else may stand in a tag is left to parse5's states, to which such a tag goes as a whole, from its first character on. What is
 * read is what they would make of it (HTML standard, 13.2.5.6–40), held so by a test.
 */

import { html, Token } from 'parse5'
import { isMark, MIN_MARK } from './mark-names.js'
import { hashOn, NAME_CHARS, NameTable } from './name-table.js'
import { ReferenceScanner } from './reference-scanner.js'

const DOUBLE_QUOTE = 0x22
const AMPERSAND = 0x26
const SINGLE_QUOTE = 0x27
const SLASH = 0x2f
const EQUALS = 0x3d
const GREATER_THAN = 0x3e
const LOWER_A = 0x61
const LOWER_Z = 0x7a

/** More attributes than these are looked through for doubles by parse5, which has a set for it. */
const MAX_ATTRIBUTES = 64

const SPACE = charTable('\t\n\f ')
/** Where a value ends, or is none that can be taken as it stands. A CR would be one of them, but pages have none here. */
const DOUBLE_QUOTED = charTable('"&\0')
const SINGLE_QUOTED = charTable("'&\0")
const UNQUOTED = charTable('\t\n\f >&\0')

function charTable(chars: string): Uint8Array {
  const table = new Uint8Array(64)
  for (const char of chars) table[char.charCodeAt(0)] = 1
  return table
}

function isIn(table: Uint8Array, code: number): boolean {
  return code < 64 && table[code] === 1
}

const { TAG_ID } = html
const { TokenType } = Token

const TAGS = new NameTable(Object.values(html.TAG_NAMES).filter((name) => name === name.toLowerCase()))
const TAG_IDS = TAGS.names.map((name) => html.getTagID(name))

const ATTRIBUTES = new NameTable(
  unique(
    'href class id name title rel src alt content type lang xml:lang style width height align valign border target http-equiv ' +
      'property itemprop itemtype itemscope datetime role value hidden aria-hidden aria-label colspan rowspan scope summary ' +
      'charset media cellpadding cellspacing bgcolor color face size hreflang onclick onload action method for placeholder ' +
      'tabindex xmlns viewbox d fill stroke points transform loading srcset sizes accesskey',
  ),
)

/** Words that are each one string of the engine, as those of the source are: they differ where they are not the same object. */
function unique(words: string): string[] {
  return Object.keys(Object.fromEntries(words.split(' ').map((word) => [word, 0])))
}

const NO_ATTRIBUTES: Token.Attribute[] = []

/** Reads tags. */
export class TagScanner {
  readonly #startTag = newToken(TokenType.START_TAG)
  readonly #endTag = newToken(TokenType.END_TAG)
  readonly #references = new ReferenceScanner()
  /** The tag read last; the next one changes it. */
  token = this.#startTag
  /** True where an attribute marks parts of the page; see {@link isMark}. */
  hasMarks = false
  /** of the name read last */
  #hash = 0

  /**
   * Reads the tag that begins with the `<` at `from`.
   * @param page without CR
   * @param units of the page, with a 0 behind the last
   * @returns where its `>` is; -1 where there is no tag, or one that is not plain: then nothing is told of it
   */
  scan(page: string, units: Uint16Array, from: number): number {
    const closes = units[from + 1]! === SLASH
    const start = from + (closes ? 2 : 1)
    const first = units[start]! | 0x20
    if (!(first >= LOWER_A && first <= LOWER_Z)) return -1
    const end = this.#endOfName(units, start)
    const number = TAGS.find(units, start, end, this.#hash)
    const code = units[end]!
    const token = closes ? this.#endTag : this.#startTag
    this.token = token
    token.attrs = NO_ATTRIBUTES
    token.selfClosing = false
    let close = end
    if (code !== GREATER_THAN) {
      close = code === SLASH || isIn(SPACE, code) ? this.#scanAttributes(page, units, end) : -1
      if (close < 0) return -1
    }
    token.tagName = number < 0 ? page.slice(start, end).toLowerCase() : TAGS.names[number]!
    token.tagID = number < 0 ? TAG_ID.UNKNOWN : TAG_IDS[number]!
    return close
  }

  /** All from behind the name of a tag to its `>`; where that is, or -1. */
  #scanAttributes(page: string, units: Uint16Array, from: number): number {
    let attrs: Token.Attribute[] | undefined
    for (let i = from; ; ) {
      const code = units[i]!
      if (code === GREATER_THAN) return i
      if (code === SLASH) {
        i++
        this.token.selfClosing = units[i]! === GREATER_THAN
        continue
      }
      if (isIn(SPACE, code)) {
        i++
        continue
      }
      const nameEnd = this.#endOfName(units, i)
      if (nameEnd === i) return -1
      const name = this.#attributeName(page, units, i, nameEnd)
      let value = ''
      i = nameEnd
      while (isIn(SPACE, units[i]!)) i++
      const next = units[i]!
      if (next === EQUALS) {
        if (i !== nameEnd) return -1
        const quote = units[i + 1]!
        const isQuoted = quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE
        const start = isQuoted ? i + 2 : i + 1
        const table = quote === DOUBLE_QUOTE ? DOUBLE_QUOTED : isQuoted ? SINGLE_QUOTED : UNQUOTED
        let from = start
        i = endOfValue(units, start, table)
        while (units[i] === AMPERSAND) {
          const end = this.#references.scan(units, i)
          if (end < 0) return -1
          value += page.slice(from, i) + this.#references.character
          from = end
          i = endOfValue(units, end, table)
        }
        const last = units[i]!
        if (isQuoted ? last !== quote : i === start || (last !== GREATER_THAN && !isIn(SPACE, last))) return -1
        value = from === start ? page.slice(start, i) : value + page.slice(from, i)
        if (isQuoted) i++
      } else if (!(next === GREATER_THAN || next === SLASH || NAME_CHARS[next]! > 0)) return -1
      if (attrs === undefined) {
        attrs = [{ name, value }]
        this.token.attrs = attrs
      } else if (!has(attrs, name)) {
        if (attrs.length === MAX_ATTRIBUTES) return -1
        attrs.push({ name, value })
      }
    }
  }

  #attributeName(page: string, units: Uint16Array, start: number, end: number): string {
    const number = ATTRIBUTES.find(units, start, end, this.#hash)
    if (number >= 0) return ATTRIBUTES.names[number]!
    const name = page.slice(start, end).toLowerCase()
    if (name.length >= MIN_MARK && isMark(name)) this.hasMarks = true
    return name
  }

  #endOfName(page: Uint16Array, start: number): number {
    let hash = 0
    let i = start
    for (; ; i++) {
      const code = page[i]!
      const char = code < 128 ? NAME_CHARS[code]! : 0
      if (char === 0) break
      hash = hashOn(hash, char)
    }
    this.#hash = hash
    return i
  }
}

function newToken(type: Token.TagToken['type']): Token.TagToken {
  const name = { tagName: '', tagID: TAG_ID.UNKNOWN }
  return { type, ...name, selfClosing: false, ackSelfClosing: false, attrs: NO_ATTRIBUTES, location: null }
}

function endOfValue(units: Uint16Array, start: number, table: Uint8Array): number {
  let i = start
  while (!isIn(table, units[i]!)) i++
  return i
}

function has(attrs: readonly Token.Attribute[], name: string): boolean {
  for (let i = 0; i < attrs.length; i++) if (attrs[i]!.name === name) return true
  return false
}
