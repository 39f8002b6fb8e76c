/** Which words of a text make a pattern match: sloppy phrases, phrases with a choice, terms near each other. */
import type { PositionPattern } from '../search/positions/position-pattern.js'
import { Spans } from '../search/positions/spans.js'
import { TermPositions } from '../search/positions/term-positions.js'
import type { Mark } from './mark.js'

/** Where a term stands: its positions, ascending, with the UTF-16 range of each. */
export interface TermPlaces {
  readonly positions: readonly number[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Matches that are looked at in one text. */
const MAX_MATCHES = 20_000

/** The terms of the pattern inside each stretch that matches; one mark for a stretch where they stand side by side. */
export function patternMarks(pattern: PositionPattern, id: number, places: ReadonlyMap<string, TermPlaces>): Mark[] {
  const lists = pattern.terms.map((term) => places.get(term)!)
  const document = new TermPositions(lists.length)
  lists.forEach(({ positions }, term) => {
    document.reserve(term, positions.length).set(positions)
  })
  const found = new Spans()
  pattern.createMatcher(true).find(document, found, MAX_MATCHES)
  if (found.length === 0) return []
  const words = lists
    .flatMap(({ positions, starts, ends }) =>
      positions.map((position, i) => ({ position, start: starts[i]!, end: ends[i]!, id })),
    )
    .sort((a, b) => a.position - b.position)
  const order = Array.from({ length: found.length }, (_, i) => i).sort((a, b) => found.starts[a]! - found.starts[b]!)
  const marks: Mark[] = []
  /** The first word that no stretch covers yet. */
  let next = 0
  for (const i of order) {
    const first = firstFrom(words, found.starts[i]!)
    const behind = firstFrom(words, found.ends[i]!)
    if (found.distances[i] === 0) {
      marks.push({ start: words[first]!.start, end: words[behind - 1]!.end, id })
      continue
    }
    for (let word = Math.max(first, next); word < behind; word++) {
      marks.push({ start: words[word]!.start, end: words[word]!.end, id })
    }
    next = Math.max(next, behind)
  }
  return marks
}

/** Index of the first word at `position` or behind it. */
function firstFrom(words: readonly { readonly position: number }[], position: number): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (words[middle]!.position < position) low = middle + 1
    else high = middle
  }
  return low
}
