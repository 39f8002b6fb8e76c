/**
 * Reads the leaves of a query: words with wildcards, ranges and regular expressions. Where the query is for people and
 * not strict, characters of the syntax that end a sentence or stand in an address are text: `what is silk?`,
 * `http://example.org/?page=2`, `5~10`.
 */
import type { QueryText } from './query-text.js'
import {
  type AnySyntax,
  type EverythingSyntax,
  isSpace,
  type PrefixSyntax,
  type RangeSyntax,
  type RegexpSyntax,
  type TextSyntax,
  type WildcardSyntax,
} from './syntax-tree.js'

/** A word, and what it is. */
export interface WordReading {
  /** Escapes resolved, wildcards as typed. */
  readonly text: string
  /** One past its last UTF-16 unit; the place of the colon for the name of a field. */
  readonly end: number
  /** Something in it was escaped, so that it is no operator. */
  readonly escaped: boolean
  /** It stands before a colon and names a field. */
  readonly isField: boolean
  readonly leaf: TextSyntax | PrefixSyntax | WildcardSyntax | AnySyntax | EverythingSyntax
}

/** Between words: white space, parentheses, the end. */
export function isBoundary(char: string): boolean {
  return char === '' || char === '(' || char === ')' || isSpace(char)
}

/** 0 to 9 */
export function isDigit(char: string): boolean {
  return char.length === 1 && char >= '0' && char <= '9'
}

/** @param isField whether the colon behind a text makes it the name of a field */
export function readWord(
  text: QueryText,
  start: number,
  isField: (reading: { text: string; end: number }) => boolean,
): WordReading {
  if (text.char(start) === '*') {
    const length = text.startsWith('*:*', start) ? 3 : 0
    if (length > 0 && (isBoundary(text.char(start + length)) || text.char(start + length) === '^')) {
      return { text: '*:*', end: start + length, escaped: false, isField: false, leaf: { kind: 'everything' } }
    }
  }
  let word = ''
  // The word in the syntax of wildcards.
  let pattern = ''
  let wildcards = 0
  let endsWithStar = false
  let escaped = false
  let isAddress = false
  let at = start
  for (;;) {
    const char = text.char(at)
    if (isBoundary(char) || char === '"') break
    if (char === '^' && isBoostAhead(text, at)) break
    if (char === '~' && !isAddress && isTildeAhead(text, at, word)) break
    if (char === '\\') {
      const { text: literal, end } = text.escape(at)
      escaped = true
      word += literal
      pattern += escapeWildcard(literal)
      // A backslash that nothing follows is left out.
      if (literal !== '') endsWithStar = false
      at = end
      continue
    }
    if (char === ':') {
      if (isField({ text: word, end: at })) return { text: word, end: at, escaped, isField: true, leaf: textOf(word) }
      isAddress ||= text.startsWith('//', at + 1)
    }
    const isWildcard = (char === '*' || (char === '?' && !isEndOfSentence(text, at))) && !isAddress
    if (isWildcard) wildcards++
    else if (text.strict && '[]{}'.includes(char)) {
      text.report(at, at + 1, `a '${char}' where no range is; write '\\${char}' for the character`)
    }
    const typed = isWildcard ? char : text.raw(at)
    word += typed
    pattern += isWildcard ? char : escapeWildcard(typed)
    endsWithStar = isWildcard && char === '*'
    at++
  }
  let leaf: WordReading['leaf'] = textOf(word)
  if (wildcards > 0) {
    if (isStars(pattern)) leaf = { kind: 'any' }
    else if (wildcards === 1 && endsWithStar) leaf = { kind: 'prefix', text: word.slice(0, -1) }
    else leaf = { kind: 'wildcard', pattern }
  }
  return { text: word, end: at, escaped, isField: false, leaf }
}

function textOf(text: string): TextSyntax {
  return { kind: 'text', text }
}

function isStars(pattern: string): boolean {
  for (let i = 0; i < pattern.length; i++) if (pattern[i] !== '*') return false
  return true
}

/** A literal text in the syntax of wildcards. */
export function escapeWildcard(text: string): string {
  return text.replace(/[*?\\]/g, '\\$&')
}

/** Whether `^` at a place begins a boost rather than being text as in `x^n`. */
function isBoostAhead(text: QueryText, at: number): boolean {
  if (text.strict) return true
  const next = text.char(at + 1)
  return isDigit(next) || next === '.' || next === '-' || next === '+'
}

/** Whether `~` at a place makes the word before it fuzzy. */
function isTildeAhead(text: QueryText, at: number, word: string): boolean {
  if (text.strict) return true
  if (word === '' || isNumber(word)) return false
  let end = at + 1
  while (isDigit(text.char(end)) || text.char(end) === '.') end++
  const next = text.char(end)
  const amount = text.slice(at + 1, end)
  return (amount.length <= 1 || amount.startsWith('0.')) && (isBoundary(next) || next === '^' || next === '~')
}

function isNumber(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (!isDigit(word[i]!)) return false
  return true
}

/** Whether nothing but the end of a sentence follows, so that a question mark is one. */
function isEndOfSentence(text: QueryText, at: number): boolean {
  if (text.strict) return false
  let end = at
  while (text.char(end) !== '' && '?!.,;'.includes(text.char(end)) && end < at + 16) end++
  return isBoundary(text.char(end)) || text.char(end) === '"'
}

/** @returns `no range` where the bracket may be meant as text, `broken` where ` TO ` follows but no range */
export function readRange(
  text: QueryText,
  start: number,
): { readonly leaf: RangeSyntax; readonly end: number } | 'no range' | 'broken' {
  const lower = readBound(text, skipSpace(text, start + 1))
  if (lower === null) return 'no range'
  const to = skipSpace(text, lower.end)
  if (to === lower.end || !text.startsWith('TO', to) || !isBoundary(text.char(to + 2))) return 'no range'
  const upper = readBound(text, skipSpace(text, to + 2))
  if (upper === null) return 'broken'
  const end = skipSpace(text, upper.end)
  const closing = text.char(end)
  if (closing !== ']' && closing !== '}') return 'broken'
  const includeLower = text.char(start) === '['
  const leaf: RangeSyntax = {
    kind: 'range',
    lower: lower.text,
    upper: upper.text,
    includeLower,
    includeUpper: closing === ']',
  }
  return { leaf, end: end + 1 }
}

function skipSpace(text: QueryText, from: number): number {
  let at = from
  while (isSpace(text.char(at))) at++
  return at
}

/** A bound of a range: quoted, or anything up to white space or a closing bracket; `*` alone is open. */
function readBound(text: QueryText, start: number): { readonly text: string | null; readonly end: number } | null {
  if (text.char(start) === '"') return text.quoted(start)
  let bound = ''
  let at = start
  for (let char = text.char(at); char !== '' && !isSpace(char) && char !== ']' && char !== '}'; char = text.char(at)) {
    if (char === '\\') {
      const escaped = text.escape(at)
      bound += escaped.text
      at = escaped.end
    } else bound += text.raw(at++)
  }
  if (at === start) return null
  return { text: at === start + 1 && text.char(start) === '*' ? null : bound, end: at }
}

/**
 * A regular expression between slashes at the begin and the end of a word; null for the slash of a path, for words between
 * slashes, and where nothing closes it.
 */
export function readRegexp(
  text: QueryText,
  start: number,
): { readonly leaf: RegexpSyntax; readonly end: number } | null {
  let pattern = ''
  let at = start + 1
  for (; text.raw(at) !== '/'; at++) {
    if (text.raw(at) === '') return null
    if (text.raw(at) !== '\\') {
      pattern += text.raw(at)
      continue
    }
    at++
    if (text.raw(at) === '') return null
    // A slash needs the backslash only here.
    pattern += text.raw(at) === '/' ? '/' : `\\${text.raw(at)}`
  }
  const next = text.char(at + 1)
  const isWord = pattern !== '' && !'*/'.includes(pattern[0]!) && pattern.trim() === pattern
  // Words have no white space in them.
  if (!text.strict && [...pattern].some(isSpace)) return null
  if (!isWord || !(isBoundary(next) || next === '^' || (text.strict && next === '~'))) return null
  return { leaf: { kind: 'regexp', pattern }, end: at + 1 }
}
