/**
 * The dictionary of the product: the words of segmentit with the costs of word-costs.ts, and the question words. It is
 * read at the first Han character that any analyzer of the process meets.
 */
import { isHan } from '../bigram/cjk-scanner.js'
import { QUESTION_WORD_COST, QUESTION_WORDS } from './question-words.js'
import { forEachEntry, readSegmentitLists } from './segmentit-source.js'
import { simplifiedFolder } from './simplified-folder.js'
import { WordCosts } from './word-costs.js'
import { WordDictionary } from './word-dictionary.js'

/** Beginnings of the words of segmentit. */
const NODES = 240_000

let shared: WordDictionary | null = null

/**
 * The dictionary of the process, loaded at the first call.
 * @throws SpindleError DICTIONARY_UNREADABLE where the installation is damaged
 */
export function standardDictionary(): WordDictionary {
  shared ??= WordDictionary.of(
    simplifiedFolder,
    (add) => {
      const lists = readSegmentitLists()
      const costs = new WordCosts(lists)
      for (const list of lists) {
        forEachEntry(list, (units, length, value) => {
          for (let i = 0; i < length; i++) if (!isHan(units[i]!)) return
          add(units, length, costs.cost(list.ranked, length, value))
        })
      }
      for (const word of QUESTION_WORDS) {
        if (word.length > 2)
          add(
            Array.from(word, (x) => x.charCodeAt(0)),
            word.length,
            QUESTION_WORD_COST,
          )
      }
    },
    NODES,
  )
  return shared
}
