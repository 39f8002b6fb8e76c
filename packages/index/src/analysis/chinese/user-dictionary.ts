/**
 * Words of a user, as the dictionaries of jieba list them: a word a line, behind it a weight and a tag, where they are
 * given. What is compared of two dictionaries is what they say of words, whatever the order and script that it is written in.
 *
 * ```
 * # a line that begins so is left out
 * 云计算
 * 区块链 5000
 * 凯特琳 300 nz
 * 中出 0            this is no word
 * ```
 */
import { createHash } from 'node:crypto'
import { SpindleError } from '@spindle/core'
import { simplifiedFolder } from './simplified-folder.js'
import { isDictionaryWord, MAX_WORD_LENGTH, type UserWord, type WordDictionary } from './word-dictionary.js'

/** Most words of a dictionary of a user. */
export const MAX_USER_WORDS = 200_000
/** Longest line, in characters. */
const MAX_LINE = 1000
/** Most characters of a line that a message shows. */
const MAX_SHOWN = 40
const MAX_WEIGHT = 1e9
const WEIGHT = /^\d+(?:\.\d+)?$/
/** What stands where a weight does and was meant as one. */
const WEIGHT_LIKE = /^[-+.\d]/
const TAG = /^[a-zA-Z]\w*$/
/** Characters that no text has, but for tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NO_TEXT = /[\0-\x08\x0a-\x1f\x7f-\x9f\ufffd]|\p{Cs}/u

/** A word with what is said of it. */
export interface UserEntry extends UserWord {
  /** Part of speech or whatever else; nothing is made of it. */
  readonly tag?: string
}

/** Words of a user; never changes. */
export class UserDictionary {
  /** Without a word. */
  static readonly EMPTY = new UserDictionary([], [])

  /**
   * Lines with words that the text is not cut at: what has letters, digits or blanks in it is cut at those in any case.
   * They say nothing and do no harm.
   */
  readonly unused: readonly number[]
  /** By the folded word, in the order that they are put into a dictionary: short ones first. */
  readonly #words: ReadonlyMap<string, UserEntry>
  #revision: string | undefined

  private constructor(entries: Iterable<UserEntry>, unused: readonly number[]) {
    const words = new Map<string, UserEntry>()
    for (const entry of entries) words.set(foldedWord(entry.word), entry)
    this.#words = new Map([...words].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)))
    this.unused = unused
  }

  /**
   * @param entries of a word given twice the last one counts; words that {@link isDictionaryWord} refuses are left out
   * @throws SpindleError DICTIONARY_INVALID where there are too many
   */
  static of(entries: Iterable<UserEntry>): UserDictionary {
    const kept: UserEntry[] = []
    for (const entry of entries) {
      if (!isDictionaryWord(entry.word)) continue
      if (kept.push(entry) > MAX_USER_WORDS) throw tooMany('The dictionary')
    }
    return kept.length === 0 ? UserDictionary.EMPTY : new UserDictionary(kept, [])
  }

  /**
   * Reads the lines of a dictionary.
   * @param text lines that end with LF or CR LF; empty ones and those that begin with `#` are left out
   * @param name what messages call it, for example its path
   * @throws SpindleError DICTIONARY_INVALID naming the line: a weight that is none, characters that no word has, a word
   *   or line that is too long, too many words
   */
  static parse(text: string, name: string): UserDictionary {
    const entries: UserEntry[] = []
    const unused: number[] = []
    let number = 0
    for (let from = text.charCodeAt(0) === 0xfeff ? 1 : 0; from < text.length; ) {
      let end = text.indexOf('\n', from)
      if (end < 0) end = text.length
      number++
      if (end - from > MAX_LINE)
        throw invalid(name, number, text.slice(from, from + MAX_SHOWN), `is longer than ${MAX_LINE} characters`)
      const line = text.slice(from, end).trim()
      from = end + 1
      if (line === '' || line.startsWith('#')) continue
      const entry = parseLine(line, name, number)
      if (entry === undefined) unused.push(number)
      else if (entries.push(entry) > MAX_USER_WORDS) throw tooMany(name)
    }
    return entries.length + unused.length === 0 ? UserDictionary.EMPTY : new UserDictionary(entries, unused)
  }

  /** Number of words. */
  get size(): number {
    return this.#words.size
  }

  /** The words, short ones first. */
  get entries(): Iterable<UserEntry> {
    return this.#words.values()
  }

  /** What is said of a word, in either script. */
  get(word: string): UserEntry | undefined {
    return this.#words.get(foldedWord(word))
  }

  /** A short hash of all that counts, '' without words: equal where two dictionaries cut every text alike. */
  get revision(): string {
    if (this.#revision === undefined) {
      const hash = createHash('sha256')
      for (const [word, { weight }] of this.#words) hash.update(`${word} ${weight ?? ''}\n`)
      this.#revision = this.#words.size === 0 ? '' : hash.digest('hex').slice(0, 16)
    }
    return this.#revision
  }

  /**
   * The words that the two do not say the same of: added, removed or weighed anew. Only texts that contain one of them
   * can be cut otherwise by the one than by the other.
   * @returns folded words
   */
  changedWords(other: UserDictionary): string[] {
    const changed: string[] = []
    for (const [word, { weight }] of this.#words) {
      const there = other.#words.get(word)
      if (there === undefined || there.weight !== weight) changed.push(word)
    }
    for (const word of other.#words.keys()) if (!this.#words.has(word)) changed.push(word)
    return changed
  }

  /** The words of a dictionary with these on top. Some milliseconds, and as much memory as the dictionary has. */
  over(dictionary: WordDictionary): WordDictionary {
    return this.size === 0 ? dictionary : dictionary.with(this.entries)
  }

  /** As text that {@link parse} reads. */
  toString(): string {
    let text = ''
    for (const entry of this.#words.values()) text += `${printEntry(entry)}\n`
    return text
  }
}

/** A word as a line of a dictionary. */
export function printEntry({ word, weight, tag }: UserEntry): string {
  return [word, ...(weight === undefined ? [] : [weight]), ...(tag === undefined ? [] : [tag])].join(' ')
}

/** A word in the form in which both scripts of Chinese are one. */
function foldedWord(word: string): string {
  return simplifiedFolder.foldAll(word.normalize('NFC'))
}

/** As jieba reads it: whatever stands before the weight and the tag is the word. Undefined where it is no Chinese word. */
function parseLine(line: string, name: string, number: number): UserEntry | undefined {
  if (NO_TEXT.test(line)) {
    throw invalid(name, number, line, 'has control characters or halves of characters: save the file as UTF-8 text')
  }
  const parts = line.split(/\s+/)
  const tag = parts.length > 1 && TAG.test(parts.at(-1)!) ? parts.pop() : undefined
  const weightText = parts.length > 1 && WEIGHT_LIKE.test(parts.at(-1)!) ? parts.pop() : undefined
  const weight = weightText === undefined ? undefined : Number(weightText)
  if (weight !== undefined && !(WEIGHT.test(weightText!) && weight <= MAX_WEIGHT)) {
    throw invalid(name, number, line, 'has a weight that is no number from 0 to 1,000,000,000')
  }
  const word = parts.join(' ')
  if (!isDictionaryWord(word)) {
    if (isDictionaryWord(Array.from(word).slice(0, MAX_WORD_LENGTH).join(''))) {
      throw invalid(name, number, word, `has a word of more than ${MAX_WORD_LENGTH} characters`)
    }
    return undefined
  }
  return { word, ...(weight === undefined ? {} : { weight }), ...(tag === undefined ? {} : { tag }) }
}

function invalid(name: string, line: number, shown: string, what: string): SpindleError {
  const text = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown
  return new SpindleError(
    'DICTIONARY_INVALID',
    `Line ${line} of ${name} (${JSON.stringify(text)}) ${what}; a line is a word, then a weight and a tag where wanted.`,
  )
}

function tooMany(name: string): SpindleError {
  return new SpindleError(
    'DICTIONARY_INVALID',
    `${name} has more than ${MAX_USER_WORDS.toLocaleString('en')} words: leave the common ones out, which are known anyway.`,
  )
}
