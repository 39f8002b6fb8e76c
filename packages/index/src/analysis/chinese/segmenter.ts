/**
 * Cuts runs of Han characters into words: the cheapest path through the graph of all dictionary words (Viterbi over
 * unigrams), in time linear in the run, without recursion, in fixed memory. A character that is no word is a word of
 * one character.
 */
import { UNKNOWN_CHARACTER_UNITS, type WordDictionary } from './word-dictionary.js'
import { ROOT } from './word-trie.js'

/** More than any cut of a chunk costs. */
const UNREACHED = 0x7fffffff

/** Segments one chunk of a run at a time; make one and use it again. */
export class Segmenter {
  /** Where the words end, ascending: one past the last cell. */
  readonly ends: Int32Array
  /** Number of words. */
  count = 0
  /** Steps taken through the dictionary since it was made: at most the longest word's length a character. */
  steps = 0

  readonly #dictionary: WordDictionary
  readonly #labels: Uint16Array
  /** Cost of the likeliest cut up to a cell, in units. */
  readonly #best: Int32Array
  readonly #back: Uint8Array

  /** @param capacity most cells of a chunk */
  constructor(dictionary: WordDictionary, capacity: number) {
    this.#dictionary = dictionary
    this.ends = new Int32Array(capacity)
    this.#labels = new Uint16Array(capacity)
    this.#best = new Int32Array(capacity + 1)
    this.#back = new Uint8Array(capacity + 1)
  }

  /**
   * Finds the words of a chunk and puts their ends into {@link ends}.
   * @param codes folded code points
   * @param length number of cells, at least twice the longest word where not `last`
   * @param last whether the run ends here; if not, the words stop at a place that no word crosses, or where none is
   *   near at a forced cut, and the cells behind it are to be given again in front of the next chunk
   * @returns the number of cells covered by the words
   */
  segment(codes: Int32Array, length: number, last: boolean): number {
    const { trie, maxLength } = this.#dictionary
    const labels = this.#labels
    this.#dictionary.label(codes, length, labels)
    const best = this.#best
    const back = this.#back
    // Words that begin before the horizon are all seen to their end, so the best paths up to it are final.
    const horizon = last ? length : length - maxLength
    best.fill(UNREACHED, 0, length + 1)
    best[0] = 0
    let reach = 0
    let safe = 0
    let steps = 0
    for (let i = 0; i < horizon; i++) {
      if (reach <= i) {
        safe = i
        reach = i + 1
      }
      const base = best[i]!
      if (base + UNKNOWN_CHARACTER_UNITS < best[i + 1]!) {
        best[i + 1] = base + UNKNOWN_CHARACTER_UNITS
        back[i + 1] = 1
      }
      let node: number = ROOT
      for (let j = i; j < length; j++) {
        const label = labels[j]!
        if (label === 0) break
        steps++
        node = trie.step(node, label)
        if (node < 0) break
        const cost = trie.costAt(node)
        if (cost === 0) continue
        const end = j + 1
        if (end > reach) reach = end
        if (base + cost < best[end]!) {
          best[end] = base + cost
          back[end] = end - i
        }
      }
    }
    this.steps += steps
    if (reach <= horizon) safe = horizon
    // A safe place too far back would have the same cells looked at again and again.
    const cut = last || safe < horizon >> 1 ? horizon : safe
    this.#backtrack(cut)
    return cut
  }

  #backtrack(cut: number): void {
    const ends = this.ends
    let count = 0
    for (let at = cut; at > 0; at -= this.#back[at]!) ends[count++] = at
    this.count = count
    for (let i = 0, j = count - 1; i < j; i++, j--) {
      const end = ends[i]!
      ends[i] = ends[j]!
      ends[j] = end
    }
  }
}
