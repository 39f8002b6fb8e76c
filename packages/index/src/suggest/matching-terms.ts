/** The terms of an index that an automaton accepts, with the number of their documents. */
import type { TermCursor } from '../codec/term-dictionary.js'
import type { IndexReader } from '../reading/index-reader.js'
import type { TermAutomaton } from '../search/automaton/term-automaton.js'
import { type TermSink, walkMatchingTerms } from '../search/automaton/term-walk.js'
import type { SearchLimits } from '../search/scorer/search-limits.js'

/** Terms of one call, at most. */
const MAX_TERMS = 5_000

class TermCounts implements TermSink {
  readonly counts = new Map<string, number>()
  readonly #inField = new Map<string, number>()

  add({ bytes, length, entry }: TermCursor): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString()
    const known = this.#inField.get(text)
    if (known === undefined && this.#inField.size >= MAX_TERMS) return false
    this.#inField.set(text, (known ?? 0) + entry.docFreq)
    return false
  }

  async flush(): Promise<void> {}

  /** What was found until now is of one field. */
  endField(): void {
    for (const [text, count] of this.#inField) this.counts.set(text, Math.max(count, this.counts.get(text) ?? 0))
    this.#inField.clear()
  }
}

/**
 * @param fields a term of several counts as in the one that has it most
 * @returns documents by term, deleted ones included; not all terms where there are more than 5,000 or the limits are met
 */
export async function matchingTerms(
  reader: IndexReader,
  fields: readonly string[],
  automaton: TermAutomaton,
  limits: SearchLimits,
): Promise<ReadonlyMap<string, number>> {
  // A query has many such walks, and building an automaton is work, too.
  limits.check()
  if (limits.sliceOver) await limits.yield()
  const found = new TermCounts()
  for (const field of fields) {
    for (const { data } of reader.segments) await walkMatchingTerms(data, field, automaton, limits, found)
    found.endField()
  }
  return found.counts
}

/** Documents that hold a term, in the one of the fields that has it most. */
export async function termFrequency(reader: IndexReader, fields: readonly string[], term: string): Promise<number> {
  let most = 0
  for (const field of fields) most = Math.max(most, await reader.docFreq(field, term))
  return most
}
