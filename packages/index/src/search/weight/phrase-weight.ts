/** A phrase of at least two terms in one search. */
import { SpindleError } from '@spindle/core'
import type { TermStats } from '../../codec/term-stats.js'
import type { FieldInfo } from '../../document/field-info.js'
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import { type PhrasePostings, PhraseScorer } from '../scorer/phrase-scorer.js'
import type { Scorer } from '../scorer/scorer.js'
import type { SearchContext } from '../search-context.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import { Weight } from './weight.js'

/** Statistics and postings of the terms of a phrase. Its idf is the sum of theirs, as in Lucene. */
export class PhraseWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #field: string
  readonly #terms: readonly string[]
  readonly #positions: readonly number[]
  readonly #name: string
  readonly #sim: SimScorer | null
  readonly #phrases: (PhrasePostings[] | null)[] = []

  /** @param name the printed phrase, for explanations */
  constructor(
    context: SearchContext,
    field: string,
    terms: readonly string[],
    positions: readonly number[],
    name: string,
    boost: number,
  ) {
    super()
    this.#context = context
    this.#field = field
    this.#terms = terms
    this.#positions = positions
    this.#name = name
    const stats: TermStats[] = []
    let cost = Infinity
    for (const term of terms) {
      const termStats = context.termStats(field, term)
      if (termStats !== null) stats.push(termStats)
      cost = Math.min(cost, termStats?.docFreq ?? 0)
    }
    this.cost = cost
    this.#sim =
      cost === 0 || context.similarity === null
        ? null
        : context.similarity.scorer(boost, context.collectionStats(field), stats)
    this.importance = this.#sim === null ? 0 : this.#sim.weight
  }

  async load(): Promise<void> {
    if (this.cost === 0) return
    await Promise.all(
      this.#context.segments.map(async (segment, leaf) => {
        const info = segment.fieldInfo(this.#field)
        if (info !== undefined && info.options !== 'positions' && info.options !== 'none') this.#refuse(info)
        const phrase: PhrasePostings[] = []
        for (let i = 0; i < this.#terms.length; i++) {
          const postings = await this.#context.loadPostings(leaf, this.#field, this.#terms[i]!, 'positions')
          if (postings === null) break
          phrase.push({ postings, position: this.#positions[i]! })
        }
        this.#phrases[leaf] = phrase.length === this.#terms.length ? phrase : null
      }),
    )
  }

  #refuse({ sources }: FieldInfo): never {
    const reason =
      sources === undefined
        ? 'keeps no positions; search a text field'
        : `is combined of ${sources.map(({ name }) => name).join(', ')} and keeps no positions; search these fields`
    throw new SpindleError(
      'FIELD_WITHOUT_POSITIONS',
      `The phrase ${this.#name} asks the field '${this.#field}', which ${reason}.`,
    )
  }

  scorer(leaf: number): Scorer | null {
    return this.#scorer(leaf)
  }

  #scorer(leaf: number): PhraseScorer | null {
    const phrase = this.#phrases[leaf] ?? null
    if (phrase === null) return null
    const norms = this.#sim === null ? null : this.#context.segments[leaf]!.norms(this.#field)
    return new PhraseScorer(phrase, this.#sim, norms, this.#context.limits)
  }

  override count(leaf: number): number {
    return this.#phrases[leaf] ? -1 : 0
  }

  explain(leaf: number, doc: number): Explanation {
    const freq = this.#scorer(leaf)?.freqAt(doc) ?? 0
    if (freq === 0) return explainNoMatch(`${this.#name} is not in the document`)
    if (this.#sim === null) return explainMatch(0, `${this.#name} is in the document`)
    const norm = this.#context.segments[leaf]!.norms(this.#field)?.[doc] ?? NO_NORM
    const inner = this.#sim.explain(freq, norm)
    return { ...inner, description: `${this.#name}: ${inner.description}` }
  }
}
