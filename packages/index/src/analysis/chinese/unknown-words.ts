/**
 * Words that are in no dictionary, offered to the word graph beside its words: numbers and dates in Han characters, names
 * of Chinese, foreign names written by sound. Each has the cost that its kind deserves, so that the likeliest cut decides; none is taken for certain.
 *
 * A Chinese name costs −ln of: a word is a name (1 in 100) × the share of the surname × that of each character of the
 * given name. The work at a cell is bounded: at most eight characters are looked at, or a number once.
 */
import {
  AMBIGUOUS_SURNAMES,
  DOUBLE_SURNAMES,
  FOREIGN_NAME_CHARACTERS,
  GIVEN_NAME_CHARACTERS,
  NEVER_IN_GIVEN_NAMES,
  SURNAMES,
} from './name-characters.js'
import { findNumber, isNumeral, MAX_NUMBER_LENGTH, NUMBER_STARTS } from './number-words.js'
import { COST_UNITS } from './word-trie.js'

/** Longest word that is offered, in characters. */
export const MAX_UNKNOWN_LENGTH = MAX_NUMBER_LENGTH + 1

/** Costs in nats. A number or date costs so much and half a nat a character. */
const NUMBER_COST = 5
const DATE_COST = 9
const NUMBER_CHARACTER_COST = 0.5
/** A word is a Chinese name; its given name has one character, or two. */
const NAME_COST = 6
const ONE_GIVEN_COST = 1.6
const TWO_GIVEN_COST = 0.2
/** A character of a given name, one that they like or another. */
const LIKED_CHARACTER_COST = 5.5
const OTHER_CHARACTER_COST = 9
const DOUBLE_SURNAME_COST = 7
/** A surname that mostly is another word costs more. */
const AMBIGUOUS_SURNAME_COST = 4
/** A word is a foreign name, and each of its characters. */
const FOREIGN_COST = 9
const FOREIGN_CHARACTER_COST = 4

const MIN_FOREIGN_LENGTH = 3
const MAX_FOREIGN_LENGTH = 8

const NUMBER = 1
const SURNAME = 2
const FOREIGN = 4
const GIVEN = 8
const NEVER_GIVEN = 16

const DOUBLES: ReadonlySet<string> = new Set(DOUBLE_SURNAMES.split(' '))
const SURNAME_COSTS = new Map<number, number>()
/** What each character may be in a word, as bits. */
const KINDS = makeKinds()

/** Kinds that may begin a word here. */
const BEGINS = NUMBER | SURNAME | FOREIGN

/** Finds the unknown words that begin at a cell. */
export class UnknownWords {
  /** Ends of the words found. */
  readonly ends = new Int32Array(16)
  /** Their costs in units. */
  readonly costs = new Int32Array(16)

  /** Finds the words that begin at cell `at`; returns how many. */
  find(codes: Int32Array, at: number, length: number): number {
    const code = codes[at]!
    const kind = code < 0x10000 ? KINDS[code]! & BEGINS : 0
    if (kind === 0) return 0
    let count = 0
    if ((kind & NUMBER) !== 0 && (at === 0 || !isNumeral(codes[at - 1]!))) {
      const { end, date } = findNumber(codes, at, length)
      if (end > at) count = this.#add(count, end, NUMBER_COST + NUMBER_CHARACTER_COST * (end - at))
      if (date > 0) count = this.#add(count, date, DATE_COST + NUMBER_CHARACTER_COST * (date - at))
    }
    if ((kind & SURNAME) !== 0) count = this.#names(codes, at, length, count)
    if ((kind & FOREIGN) !== 0) {
      const limit = Math.min(length, at + MAX_FOREIGN_LENGTH)
      let end = at + 1
      while (end < limit && codes[end]! < 0x10000 && (KINDS[codes[end]!]! & FOREIGN) !== 0) {
        end++
        if (end - at >= MIN_FOREIGN_LENGTH)
          count = this.#add(count, end, FOREIGN_COST + FOREIGN_CHARACTER_COST * (end - at))
      }
    }
    return count
  }

  #names(codes: Int32Array, at: number, length: number, found: number): number {
    let count = found
    let from = at + 1
    let cost = SURNAME_COSTS.get(codes[at]!) ?? Number.POSITIVE_INFINITY
    if (from < length && DOUBLES.has(String.fromCharCode(codes[at]!, codes[from]!))) {
      from++
      cost = DOUBLE_SURNAME_COST
    }
    if (cost === Number.POSITIVE_INFINITY || from >= length) return count
    const first = givenCost(codes[from]!)
    if (first === 0) return count
    count = this.#add(count, from + 1, NAME_COST + cost + first + ONE_GIVEN_COST)
    const second = from + 1 < length ? givenCost(codes[from + 1]!) : 0
    if (second === 0) return count
    return this.#add(count, from + 2, NAME_COST + cost + first + second + TWO_GIVEN_COST)
  }

  #add(count: number, end: number, cost: number): number {
    this.ends[count] = end
    this.costs[count] = cost * COST_UNITS
    return count + 1
  }
}

function givenCost(code: number): number {
  if (code >= 0x10000) return OTHER_CHARACTER_COST
  const kind = KINDS[code]!
  if ((kind & NEVER_GIVEN) !== 0) return 0
  return (kind & GIVEN) !== 0 ? LIKED_CHARACTER_COST : OTHER_CHARACTER_COST
}

function makeKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000)
  for (const code of NUMBER_STARTS) kinds[code]! |= NUMBER
  let rank = 0
  for (const char of SURNAMES) {
    const code = char.charCodeAt(0)
    kinds[code]! |= SURNAME
    // About −ln of the share, which falls with the rank.
    const cost = 2.3 + Math.log(1 + ++rank / 5)
    SURNAME_COSTS.set(code, cost + (AMBIGUOUS_SURNAMES.includes(char) ? AMBIGUOUS_SURNAME_COST : 0))
  }
  for (const pair of DOUBLES) kinds[pair.charCodeAt(0)]! |= SURNAME
  for (const char of GIVEN_NAME_CHARACTERS) kinds[char.charCodeAt(0)]! |= GIVEN
  for (const char of FOREIGN_NAME_CHARACTERS) kinds[char.charCodeAt(0)]! |= FOREIGN
  for (const char of NEVER_IN_GIVEN_NAMES) kinds[char.charCodeAt(0)]! |= NEVER_GIVEN
  return kinds
}
