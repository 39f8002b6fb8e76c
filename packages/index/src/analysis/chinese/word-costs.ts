/**
 * Which entries of segmentit's lists are words, and what each costs in the word graph: about −ln of its probability.
 *
 * The value of an entry is not a frequency, as its name there says. Looked at closely it is the word's rank (的 1, 是 2,
 * 在 3 … up to 56,008) where it belongs to one word only; values shared by several words are small counts or constants,
 * among which at most one word, a single character if there is one, really has that rank. So a rank that can be trusted
 * costs by a power law, and a word without one by its length, and less where its parts cost less.
 *
 * The lists also hold collocations (一种, 更多, 企业集团, 在新的一年里) as helps for the tokenizer they were made for.
 * They are told from words by their parts of speech (none at all, or a mere name of something of four characters and
 * more) and left out: whoever looks for 集团 should find 企业集团.
 *
 * The constants were fitted on a twenty-fourth of a newspaper corpus with gold words (People's Daily, January 1998) and
 * on texts of manuals and of an encyclopaedia as three other segmenters cut them; rules were chosen by what another
 * eighth of the corpus showed. On an eighth that nothing was fitted on or chosen by, F1 rose from .859 to .897 with the
 * numbers and names of unknown-words.ts.
 */
import { QUESTION_WORDS } from './question-words.js'
import type { WordEntries } from './segmentit-source.js'

/** Parts of speech, as bits of a tag. */
const CONJUNCTION = 0x10000000
const ADVERB = 0x08000000
const INTERJECTION = 0x04000000
const IDIOM = 0x01000000 | 0x00800000
const NUMERAL = 0x00400000 | 0x00200000
const NOUN = 0x00100000
const PRONOUN = 0x00010000
const PLACE = 0x00000040
const ORGANISATION = 0x00000020
const PERSON = 0x00000080
const OTHER_NAME = 0x00000008

/** Ranks are below this. */
const RANKS = 0x10000

/** 2 + 0.75·ln(rank + 1) */
const RANK_BASE = 2
const RANK_SLOPE = 0.75

/** Words without a rank cost this by their length (1, 2, 3, more) … */
const UNRANKED = [0, 8.25, 9, 15, 21] as const
/** … or so much more than their likeliest cut, where that is less. */
const ABOVE_CUT = { pair: -3, triple: -0.5, idiom: -1, long: 1 } as const
/** Pairs that share their value with a single character. */
const SHARED_PAIR = 12
/** Pairs that are mere names. */
const NAME_PAIR = 11

/** No pair without a rank costs less. */
const LEAST_PAIR = 7

/** No word costs less. */
const LEAST_COST = 0.3

/** A numeral with one of the commonest measure words, an adverb of degree with a word: 三个, 更多, 不会; and 说的. */
const NUMERALS = charactersOf('一二三四五六七八九十两几')
const MEASURES = charactersOf('个种次位年项批条片份块天件家张只本名场岁部段组套')
const DEGREES = charactersOf('更最很较')
const DEGREE_ADJECTIVES = charactersOf('多少大小高低长短深浅强弱快慢好坏难易新旧早晚远近重轻贵')
const NEGATED = charactersOf('是能会到够大了要让')

/** Collocations that their parts of speech do not tell, by their first character. */
const OTHER_COLLOCATIONS: ReadonlyMap<number, string> = new Map(
  ['是以', '并没', '有旧', '可能会'].map((x) => [x.charCodeAt(0), x]),
)

/** Question words of two characters: 什么药, 多少钱, 什么是 are two words. */
const QUESTIONS: ReadonlySet<number> = new Set(
  [...QUESTION_WORDS].filter((x) => x.length === 2).map((x) => pairCode(x.charCodeAt(0), x.charCodeAt(1))),
)

const [NOT, ONE, PIECE, ATTRIBUTIVE] = Array.from('不一个的', (x) => x.charCodeAt(0))

/** Decides which entries are words, and the cost of each. */
export class WordCosts {
  readonly #entries: WordEntries
  /** Number of ranked entries with each value. */
  readonly #count = new Uint32Array(RANKS)
  /** Whether a single character has the value. */
  readonly #single = new Uint8Array(RANKS)

  constructor(entries: WordEntries) {
    this.#entries = entries
    for (let i = 0; i < entries.count; i++) {
      const value = entries.values[i]!
      if (value === 0 || value >= RANKS) continue
      this.#count[value]!++
      if (entries.starts[i + 1]! - entries.starts[i]! === 1) this.#single[value] = 1
    }
  }

  /** The cost of entry `i` by its rank, 0 where it has none that can be trusted. */
  rankCost(i: number): number {
    const { starts, values, tags } = this.#entries
    const value = values[i]!
    const length = starts[i + 1]! - starts[i]!
    if (value === 0 || value >= RANKS || (length > 1 && this.#count[value] !== 1)) return 0
    if (length === 2 && tags[i] === 0) return 0
    return RANK_BASE + RANK_SLOPE * Math.log(value + 1) + (length === 1 ? 0.25 : 0)
  }

  /**
   * The cost of entry `i` without a rank.
   * @param cut cost of its likeliest cut into shorter words
   */
  unrankedCost(i: number, cut: number): number {
    const { starts, values, tags } = this.#entries
    const length = starts[i + 1]! - starts[i]!
    const tag = tags[i]!
    if (length === 1) return UNRANKED[1]
    if (length === 2) {
      const shared = values[i]! > 0 && values[i]! < RANKS && this.#single[values[i]!] === 1
      const unranked = shared ? SHARED_PAIR : (tag & ~(OTHER_NAME | PERSON)) === 0 ? NAME_PAIR : UNRANKED[2]
      return least(unranked, Math.max(LEAST_PAIR, cut + ABOVE_CUT.pair))
    }
    if (length > 3) return least(UNRANKED[4], cut + ((tag & (IDIOM | PLACE)) !== 0 ? ABOVE_CUT.idiom : ABOVE_CUT.long))
    return least(UNRANKED[3], cut + ABOVE_CUT.triple)
  }

  /** Whether entry `i`, which has no rank, is no word of its own. */
  isCollocation(i: number): boolean {
    const { units, starts, tags, values } = this.#entries
    const length = starts[i + 1]! - starts[i]!
    const tag = tags[i]!
    if (length === 1) return false
    if (tag === 0 || this.#isOtherCollocation(starts[i]!, starts[i + 1]!)) return true
    if (length > 2 && (tag & IDIOM) === 0) {
      if (tag === INTERJECTION || QUESTIONS.has(pairCode(units[starts[i]!]!, units[starts[i]! + 1]!))) return true
    }
    if (length >= 4 && (tag & OTHER_NAME) !== 0) return true
    if (length >= 5 && (tag & (NOUN | ORGANISATION)) !== 0 && (tag & PLACE) === 0) return true
    if (length >= 3) return (tag & NUMERAL) !== 0 && (tag & (IDIOM | ADVERB | CONJUNCTION | PRONOUN)) === 0
    const first = units[starts[i]!]!
    const second = units[starts[i]! + 1]!
    if (first === NOT) return NEGATED.has(second)
    if (NUMERALS.has(first)) return MEASURES.has(second) && !(first === ONE && second === PIECE)
    if (DEGREES.has(first)) return DEGREE_ADJECTIVES.has(second)
    return second === ATTRIBUTIVE && values[i] === 0
  }

  #isOtherCollocation(from: number, to: number): boolean {
    const { units } = this.#entries
    const word = OTHER_COLLOCATIONS.get(units[from]!)
    return word !== undefined && word === String.fromCharCode(...units.subarray(from, to))
  }
}

function least(cost: number, other: number): number {
  return Math.max(LEAST_COST, Math.min(cost, other))
}

function pairCode(first: number, second: number): number {
  return first * 0x10000 + second
}

function charactersOf(text: string): ReadonlySet<number> {
  return new Set(Array.from(text, (x) => x.charCodeAt(0)))
}
