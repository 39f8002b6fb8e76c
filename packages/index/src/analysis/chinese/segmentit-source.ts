/**
 * Reads the word lists of the package segmentit (151,290 words) out of its bundle, as bytes. Neither require() nor its
 * tokenizer is used: loading the package takes 1.0 s and 135 MB, and the tokenizer lists every segmentation of a
 * sentence (60 characters without punctuation: up to 25 s). Reading the four lists takes about 15 ms.
 *
 * ```
 * var pangu = "\uFEFF爱|0x1000|323\n安|0x1000|1651\n…";      word|parts of speech|value, separated by a backslash and n
 * ```
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { crc32, largeBuffer, SpindleError } from '@spindle/core'

/** CRC-32 of the four lists of segmentit 2.0.3, one behind the other: what the analyzer's fingerprint stands for. */
export const SEGMENTIT_CHECKSUM = 2_982_469_680

const LISTS = ['pangu', 'panguExtend1', 'panguExtend2', 'names'] as const

/** The bytes of one list, between its quotes. */
export interface WordList {
  /** The first list carries ranks, the others a constant for a value. */
  readonly ranked: boolean
  readonly bytes: Uint8Array
}

/**
 * The lists in the order in which they count.
 * @throws SpindleError DICTIONARY_UNREADABLE where the package is missing or is not the version that we know
 */
export function readSegmentitLists(): WordList[] {
  const bundle = readBundle()
  const lists: WordList[] = []
  let checksum = 0
  for (const name of LISTS) {
    const opening = `var ${name} = "`
    const start = bundle.indexOf(opening)
    const end = start === -1 ? -1 : bundle.indexOf('"', start + opening.length)
    if (end === -1) throw unreadable(`the word list "${name}" is not in it`)
    const bytes = bundle.subarray(start + opening.length, end)
    checksum = crc32(bytes, checksum)
    lists.push({ ranked: name === 'pangu', bytes })
  }
  if (checksum !== SEGMENTIT_CHECKSUM) {
    throw unreadable(`its word lists have the checksum ${checksum} instead of ${SEGMENTIT_CHECKSUM}`)
  }
  return lists
}

function readBundle(): Buffer {
  try {
    const file = openSync(createRequire(import.meta.url).resolve('segmentit/dist/cjs/segmentit.js'), 'r')
    try {
      const { size } = fstatSync(file)
      const bytes = Buffer.from(largeBuffer(size), 0, size)
      return bytes.subarray(0, readSync(file, bytes, 0, size, 0))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw unreadable('it is not installed or cannot be read', error)
  }
}

function unreadable(what: string, cause?: unknown): SpindleError {
  return new SpindleError(
    'DICTIONARY_UNREADABLE',
    `The Chinese dictionary cannot be read from the package segmentit: ${what}; install segmentit 2.0.3 again.`,
    { cause },
  )
}

const BACKSLASH = 0x5c
const BAR = 0x7c

/** The entries of the lists in flat arrays: word `i` has the UTF-16 units from `starts[i]` to `starts[i + 1]`. */
export interface WordEntries {
  readonly count: number
  readonly units: Uint16Array
  readonly starts: Int32Array
  /** Parts of speech, one bit each. */
  readonly tags: Int32Array
  /** Value of a word of the ranked list, 0 of one of the others. */
  readonly values: Int32Array
}

/**
 * Reads the entries whose words are of non-ASCII characters of the basic plane only (all but about 300, which have
 * digits, letters or half-width punctuation in them).
 */
export function readEntries(lists: readonly WordList[]): WordEntries {
  const bytes = lists.reduce((sum, list) => sum + list.bytes.length, 0)
  const limit = Math.ceil(bytes / LEAST_ENTRY_BYTES) + lists.length
  const units = new Uint16Array(Math.ceil(bytes / 3))
  const starts = new Int32Array(limit + 1)
  const tags = new Int32Array(limit)
  const values = new Int32Array(limit)
  let count = 0
  let end = 0
  for (const { ranked, bytes } of lists) {
    let i = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    while (i < bytes.length) {
      let usable = true
      for (; i < bytes.length && bytes[i] !== BAR; i++) {
        const lead = bytes[i]!
        if (lead >= 0xe0 && lead < 0xf0) {
          units[end++] = ((lead & 15) << 12) | ((bytes[i + 1]! & 63) << 6) | (bytes[i + 2]! & 63)
          i += 2
        } else usable = false
      }
      let tag = 0
      // Behind the bar stand 0x and the digits.
      for (i += 3; i < bytes.length && bytes[i] !== BAR; i++) tag = (tag << 4) | hexDigit(bytes[i]!)
      let value = 0
      for (i++; i < bytes.length && bytes[i] !== BACKSLASH; i++) value = value * 10 + bytes[i]! - 48
      i += 2
      if (usable && end > starts[count]!) {
        tags[count] = tag
        values[count] = ranked ? value : 0
        starts[++count] = end
      } else end = starts[count]!
    }
  }
  return { count, units, starts, tags, values }
}

/** An entry of one character, with its bars, its part of speech and one digit. */
const LEAST_ENTRY_BYTES = 12

function hexDigit(byte: number): number {
  return byte < 0x3a ? byte - 0x30 : (byte & 15) + 9
}
