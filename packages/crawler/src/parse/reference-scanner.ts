/**
 * Reads a character reference as nearly all are written: a common name or a decimal number of a plain character, and a semicolon.
 * All others, and what only looks like one, are left to parse5. What is read is what it would make of it, held so by a test.
 */

import { hashOn, NameTable } from './name-table.js'

const HASH = 0x23
const SEMICOLON = 0x3b
const ZERO = 0x30
/** Characters of the longest name or number that is looked at. */
const MAX_LENGTH = 8

/** Names of U+00A0 to U+00FF in their order. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
  'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
  'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute ' +
  'THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ' +
  'ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
const OTHERS =
  'lt < gt > amp & quot " apos \' ndash – mdash — hellip … lsquo ‘ rsquo ’ ldquo “ rdquo ” bull • trade ™ euro € larr ← rarr → ' +
  'lsaquo ‹ rsaquo ›'

function commonReferences(): ReadonlyMap<string, string> {
  const characters = new Map(LATIN_1.split(' ').map((name, i) => [name, String.fromCharCode(0xa0 + i)]))
  const others = OTHERS.split(' ')
  for (let i = 0; i < others.length; i += 2) characters.set(others[i]!, others[i + 1]!)
  return characters
}

/** Letters and digits as themselves, 0 for all else. */
function letters(): Uint8Array {
  const table = new Uint8Array(128)
  for (const char of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') {
    table[char.charCodeAt(0)] = char.charCodeAt(0)
  }
  return table
}

const COMMON = commonReferences()
const LETTERS = letters()
const NAMES = new NameTable([...COMMON.keys()], LETTERS)
const CHARACTERS = [...COMMON.values()]

/** Names that are read here. */
export const REFERENCE_NAMES: readonly string[] = NAMES.names

/** Reads references. */
export class ReferenceScanner {
  /** What the reference read last stands for. */
  character = ''

  /**
   * Reads the reference that begins with the `&` at `from`.
   * @param units of the page, with a 0 behind the last
   * @returns where it ends; -1 where there is none, or one that is not plain
   */
  scan(units: Uint16Array, from: number): number {
    if (units[from + 1] === HASH) return this.#scanNumber(units, from + 2)
    const start = from + 1
    let hash = 0
    let i = start
    for (; i - start < MAX_LENGTH; i++) {
      const code = units[i]!
      const char = code < 128 ? LETTERS[code]! : 0
      if (char === 0) break
      hash = hashOn(hash, char)
    }
    if (units[i] !== SEMICOLON) return -1
    const number = NAMES.find(units, start, i, hash)
    if (number < 0) return -1
    this.character = CHARACTERS[number]!
    return i + 1
  }

  #scanNumber(units: Uint16Array, start: number): number {
    let value = 0
    let i = start
    for (; i - start < MAX_LENGTH; i++) {
      const digit = units[i]! - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
    }
    if (units[i] !== SEMICOLON || !isPlain(value)) return -1
    this.character = String.fromCharCode(value)
    return i + 1
  }
}

/** A character of one unit that its number stands for as it is (HTML standard, 13.2.5.80); no digits make none. */
function isPlain(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code < 0xd800) || (code >= 0xe000 && code < 0xfdd0)
}
