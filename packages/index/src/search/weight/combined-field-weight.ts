/** A word in several fields in one search. */
import type { Postings } from '../../codec/postings.js'
import type { TermStats } from '../../codec/term-stats.js'
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import { CombinedFieldScorer } from '../scorer/combined-field-scorer.js'
import { PostingsCursor } from '../scorer/postings-cursor.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { BM25FFormula, type BM25FOptions } from '../similarity/bm25f-formula.js'
import { Weight } from './weight.js'

/** A field that is scored together with others. */
export interface CombinedField {
  readonly name: string
  /**
   * An occurrence here counts as so many, ≥ 0. Of a field with 0 only the bonus counts, neither occurrences nor length: a
   * source of a field that the index has combined is already counted there.
   */
  readonly weight: number
  /** Added, times the idf, where the word is in this field at all, ≥ 0. */
  readonly bonus: number
}

/** Statistics and postings of a term in all fields of the query. */
export class CombinedFieldWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #text: string
  readonly #name: string
  /** The longest field first: its lists are the long ones, which the scorer reads last. */
  readonly #fields: readonly CombinedField[]
  readonly #formula: BM25FFormula | null
  /** By segment, then as `#fields`. */
  readonly #postings: (Postings | null)[][] = []

  /** @param name the printed query, for explanations */
  constructor(
    context: SearchContext,
    asked: readonly CombinedField[],
    text: string,
    options: BM25FOptions,
    name: string,
    boost: number,
  ) {
    super()
    this.#context = context
    this.#text = text
    this.#name = name
    const fields = asked.map((field) => ({ field, collection: context.collectionStats(field.name) }))
    fields.sort((a, b) => b.collection.sumTotalTermFreq - a.collection.sumTotalTermFreq)
    this.#fields = fields.map(({ field }) => field)
    const stats: TermStats[] = []
    let cost = 0
    for (const field of this.#fields) {
      const found = context.termStats(field.name, text)
      if (found === null) continue
      stats.push(field.weight > 0 ? found : { ...found, totalTermFreq: 0 })
      cost += found.docFreq
    }
    this.cost = cost
    this.#formula =
      cost === 0 || context.similarity === null
        ? null
        : new BM25FFormula(
            boost,
            text,
            stats,
            fields.filter(({ field }) => field.weight > 0).map(({ collection }) => collection),
            options,
          )
    this.importance = this.#formula === null ? 0 : this.#formula.weight
  }

  async load(): Promise<void> {
    if (this.cost === 0) return
    const want = this.#formula === null ? 'docs' : 'freqs'
    const loading = this.#context.segments.map(async (segment, leaf) => {
      const lists = await Promise.all(
        this.#fields.map(({ name }) => this.#context.loadPostings(leaf, name, this.#text, want)),
      )
      // The lengths of all fields count, also of those that lack the word.
      const scored = this.#formula !== null && lists.some((list) => list !== null)
      const counted = this.#fields.filter(({ weight }) => weight > 0)
      if (scored) await Promise.all(counted.map(({ name }) => segment.data.norms.load(name)))
      return lists
    })
    this.#postings.push(...(await Promise.all(loading)))
  }

  scorer(leaf: number): Scorer | null {
    const postings = this.#postings[leaf]
    if (postings === undefined || postings.every((list) => list === null)) return null
    const parts = this.#fields.map(({ weight, bonus }, i) => ({ postings: postings[i]!, weight, bonus }))
    const norms = this.#formula === null ? this.#fields.map(() => null) : this.#norms(leaf)
    return new CombinedFieldScorer(parts, norms, this.#formula, this.#context.limits)
  }

  #norms(leaf: number): (Uint8Array | null)[] {
    return this.#fields.map(({ name, weight }) => (weight > 0 ? this.#context.segments[leaf]!.norms(name) : null))
  }

  override count(leaf: number): number {
    const { liveDocs } = this.#context.segments[leaf]!
    let only = 0
    for (const { name } of this.#fields) {
      const docFreq = this.#context.segmentTermStats(leaf, name, this.#text)?.docFreq ?? 0
      if (docFreq === 0) continue
      if (only > 0 || liveDocs !== null) return -1
      only = docFreq
    }
    return only
  }

  explain(leaf: number, doc: number): Explanation {
    const name = this.#name
    let total = 0
    let length = 0
    let bonuses = 0
    const details: Explanation[] = []
    let held = false
    // In the order in which the scorer adds up: the shortest field first for frequencies, the longest for lengths.
    for (let i = this.#fields.length - 1; i >= 0; i--) {
      const { weight, bonus, name: field } = this.#fields[i]!
      const postings = this.#postings[leaf]?.[i] ?? null
      if (postings === null) continue
      const cursor = new PostingsCursor(postings)
      if (cursor.advance(doc) !== doc) continue
      if (this.#formula === null) return explainMatch(0, `${name} is in the document`)
      held = true
      const freq = cursor.freq()
      total += weight * freq
      bonuses += bonus
      if (weight > 0) details.push(explainMatch(weight * freq, `${freq} in ${field}, each counting ${weight}`))
    }
    if (!held) return explainNoMatch(`${name} is not in the document`)
    for (const list of this.#norms(leaf)) if (list !== null) length += this.#formula!.lengths[list[doc]!]!
    const inner = this.#formula!.explain(total, length, bonuses, details)
    return { ...inner, description: `${name}: ${inner.description}` }
  }
}
