/** The terms of an index that are nearest to a text, with their weights and statistics. */
import type { TermCursor } from '../../codec/term-dictionary.js'
import type { TermStats } from '../../codec/term-stats.js'
import { compareBytes } from '../../codec/terms-index.js'
import type { TermAutomaton } from '../automaton/term-automaton.js'
import { type TermSink, walkMatchingTerms } from '../automaton/term-walk.js'
import type { SearchContext } from '../search-context.js'

/** A term that is near enough. */
export interface FuzzyTerm {
  readonly text: string
  /** 1 − edits / characters of the shorter of text and term; below 0 where it has fewer than there are edits. */
  readonly boost: number
  /** Sums over the segments. */
  docFreq: number
  totalTermFreq: number
  readonly bytes: Uint8Array
}

/** What is found. */
export interface FuzzyTerms {
  /** In the order of the dictionary. */
  readonly terms: readonly FuzzyTerm[]
  /** What all of them are scored by, so that a rare misspelling does not come before the word. */
  readonly blended: TermStats
}

/**
 * The terms with the greatest boost, of equal ones the first.
 * @param automata by number of edits; the last one has all terms that count
 * @param length code points of the text
 */
export async function findFuzzyTerms(
  context: SearchContext,
  field: string,
  automata: readonly TermAutomaton[],
  length: number,
  maxTerms: number,
): Promise<FuzzyTerms> {
  const nearest = new NearestTerms(automata, length, maxTerms)
  for (const { data } of context.segments) {
    await walkMatchingTerms(data, field, automata[automata.length - 1], context.limits, nearest)
  }
  return nearest.result()
}

/** Terms that are kept before the farthest are sorted out, by those that are wanted. */
const PRUNE_AT = 1.25

class NearestTerms implements TermSink {
  readonly #automata: readonly TermAutomaton[]
  readonly #length: number
  readonly #maxTerms: number
  readonly #terms = new Map<string, FuzzyTerm>()
  /** Edits of the terms that may still be among the nearest. */
  #edits: number
  /** The last of those that are kept for sure; what comes behind it does not count. */
  #last: FuzzyTerm | null = null

  constructor(automata: readonly TermAutomaton[], length: number, maxTerms: number) {
    this.#automata = automata
    this.#length = length
    this.#maxTerms = maxTerms
    this.#edits = automata.length - 1
  }

  add({ bytes, length, entry }: TermCursor): boolean {
    const boost = this.#boostOf(bytes, length)
    const last = this.#last
    if (last !== null && (boost < last.boost || (boost === last.boost && isAfter(bytes, length, last)))) return false
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString()
    const known = this.#terms.get(text)
    if (known !== undefined) {
      known.docFreq += entry.docFreq
      known.totalTermFreq += entry.totalTermFreq
      return false
    }
    const { docFreq, totalTermFreq } = entry
    this.#terms.set(text, { text, boost, docFreq, totalTermFreq, bytes: bytes.slice(0, length) })
    if (this.#terms.size > this.#maxTerms * PRUNE_AT) this.#prune()
    return false
  }

  async flush(): Promise<void> {}

  /** Terms with more edits than this one allows would all come behind the last one that is kept. */
  get wanted(): TermAutomaton {
    return this.#automata[this.#edits]
  }

  result(): FuzzyTerms {
    this.#prune()
    const terms = [...this.#terms.values()].sort(byBytes)
    let docFreq = 0
    let totalTermFreq = 0
    for (const term of terms) {
      docFreq = Math.max(docFreq, term.docFreq)
      totalTermFreq += term.totalTermFreq
    }
    return { terms, blended: { docFreq, totalTermFreq } }
  }

  #boostOf(bytes: Uint8Array, length: number): number {
    let edits = this.#edits
    while (edits > 0 && this.#automata[edits - 1].testBytes(bytes, length)) edits--
    if (edits === 0) return 1
    let points = 0
    for (let i = 0; i < length; i++) if ((bytes[i] & 0xc0) !== 0x80) points++
    return boostFor(edits, Math.min(points, this.#length))
  }

  #prune(): void {
    if (this.#terms.size <= this.#maxTerms) return
    const terms = [...this.#terms.values()].sort((a, b) => b.boost - a.boost || byBytes(a, b))
    for (let i = this.#maxTerms; i < terms.length; i++) this.#terms.delete(terms[i].text)
    this.#last = terms[this.#maxTerms - 1]
    // Of all terms, long ones have the greatest boost.
    while (this.#edits > 0 && boostFor(this.#edits, this.#length) < this.#last.boost) this.#edits--
  }
}

/** In 32 bits, as Lucene computes it: boosts that are equal there are equal here. */
function boostFor(edits: number, shorter: number): number {
  return Math.fround(1 - Math.fround(edits / shorter))
}

function byBytes(a: FuzzyTerm, b: FuzzyTerm): number {
  return compareBytes(a.bytes, a.bytes.length, b.bytes, b.bytes.length)
}

function isAfter(bytes: Uint8Array, length: number, term: FuzzyTerm): boolean {
  return compareBytes(bytes, length, term.bytes, term.bytes.length) > 0
}
