/**
 * The text of a page as numbers, for comparing pages: a hash a word, and one a character for what is written without blanks
 * (Chinese, Japanese) and for every sign, so that pages that differ in an operator of a program differ here, too. About 8 ns a
 * character.
 */

/** What a token is, in the lowest bits of its number. */
const KIND_BITS = 2
const WORD = 0
/** holds a digit */
const NUMBER = 1
const BREAK = 2

/** The token between two lines; text blocks stand on lines of their own. */
export const LINE_BREAK = BREAK

const SPACE = 0
const LETTER = 1
const DIGIT = 2
const SIGN = 3
const IDEOGRAPH = 4
const NEWLINE = 5

let classes: Uint8Array | undefined

/** Class of each UTF-16 unit. */
function classTable(): Uint8Array {
  if (classes !== undefined) return classes
  const table = new Uint8Array(0x10000).fill(SIGN)
  for (let unit = 0; unit < 0x10000; unit++) {
    const char = String.fromCharCode(unit)
    if (unit === 0x0a) table[unit] = NEWLINE
    else if (/\s/.test(char)) table[unit] = SPACE
    // Characters outside of the first plane: rare ideographs above all.
    else if (unit >= 0xd800 && unit <= 0xdfff) table[unit] = IDEOGRAPH
    else if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(char)) table[unit] = IDEOGRAPH
    else if (/\p{N}/u.test(char)) table[unit] = DIGIT
    else if (/[\p{L}\p{M}_]/u.test(char)) table[unit] = LETTER
  }
  classes = table
  return table
}

/** @returns one number a token, in the order of the text; 30 bits of hash and the kind */
export function pageTokens(text: string): Uint32Array {
  const table = classTable()
  const { length } = text
  let tokens = new Uint32Array(Math.max(16, length >> 2))
  let count = 0
  let at = 0
  while (at < length) {
    const first = text.charCodeAt(at)
    const kind = table[first]!
    if (kind === SPACE) {
      at++
      continue
    }
    if (count === tokens.length) {
      const larger = new Uint32Array(tokens.length * 2)
      larger.set(tokens)
      tokens = larger
    }
    if (kind === NEWLINE) {
      at++
      if (count > 0 && tokens[count - 1] !== LINE_BREAK) tokens[count++] = LINE_BREAK
      continue
    }
    let hash = 0x811c9dc5 ^ first
    let hasDigit = kind === DIGIT
    at++
    if (kind === LETTER || kind === DIGIT) {
      for (; at < length; at++) {
        const unit = text.charCodeAt(at)
        const next = table[unit]!
        if (next !== LETTER && next !== DIGIT) break
        if (next === DIGIT) hasDigit = true
        hash = Math.imul(hash, 0x01000193) ^ unit
      }
    }
    tokens[count++] = ((mix(hash) << KIND_BITS) | (hasDigit ? NUMBER : WORD)) >>> 0
  }
  if (count > 0 && tokens[count - 1] === LINE_BREAK) count--
  return tokens.subarray(0, count)
}

/** True for a token that holds a digit. */
export function isNumber(token: number): boolean {
  return (token & 3) === NUMBER
}

/** The end of MurmurHash3: every bit of the input changes every bit of the output. */
export function mix(value: number): number {
  let h = value ^ (value >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}
