/**
 * What a run of Chinese may have been meant as. Words that the index lacks fall into single characters; where other
 * characters of the same sound, or one other character of a longer word, make a word of the index of them, that is
 * likelier. The cheapest way through the run is found as in a segmenter, over spans of two to four characters.
 */

import { simplifiedFolder } from '../analysis/chinese/simplified-folder.js'
import type { IndexReader } from '../reading/index-reader.js'
import { ByteNfaBuilder } from '../search/automaton/byte-nfa.js'
import { TermAutomaton } from '../search/automaton/term-automaton.js'
import type { SearchLimits } from '../search/scorer/search-limits.js'
import { addCharacterClass } from './character-class.js'
import { matchingTerms, termFrequency } from './matching-terms.js'
import { loadSounds, type Sounds } from './sounds.js'
import type { Respelling } from './word-speller.js'

/** Longer runs are not corrected. */
const MAX_RUN = 20
/** A mistake makes two pairs that are strange; a run with more of them is about what the index lacks, and no mistake. */
const MAX_DOUBTED_PAIRS = 4
/** Spans of one query that are looked up by sound, at most: each takes some milliseconds. */
const MAX_SPANS = 24
/** Characters of a word that is put in, at most. */
const MAX_WORD = 4
/** Words of a span that are gone on with. */
const MAX_WORDS = 3
/** Ways through the run that are kept. */
const MAX_WAYS = 3

const WORD = 1
const SINGLE = 3
const REPLACED = 1.6
const SAME_SOUND = 0.7
const LIKE_SOUND = 1.1
const OTHER_SOUND = 2.2
/** Pairs that so few of the documents have may be mistakes. */
const RARE = 0.001
/** What a word gains that is e times as frequent. */
const FREQUENCY = 0.15
/** A unit of cost as a logarithm of odds, about what an edit of a word of letters is. */
const WEIGHT = 5

interface Way {
  readonly text: string
  readonly cost: number
}

/** Names of the layers of the fields that the run is looked up in. */
export interface ChineseFields {
  /** Layers that hold whole words. */
  readonly words: readonly string[]
  /** Layers that hold pairs of neighbouring characters. */
  readonly pairs: readonly string[]
}

/** Corrects the runs of Chinese of one query by the words of an index. */
export class ChineseSpeller {
  readonly #reader: IndexReader
  readonly #fields: ChineseFields
  readonly #limits: SearchLimits
  #sounds!: Sounds
  #spans = MAX_SPANS

  constructor(reader: IndexReader, fields: ChineseFields, limits: SearchLimits) {
    this.#reader = reader
    this.#fields = fields
    this.#limits = limits
  }

  /**
   * Other forms of a run in simplified characters, the best first; none where all pairs of neighbours are usual, or more of
   * them strange than mistakes make.
   */
  async corrections(run: string): Promise<Respelling[]> {
    const points = Array.from(run, (character) => simplifiedFolder.fold(character.codePointAt(0)!))
    if (points.length < 2 || points.length > MAX_RUN) return []
    const doubted = await this.#doubted(points)
    if (!doubted.includes(1)) return []
    this.#sounds = await loadSounds()
    const ways: Way[][] = [[{ text: '', cost: 0 }]]
    for (let i = 0; i < points.length; i++) ways.push([])
    for (let start = 0; start < points.length; start++) {
      const before = keepBest(ways, start)
      for (let length = 1; length <= MAX_WORD && start + length <= points.length; length++) {
        const span = points.slice(start, start + length)
        const isDoubted = doubted.subarray(start, start + length).includes(1)
        for (const { text, cost } of await this.#forms(span, isDoubted, length === points.length)) {
          for (const way of before) ways[start + length]!.push({ text: way.text + text, cost: way.cost + cost })
        }
      }
    }
    const typed = String.fromCodePoint(...points)
    return keepBest(ways, points.length)
      .filter(({ text }) => text !== typed)
      .map(({ text, cost }) => ({ text, score: -WEIGHT * cost }))
  }

  /** 1 for each character of a pair that next to no document has; none where such pairs are too many. */
  async #doubted(points: readonly number[]): Promise<Uint8Array> {
    const doubted = new Uint8Array(points.length)
    let pairs = 0
    for (let i = 0; i + 1 < points.length; i++) {
      const pair = String.fromCodePoint(points[i]!, points[i + 1]!)
      const docFreq = await termFrequency(this.#reader, this.#fields.pairs, pair)
      if (docFreq > this.#reader.numDocs * RARE) continue
      doubted[i] = doubted[i + 1] = 1
      pairs++
    }
    return pairs > MAX_DOUBTED_PAIRS ? doubted.fill(0) : doubted
  }

  /** What a span may stand for in a way through the run. */
  async #forms(span: readonly number[], isDoubted: boolean, isWhole: boolean): Promise<Way[]> {
    const text = String.fromCodePoint(...span)
    if (span.length === 1) return [{ text, cost: SINGLE }]
    const docFreq = await termFrequency(this.#reader, this.#fields.words, text)
    if (docFreq > 0) return [{ text, cost: WORD - FREQUENCY * Math.log(docFreq) }]
    if (!isDoubted || this.#spans === 0) return []
    this.#spans--
    // Half of a word of two characters says little of the other half: it has to be all that was asked for.
    const withOthers = span.length > 2 || isWhole
    const terms = await matchingTerms(this.#reader, this.#fields.words, this.#automaton(span, withOthers), this.#limits)
    const found: Way[] = []
    for (const [term, count] of terms) {
      found.push({ text: term, cost: REPLACED + this.#distance(span, term) - FREQUENCY * Math.log(count) })
    }
    return found.sort((a, b) => a.cost - b.cost).slice(0, MAX_WORDS)
  }

  #distance(span: readonly number[], term: string): number {
    let cost = 0
    let i = 0
    for (const character of term) {
      const point = character.codePointAt(0)!
      if (point !== span[i]) {
        const readings = this.#sounds.readingsOf(span[i]!)
        const others = this.#sounds.readingsOf(point)
        if (readings.some((syllable) => others.includes(syllable))) cost += SAME_SOUND
        else if (readings.some((syllable) => this.#sounds.pointsLike(syllable).includes(point))) cost += LIKE_SOUND
        else cost += OTHER_SOUND
      }
      i++
    }
    return cost
  }

  /** Words of the same sound, and where `withOthers`, those that differ in one character. */
  #automaton(span: readonly number[], withOthers: boolean): TermAutomaton {
    const nfa = new ByteNfaBuilder()
    const end = nfa.state()
    const sounding = span.map(() => nfa.state())
    sounding.push(end)
    const start = sounding[0]!
    for (const [i, point] of span.entries()) {
      addCharacterClass(nfa, sounding[i]!, this.#like(point), sounding[i + 1]!)
    }
    if (withOthers) {
      let same = start
      for (const [i, point] of span.entries()) {
        let rest = i + 1 === span.length ? end : nfa.state()
        nfa.anyPoint(same, rest)
        for (let j = i + 1; j < span.length; j++) {
          const next = j + 1 === span.length ? end : nfa.state()
          nfa.points(rest, span[j]!, span[j]!, next)
          rest = next
        }
        if (i + 1 === span.length) break
        const next = nfa.state()
        nfa.points(same, point, point, next)
        same = next
      }
    }
    return new TermAutomaton(nfa.build(start, end))
  }

  /** The character and those that sound like it, in order. */
  #like(point: number): number[] {
    const points = new Set([point])
    for (const syllable of this.#sounds.readingsOf(point)) {
      for (const other of this.#sounds.pointsLike(syllable)) points.add(other)
    }
    return [...points].sort((a, b) => a - b)
  }
}

/** The cheapest ways to a place, each text once. */
function keepBest(ways: Way[][], at: number): Way[] {
  const best = new Map<string, Way>()
  for (const way of ways[at]!.sort((a, b) => a.cost - b.cost)) {
    if (!best.has(way.text) && best.size < MAX_WAYS) best.set(way.text, way)
  }
  ways[at] = [...best.values()]
  return ways[at]!
}
