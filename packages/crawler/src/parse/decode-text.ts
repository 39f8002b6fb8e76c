/**
 * From bytes to text: which character encoding a body is in, and its decoding.
 * The order is that of browsers (mark, header, declaration), then what the bytes themselves say: the pattern of UTF-16 without a
 * mark, validity as UTF-8, chardet for Chinese, Japanese and Korean, jschardet for the rest.
 * Decoding is by @exodus/bytes: the TextDecoder of Node.js is wrong for several legacy encodings, and is used for UTF-8 alone.
 */

import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder as LegacyDecoder, normalizeEncoding } from '@exodus/bytes/encoding.js'
import { ResultType, Sniffer } from 'encoding-sniffer/sniffer'
import { charsetDoubt } from './charset-doubt.js'
import type { CharsetDoubt, CharsetSource } from './parsed-page.js'
import { detectByChardet, detectByJschardet } from './statistical-detectors.js'

/** Text and how it was read. */
export interface DecodedText {
  readonly text: string
  /** WHATWG encoding name, lower case; gb2312 and gbk are `gb18030`, which contains them */
  readonly charset: string
  readonly source: CharsetSource
  readonly doubt?: CharsetDoubt
}

/** Bytes searched for a declaration. Browsers take a later one into account as well, by starting over. */
const PRESCAN_BYTES = 16 * 1024
const PRESCAN_STEP = 512
/** Bytes given to the statistical detectors, from the first byte that is not ASCII on. */
const SAMPLE_BYTES = 24 * 1024
/** ASCII before it that goes along: words that a Latin letter stands in. */
const CONTEXT_BYTES = 64
/** Bytes beyond ASCII that Chinese, Japanese or Korean text has at least. */
const MIN_CJK_BYTES = 4
/** Characters from which Chinese text in UTF-16 without a mark is known by its bytes. */
const MIN_HAN_UNITS = 8
/** What unlabelled bytes are where nothing is recognised. */
const FALLBACK = 'windows-1252'

const CJK = new Set(['gb18030', 'big5', 'euc-jp', 'euc-kr', 'shift_jis', 'iso-2022-jp'])

/** Names of the detectors that are no labels of the Encoding Standard. */
const DETECTOR_NAMES = new Map([
  ['cp932', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['utf-16-le', 'utf-16le'],
  ['utf-16-be', 'utf-16be'],
  ['macroman', 'macintosh'],
  ['maccyrillic', 'x-mac-cyrillic'],
])

/**
 * Decodes a body.
 * @param label charset of the Content-Type header
 * @param markup whether to look for `<meta charset>` and the XML declaration
 */
export function decodeText(bytes: Buffer, label: string | undefined, markup: boolean): DecodedText {
  const { charset, source } = detectCharset(bytes, label, markup)
  const text = decodeAs(bytes, charset)
  const reason = charsetDoubt(bytes, text, charset, source)
  return {
    text,
    charset,
    source,
    ...(reason === undefined ? {} : { doubt: { reason, ...bytesLike(bytes, charset) } }),
  }
}

function bytesLike(bytes: Buffer, charset: string): { bytesLike?: string } {
  const alone = detectCharset(bytes, undefined, false)
  return alone.charset === charset || alone.source === 'fallback' ? {} : { bytesLike: alone.charset }
}

/** The encoding of a body and how it was found; see {@link decodeText}. */
export function detectCharset(
  bytes: Buffer,
  label: string | undefined,
  markup: boolean,
): { charset: string; source: CharsetSource } {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { charset: 'utf-8', source: 'bom' }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { charset: 'utf-16le', source: 'bom' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { charset: 'utf-16be', source: 'bom' }
  const header = label === undefined ? undefined : encodingOf(label)
  if (header !== undefined) return { charset: header, source: 'http' }
  if (markup) {
    const declared = prescan(bytes)
    if (declared !== undefined) return declared
  }
  const utf16 = utf16Encoding(bytes)
  if (utf16 !== undefined) return { charset: utf16, source: 'utf16-nul' }
  const high = isAscii(bytes) ? -1 : firstNonAscii(bytes)
  // the one family of encodings that is ASCII throughout announces itself by escape sequences
  const shift = high < 0 ? bytes.indexOf(0x1b) : -1
  if (shift < 0 && isUtf8(withoutCutEnd(bytes))) return { charset: 'utf-8', source: 'utf8' }
  return detectByStatistics(bytes, high < 0 ? shift : high, high < 0)
}

/** Decodes bytes in a known encoding; a byte order mark is dropped, what is invalid becomes U+FFFD. */
export function decodeAs(bytes: Buffer, charset: string): string {
  if (charset === 'utf-8') {
    const body = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
    return isUtf8(body) ? body.toString('utf8') : new TextDecoder('utf-8').decode(body)
  }
  if (charset === 'utf-16le') {
    const start = bytes[0] === 0xff && bytes[1] === 0xfe ? 2 : 0
    return wellFormed(bytes.toString('utf16le', start))
  }
  return new LegacyDecoder(charset).decode(bytes)
}

/** A lone surrogate is no text (`toWellFormed` is in Node.js 20, but not yet among the compiler's ES2023 types). */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/gu, '\ufffd')
}

/** The encoding that a label stands for, or undefined where it is none that a page can be in. */
function encodingOf(label: string): string | undefined {
  const name = normalizeEncoding(label)
  if (name === null || name === 'replacement') return undefined
  if (name === 'gbk') return 'gb18030'
  return name === 'x-user-defined' ? 'windows-1252' : name
}

/** A beginning that ends with the meta element that says the encoding, and what was made of it. */
interface KnownBeginning {
  readonly bytes: Buffer
  readonly charset: string
}

/** Those met last: the pages of a site begin alike. */
const knownBeginnings: KnownBeginning[] = []
const MAX_BEGINNINGS = 8
/** Bytes of one. */
const MAX_BEGINNING = 1024

const GREATER_THAN = 0x3e

function prescan(bytes: Buffer): { charset: string; source: CharsetSource } | undefined {
  const known = knownBeginnings.find((one) => bytes.subarray(0, one.bytes.length).equals(one.bytes))
  if (known !== undefined) return { charset: known.charset, source: 'meta' }
  const sniffer = new Sniffer({ maxBytes: PRESCAN_BYTES })
  const end = Math.min(bytes.length, PRESCAN_BYTES)
  let at = 0
  // in pieces, to stop soon after the answer; an XML declaration can still be overruled by a meta element close by
  for (let stop = PRESCAN_STEP; at < end && sniffer.resultType === ResultType.DEFAULT; stop += PRESCAN_STEP) {
    at = feed(sniffer, bytes, at, Math.min(stop, end))
  }
  const { resultType } = sniffer
  if (
    resultType !== ResultType.META_TAG &&
    resultType !== ResultType.XML_ENCODING &&
    resultType !== ResultType.XML_PREFIX
  ) {
    return undefined
  }
  const charset = encodingOf(sniffer.encoding)
  if (charset === undefined) return undefined
  if (resultType !== ResultType.META_TAG) return { charset, source: 'xml' }
  if (at <= MAX_BEGINNING) {
    if (knownBeginnings.length >= MAX_BEGINNINGS) knownBeginnings.shift()
    knownBeginnings.push({ bytes: Buffer.from(bytes.subarray(0, at)), charset })
  }
  return { charset, source: 'meta' }
}

/** What the high bytes of UTF-16 are where nothing else is. */
const LOW = /[^\t-\xff]/

/** Goes on by tags, up to the meta element that says the encoding, which nothing overrules. Returns how far it came. */
function feed(sniffer: Sniffer, bytes: Buffer, from: number, stop: number): number {
  let at = from
  while (at < stop && sniffer.resultType !== ResultType.META_TAG) {
    const close = bytes.indexOf(GREATER_THAN, at)
    const next = close < 0 ? stop : Math.min(close + 1, stop)
    sniffer.write(bytes.subarray(at, next))
    at = next
  }
  return at
}

/**
 * UTF-16, with or without a mark; undefined for all else. Without one, Latin, Greek, Cyrillic, Hebrew and Arabic text shows by
 * high bytes from 0 to 8, which nothing else has at every second place. Chinese text has few of them; it shows by high bytes
 * that nearly all lie where Han characters, their punctuation and ASCII are, most of them below 0x80 (the lead bytes of other
 * encodings of Chinese and Japanese are all above), while its low bytes lie anywhere (those of Latin text are small letters).
 */
export function utf16Encoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const units = Math.min(bytes.length >> 1, 2048)
  if (units < 4) return undefined
  const head = bytes.subarray(0, units * 2)
  // Nearly every page is done with here.
  if (!LOW.test(head.toString('latin1')) && isUtf8(withoutCutEnd(head))) return undefined
  const zeros = [0, 0]
  const usual = [0, 0]
  const low = [0, 0]
  const high = [0, 0]
  for (let i = 0; i < units * 2; i++) {
    const byte = bytes[i]!
    const side = i & 1
    if (byte <= 8) zeros[side]!++
    if (byte >= 0x80) high[side]!++
    if (byte === 0 || byte === 0x20 || byte === 0x30 || (byte >= 0x4e && byte <= 0x9f) || byte === 0xff) {
      usual[side]!++
      if (byte < 0x80) low[side]!++
    }
  }
  const [zeroEven, zeroOdd] = zeros as [number, number]
  if (zeroOdd * 3 > units && zeroOdd > zeroEven * 8) return 'utf-16le'
  if (zeroEven * 3 > units && zeroEven > zeroOdd * 8) return 'utf-16be'
  const looksHan = (side: number): boolean => {
    const other = 1 - side
    if (units < MIN_HAN_UNITS || high[other]! < units * 0.1) return false
    return usual[side]! >= units * 0.97 && low[side]! >= units * 0.4 && usual[side]! > usual[other]! * 1.2
  }
  if (looksHan(1)) return 'utf-16le'
  return looksHan(0) ? 'utf-16be' : undefined
}

function firstNonAscii(bytes: Buffer): number {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return i
  return -1
}

/** A body cut at a size limit may end within a character; that is no reason to doubt the rest. */
function withoutCutEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes
    if (byte < 0xc0) continue
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return needed > back ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

function detectByStatistics(bytes: Buffer, start: number, ascii: boolean): { charset: string; source: CharsetSource } {
  const sample = bytes.subarray(Math.max(0, start - CONTEXT_BYTES), start + SAMPLE_BYTES)
  const first = detectorEncoding(detectByChardet(sample))
  if (first !== undefined && CJK.has(first) && (ascii || hasCharacters(sample)))
    return { charset: first, source: 'chardet' }
  // an escape character in ASCII that begins no other encoding is just a stray control character
  if (ascii) return { charset: 'utf-8', source: 'utf8' }
  let second = detectorEncoding(detectByJschardet(sample))
  // where both read the same, it is the one that the web uses
  if (second === 'iso-8859-15' && !/[\xa4\xa6\xa8\xb4\xb8\xbc-\xbe]/.test(sample.toString('latin1'))) second = FALLBACK
  if (second !== undefined) return { charset: second, source: 'jschardet' }
  return { charset: FALLBACK, source: 'fallback' }
}

/** One or two letters beyond ASCII make no text in Chinese, Japanese or Korean. */
function hasCharacters(sample: Buffer): boolean {
  let beyond = 0
  for (let i = 0; i < sample.length && beyond < MIN_CJK_BYTES; i++) if (sample[i]! >= 0x80) beyond++
  return beyond === MIN_CJK_BYTES
}

function detectorEncoding(name: string | null): string | undefined {
  if (name === null) return undefined
  const lower = name.toLowerCase()
  const encoding = encodingOf(DETECTOR_NAMES.get(lower) ?? lower)
  // invalid as UTF-8 is known by now
  return encoding === 'utf-8' ? undefined : encoding
}
