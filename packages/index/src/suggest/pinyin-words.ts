/**
 * Chinese words of an index by what is typed of their pinyin: whole syllables with a last one that may be unfinished
 * (`sous` for 搜索), or the first letters (`ss`). The dictionary is walked by an automaton, so nothing is built for it.
 */
import type { IndexReader } from '../reading/index-reader.js'
import { ByteNfaBuilder } from '../search/automaton/byte-nfa.js'
import { TermAutomaton } from '../search/automaton/term-automaton.js'
import { SearchLimits, type SearchStop } from '../search/scorer/search-limits.js'
import { addCharacterClass } from './character-class.js'
import { matchingTerms } from './matching-terms.js'
import { loadSounds, type Sounds } from './sounds.js'

/** Longer input is not looked at. */
const MAX_LETTERS = 24
/** First letters that are looked at. */
const MAX_INITIALS = 6
const MAX_SYLLABLE = 6
/** Work of the walks through terms, in postings: some 10 ms. */
const EXPANSION_LIMIT = 1_000_000
/** Words for a part of the input. */
const MAX_WORDS = 4

type Reading = 'syllables' | 'initials'

/** Looks for words in layers that hold whole words. */
export class PinyinWords {
  readonly #reader: IndexReader
  readonly #fields: readonly string[]
  readonly #limits: SearchLimits
  readonly #sounds: Sounds

  private constructor(reader: IndexReader, fields: readonly string[], limits: SearchLimits, sounds: Sounds) {
    this.#reader = reader
    this.#fields = fields
    this.#limits = limits
    this.#sounds = sounds
  }

  /**
   * @param fields layers that hold whole words, such as `title#word`
   * @param stop of all that it is asked; where the work is too much, some words are not found
   */
  static async open(reader: IndexReader, fields: readonly string[], stop: SearchStop = {}): Promise<PinyinWords> {
    const limits = new SearchLimits({ expansionLimit: EXPANSION_LIMIT, ...stop }, 'partial')
    return new PinyinWords(reader, fields, limits, await loadSounds())
  }

  /**
   * One word, or two one after the other, whose pinyin begins with the letters, the most frequent first.
   * @param typed anything; what is no pinyin gives none
   */
  async completions(typed: string): Promise<readonly (readonly string[])[]> {
    const letters = lettersOf(typed)
    if (letters === null) return []
    for (const reading of ['syllables', 'initials'] as const) {
      if (reading === 'initials' && letters.length > MAX_INITIALS) continue
      const found = await this.#find(letters, reading, true)
      if (found.length > 0) return found
    }
    return []
  }

  /**
   * One word, or two one after the other, whose pinyin the letters are, the most frequent first: 北京 for `beijing`. Words of
   * one character are none, since too many sound alike.
   * @param typed anything; what is no pinyin gives none
   */
  async words(typed: string): Promise<readonly (readonly string[])[]> {
    const letters = lettersOf(typed)
    return letters === null || !this.#isSyllables(letters) ? [] : this.#find(letters, 'syllables', false)
  }

  async #find(letters: string, reading: Reading, isOpen: boolean): Promise<readonly (readonly string[])[]> {
    const least = isOpen ? 1 : 2
    const whole = await this.#words(letters, reading, isOpen, least)
    if (whole.length > 0) return whole.map((word) => [word])
    for (let i = letters.length - 1; i >= 2; i--) {
      if (!isOpen && !(this.#isSyllables(letters.slice(0, i)) && this.#isSyllables(letters.slice(i)))) continue
      const heads = await this.#words(letters.slice(0, i), reading, false, least)
      if (heads.length === 0) continue
      const tails = await this.#words(letters.slice(i), reading, isOpen, least)
      if (tails.length > 0) return heads.slice(0, 2).flatMap((head) => tails.slice(0, 2).map((tail) => [head, tail]))
    }
    return []
  }

  /** Whether letters can be cut into whole syllables. */
  #isSyllables(letters: string): boolean {
    const ends = [true]
    for (let end = 1; end <= letters.length; end++) {
      ends.push(false)
      for (let start = Math.max(0, end - MAX_SYLLABLE); start < end && !ends[end]; start++) {
        ends[end] = ends[start]! && this.#sounds.syllables.has(letters.slice(start, end))
      }
    }
    return ends[letters.length]!
  }

  /**
   * @param isOpen whether the words may go on
   * @param least characters of a word
   */
  async #words(letters: string, reading: Reading, isOpen: boolean, least: number): Promise<string[]> {
    const automaton = reading === 'syllables' ? this.#bySyllables(letters, isOpen) : this.#byInitials(letters, isOpen)
    const terms = await matchingTerms(this.#reader, this.#fields, automaton, this.#limits)
    return [...terms]
      .filter(([word]) => word.length >= least)
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, MAX_WORDS)
      .map(([word]) => word)
  }

  #bySyllables(letters: string, isOpen: boolean): TermAutomaton {
    const nfa = new ByteNfaBuilder()
    const at = Array.from({ length: letters.length + 1 }, () => nfa.state())
    const end = nfa.state()
    nfa.empty(at[letters.length]!, end)
    if (isOpen) nfa.anyText(end)
    for (let i = 0; i < letters.length; i++) {
      for (let length = 1; length <= MAX_SYLLABLE && i + length <= letters.length; length++) {
        const points = this.#sounds.pointsOf(letters.slice(i, i + length))
        if (points.length > 0) addCharacterClass(nfa, at[i]!, points, at[i + length]!)
      }
      const rest = letters.slice(i)
      if (!isOpen || rest.length >= MAX_SYLLABLE) continue
      for (const syllable of this.#sounds.syllables) {
        if (syllable.length > rest.length && syllable.startsWith(rest)) {
          addCharacterClass(nfa, at[i]!, this.#sounds.pointsOf(syllable), end)
        }
      }
    }
    return new TermAutomaton(nfa.build(at[0]!, end))
  }

  #byInitials(letters: string, isOpen: boolean): TermAutomaton {
    const nfa = new ByteNfaBuilder()
    const start = nfa.state()
    let at = start
    for (const letter of letters) {
      const next = nfa.state()
      addCharacterClass(nfa, at, this.#sounds.pointsWithInitial(letter), next)
      at = next
    }
    if (isOpen) nfa.anyText(at)
    return new TermAutomaton(nfa.build(start, at))
  }
}

/** The letters of pinyin in lower case, without what stands between syllables; null for what is none. */
function lettersOf(typed: string): string | null {
  const letters = typed
    .toLowerCase()
    .replaceAll('ü', 'v')
    .replace(/[\s'’]/g, '')
  return /^[a-z]+$/.test(letters) && letters.length >= 2 && letters.length <= MAX_LETTERS ? letters : null
}
