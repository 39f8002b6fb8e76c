/**
 * The words that text is cut into and what each costs in the word graph, about −ln of its probability. A dictionary
 * never changes once it is made, so that analyzers may share it; {@link WordDictionary.with} makes another one with
 * words of a user on top, in a few milliseconds, and whoever reads the old one goes on undisturbed.
 *
 * A word may be of Han, Kana and Hangul characters; both scripts of Chinese are one, as the folder says. The product's
 * list takes 4.3 MB here.
 */
import { SpindleError } from '@spindle/core'
import type { CharacterFolder } from '../bigram/character-folder.js'
import { isCjk } from '../bigram/cjk-scanner.js'
import { COST_UNITS, ROOT, WordTrie } from './word-trie.js'

/** A word that a user adds, weighs anew or takes out. */
export interface UserWord {
  /** The word as written, of Han, Kana and Hangul characters. */
  readonly word: string
  /**
   * How often the word stands among 60,101,967 words of text, as in the user dictionaries of jieba; 0 takes the word
   * out. Where none is given the word is likelier than any other cut of its characters, and at least as likely as a
   * common word (20,000).
   */
  readonly weight?: number
}

/** Words that all of the weights of a {@link UserWord} are counted among: jieba's. */
export const WEIGHT_TOTAL = 60_101_967

/** Weight of a word without one. */
const DEFAULT_WEIGHT = 20_000

/** How much likelier than any other cut such a word is, in nats. */
const DEFAULT_LEAD = 1

/** A character that is no word of the dictionary, in units of cost. */
export const UNKNOWN_CHARACTER_UNITS = 14 * COST_UNITS

/** More than any cut of a word costs. */
const UNREACHED = 0x7fffffff

/** Most characters of a word; the segmenter looks ahead so far. */
export const MAX_WORD_LENGTH = 64

/** Takes the words of a dictionary that is being made. */
export interface WordCollector {
  /**
   * Adds the word of the code points from `from` to `to`, at most {@link MAX_WORD_LENGTH}.
   * @param cost in nats, above 0
   */
  readonly add: (codes: ArrayLike<number>, from: number, to: number, cost: number) => void
  /** The cost of the likeliest cut into words that have been added so far, in nats. */
  readonly cut: (codes: ArrayLike<number>, from: number, to: number) => number
}

/** Words and their costs, looked up character by character. */
export class WordDictionary {
  readonly #trie: WordTrie
  readonly #labels: CharacterLabels
  readonly #folder: CharacterFolder
  readonly #scratch = new Uint16Array(MAX_WORD_LENGTH)
  readonly #best = new Int32Array(MAX_WORD_LENGTH + 1)

  private constructor(trie: WordTrie, labels: CharacterLabels, folder: CharacterFolder) {
    this.#trie = trie
    this.#labels = labels
    this.#folder = folder
  }

  /**
   * A dictionary of the words that `fill` adds. Of a word given twice, or in both scripts, the likelier entry counts.
   * @param nodes how many beginnings of words there are about: 0 where unknown
   */
  static of(folder: CharacterFolder, fill: (words: WordCollector) => void, nodes = 0): WordDictionary {
    const dictionary = new WordDictionary(new WordTrie(nodes), new CharacterLabels(), folder)
    fill({
      add: (codes, from, to, cost) => dictionary.#add(codes, from, to, cost * COST_UNITS, true),
      cut: (codes, from, to) => dictionary.#cheapestCut(codes, from, to) / COST_UNITS,
    })
    return dictionary
  }

  /** Number of words. */
  get wordCount(): number {
    return this.#trie.wordCount
  }

  /** Length of the longest word in characters. */
  get maxLength(): number {
    return this.#trie.maxLength
  }

  /** The trie of the words, by {@link labelOf} of their folded characters. */
  get trie(): WordTrie {
    return this.#trie
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#trie.bytes + this.#labels.bytes
  }

  /** Number that stands for a folded character in the trie, 0 where no word has it. */
  labelOf(code: number): number {
    return this.#labels.get(code)
  }

  /** Writes the label of each of `length` folded characters. */
  label(codes: ArrayLike<number>, length: number, into: Uint16Array): void {
    this.#labels.all(codes, length, into)
  }

  /** The cost of a word in nats, 0 where it is none. */
  costOf(word: string): number {
    const codes = this.#cells(word)
    let node: number = ROOT
    for (const code of codes) {
      const label = this.labelOf(code)
      node = label === 0 ? -1 : this.#trie.step(node, label)
      if (node < 0) return 0
    }
    return this.#trie.costAt(node) / COST_UNITS
  }

  /**
   * The words of this dictionary with those of a user: what they say of a word counts, the last entry where a word is
   * given twice. Words that {@link isDictionaryWord} refuses are left out.
   * @param words in any order; both scripts of Chinese are one
   */
  with(words: Iterable<UserWord>): WordDictionary {
    const dictionary = new WordDictionary(this.#trie.copy(), this.#labels.copy(), this.#folder)
    for (const { word, weight } of words) {
      const codes = dictionary.#cells(word)
      if (!areWordCells(codes)) continue
      const cost = weight === undefined ? this.#leadingCost(codes) : weight <= 0 ? 0 : weightCost(weight)
      dictionary.#add(codes, 0, codes.length, cost * COST_UNITS, false)
    }
    return dictionary
  }

  #add(codes: ArrayLike<number>, from: number, to: number, units: number, cheaper: boolean): void {
    const labels = this.#scratch
    for (let i = from; i < to; i++) labels[i - from] = this.#labels.getOrAdd(this.#folder.fold(codes[i]!))
    this.#trie.set(labels, to - from, units, cheaper)
  }

  /** What a word without a weight costs, in nats. */
  #leadingCost(codes: readonly number[]): number {
    const cut = this.#cheapestCut(codes, 0, codes.length) / COST_UNITS
    return Math.max(0.01, Math.min(weightCost(DEFAULT_WEIGHT), cut - DEFAULT_LEAD))
  }

  /** The cost of the likeliest cut of a word into the words of this dictionary, in units. */
  #cheapestCut(codes: ArrayLike<number>, from: number, to: number): number {
    const trie = this.#trie
    const labels = this.#scratch
    const length = to - from
    for (let i = 0; i < length; i++) labels[i] = this.labelOf(this.#folder.fold(codes[from + i]!))
    const best = this.#best.fill(UNREACHED, 0, length + 1)
    best[0] = 0
    for (let i = 0; i < length; i++) {
      const base = best[i]!
      if (base + UNKNOWN_CHARACTER_UNITS < best[i + 1]!) best[i + 1] = base + UNKNOWN_CHARACTER_UNITS
      let node = trie.first(labels[i]!)
      for (let end = i + 1; node >= 0; end++) {
        const cost = trie.costAt(node)
        if (cost !== 0 && base + cost < best[end]!) best[end] = base + cost
        if (end === length) break
        node = trie.step(node, labels[end]!)
      }
    }
    return best[length]!
  }

  /** The folded characters of a word, as the scanner of text gives them. */
  #cells(word: string): number[] {
    return Array.from(word.normalize('NFC'), (char) => this.#folder.fold(char.codePointAt(0)!))
  }
}

/** Whether a word can be in a dictionary: 1 to 64 characters, all of them Han, Kana or Hangul. */
export function isDictionaryWord(word: string): boolean {
  return areWordCells(Array.from(word.normalize('NFC'), (char) => char.codePointAt(0)!))
}

function areWordCells(codes: readonly number[]): boolean {
  return codes.length > 0 && codes.length <= MAX_WORD_LENGTH && codes.every(isCjk)
}

/** −ln of the probability that a weight stands for. */
export function weightCost(weight: number): number {
  return Math.log(WEIGHT_TOTAL / Math.min(Math.max(weight, 1e-3), WEIGHT_TOTAL / 1.1))
}

/** Dense numbers of the characters that words have. */
class CharacterLabels {
  readonly #basic: Uint16Array
  readonly #wide: Map<number, number>
  #count = 0

  constructor(basic = new Uint16Array(0x10000), wide: Map<number, number> = new Map(), count = 0) {
    this.#basic = basic
    this.#wide = wide
    this.#count = count
  }

  get bytes(): number {
    return this.#basic.byteLength
  }

  copy(): CharacterLabels {
    return new CharacterLabels(this.#basic.slice(), new Map(this.#wide), this.#count)
  }

  get(code: number): number {
    return code < 0x10000 ? this.#basic[code]! : (this.#wide.get(code) ?? 0)
  }

  all(codes: ArrayLike<number>, length: number, into: Uint16Array): void {
    const basic = this.#basic
    for (let i = 0; i < length; i++) {
      const code = codes[i]!
      into[i] = code < 0x10000 ? basic[code]! : this.get(code)
    }
  }

  getOrAdd(code: number): number {
    const known = this.get(code)
    if (known !== 0) return known
    if (this.#count === 0xffff) {
      throw new SpindleError(
        'DICTIONARY_UNREADABLE',
        'The words of the dictionary have more than 65,535 different characters; take a smaller word list.',
      )
    }
    const label = ++this.#count
    if (code < 0x10000) this.#basic[code] = label
    else this.#wide.set(code, label)
    return label
  }
}
