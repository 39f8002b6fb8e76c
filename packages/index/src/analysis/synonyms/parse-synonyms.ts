/**
 * Reads the synonym files of Solr and Lucene, a rule a line:
 *
 * ```
 * # comment
 * notebook, laptop, 笔记本电脑      each stands for all of them
 * i-pod, i pod => ipod            what is left of the arrow is replaced by what is right of it
 * tv => tv, television            a replacement that keeps the word
 * ```
 *
 * A backslash makes the character behind it a letter (`\,`, `\#`, `\=`). Commas of Chinese keyboards count too.
 */
import { SpindleError } from '@spindle/core'

/** One line: where a text is one of `from`, all of `to` are looked for. */
export interface SynonymRule {
  readonly from: readonly string[]
  /** The same list as `from` where all of them mean the same. */
  readonly to: readonly string[]
}

/** Longest text of all rules, UTF-16 units. */
const MAX_LENGTH = 16 << 20
/** Longest word or phrase, UTF-16 units. */
const MAX_WORD_LENGTH = 200
/** Words and phrases of a line. */
const MAX_WORDS = 100
const COMMAS = ',，'
const NOTHING_TO_SEARCH = /^[^\p{L}\p{N}]*$/u

/**
 * @param source what the text is called in errors, such as the path of a file
 * @throws SpindleError `SYNONYMS_INVALID` with the number of the line
 */
export function parseSynonyms(text: string, source = 'The list of synonyms'): SynonymRule[] {
  if (text.length > MAX_LENGTH) {
    throw new SpindleError('SYNONYMS_INVALID', `${source} is longer than ${MAX_LENGTH} characters: make it shorter.`)
  }
  const rules: SynonymRule[] = []
  let line = 0
  for (const raw of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    line++
    const content = raw.trim()
    if (content === '' || content.startsWith('#')) continue
    const rule = readRule(content)
    if (typeof rule === 'string') {
      throw new SpindleError('SYNONYMS_INVALID', `${source} has a mistake in line ${line}: ${rule}.`)
    }
    rules.push(rule)
  }
  return rules
}

/** The rule of a line, or what is wrong with it and what to do. */
function readRule(line: string): SynonymRule | string {
  const sides = splitLine(line)
  if (sides.length > 2) return 'it has more than one "=>"; write a line for each'
  for (const words of sides) {
    const problem = problemOf(words)
    if (problem !== undefined) return problem
  }
  const [from, to] = sides
  if (to !== undefined) return { from: from!, to }
  return from!.length > 1 ? { from: from!, to: from! } : 'one word alone means nothing; separate synonyms by commas'
}

function problemOf(words: readonly string[]): string | undefined {
  if (words.length > MAX_WORDS) return `it has more than ${MAX_WORDS} words; split it`
  for (const word of words) {
    if (word === '') return 'a word is missing beside a comma or "=>"; write one, or leave the comma out'
    if (word.length > MAX_WORD_LENGTH) return `"${word.slice(0, 20)}…" is longer than ${MAX_WORD_LENGTH} characters`
    if (NOTHING_TO_SEARCH.test(word)) return `"${word}" has neither a letter nor a digit, so it cannot be searched for`
  }
  return undefined
}

/** The words of each side of the arrow, without backslashes. */
function splitLine(line: string): string[][] {
  const sides: string[][] = [[]]
  let word = ''
  const endWord = (): void => {
    sides.at(-1)!.push(word.trim())
    word = ''
  }
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (char === '\\' && at + 1 < line.length) word += line[++at]!
    else if (COMMAS.includes(char)) endWord()
    else if (line.startsWith('=>', at)) {
      endWord()
      sides.push([])
      at++
    } else word += char
  }
  endWord()
  return sides
}
