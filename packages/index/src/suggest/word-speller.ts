/**
 * What a word of letters may have been meant as: other words of the index by spelling, two words, or one with the next.
 * The model is that of a noisy channel: a word counts by how frequent it is, less what the mistake costs.
 */
import type { IndexReader } from '../reading/index-reader.js'
import { levenshteinAutomaton } from '../search/automaton/levenshtein-automaton.js'
import type { SearchLimits } from '../search/scorer/search-limits.js'
import { matchingTerms, termFrequency } from './matching-terms.js'
import { spellingCost } from './spelling-cost.js'

/** Another form of a part of a query. */
export interface Respelling {
  readonly text: string
  /** Logarithm of how likely it is; compares what stands for the same part. */
  readonly score: number
}

/** What one edit takes from a score. */
const EDIT = 4
/** What a space that was left out or typed takes. */
const SPACE = 2.5
/** What a word costs that nobody has written. */
const UNKNOWN = 3
/** A word of so many documents is right. */
const FREQUENT = 50
/** Another word has to be so many times as likely as the one typed (as a logarithm). */
const MARGIN = 1
/** The best forms that are kept. */
const MAX_FORMS = 3
/** Longer words are not corrected. */
const MAX_LENGTH = 40
const DIGIT = /\p{N}/u

/** Corrects words by the terms of some fields. */
export class WordSpeller {
  readonly #reader: IndexReader
  readonly #fields: readonly string[]
  readonly #limits: SearchLimits
  readonly #numDocs: number

  constructor(reader: IndexReader, fields: readonly string[], limits: SearchLimits) {
    this.#reader = reader
    this.#fields = fields
    this.#limits = limits
    this.#numDocs = Math.max(1, reader.numDocs)
  }

  /** Score of a word as it is, by the documents that hold it. */
  scoreOf(docFreq: number): number {
    return Math.log((docFreq + 1) / (this.#numDocs + 1)) - (docFreq === 0 ? UNKNOWN : 0)
  }

  /** Documents with a word, deleted ones included. */
  frequency(word: string): Promise<number> {
    return termFrequency(this.#reader, this.#fields, word)
  }

  /** Whether a word is so frequent that it is right as it stands. */
  isRight(word: string, docFreq: number): boolean {
    return DIGIT.test(word) || docFreq > Math.min(FREQUENT, this.#numDocs / 30)
  }

  /**
   * Words that are likely enough to be meant, the best first.
   * @param word as the index would have it
   */
  async corrections(word: string, docFreq: number): Promise<Respelling[]> {
    const points = Array.from(word, (character) => character.codePointAt(0)!)
    if (points.length < 3 || points.length > MAX_LENGTH || this.isRight(word, docFreq)) return []
    const edits = points.length < 6 ? 1 : 2
    let found = await this.#near(word, points, edits, 1)
    // A wrong first letter is rare, and to look for it takes all of the dictionary.
    if (found.length === 0 && docFreq === 0 && points.length > 3) found = await this.#near(word, points, 1, 0)
    const least = docFreq === 0 ? Number.NEGATIVE_INFINITY : this.scoreOf(docFreq) + MARGIN
    const better = found.filter(({ score }) => score > least)
    return better.sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1)).slice(0, MAX_FORMS)
  }

  /** The word as two words of the index, the best first. */
  async breaks(word: string): Promise<Respelling[]> {
    const found: Respelling[] = []
    if (word.length > MAX_LENGTH || DIGIT.test(word)) return found
    for (let i = 2; i <= word.length - 2; i++) {
      const first = await this.frequency(word.slice(0, i))
      if (first === 0) continue
      const second = await this.frequency(word.slice(i))
      if (second === 0) continue
      const short = (i === 2 ? 1 : 0) + (i === word.length - 2 ? 1 : 0)
      const score = this.scoreOf(Math.min(first, second)) - SPACE - short
      found.push({ text: `${word.slice(0, i)} ${word.slice(i)}`, score })
    }
    return found.sort((a, b) => b.score - a.score).slice(0, MAX_FORMS)
  }

  /** Two words as one; null where the index has no such word. */
  async join(first: string, second: string): Promise<Respelling | null> {
    const text = first + second
    if (text.length > MAX_LENGTH) return null
    const docFreq = await this.frequency(text)
    return docFreq === 0 ? null : { text, score: this.scoreOf(docFreq) - SPACE }
  }

  async #near(word: string, points: readonly number[], edits: number, prefixLength: number): Promise<Respelling[]> {
    const automaton = levenshteinAutomaton(points, edits, prefixLength, true)
    const terms = await matchingTerms(this.#reader, this.#fields, automaton, this.#limits)
    const found: Respelling[] = []
    for (const [text, docFreq] of terms) {
      if (text === word || DIGIT.test(text)) continue
      found.push({ text, score: this.scoreOf(docFreq) - EDIT * spellingCost(word, text) })
    }
    return found
  }
}
