/**
 * What a query has to know to be bound: statistics of its terms, and the terms of its patterns. Where a segment has its
 * terms in memory, statistics are found at once; for all else, binding a query notes what it asks for, and is done again
 * when that has come.
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
  // Made when they are needed: with all terms in memory a search often needs none of them.
  #known: Map<string, TermStats | null> | undefined
  #prepared: Map<object, unknown> | undefined
  #missing: MissingTerm[] = []
  #preparing: Map<object, () => Promise<unknown>> | undefined

  constructor(segments: readonly SegmentReader[]) {
    this.#segments = segments
  }

  /** null where the segment has no such term, or none is known yet while a query is bound. */
  stats(leaf: number, field: string, text: string): TermStats | null {
    const segment = this.#segments[leaf]!
    if (segment.hasResidentTerms) return segment.findTerm(field, text)
    const key = `${leaf} ${field.length} ${field} ${text}`
    const stats = this.#known?.get(key)
    if (stats !== undefined) return stats
    this.#missing.push({ key, leaf, field, text })
    return null
  }

  /**
   * What `prepare` brings, done once a search; undefined while it is not there yet.
   * @param key the same object whenever the query is bound again
   */
  prepared<T extends object>(key: object, prepare: () => Promise<T>): T | undefined {
    const known = this.#prepared?.get(key) as T | undefined
    if (known === undefined) {
      this.#preparing ??= new Map()
      this.#preparing.set(key, prepare)
    }
    return known
  }

  /**
   * What `create` makes once everything that it asks for is known: at once where it is in memory. It is called again for
   * what it asks for then.
   */
  bind<T>(create: () => T): T | Promise<T> {
    let needsAll = false
    try {
      const made = create()
      if (this.#missing.length === 0 && this.#preparing === undefined) return made
    } catch (error) {
      if (!(error instanceof TermsNotLoaded)) throw error
      needsAll = true
    }
    return this.#bindLater(create, needsAll)
  }

  /** @param needsAll whether `create` walks through the terms: nothing less than all of them will do */
  async #bindLater<T>(create: () => T, needsAll: boolean): Promise<T> {
    if (needsAll) await Promise.all(this.#segments.map((segment) => segment.data.loadTerms()))
    const missing = this.#missing
    const preparing = this.#preparing ?? []
    this.#missing = []
    this.#preparing = undefined
    this.#known ??= new Map()
    this.#prepared ??= new Map()
    const known = this.#known
    await Promise.all(missing.map((term) => this.#load(term, known)))
    // One after the other: each may take long, and lets others run meanwhile.
    for (const [key, prepare] of preparing) this.#prepared.set(key, await prepare())
    return this.bind(create)
  }

  async #load({ key, leaf, field, text }: MissingTerm, known: Map<string, TermStats | null>): Promise<void> {
    if (known.has(key)) return
    known.set(key, await this.#segments[leaf]!.loadTermStats(field, text))
  }
}
