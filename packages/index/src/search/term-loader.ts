/**
 * Statistics of the terms of one search. Where a segment has its terms in memory they are found at once; where it reads
 * them by ranges, binding a query notes which it asks for, and is done again when they have come.
 */
import { TermsNotLoaded } from '../codec/term-dictionary.js'
import type { TermStats } from '../codec/term-stats.js'
import type { SegmentReader } from '../reading/segment-reader.js'

interface MissingTerm {
  readonly key: string
  readonly leaf: number
  readonly field: string
  readonly text: string
}

/** Shared by all parts of a search. */
export class TermLoader {
  readonly #segments: readonly SegmentReader[]
  readonly #known = new Map<string, TermStats | null>()
  #missing: MissingTerm[] = []

  constructor(segments: readonly SegmentReader[]) {
    this.#segments = segments
  }

  /** null where the segment has no such term, or none is known yet while a query is bound. */
  stats(leaf: number, field: string, text: string): TermStats | null {
    const segment = this.#segments[leaf]!
    if (segment.hasResidentTerms) return segment.termStats(field, text)
    const key = `${leaf} ${field.length} ${field} ${text}`
    const stats = this.#known.get(key)
    if (stats !== undefined) return stats
    this.#missing.push({ key, leaf, field, text })
    return null
  }

  /** What `create` makes once every term that it asks for is known. It is called again for what it asks for then. */
  async bind<T>(create: () => T): Promise<T> {
    for (;;) {
      try {
        const made = create()
        if (this.#missing.length === 0) return made
      } catch (error) {
        if (!(error instanceof TermsNotLoaded)) throw error
        // Walks through the terms: nothing less than all of them will do.
        await Promise.all(this.#segments.map((segment) => segment.data.loadTerms()))
      }
      const missing = this.#missing
      this.#missing = []
      await Promise.all(missing.map((term) => this.#load(term)))
    }
  }

  async #load({ key, leaf, field, text }: MissingTerm): Promise<void> {
    if (this.#known.has(key)) return
    this.#known.set(key, await this.#segments[leaf]!.loadTermStats(field, text))
  }
}
