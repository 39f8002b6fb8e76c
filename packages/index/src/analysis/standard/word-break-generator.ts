/**
 * Makes the run lengths of word-break-data.ts from the Unicode properties of the running engine. Not used at run time:
 * the test compares its output with the checked-in data, and `node word-break-generator.js` (in dist) prints a new file.
 * Sources: UAX #29 table 3 (word break property values), the grammar of Lucene's StandardTokenizer for the ideographic,
 * complex-context and emoji rules.
 */
import { argv, stdout, versions } from 'node:process'
import { pathToFileURL } from 'node:url'

/** Code points looked at: the first four planes. */
const LIMIT = 0x40000

const MID_LETTER = set(0x3a, 0xb7, 0x387, 0x55f, 0x5f4, 0x2027, 0xfe13, 0xfe55, 0xff1a)
const MID_NUM_LET = set(0x2e, 0x2018, 0x2019, 0x2024, 0xfe52, 0xff07, 0xff0e)
const MID_NUM = set(
  ...[0x2c, 0x3b, 0x37e, 0x589, 0x60c, 0x60d, 0x66c, 0x7f8, 0x2044, 0xfe10, 0xfe14, 0xfe50, 0xfe54, 0xff0c, 0xff1b],
)
const KATAKANA_EXTRA = set(0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x309b, 0x309c, 0x30a0, 0x30fc, 0xff70)
const LETTER_EXTRA =
  /[\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b]/u
const COMPLEX =
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Tai_Le}\p{Script=New_Tai_Lue}\p{Script=Tai_Tham}\p{Script=Tai_Viet}\p{Script=Ahom}]/u
const EMOJI_WITH_SELECTOR = set(0xa9, 0xae, 0x2122, 0x3030, 0x303d)

/** The classes of all code points below 0x40000 as run lengths, in the form that character-class.ts reads. */
export function wordBreakRuns(): string {
  let runs = ''
  let current = letterOf(0)
  let length = 0
  for (let code = 0; code < LIMIT; code++) {
    const letter = letterOf(code)
    if (letter !== current) {
      runs += current + length.toString(36)
      current = letter
      length = 0
    }
    length++
  }
  return current === 'A' ? runs : runs + current + length.toString(36)
}

/** The class of a code point as a letter: `A` is class 0. */
function letterOf(code: number): string {
  if (code >= 0xd800 && code < 0xe000) return 'A'
  const char = String.fromCodePoint(code)
  if (code < 0x80 && /[a-zA-Z]/.test(char)) return 'B'
  if (/\p{Regional_Indicator}/u.test(char)) return 'Q'
  if (code === 0x27) return 'O'
  if (code === 0x22) return 'P'
  if (code === 0x23 || code === 0x2a) return 'T'
  if (MID_LETTER.has(code)) return 'L'
  if (MID_NUM.has(code)) return 'M'
  if (MID_NUM_LET.has(code)) return 'N'
  if (COMPLEX.test(char) && /[\p{L}\p{M}]/u.test(char)) return 'I'
  if (isExtend(code, char)) return 'J'
  if (/\p{Script=Han}/u.test(char)) return 'H'
  if (KATAKANA_EXTRA.has(code) || /\p{Script=Katakana}/u.test(char)) return 'F'
  if (/\p{Script=Hiragana}/u.test(char) && /\p{L}/u.test(char)) return 'G'
  if (/\p{Script=Hangul}/u.test(char) && /\p{L}/u.test(char)) return 'E'
  if (/\p{Script=Hebrew}/u.test(char) && /\p{Lo}/u.test(char)) return 'D'
  if (/\p{Nd}/u.test(char) || code === 0x66b) return 'C'
  if (/\p{Pc}/u.test(char) || code === 0x202f) return 'K'
  if (/\p{Alphabetic}/u.test(char) || LETTER_EXTRA.test(char)) return 'B'
  if (EMOJI_WITH_SELECTOR.has(code)) return 'S'
  if (/\p{Emoji}/u.test(char)) return 'R'
  return 'A'
}

/** WB classes Extend, Format and ZWJ; U+200B separates words. */
function isExtend(code: number, char: string): boolean {
  if (code === 0x200b) return false
  return code === 0xff9e || code === 0xff9f || /[\p{M}\p{Cf}\p{Emoji_Modifier}]/u.test(char)
}

function set(...codes: number[]): ReadonlySet<number> {
  return new Set(codes)
}

/** The text of word-break-data.ts. */
function dataFile(): string {
  const runs = wordBreakRuns()
  const lines: string[] = []
  for (let i = 0; i < runs.length; i += 110) lines.push(`  '${runs.slice(i, i + 110)}',`)
  return `/**
 * Word-break classes as run lengths, made by word-break-generator.ts; read by character-class.ts.
 */

/** Version of Unicode that the runs were made from. */
export const WORD_BREAK_UNICODE = '${versions.unicode}'

/** An upper-case letter for the class (A is 0), then the length of the run in base 36. */
export const WORD_BREAK_RUNS: string = [
${lines.join('\n')}
].join('')
`
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) stdout.write(dataFile())
