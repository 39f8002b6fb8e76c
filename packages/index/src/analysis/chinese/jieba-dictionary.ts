/**
 * Dictionaries in the format of jieba, `word count [tag]` a line, instead of the product's: larger or older ones, those
 * of a trade, of Japanese or Korean. 349,000 words are read in about a second and take 9 MB.
 */
import { SpindleError } from '@spindle/core'
import { isCjk } from '../bigram/cjk-scanner.js'
import { simplifiedFolder } from './simplified-folder.js'
import { MAX_WORD_LENGTH, WordDictionary } from './word-dictionary.js'

const MAX_SHOWN = 40

/**
 * A dictionary of the words of a text. A word costs −ln of its share of all counts; a count of 0 stands for 1. Words
 * with characters other than Han, Kana and Hangul are left out, since text is cut at those in any case, and so are
 * words of more than 64 characters.
 * @param text lines that end with LF or CR LF; empty ones and those that begin with `#` are left out
 * @param name what messages call it, for example its path
 * @throws SpindleError DICTIONARY_INVALID naming the line that has no count
 */
export function parseJiebaDictionary(text: string, name: string): WordDictionary {
  return WordDictionary.of(simplifiedFolder, ({ add }) => {
    const total = Math.max(2, sumOfCounts(text, name))
    forEachLine(text, name, (codes, count) => add(codes, 0, codes.length, Math.log(total / Math.max(1, count)) + 0.01))
  })
}

function sumOfCounts(text: string, name: string): number {
  let sum = 0
  forEachLine(text, name, (_codes, count) => {
    sum += count
  })
  return sum
}

function forEachLine(text: string, name: string, visit: (codes: readonly number[], count: number) => void): void {
  let number = 0
  for (let from = text.charCodeAt(0) === 0xfeff ? 1 : 0; from < text.length; ) {
    let end = text.indexOf('\n', from)
    if (end < 0) end = text.length
    number++
    const line = text.slice(from, end).trim()
    from = end + 1
    if (line === '' || line.startsWith('#')) continue
    const found = /^(.*?)\s+(\d{1,15})(?:\s+\S+)?$/u.exec(line)
    if (found === null) {
      const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line
      throw new SpindleError(
        'DICTIONARY_INVALID',
        `Line ${number} of ${name} (${JSON.stringify(shown)}) has no count; a line is a word, its count and a tag where wanted.`,
      )
    }
    const codes = Array.from(found[1]!.normalize('NFC'), (char) => char.codePointAt(0)!)
    if (codes.length > 0 && codes.length <= MAX_WORD_LENGTH && codes.every(isCjk)) visit(codes, Number(found[2]))
  }
}
