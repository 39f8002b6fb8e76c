/**
 * Whether a text was read in the wrong encoding. What was said of the encoding is believed all the same, as browsers do;
 * the doubt is told in the report of the crawl and by `spindle check`, for whoever can mend the page or its server.
 */
import { isAscii, isUtf8 } from 'node:buffer'
import type { CharsetDoubt, CharsetSource } from './parsed-page.js'

/** Share of the characters beyond ASCII that may be invalid. */
const MAX_INVALID = 0.01
/** Bytes beyond ASCII from which a text says something of its encoding. */
const MIN_BYTES = 8
/** Bytes that are looked at, from the first one beyond ASCII on. */
const SAMPLE_BYTES = 64 * 1024
/** Letters beyond ASCII in a row; Polish has four ("żółć"). */
const LONG_RUN = 5

const REPLACEMENT = '\ufffd'
const DECLARED: ReadonlySet<CharsetSource> = new Set(['http', 'meta', 'xml'])

/** Encodings of languages that are written in Latin letters, with some others among them. */
const LATIN = /^(?:windows-125[0247]|iso-8859-(?:[1-4]|1[03-6])|macintosh)$/

/**
 * Why a decoded text is in doubt, or undefined where it is not.
 * @param text what decoding gave
 */
export function charsetDoubt(
  bytes: Buffer,
  text: string,
  charset: string,
  source: CharsetSource,
): CharsetDoubt['reason'] | undefined {
  if (source === 'fallback') return 'unknown'
  if (text.includes(REPLACEMENT)) {
    // a page may write the character itself
    if (charset === 'utf-8' && isUtf8(bytes)) return undefined
    if (invalidShare(text) >= MAX_INVALID) return 'invalid'
  }
  if (charset === 'utf-8') return undefined
  if (DECLARED.has(source) && isReallyUtf8(bytes, charset)) return 'utf-8'
  return LATIN.test(charset) && !looksLatin(bytes) ? 'not-latin' : undefined
}

const MEANINGS: Readonly<Record<CharsetDoubt['reason'], string>> = {
  invalid: '1 % or more of its characters beyond ASCII are invalid',
  'utf-8': 'its bytes are valid UTF-8',
  'not-latin': 'it would have words of accented letters alone',
  unknown: 'nothing tells its encoding',
}

/** A doubt for people: what was taken, why that is in doubt, what the bytes look like. */
export function doubtText(charset: string, { reason, bytesLike }: CharsetDoubt): string {
  return `read as ${charset}; ${MEANINGS[reason]}${bytesLike === undefined ? '' : `; looks like ${bytesLike}`}`
}

/** A last character that was cut off with the body does not count. */
function invalidShare(text: string): number {
  const end = text.endsWith(REPLACEMENT) ? text.length - 1 : text.length
  let invalid = 0
  let beyond = 0
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    beyond++
    if (unit === 0xfffd) invalid++
  }
  return beyond === 0 ? 0 : invalid / beyond
}

/** Text in another encoding is hardly ever valid UTF-8 as well. */
function isReallyUtf8(bytes: Buffer, charset: string): boolean {
  if (charset.startsWith('utf-16')) return isUtf8(bytes) && !bytes.includes(0)
  return !isAscii(bytes) && isUtf8(bytes) && countBeyondAscii(bytes) >= MIN_BYTES
}

function countBeyondAscii(bytes: Buffer): number {
  let count = 0
  for (let i = 0; i < bytes.length && count < MIN_BYTES; i++) if (bytes[i]! >= 0x80) count++
  return count
}

/** In Latin text the letters beyond ASCII stand alone or in twos; in all other text they follow on each other. */
function looksLatin(bytes: Buffer): boolean {
  if (isAscii(bytes)) return true
  let start = 0
  while (bytes[start]! < 0x80) start++
  const end = Math.min(bytes.length, start + SAMPLE_BYTES)
  let all = 0
  let inRuns = 0
  let run = 0
  for (let i = start; i <= end; i++) {
    const byte = i < end ? bytes[i]! : 0
    // pages are laid out with rows of no-break spaces
    if (byte >= 0x80 && byte !== 0xa0) {
      run++
      continue
    }
    all += run
    if (run >= LONG_RUN) inRuns += run
    run = 0
  }
  return all < MIN_BYTES || inRuns * 2 <= all
}
