/** A term in one search. */
import type { Postings } from '../../codec/postings.js'
import type { TermStats } from '../../codec/term-stats.js'
import { printSources } from '../../document/field-info.js'
import { type Explanation, explainMatch, explainNoMatch } from '../explanation.js'
import type { Scorer } from '../scorer/scorer.js'
import { TermScorer } from '../scorer/term-scorer.js'
import type { SearchContext } from '../search-context.js'
import { NO_NORM, type SimScorer } from '../similarity/similarity.js'
import type { Term } from '../term.js'
import { loadEach, Weight } from './weight.js'

/** Statistics and postings of a term. */
export class TermWeight extends Weight {
  readonly cost: number
  readonly importance: number
  readonly #context: SearchContext
  readonly #term: Term
  readonly #sim: SimScorer | null
  /** Of each segment, null where it has no such term. */
  readonly #stats: (TermStats | null)[] = []
  readonly #postings: (Postings | null)[] = []

  /** @param scored what the term is scored by where it is not its own statistics */
  constructor(context: SearchContext, term: Term, boost: number, scored?: TermStats) {
    super()
    this.#context = context
    this.#term = term
    let docFreq = 0
    let totalTermFreq = 0
    for (let leaf = 0; leaf < context.segments.length; leaf++) {
      const stats = context.segmentTermStats(leaf, term.field, term.text)
      this.#stats.push(stats)
      if (stats === null) continue
      docFreq += stats.docFreq
      totalTermFreq += stats.totalTermFreq
    }
    this.cost = docFreq
    this.#sim =
      docFreq === 0 || context.similarity === null
        ? null
        : context.similarity.scorer(boost, context.collectionStats(term.field), [scored ?? { docFreq, totalTermFreq }])
    this.importance = this.#sim === null ? 0 : this.#sim.weight
  }

  load(): Promise<void> | null {
    if (this.cost === 0) return null
    const { field, text } = this.#term
    const want = this.#sim === null ? 'docs' : 'freqs'
    return loadEach(this.#stats, (stats, leaf) => {
      const postings = stats === null ? null : this.#context.residentPostings(leaf, field, stats, want)
      if (postings === undefined) {
        return this.#context.loadPostings(leaf, field, text, want).then((loaded) => {
          this.#postings[leaf] = loaded
        })
      }
      this.#postings[leaf] = postings
      return null
    })
  }

  scorer(leaf: number): Scorer | null {
    return this.#scorer(leaf)
  }

  #scorer(leaf: number): TermScorer | null {
    const postings = this.#postings[leaf] ?? null
    if (postings === null) return null
    const norms = this.#sim === null ? null : this.#context.segments[leaf]!.norms(this.#term.field)
    const { limits, scratch } = this.#context
    return new TermScorer(postings, this.#sim, norms, limits, scratch)
  }

  override get countsUnloaded(): boolean {
    return true
  }

  override count(leaf: number): number {
    const segment = this.#context.segments[leaf]!
    if (segment.liveDocs !== null) return -1
    return this.#stats[leaf]?.docFreq ?? 0
  }

  explain(leaf: number, doc: number): Explanation {
    const name = this.#term.toString()
    const freq = this.#scorer(leaf)?.freqAt(doc) ?? 0
    if (freq === 0) return explainNoMatch(`${name} is not in the document`)
    if (this.#sim === null) return explainMatch(0, `${name} is in the document`)
    const norm = this.#context.segments[leaf]!.norms(this.#term.field)?.[doc] ?? NO_NORM
    const inner = this.#sim.explain(freq, norm)
    const sources = this.#context.segments[leaf]!.fieldInfo(this.#term.field)?.sources
    const made = sources === undefined ? '' : ` (combined of ${printSources(sources)})`
    return { ...inner, description: `${name}${made}: ${inner.description}` }
  }
}
