/**
 * Finds where the words of a query stand in a text, by analysing the text again: offsets are those of the original, so
 * a text in traditional characters found by a simplified query is marked as it is written. Phrases, and terms that have to
 * be near each other, are marked only where they match.
 */
import type { Analyzer } from '../analysis/analyzer.js'
import type { Mark } from './mark.js'
import { patternMarks, type TermPlaces } from './pattern-marks.js'
import type { LayerTerms, PhraseTerms, QueryTerms } from './query-terms.js'

/** Most marks that are looked at in one text; what follows stays unmarked. */
const MAX_MARKS = 20_000

/** Most different characters that are looked at one by one. */
const MAX_CHARACTERS = 8192

/** Most different terms of which it is kept whether they pass a test. */
const MAX_TESTED = 50_000

/** Places of one term, while they are collected. */
interface Places extends TermPlaces {
  readonly positions: number[]
  readonly starts: number[]
  readonly ends: number[]
}

/** Marks in the order of their starts; they may overlap. */
export function findMarks(text: string, analyzer: Analyzer, wanted: QueryTerms): Mark[] {
  const marks: Mark[] = []
  const positions = new Int32Array(wanted.layers.length).fill(-1)
  const numberOf = wanted.layers.map(termNumbers)
  const places = wanted.layers.map((layer) => {
    const map = new Map<string, Places>()
    for (const { terms } of [...layer.phrases, ...layer.patterns.map(({ pattern }) => pattern)]) {
      for (const term of terms) if (!map.has(term)) map.set(term, { positions: [], starts: [], ends: [] })
    }
    return map
  })
  const characters = analyzer.queryPlan?.characterLayer ?? -1
  const sink = {
    token(term: string, start: number, end: number, positionIncrement: number, layer: number): void {
      positions[layer]! += positionIncrement
      if (marks.length >= MAX_MARKS) return
      const id = numberOf[layer]!(term)
      if (id >= 0 && layer !== characters) marks.push({ start, end, id })
      const place = places[layer]!.get(term)
      if (place !== undefined) {
        place.positions.push(positions[layer]!)
        place.starts.push(start)
        place.ends.push(end)
      }
    },
  }
  analyzer.analyze(text, sink)
  if (characters >= 0 && wanted.layers[characters]!.terms.size + wanted.layers[characters]!.tests.length > 0) {
    markCharacters(text, analyzer, characters, numberOf[characters]!, marks)
  }
  for (let l = 0; l < wanted.layers.length; l++) {
    const { phrases, phraseIds, patterns } = wanted.layers[l]!
    for (let p = 0; p < phrases.length; p++) markPhrase(phrases[p]!, phraseIds[p]!, places[l]!, marks)
    for (const { pattern, id } of patterns) {
      for (const mark of patternMarks(pattern, id, places[l]!)) if (marks.length < MAX_MARKS) marks.push(mark)
    }
  }
  return marks.sort((a, b) => a.start - b.start || b.end - a.end)
}

/** Tells the number of what is looked for of a term, or −1. Tests are made once for a term: texts repeat their words. */
function termNumbers({ terms, tests }: LayerTerms): (term: string) => number {
  if (tests.length === 0) return (term) => terms.get(term) ?? -1
  const known = new Map<string, number>()
  return (term) => {
    let id = terms.get(term) ?? known.get(term)
    if (id === undefined) {
      id = tests.find(({ test }) => test(term))?.id ?? -1
      if (known.size < MAX_TESTED) known.set(term, id)
    }
    return id
  }
}

/**
 * The character layer keeps each term once a text, so it tells only the first place: the others are found by analysing
 * the characters of the text one by one, each different character once.
 */
function markCharacters(
  text: string,
  analyzer: Analyzer,
  layer: number,
  numberOf: (term: string) => number,
  marks: Mark[],
): void {
  const known = new Map<string, number>()
  for (let at = 0; at < text.length && marks.length < MAX_MARKS; ) {
    const character = String.fromCodePoint(text.codePointAt(at)!)
    let id = known.get(character)
    if (id === undefined && known.size < MAX_CHARACTERS) {
      let found = -1
      const sink = {
        token(term: string, _start: number, _end: number, _increment: number, tokenLayer: number): void {
          if (tokenLayer === layer) found = Math.max(numberOf(term), found)
        },
      }
      analyzer.analyze(character, sink)
      id = found
      known.set(character, id)
    }
    if (id !== undefined && id >= 0) marks.push({ start: at, end: at + character.length, id })
    at += character.length
  }
}

/** Marks each place where the terms of a phrase stand at their distances. */
function markPhrase(phrase: PhraseTerms, id: number, places: ReadonlyMap<string, Places>, marks: Mark[]): void {
  const lists = phrase.terms.map((term) => places.get(term)!)
  const first = lists[0]!
  const cursors = new Int32Array(lists.length)
  for (let i = 0; i < first.positions.length; i++) {
    const base = first.positions[i]! - phrase.positions[0]!
    let start = first.starts[i]!
    let end = first.ends[i]!
    let complete = true
    for (let t = 1; t < lists.length; t++) {
      const { positions, starts, ends } = lists[t]!
      const place = base + phrase.positions[t]!
      let at = cursors[t]!
      while (at < positions.length && positions[at]! < place) at++
      cursors[t] = at
      if (positions[at] !== place) {
        complete = false
        break
      }
      start = Math.min(start, starts[at]!)
      end = Math.max(end, ends[at]!)
    }
    if (complete && marks.length < MAX_MARKS) marks.push({ start, end, id })
  }
}
