/**
 * Searches an index. A searcher sees the state of the index at its opening until `refresh` shows it the newest one;
 * searches that are under way, and results, stay with the state they began with. It can be used by any number of
 * searches at the same time.
 */
import { type BitSet, SpindleError } from '@spindle/core'
import { IndexReader, type OpenReaderOptions, type ReaderSource } from '../reading/index-reader.js'
import type { SegmentReader } from '../reading/segment-reader.js'
import type { Directory } from '../store/directory.js'
import { type Explanation, explainNoMatch } from './explanation.js'
import { findCollapsedDocs } from './find-collapsed-docs.js'
import { Hits } from './hits.js'
import { matchDocs } from './match-docs.js'
import { likeDocument, type MoreLikeDocumentOptions } from './more-like-document.js'
import type { Query } from './query/query.js'
import { ReaderLease } from './reader-lease.js'
import { Scratch } from './scorer/scratch.js'
import { type AtLimit, SearchLimits, type SearchStop } from './scorer/search-limits.js'
import { SearchContext } from './search-context.js'
import { countMatches, findMatches, findTopDocs, type ScoredDoc, type TopDocs } from './search-runner.js'
import { BM25Similarity } from './similarity/bm25-similarity.js'
import type { Similarity } from './similarity/similarity.js'
import { findSortedDocs } from './sort/find-sorted-docs.js'
import { needsScores, type SortCursor, type SortKey } from './sort/sort-key.js'

/** Options of {@link IndexSearcher}. */
export interface IndexSearcherOptions {
  /** The scoring formula; BM25 where not given. */
  readonly similarity?: Similarity
}

/** Options of {@link IndexSearcher.open}. */
export interface OpenSearcherOptions extends IndexSearcherOptions, OpenReaderOptions {}

/** Options of {@link IndexSearcher.search}. */
export interface SearchOptions extends SearchStop {
  /** How many of the best are found at once; 100 where not given. */
  readonly limit?: number
  /** Matches are counted up to here: a smaller number lets the search skip more. All where not given. */
  readonly totalHits?: number
  /** Keys to sort by instead of the score; ties go by document id. All matches are counted. */
  readonly sort?: readonly SortKey[]
  /** Only what comes behind this place: the cursor of a hit of an earlier result in the same order. Not with `collapse`. */
  readonly after?: SortCursor
  /** A keyword field: only the best document of each value is found, with the number of the others. Not with `sort`. */
  readonly collapse?: string
  /**
   * What becomes of a search that meets its limit of time or expansions: it fails, or it gives what it has found by then
   * and says so (`hits.partial`). An abort signal always makes it fail. `fail` where not given.
   */
  readonly atLimit?: AtLimit
}

/** The live documents of a segment that match a query. */
export interface SegmentMatches {
  readonly segment: SegmentReader
  readonly docs: BitSet
}

/** Sets of scratch memory that are kept for the next searches. */
const MAX_IDLE = 4

/** Searches one index. */
export class IndexSearcher {
  readonly similarity: Similarity
  #lease: ReaderLease
  #retired: ReaderLease[] = []
  #refreshing: Promise<boolean> | null = null
  #closed = false
  readonly #idle: Scratch[] = []

  /** @param reader stays the caller's to close */
  constructor(reader: IndexReader, options: IndexSearcherOptions = {}) {
    this.similarity = options.similarity ?? new BM25Similarity()
    this.#lease = new ReaderLease(reader, false)
  }

  /**
   * Opens the newest commit of an index, or another one that is asked for.
   * @param from a folder, a directory, or a writer: then searches see also what is not committed
   * @throws SpindleError `INDEX_NOT_FOUND`, `INDEX_CORRUPT` and the like
   */
  static async open(
    from: string | Directory | ReaderSource,
    options: OpenSearcherOptions = {},
  ): Promise<IndexSearcher> {
    const reader = await IndexReader.open(from, options)
    const searcher = new IndexSearcher(reader, options)
    searcher.#lease = new ReaderLease(reader, true)
    return searcher
  }

  /** The state of the index that new searches see. */
  get reader(): IndexReader {
    return this.#lease.reader
  }

  /**
   * Finds the best documents.
   * @throws SpindleError `INDEX_CLOSED`, `QUERY_TIMEOUT`; the reason of the signal; RangeError for a wrong limit
   */
  async search(query: Query, options: SearchOptions = {}): Promise<Hits> {
    const limit = checkCount('limit', options.limit ?? 100)
    const totalHits = options.totalHits === undefined ? Infinity : checkCount('totalHits', options.totalHits)
    const { collapse } = options
    const sort = checkSort(options)
    const scoredAfter = sort === undefined ? scoreCursor(options) : undefined
    const withScores = sort === undefined || needsScores(sort)
    return this.#use(async (lease) => {
      const { reader } = lease
      const search = (size: number, total: number, atLimit: AtLimit = 'fail'): Promise<TopDocs> => {
        if (lease.closed) throw closedError()
        const limits = new SearchLimits(options, atLimit)
        return this.#run(reader, withScores ? this.similarity : null, limits, async (context) => {
          const bound = limits.untilOver(() => context.bind(() => query.createWeight(context, 1)))
          const weight = bound instanceof Promise ? await bound : bound
          if (weight === undefined) return nothingFound()
          const { docBases } = reader
          if (sort !== undefined)
            return findSortedDocs(weight, context, docBases, size, sort, options.after, withScores)
          if (collapse !== undefined) return findCollapsedDocs(weight, context, docBases, size, collapse)
          return findTopDocs(weight, context, docBases, size, total, scoredAfter)
        })
      }
      const asked = Math.min(limit, reader.maxDoc)
      const source = {
        // The total is known by then, so that these searches may skip what cannot be among the best. They find all or
        // fail: what a partial search finds need not go on where the first one stopped.
        search: (size: number) => search(size, 0),
        document: (docId: number) => reader.document(docId),
        maxDoc: reader.maxDoc,
        hold: lease.hold(),
      }
      return new Hits(source, await search(asked, totalHits, options.atLimit), asked)
    })
  }

  /**
   * Finds the documents that are most like one of the index, itself left out: those that share its telling words.
   * @param docId index-wide id in the state of the index that the searcher sees
   * @throws RangeError where there is no such document; and as {@link IndexSearcher.search}
   */
  async moreLikeThis(docId: number, like: MoreLikeDocumentOptions = {}, options: SearchOptions = {}): Promise<Hits> {
    const query = await this.#use(({ reader }) => {
      checkDocId(reader, docId)
      return likeDocument(reader, docId, like)
    })
    return this.search(query, options)
  }

  /** Number of matching documents, exactly, without computing scores. */
  count(query: Query, stop: SearchStop = {}): Promise<number> {
    return this.#use(({ reader }) =>
      this.#run(reader, null, new SearchLimits(stop), (context) =>
        context.useBound(
          () => query.createWeight(context, 1),
          (weight) => countMatches(weight, context),
        ),
      ),
    )
  }

  /**
   * Hands the live documents that match, segment by segment, to `use`; for counting and the like. What it is given stays
   * open until its promise is settled.
   */
  useMatches<T>(
    query: Query,
    use: (matches: readonly SegmentMatches[]) => Promise<T>,
    stop: SearchStop = {},
  ): Promise<T> {
    return this.#use(({ reader }) =>
      this.#run(reader, null, new SearchLimits(stop), async (context) => {
        const sets = await findMatches(await context.bind(() => query.createWeight(context, 1)), context)
        return use(sets.map((docs, leaf) => ({ segment: context.segments[leaf]!, docs })))
      }),
    )
  }

  /**
   * Which of some documents match, such as those of a page of results; costs little where they are few.
   * @param docIds index-wide ids in the state of the index that the searcher sees, in any order
   * @returns one answer a document, in their order
   * @throws RangeError where there is no such document; SpindleError `QUERY_TIMEOUT`; the signal's reason
   */
  matchingOf(query: Query, docIds: readonly number[], stop: SearchStop = {}): Promise<boolean[]> {
    return this.#use(({ reader }) => {
      for (const docId of docIds) checkDocId(reader, docId)
      return this.#run(reader, null, new SearchLimits(stop), async (context) =>
        matchDocs(await context.bind(() => query.createWeight(context, 1)), context, reader.docBases, docIds),
      )
    })
  }

  /**
   * Why a document has its score for a query; the value at the root is the very score of the search.
   * @param docId index-wide id in the state of the index that the searcher sees
   * @throws RangeError where there is no such document
   */
  explain(query: Query, docId: number): Promise<Explanation> {
    return this.#use(async ({ reader }) => {
      checkDocId(reader, docId)
      let leaf = 0
      while (leaf + 1 < reader.docBases.length && reader.docBases[leaf + 1]! <= docId) leaf++
      const local = docId - reader.docBases[leaf]!
      if (reader.segments[leaf]!.liveDocs?.get(local) === false) return explainNoMatch('the document is deleted')
      const context = new SearchContext(reader, this.similarity, new SearchLimits())
      const weight = await context.bind(() => query.createWeight(context, 1))
      await weight.load()
      return weight.explain(leaf, local)
    })
  }

  /**
   * Shows the newest commit to later searches.
   * @returns whether there was a newer one
   */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  async #refresh(): Promise<boolean> {
    return this.#use(async (old) => {
      const newest = await old.reader.refresh()
      if (newest === old.reader) return false
      if (this.#closed) {
        await newest.close()
        throw closedError()
      }
      this.#lease = new ReaderLease(newest, true)
      this.#retired = this.#retired.filter((lease) => !lease.closed)
      this.#retired.push(old)
      await old.retire()
      return true
    })
  }

  /** Closes what the searcher has opened; results can no longer be read. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await Promise.all([this.#lease, ...this.#retired].map((lease) => lease.close()))
  }

  /** Runs one search with scratch memory of an earlier one. */
  async #run<T>(
    reader: IndexReader,
    similarity: Similarity | null,
    limits: SearchLimits,
    work: (context: SearchContext) => T | Promise<T>,
  ): Promise<T> {
    const scratch = this.#idle.pop() ?? new Scratch()
    const working = work(new SearchContext(reader, similarity, limits, scratch))
    const result = working instanceof Promise ? await working : working
    scratch.reclaim()
    if (this.#idle.length < MAX_IDLE) this.#idle.push(scratch)
    return result
  }

  async #use<T>(work: (lease: ReaderLease) => Promise<T>): Promise<T> {
    if (this.#closed) throw closedError()
    const lease = this.#lease
    lease.acquire()
    try {
      return await work(lease)
    } finally {
      lease.release()
    }
  }
}

function checkDocId({ maxDoc }: IndexReader, docId: number): void {
  if (Number.isInteger(docId) && docId >= 0 && docId < maxDoc) return
  throw new RangeError(`Document ${docId} is not between 0 and ${maxDoc - 1}`)
}

function checkCount(name: string, value: number): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value >= 0)) return value
  throw new RangeError(`${name} must be a whole number ≥ 0: ${value}`)
}

/** @returns the keys, or undefined where results go by score */
function checkSort({ sort, after, collapse }: SearchOptions): readonly SortKey[] | undefined {
  if (sort !== undefined && sort.length === 0) throw new RangeError('a sort needs at least one key')
  if (sort !== undefined && collapse !== undefined) throw new RangeError('results are sorted or collapsed, not both')
  if (after !== undefined && sort !== undefined && sort.length !== after.values.length) {
    throw new RangeError('"after" needs a sort with the keys that it comes from')
  }
  return sort
}

/** The place behind which results by score begin. */
function scoreCursor({ after, collapse }: SearchOptions): ScoredDoc | undefined {
  if (after === undefined) return undefined
  const [score] = after.values
  if (after.values.length !== 1 || typeof score !== 'number') {
    throw new RangeError('"after" comes from sorted results and needs their sort')
  }
  if (collapse !== undefined) throw new RangeError('"after" does not go with "collapse"')
  return { score, docId: after.docId }
}

/** The result of a search whose time was over before it began to look. */
function nothingFound(): TopDocs {
  return { total: 0, relation: 'gte', partial: true, docs: new Int32Array(), scores: new Float64Array() }
}

function closedError(): SpindleError {
  return new SpindleError('INDEX_CLOSED', 'The searcher is closed; open a new one.')
}
