/**
 * Cuts runs of Han characters into words: the cheapest path through the graph of all dictionary words (Viterbi over
 * unigrams), in time linear in the run, without recursion, in fixed memory. A character that is no word is a word of
 * one character.
 */
import { UNKNOWN_CHARACTER_COST } from './word-costs.js'
import { ROOT, type WordDictionary } from './word-dictionary.js'

/** Segments one chunk of a run at a time; make one and use it again. */
export class Segmenter {
  /** Where the words end, ascending: one past the last cell. */
  readonly ends: Int32Array
  /** Number of words. */
  count = 0
  /** Steps taken through the dictionary since it was made: at most the longest word's length a character. */
  steps = 0

  readonly #dictionary: WordDictionary
  readonly #best: Float64Array
  readonly #back: Uint8Array

  /** @param capacity most cells of a chunk */
  constructor(dictionary: WordDictionary, capacity: number) {
    this.#dictionary = dictionary
    this.ends = new Int32Array(capacity)
    this.#best = new Float64Array(capacity + 1)
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
    const dictionary = this.#dictionary
    const chars = dictionary.charCodes
    const best = this.#best
    const back = this.#back
    // Words that begin before the horizon are all seen to their end, so the best paths up to it are final.
    const horizon = last ? length : length - dictionary.maxLength
    best.fill(Number.POSITIVE_INFINITY, 0, length + 1)
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
      const unknown = base + UNKNOWN_CHARACTER_COST
      if (unknown < best[i + 1]!) {
        best[i + 1] = unknown
        back[i + 1] = 1
      }
      let node = ROOT
      for (let j = i; j < length; j++) {
        const char = codes[j]!
        const code = char < 0x10000 ? chars[char]! : 0
        if (code === 0) break
        steps++
        node = dictionary.step(node, code)
        if (node < 0) break
        const cost = dictionary.costAt(node)
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
