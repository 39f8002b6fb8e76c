/**
 * Cuts runs of Han characters into words: the cheapest path through the graph of all dictionary words (Viterbi over
 * unigrams), in time linear in the run, without recursion, in fixed memory. A character that is no word is a word of
 * one character.
 */
import { isMeasure } from './number-words.js'
import { MAX_UNKNOWN_LENGTH, UnknownWords } from './unknown-words.js'
import { UNKNOWN_CHARACTER_UNITS, type WordDictionary } from './word-dictionary.js'
import { COST_UNITS } from './word-trie.js'

/** More than any cut of a chunk costs. */
const UNREACHED = 0x7fffffff

/** What a word of two characters costs more when each of them is said twice. */
const REPEATED_UNITS = 3 * COST_UNITS

/** Most words inside of one word. */
const MAX_INNER = 256

/** Segments one chunk of a run at a time; make one and use it again. */
export class Segmenter {
  /** Where the words end, ascending: one past the last cell. */
  readonly ends: Int32Array
  /** Number of words. */
  count = 0
  /** Where the words inside of a word begin and end, by turns. */
  readonly inner = new Int32Array(2 * MAX_INNER)
  /** Steps taken through the dictionary since it was made: at most the longest word's length a character. */
  steps = 0

  readonly #dictionary: WordDictionary
  readonly #labels: Uint16Array
  /** Cost of the likeliest cut up to a cell, in units. */
  readonly #best: Int32Array
  readonly #back: Uint8Array
  readonly #unknown = new UnknownWords()

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
   * @param afterDigit whether a digit stands before the run: then 日, 年, 个 and the like are words (10日本报讯)
   * @returns the number of cells covered by the words
   */
  segment(codes: Int32Array, length: number, last: boolean, afterDigit = false): number {
    const { trie } = this.#dictionary
    const longest = Math.max(this.#dictionary.maxLength, MAX_UNKNOWN_LENGTH)
    const labels = this.#labels
    this.#dictionary.label(codes, length, labels)
    const best = this.#best
    const back = this.#back
    const unknown = this.#unknown
    // Words that begin before the horizon are all seen to their end, so the best paths up to it are final.
    const horizon = last ? length : length - longest
    best.fill(UNREACHED, 0, length + 1)
    best[0] = 0
    if (afterDigit && isMeasure(codes[0]!)) {
      best[1] = 0
      back[1] = 1
    }
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
      let node = trie.first(labels[i]!)
      for (let end = i + 1; node >= 0; end++) {
        steps++
        const cost = trie.costAt(node)
        if (cost !== 0) {
          if (end > reach) reach = end
          if (base + cost < best[end]!) {
            best[end] = base + cost
            back[end] = end - i
          }
        }
        if (end === length) break
        node = trie.step(node, labels[end]!)
      }
      if (i + 3 < length && codes[i] === codes[i + 1] && codes[i + 2] === codes[i + 3]) {
        const cost = this.#repeatedCost(i)
        const end = i + 4
        if (cost > 0 && end > reach) reach = end
        if (cost > 0 && base + cost < best[end]!) {
          best[end] = base + cost
          back[end] = 4
        }
      }
      for (let found = unknown.find(codes, i, length) - 1; found >= 0; found--) {
        steps++
        const end = unknown.ends[found]!
        const cost = unknown.costs[found]!
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

  /**
   * Finds the words of the dictionary of two cells and more that stand inside of a word of the chunk segmented last.
   * @returns how many; their bounds are in {@link inner}
   */
  findInner(from: number, to: number): number {
    const { trie } = this.#dictionary
    const labels = this.#labels
    const inner = this.inner
    let count = 0
    for (let i = from; i < to - 1; i++) {
      let node = trie.first(labels[i]!)
      for (let end = i + 1; node >= 0; end++) {
        const long = end - i > 1 && end - i < to - from
        if (long && trie.costAt(node) !== 0 && 2 * count < inner.length) {
          inner[2 * count] = i
          inner[2 * count + 1] = end
          count++
        }
        if (end === to) break
        node = trie.step(node, labels[end]!)
      }
    }
    return count
  }

  /** The cost of 高高兴兴 at a cell where 高兴 is a word, 0 where it is none. */
  #repeatedCost(at: number): number {
    const { trie } = this.#dictionary
    const first = trie.first(this.#labels[at]!)
    const pair = first < 0 ? -1 : trie.step(first, this.#labels[at + 2]!)
    const cost = pair < 0 ? 0 : trie.costAt(pair)
    return cost === 0 ? 0 : cost + REPEATED_UNITS
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
