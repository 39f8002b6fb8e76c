/** Whether a text has one of many words in it: one pass, at most the longest word's length in steps a character. */

import { MAX_TERM_LENGTH } from '../analyzer.js'
import { CHUNK_CELLS, CjkScanner, RUN } from '../bigram/cjk-scanner.js'
import { END } from '../standard/word-scanner.js'
import { simplifiedFolder } from './simplified-folder.js'
import { WordDictionary } from './word-dictionary.js'
import { ROOT } from './word-trie.js'

/** See the head of this file. */
export class WordFinder {
  readonly #words: WordDictionary
  readonly #scanner = new CjkScanner(simplifiedFolder, MAX_TERM_LENGTH)
  readonly #labels = new Uint16Array(CHUNK_CELLS)

  /** @param words of Han, Kana and Hangul characters; both scripts of Chinese are one */
  constructor(words: Iterable<string>) {
    const entries = Array.from(words, (word) => ({ word, weight: 1 }))
    this.#words = WordDictionary.of(simplifiedFolder, () => {}).with(entries)
  }

  /** Whether one of the words stands in the text, wherever the borders of words are. */
  isIn(text: string): boolean {
    const scanner = this.#scanner
    const ahead = Math.max(1, this.#words.maxLength - 1)
    scanner.reset(text)
    try {
      for (let kind = scanner.next(); kind !== END; kind = scanner.next()) {
        if (kind !== RUN) continue
        if (this.#isInRun()) return true
        // A word may reach into the next chunk.
        if (!scanner.last) scanner.keep(scanner.length - ahead)
      }
      return false
    } finally {
      scanner.reset('')
    }
  }

  #isInRun(): boolean {
    const { trie } = this.#words
    const { codes, length } = this.#scanner
    const labels = this.#labels
    this.#words.label(codes, length, labels)
    for (let i = 0; i < length; i++) {
      let node: number = ROOT
      for (let j = i; j < length && labels[j] !== 0; j++) {
        node = trie.step(node, labels[j]!)
        if (node < 0) break
        if (trie.costAt(node) !== 0) return true
      }
    }
    return false
  }
}
