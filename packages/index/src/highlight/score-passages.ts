/**
 * Which passages of one text answer a query best. A word counts the more, the fewer of the passages have it (ln(1 + n/df), the
 * inverse document frequency with passages for documents), and the first time most (tf/(tf + 1)); once more in a heading.
 */
import type { Mark } from './mark.js'

/** A part of a text, UTF-16 offsets. */
export interface Passage {
  readonly start: number
  readonly end: number
  /** where its heading ends; `start` where it has none */
  readonly headingEnd: number
}

/**
 * A score for each passage, 0 where no word of the query is in it.
 * @param marks in the order of their starts
 * @param passages in the order of the text, without overlaps
 */
export function scorePassages(marks: readonly Mark[], passages: readonly Passage[]): number[] {
  const frequencies: (Map<number, number> | undefined)[] = passages.map(() => undefined)
  const inHeadings: (Set<number> | undefined)[] = passages.map(() => undefined)
  const passageCounts = new Map<number, number>()
  let at = 0
  for (const { start, id } of marks) {
    while (at < passages.length && passages[at]!.end <= start) at++
    const passage = passages[at]
    if (passage === undefined) break
    if (start < passage.start) continue
    const counts = frequencies[at] ?? new Map<number, number>()
    frequencies[at] = counts
    const before = counts.get(id) ?? 0
    if (before === 0) passageCounts.set(id, (passageCounts.get(id) ?? 0) + 1)
    counts.set(id, before + 1)
    if (start >= passage.headingEnd) continue
    const inHeading = inHeadings[at] ?? new Set<number>()
    inHeadings[at] = inHeading.add(id)
  }
  return frequencies.map((counts, i) => {
    let score = 0
    for (const [id, frequency] of counts ?? []) {
      const weight = Math.log(1 + passages.length / passageCounts.get(id)!)
      score += weight * (frequency / (frequency + 1) + (inHeadings[i]?.has(id) === true ? 1 : 0))
    }
    return score
  })
}
