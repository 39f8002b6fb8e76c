/** What the parts of one running search share: segments, statistics, formula, limits, scratch memory, loaded postings. */
import type { Postings } from '../codec/postings.js'
import { TermEntry } from '../codec/term-entry.js'
import type { TermStats } from '../codec/term-stats.js'
import type { CollectionStats } from '../reading/index-reader.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import { Scratch } from './scorer/scratch.js'
import type { SearchLimits } from './scorer/search-limits.js'
import type { Similarity } from './similarity/similarity.js'
import { TermLoader } from './term-loader.js'

/** Where a context gets its segments and sums from: an IndexReader. */
export interface SearchSource {
  readonly segments: readonly SegmentReader[]
  collectionStats(field: string): CollectionStats
}

/** One search. Statistics are summed over all segments, so that scores do not depend on how the index is cut. */
export class SearchContext {
  readonly segments: readonly SegmentReader[]
  readonly limits: SearchLimits
  readonly scratch: Scratch
  /** The formula; null where only the matching documents are asked for. */
  readonly similarity: Similarity | null
  readonly #source: SearchSource
  /** The search that this one is a part of. */
  readonly #parent: SearchContext | undefined
  readonly #terms: TermLoader
  /** Lists on their way; made when it is needed, which it is not where all is in memory. */
  #postings: Map<string, Promise<Postings | null>> | undefined

  /** @param shared the search that this one is a part of, or scratch memory of an earlier search */
  constructor(
    source: SearchSource,
    similarity: Similarity | null,
    limits: SearchLimits,
    shared?: SearchContext | Scratch,
  ) {
    this.#source = source
    this.segments = source.segments
    this.similarity = similarity
    this.limits = limits
    const parent = shared instanceof SearchContext ? shared : undefined
    this.scratch = shared instanceof Scratch ? shared : (parent?.scratch ?? new Scratch())
    this.#parent = parent
    this.#terms = parent === undefined ? new TermLoader(source.segments) : parent.#terms
  }

  /** The same search for parts whose scores are not asked for. */
  withoutScores(): SearchContext {
    return this.similarity === null ? this : new SearchContext(this.#source, null, this.limits, this)
  }

  collectionStats(field: string): CollectionStats {
    return this.#source.collectionStats(field)
  }

  /**
   * Binds a query: what `create` makes once all terms that it asks statistics of are known. At once where terms are in
   * memory; otherwise `create` is called again when they have come.
   */
  bind<T>(create: () => T): T | Promise<T> {
    return this.limits.wait(this.#terms.bind(create))
  }

  /** Binds a query and uses what was made: at once where nothing has to be waited for. */
  useBound<T, R>(create: () => T, use: (made: T) => R | Promise<R>): R | Promise<R> {
    const bound = this.bind(create)
    return bound instanceof Promise ? bound.then(use) : use(bound)
  }

  /**
   * What a query has to find out before it can be bound, such as the terms of a pattern; undefined while it is not
   * known: the query is bound again when it is.
   * @param key the same object whenever the query is bound again
   */
  prepared<T extends object>(key: object, prepare: () => Promise<T>): T | undefined {
    return this.#terms.prepared(key, prepare)
  }

  /** Statistics of a term in one segment, null where it does not hold the term. */
  segmentTermStats(leaf: number, field: string, text: string): TermStats | null {
    return this.#terms.stats(leaf, field, text)
  }

  /** Sums over all segments, or null where no document holds the term. */
  termStats(field: string, text: string): TermStats | null {
    let docFreq = 0
    let totalTermFreq = 0
    for (let leaf = 0; leaf < this.segments.length; leaf++) {
      const stats = this.#terms.stats(leaf, field, text)
      if (stats === null) continue
      docFreq += stats.docFreq
      totalTermFreq += stats.totalTermFreq
    }
    return docFreq === 0 ? null : { docFreq, totalTermFreq }
  }

  /** As {@link SearchContext.loadPostings}, by what `segmentTermStats` gave; undefined where something has to be read. */
  residentPostings(
    leaf: number,
    field: string,
    stats: TermStats,
    want: 'docs' | 'freqs' | 'positions',
  ): Postings | undefined {
    return stats instanceof TermEntry ? this.segments[leaf]!.residentPostings(field, stats, want) : undefined
  }

  /** Postings of a term in the segment with the index `leaf`; loaded once a search. */
  loadPostings(
    leaf: number,
    field: string,
    text: string,
    want: 'docs' | 'freqs' | 'positions',
  ): Promise<Postings | null> {
    if (this.#parent !== undefined) return this.#parent.loadPostings(leaf, field, text, want)
    this.#postings ??= new Map()
    const key = `${leaf} ${want} ${field.length} ${field} ${text}`
    let loading = this.#postings.get(key)
    if (loading === undefined) {
      loading = this.segments[leaf]!.loadPostings(field, text, want)
      this.#postings.set(key, loading)
    }
    return loading
  }
}
