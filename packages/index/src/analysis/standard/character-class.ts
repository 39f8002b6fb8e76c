/**
 * The word-break class of every character, as a byte table over the first four planes of Unicode (256 KiB, filled once
 * in about a millisecond from the checked-in run lengths). The table is checked in, not asked from the engine's regular
 * expressions, so that the same text gives the same tokens on every version of Node.
 * The classes are those of UAX #29 with the additions of Lucene's StandardTokenizer (ideographs, scripts written
 * without spaces, emoji).
 */
import { WORD_BREAK_RUNS } from './word-break-data.js'

/** Not part of any word. */
export const OTHER = 0
/** A letter of a script that separates words by spaces. */
export const LETTER = 1
/** A decimal digit, full-width ones too. */
export const DIGIT = 2
/** A Hebrew letter: quotes inside Hebrew words belong to them. */
export const HEBREW = 3
/** A Hangul letter or syllable. */
export const HANGUL = 4
/** Katakana: a run is one word. */
export const KATAKANA = 5
/** One character a token: Hiragana, and whatever else a table derived from this one treats so. */
export const SYLLABLE = 6
/** A Han character. */
export const HAN = 7
/** Scripts that need a dictionary we do not have (Thai, Lao, Khmer, Myanmar …): a run is one token. */
export const COMPLEX = 8
/** Combining marks, format characters and joiners: part of whatever they follow. */
export const EXTEND = 9
/** Connector punctuation such as the underscore. */
export const EXTEND_NUM_LET = 10
/** Joins two letters, such as the colon. */
export const MID_LETTER = 11
/** Joins two digits, such as the comma. */
export const MID_NUM = 12
/** Joins two letters or two digits: the full stop. */
export const MID_NUM_LET = 13
/** The apostrophe: like {@link MID_NUM_LET}, and may end a Hebrew word. */
export const SINGLE_QUOTE = 14
/** The double quote: joins two Hebrew letters. */
export const DOUBLE_QUOTE = 15
/** Half of a flag. */
export const REGIONAL = 16
/** A character that is an emoji by itself. */
export const EMOJI = 17
/** A symbol that is an emoji only before U+FE0F. */
export const EMOJI_WITH_SELECTOR = 18
/** `#` and `*`: the start of a keycap emoji where a keycap follows. */
export const KEYCAP_BASE = 19

/** Number of classes, rounded up to a power of two. */
export const CLASS_COUNT = 32

/** Code points covered by a table; above there are only extenders ({@link HIGH_EXTEND_START}) and private use. */
export const TABLE_SIZE = 0x40000
/** First of the extenders of plane 14 (tags, variation selectors). */
export const HIGH_EXTEND_START = 0xe0001
/** Last of the extenders of plane 14. */
export const HIGH_EXTEND_END = 0xe01ef

/** Class of each code point below {@link TABLE_SIZE}. Not to be changed: derive a table by `slice()`. */
export const CHARACTER_CLASSES: Uint8Array = decodeRuns(WORD_BREAK_RUNS)

/** The class of a code point in a table. */
export function classOf(table: Uint8Array, codePoint: number): number {
  if (codePoint < TABLE_SIZE) return table[codePoint]!
  return codePoint >= HIGH_EXTEND_START && codePoint <= HIGH_EXTEND_END ? EXTEND : OTHER
}

/** Reads `A1bC…`: an upper-case letter for the class, then the length of the run in base 36; the rest is OTHER. */
function decodeRuns(runs: string): Uint8Array {
  const table = new Uint8Array(TABLE_SIZE)
  let at = 0
  let i = 0
  while (i < runs.length) {
    const value = runs.charCodeAt(i++) - 65
    let length = 0
    while (i < runs.length) {
      const digit = runs.charCodeAt(i)
      if (digit >= 65 && digit <= 90) break
      length = length * 36 + (digit <= 57 ? digit - 48 : digit - 87)
      i++
    }
    if (value !== OTHER) table.fill(value, at, at + length)
    at += length
  }
  return table
}
