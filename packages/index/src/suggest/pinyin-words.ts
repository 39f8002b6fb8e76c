/**
 * Chinese words of an index by what is typed of their pinyin: whole syllables with a last one that may be unfinished
 * (`sous` for 搜索), or the first letters (`ss`). The dictionary is walked by an automaton, so nothing is built for it.
 */
import type { IndexReader } from '../reading/index-reader.js'
import { ByteNfaBuilder } from '../search/automaton/byte-nfa.js'
import { TermAutomaton } from '../search/automaton/term-automaton.js'
import type { SearchLimits } from '../search/scorer/search-limits.js'
import { addCharacterClass } from './character-class.js'
import { matchingTerms } from './matching-terms.js'
import { loadSounds, type Sounds } from './sounds.js'

/** Longer input is not looked at. */
const MAX_LETTERS = 24
/** First letters that are looked at. */
const MAX_INITIALS = 6
const MAX_SYLLABLE = 6
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

  static async open(reader: IndexReader, fields: readonly string[], limits: SearchLimits): Promise<PinyinWords> {
    return new PinyinWords(reader, fields, limits, await loadSounds())
  }

  /**
   * One word, or two one after the other, whose pinyin begins with the letters, the most frequent first.
   * @param typed anything; what is no pinyin gives none
   */
  async find(typed: string): Promise<readonly (readonly string[])[]> {
    const letters = typed.toLowerCase().replaceAll('ü', 'v').replace(/[\s']/g, '')
    if (!/^[a-z]+$/.test(letters) || letters.length < 2 || letters.length > MAX_LETTERS) return []
    for (const reading of ['syllables', 'initials'] as const) {
      if (reading === 'initials' && letters.length > MAX_INITIALS) continue
      const whole = await this.#words(letters, reading, true)
      if (whole.length > 0) return whole.map((word) => [word])
      for (let i = letters.length - 1; i >= 2; i--) {
        const heads = await this.#words(letters.slice(0, i), reading, false)
        if (heads.length === 0) continue
        const tails = await this.#words(letters.slice(i), reading, true)
        if (tails.length > 0) return heads.slice(0, 2).flatMap((head) => tails.slice(0, 2).map((tail) => [head, tail]))
      }
    }
    return []
  }

  /** @param isOpen whether the words may go on */
  async #words(letters: string, reading: Reading, isOpen: boolean): Promise<string[]> {
    const automaton = reading === 'syllables' ? this.#bySyllables(letters, isOpen) : this.#byInitials(letters, isOpen)
    const terms = await matchingTerms(this.#reader, this.#fields, automaton, this.#limits)
    return [...terms]
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
