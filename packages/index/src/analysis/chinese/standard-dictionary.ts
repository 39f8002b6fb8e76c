/**
 * The dictionary of the product: the words of segmentit with the costs of word-costs.ts, and the question words. It is
 * read at the first Han character that any analyzer of the process meets.
 */
import { isHan } from '../bigram/cjk-scanner.js'
import { COMMON_CHARACTERS, VERY_COMMON_CHARACTERS } from './common-characters.js'
import { NEWER_WORD_COST, NEWER_WORDS } from './newer-words.js'
import { QUESTION_WORD_COST, QUESTION_WORDS } from './question-words.js'
import { readEntries, readSegmentitLists } from './segmentit-source.js'
import { simplifiedFolder } from './simplified-folder.js'
import { WordCosts } from './word-costs.js'
import { MAX_WORD_LENGTH, type WordCollector, WordDictionary } from './word-dictionary.js'

/** Costs of the characters of common-characters.ts. */
const VERY_COMMON_COST = 5.5
const COMMON_COST = 9

/** Beginnings of the words of segmentit. */
const NODES = 240_000

let shared: WordDictionary | null = null

/**
 * The dictionary of the process, loaded at the first call.
 * @throws SpindleError DICTIONARY_UNREADABLE where the installation is damaged
 */
export function standardDictionary(): WordDictionary {
  shared ??= WordDictionary.of(simplifiedFolder, addWords, NODES)
  return shared
}

/** Words with a rank first, then the others by length, since what those cost depends on the shorter ones. */
function addWords({ add, cut }: WordCollector): void {
  const entries = readEntries(readSegmentitLists())
  const { count, units, starts } = entries
  const costs = new WordCosts(entries)
  for (const [characters, cost] of [
    [VERY_COMMON_CHARACTERS, VERY_COMMON_COST],
    [COMMON_CHARACTERS, COMMON_COST],
  ] as const) {
    const codes = codesOf(characters)
    for (let i = 0; i < codes.length; i++) add(codes, i, i + 1, cost)
  }
  const unranked: number[][] = [[], [], [], []]
  for (let i = 0; i < count; i++) {
    const length = starts[i + 1]! - starts[i]!
    if (length > MAX_WORD_LENGTH || !areHan(units, starts[i]!, starts[i + 1]!)) continue
    const cost = costs.rankCost(i)
    if (cost > 0) add(units, starts[i]!, starts[i + 1]!, cost)
    else unranked[Math.min(length, unranked.length) - 1]!.push(i)
  }
  for (const list of unranked) {
    for (const i of list) {
      if (costs.isCollocation(i)) continue
      const from = starts[i]!
      const to = starts[i + 1]!
      const parts = cut(units, from, to)
      const cost = costs.unrankedCost(i, parts)
      // No likeliest cut of a text has a word in it that can be cut more cheaply.
      if (cost < parts) add(units, from, to, cost)
    }
  }
  for (const word of NEWER_WORDS.split(/\s+/)) add(codesOf(word), 0, word.length, NEWER_WORD_COST)
  for (const word of QUESTION_WORDS) if (word.length > 2) add(codesOf(word), 0, word.length, QUESTION_WORD_COST)
}

function codesOf(word: string): Uint16Array {
  return Uint16Array.from(word, (x) => x.charCodeAt(0))
}

function areHan(units: Uint16Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (!isHan(units[i]!)) return false
  return true
}
