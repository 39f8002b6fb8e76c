/** Answers searches from an index folder on this machine. */
import { isSpindleError, type Logger, PageField, SpindleError } from '@spindle/core'
import {
  type Document,
  type Hits,
  type IndexReader,
  type Query,
  recordedDictionary,
  type SearchStop,
  type SortKey,
  type WordDictionary,
} from '@spindle/index'
import { alternativeCandidates } from './alternative-queries.js'
import { buildHit } from './build-hit.js'
import { MAX_SUGGESTIONS } from './complete-query.js'
import { countFacets } from './count-facets.js'
import { DictionaryFollower } from './dictionary-follower.js'
import { didYouMean } from './did-you-mean.js'
import { filteredQuery, hasFilters, NO_FILTERS } from './filtered-query.js'
import { IndexFollower } from './index-follower.js'
import type { IndexSnapshot } from './index-snapshot.js'
import { type MissingWords, missingWords } from './missing-words.js'
import { PageAddresses } from './page-addresses.js'
import { type ParsedQuery, parseQuery } from './parse-query.js'
import { readAsPinyin } from './read-as-pinyin.js'
import { cacheKey } from './response-cache.js'
import type {
  AlternativeQuery,
  BackendStatus,
  Facets,
  SearchBackend,
  SearchFilters,
  SearchHit,
  SearchRequest,
  SearchResponse,
  SearchSort,
} from './search-backend.js'
import { SearchQueue } from './search-queue.js'
import { type QuerySettings, type SearchConfig, SearchSettings } from './search-settings.js'
import { serveOthers } from './serve-others.js'

/** What {@link LocalIndexBackend.open} takes. */
export interface LocalIndexOptions extends SearchConfig {
  readonly logger: Logger
  /** Milliseconds that one search may take. */
  readonly searchTimeout: number
  /** Work that the patterns and ranges of one search may take, as in `SearchStop`; that of the library where not given. */
  readonly expansionLimit?: number
  /** Whether answers are kept for whoever asks the same again; they are where not given. */
  readonly cache?: boolean
  /** Path of the dictionary of the user, which is read again whenever it changes; there need be none. */
  readonly dictionary?: string | undefined
  /** Milliseconds between two looks for a newer commit, and at the files of settings. */
  readonly interval?: number
  /** Told after every change of the status. */
  readonly onChange?: (status: BackendStatus) => void
}

/** Errors that say nothing about the index. */
const OTHER_ERRORS = new Set(['QUERY_SYNTAX', 'QUERY_TOO_COMPLEX', 'QUERY_TOO_LONG', 'REGEX_TOO_COMPLEX'])

/** Bytes of answers and documents that are kept: some thousands of each. */
const CACHE_BYTES = 16 << 20

/** The newest first; of one day, the better match. */
const SORTS: Readonly<Record<SearchSort, readonly SortKey[] | undefined>> = {
  relevance: undefined,
  date: [{ field: PageField.published, order: 'desc' }, { by: 'score' }],
}

/** Documents that are read at once. */
const BATCH = 10

const NO_FACETS: Facets = { site: [], type: [], lang: [] }

/** Milliseconds that suggestions may take: later ones are of no use to who types. */
const SUGGEST_TIME = 500

/** Snippets are cut in turns of so many milliseconds; between two of them others are served. */
const TURN = 10

/** How far an index is with the dictionary of the user. */
export interface DictionaryState {
  /** Revision that queries use. */
  readonly wanted: string
  /** Revision that documents are made with, all of them where it is settled. */
  readonly recorded: string
  readonly settled: boolean
}

/** A page in a ranking. */
export interface RankedPage {
  /** The address that it is found under, then the others that it has. */
  readonly addresses: readonly string[]
  readonly score: number
}

/** A {@link SearchBackend} over the newest commit of a folder. */
export class LocalIndexBackend implements SearchBackend {
  readonly #follower: IndexFollower
  readonly #settings: SearchSettings
  readonly #dictionary: DictionaryFollower | undefined
  readonly #timeout: number
  readonly #limits: Pick<SearchStop, 'expansionLimit'>
  readonly #queue = new SearchQueue()
  readonly #addresses = new WeakMap<IndexReader, PageAddresses>()

  private constructor(
    follower: IndexFollower,
    settings: SearchSettings,
    dictionary: DictionaryFollower | undefined,
    timeout: number,
    limits: Pick<SearchStop, 'expansionLimit'>,
  ) {
    this.#follower = follower
    this.#settings = settings
    this.#dictionary = dictionary
    this.#timeout = timeout
    this.#limits = limits
  }

  /**
   * Never fails because of the folder: what is wrong with it is in the status.
   * @throws SpindleError `SYNONYMS_INVALID`, `SEARCH_RULES_INVALID`
   */
  static async open(index: string, options: LocalIndexOptions): Promise<LocalIndexBackend> {
    const { cache = true, searchTimeout, expansionLimit, dictionary: path, ...rest } = options
    const settings = await SearchSettings.open(options, rest)
    const limitQuery = (query: Query): Query => settings.current.rules?.withoutHidden(query) ?? query
    let follower: IndexFollower | undefined
    const onChange = (words: WordDictionary): void => follower?.current?.useDictionary(words)
    const dictionary = path === undefined ? undefined : await DictionaryFollower.open(path, { ...rest, onChange })
    follower = await IndexFollower.open(index, {
      ...rest,
      limitQuery,
      cacheBytes: cache ? CACHE_BYTES : 0,
      prepare: (snapshot) => {
        if (dictionary?.words !== undefined) snapshot.useDictionary(dictionary.words)
      },
    })
    const limits = expansionLimit === undefined ? {} : { expansionLimit }
    return new LocalIndexBackend(follower, settings, dictionary, searchTimeout, limits)
  }

  status(): BackendStatus {
    return this.#follower.status()
  }

  /** Undefined where no dictionary is followed, or there is no index. */
  get dictionaryState(): DictionaryState | undefined {
    const reader = this.#follower.current?.reader
    if (this.#dictionary === undefined || reader === undefined || reader.numDocs === 0) return undefined
    const { revision: recorded, settled } = recordedDictionary(reader.userData)
    return { wanted: this.#dictionary.revision, recorded, settled }
  }

  /** Looks for a newer commit, newer synonyms and newer words without waiting for the next turn. */
  async lookNow(): Promise<void> {
    await Promise.all([this.#follower.lookNow(), this.#settings.lookNow(), this.#dictionary?.lookNow()])
  }

  async close(): Promise<void> {
    await Promise.all([this.#follower.close(), this.#settings.close(), this.#dictionary?.close()])
  }

  /** @throws SpindleError `INDEX_NOT_READY`, `SEARCH_FAILED`, `SERVER_BUSY`, `QUERY_…`; the reason of the signal */
  async search(request: SearchRequest): Promise<SearchResponse> {
    const start = performance.now()
    const snapshot = this.#follower.acquire()
    const settings = this.#settings.current
    try {
      const compute = (signal: AbortSignal | undefined): Promise<SearchResponse> =>
        this.#queue.run(() => this.#compute(request, snapshot, settings, signal), signal)
      const response =
        snapshot.answers === undefined || request.explain === true
          ? await compute(request.signal)
          : await snapshot.answers.get(cacheKey(request, settings.revision), request.signal, compute)
      return { ...response, tookMs: Math.round((performance.now() - start) * 1000) / 1000 }
    } finally {
      await snapshot.release()
    }
  }

  /**
   * The pages of a search in their order, without their texts and however long it takes, so that an evaluation gives the same
   * figures on any machine.
   * @param depth pages at most
   * @throws SpindleError `INDEX_NOT_READY`, `QUERY_…`
   */
  async rank({ query, filters, sort, leniency }: SearchRequest, depth: number): Promise<RankedPage[]> {
    const snapshot = this.#follower.acquire()
    try {
      const { reader } = snapshot
      const parsed = parseQuery(query, reader, { ...this.#settings.current, leniency })
      if (parsed.empty) return []
      const limited = filteredQuery(parsed.query, filters)
      const found = await this.#find(snapshot, limited, depth, parsed.sort ?? sort, this.#limits)
      const addresses = this.#addresses.get(reader) ?? new PageAddresses(reader)
      this.#addresses.set(reader, addresses)
      const pages: RankedPage[] = []
      for (let i = 0; i < Math.min(depth, found.loaded); i++) {
        pages.push({ addresses: await addresses.of(found.docId(i)), score: found.score(i) })
      }
      return pages
    } finally {
      await snapshot.release()
    }
  }

  /** What the interface says. */
  async suggest(text: string, signal?: AbortSignal): Promise<readonly string[]> {
    const snapshot = this.#follower.acquire()
    try {
      const key = `${this.#settings.current.revision} ${text}`
      const known = snapshot.suggestions?.get(key)
      if (known !== undefined) return known
      const found = await this.#queue.run(
        () => this.#guard(snapshot, signal, () => this.#complete(text, snapshot, signal)),
        signal,
      )
      if (found === null) return []
      snapshot.suggestions?.set(key, found, text.length + found.join('').length)
      return found
    } finally {
      await snapshot.release()
    }
  }

  /** Null where the time ran out. */
  async #complete(
    text: string,
    { completer }: IndexSnapshot,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[] | null> {
    const timeLimit = Math.min(this.#timeout, SUGGEST_TIME)
    try {
      return await completer.complete(text, {
        limit: MAX_SUGGESTIONS,
        timeLimit,
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      if (isSpindleError(error, 'QUERY_TIMEOUT') || isSpindleError(error, 'QUERY_TOO_COMPLEX')) return null
      throw error
    }
  }

  #compute(
    request: SearchRequest,
    snapshot: IndexSnapshot,
    settings: QuerySettings,
    signal: AbortSignal | undefined,
  ): Promise<SearchResponse> {
    // the time limit is for the search itself: who had to wait for it gets a whole one
    return this.#guard(snapshot, signal, () => this.#search(request, snapshot, settings, performance.now(), signal))
  }

  /** Those who asked may leave while it runs, so it uses the snapshot in its own right. */
  async #guard<T>(snapshot: IndexSnapshot, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    snapshot.acquire()
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (isSpindleError(error) && OTHER_ERRORS.has(error.code)) throw error
      this.#follower.suspect(snapshot, error)
      throw new SpindleError('SEARCH_FAILED', 'The index could not be read for this search: try again in a moment.', {
        cause: error,
      })
    } finally {
      await snapshot.release()
    }
  }

  async #search(
    request: SearchRequest,
    snapshot: IndexSnapshot,
    settings: QuerySettings,
    start: number,
    signal: AbortSignal | undefined,
  ): Promise<SearchResponse> {
    const { page, size, filters } = request
    const parsed = parseQuery(request.query, snapshot.reader, { ...settings, leniency: request.leniency })
    const answer = {
      empty: parsed.empty,
      total: 0,
      totalRelation: 'eq' as 'eq' | 'gte',
      tookMs: 0,
      timedOut: false,
      partial: false,
      hits: [] as SearchResponse['hits'],
      notices: parsed.notices,
      ...(parsed.sort === undefined ? {} : { sort: parsed.sort }),
      pinyin: [] as SearchResponse['pinyin'],
      alternatives: [] as SearchResponse['alternatives'],
    }
    let facets: Facets | null | undefined = request.facets === true ? NO_FACETS : undefined
    let meant: string | null = null
    let withAllWords: number | undefined
    if (!parsed.empty) {
      const stop = (): SearchStop => ({
        ...this.#limits,
        timeLimit: Math.max(1, this.#timeout - (performance.now() - start)),
        ...(signal === undefined ? {} : { signal }),
      })
      const limited = filteredQuery(parsed.query, filters)
      const found = await this.#find(snapshot, limited, page * size, parsed.sort ?? request.sort, stop())
      answer.total = found.length
      answer.totalRelation = found.relation
      answer.partial = found.partial
      answer.timedOut = found.partial && performance.now() - start >= this.#timeout
      const ids = await pageOf(found, request)
      const lacking = await missingWords(parsed.words, limited, snapshot.searcher, ids, stop)
      withAllWords = lacking?.withAll
      answer.hits = await this.#hits(found, request, parsed, lacking, snapshot, start, signal)
      const wanted = Math.min(size, found.length - (page - 1) * size)
      if (answer.hits.length < wanted && !found.partial) answer.timedOut = answer.partial = true
      if (page === 1 && !found.partial) {
        meant = await didYouMean(request, snapshot, found.length, settings, stop)
        answer.pinyin = await readAsPinyin(request, snapshot, found.length, settings, stop)
      }
      if (found.length === 0 && !found.partial) {
        answer.alternatives = await this.#alternatives(request, snapshot, settings, start, signal)
      }
      if (facets !== undefined) facets = await this.#facets(snapshot, parsed.query, request, settings, stop)
    }
    return {
      ...answer,
      ...(facets === undefined ? {} : { facets }),
      ...(withAllWords === undefined ? {} : { withAllWords }),
      ...(meant === null ? {} : { didYouMean: meant }),
    }
  }

  /** Null where the time ran out. */
  async #facets(
    { searcher, facets }: IndexSnapshot,
    query: Query,
    request: SearchRequest,
    settings: QuerySettings,
    stop: () => SearchStop,
  ): Promise<Facets | null> {
    const key = cacheKey({ ...request, page: 1, size: 1, sort: 'relevance' }, settings.revision)
    const known = facets?.get(key)
    if (known !== undefined) return known
    try {
      const counted = await countFacets(searcher, query, request.filters, stop)
      facets?.set(key, counted, key.length + JSON.stringify(counted).length)
      return counted
    } catch (error) {
      if (isSpindleError(error, 'QUERY_TIMEOUT') || isSpindleError(error, 'QUERY_TOO_COMPLEX')) return null
      throw error
    }
  }

  /** The best `limit` hits; what was found until then where the time ran out or the words of a pattern are too many. */
  #find(
    snapshot: IndexSnapshot,
    query: Query,
    limit: number,
    order: SearchSort | undefined,
    stop: SearchStop,
  ): Promise<Hits> {
    const sort = SORTS[order ?? 'relevance']
    return snapshot.searcher.search(query, {
      limit,
      ...stop,
      atLimit: 'partial',
      ...(sort === undefined ? {} : { sort }),
    })
  }

  /** The hits of a page; fewer where the time ran out, as it does where every page is a book. */
  async #hits(
    found: Hits,
    request: SearchRequest,
    parsed: ParsedQuery,
    lacking: MissingWords | null,
    snapshot: IndexSnapshot,
    start: number,
    signal: AbortSignal | undefined,
  ): Promise<SearchHit[]> {
    const { searcher, reader } = snapshot
    const from = (request.page - 1) * request.size
    const to = await found.load(from + request.size)
    const built: SearchHit[] = []
    let turn = performance.now()
    for (let at = from; at < to; at += BATCH) {
      const documents: Promise<Document>[] = []
      for (let i = at; i < Math.min(at + BATCH, to); i++) documents.push(snapshot.document(found.docId(i)))
      for (const [i, document] of (await Promise.all(documents)).entries()) {
        const now = performance.now()
        if (now - start > this.#timeout && built.length > 0) return built
        if (now - turn > TURN) {
          await serveOthers()
          signal?.throwIfAborted()
          turn = performance.now()
        }
        const rank = at + i
        const explanation =
          request.explain === true ? await searcher.explain(parsed.query, found.docId(rank)) : undefined
        const missing = lacking?.byHit[rank - from] ?? []
        const pinned = parsed.pins.includes(document.get(PageField.url) ?? '')
        const about = { missing: pinned ? [] : missing, pinned, explanation }
        built.push(buildHit(document, found.score(rank), parsed.query, reader.analyzers, about))
      }
    }
    return built
  }

  /** Looser queries that do have hits; counted within what is left of the time limit. */
  async #alternatives(
    request: SearchRequest,
    snapshot: IndexSnapshot,
    settings: QuerySettings,
    start: number,
    signal: AbortSignal | undefined,
  ): Promise<AlternativeQuery[]> {
    const candidates: (Omit<AlternativeQuery, 'total'> & { filters: SearchFilters })[] = []
    const { query, filters } = request
    if (hasFilters(filters)) candidates.push({ kind: 'without-filters', query, filters: NO_FILTERS })
    const analyzer = snapshot.reader.analyzers.forField(PageField.body)
    for (const candidate of alternativeCandidates(query, analyzer)) candidates.push({ ...candidate, filters })
    const offered: AlternativeQuery[] = []
    for (const candidate of candidates) {
      const timeLimit = this.#timeout - (performance.now() - start)
      if (timeLimit <= 0) break
      const parsed = parseQuery(candidate.query, snapshot.reader, { ...settings, leniency: 'all' })
      if (parsed.empty) continue
      try {
        const total = await snapshot.searcher.count(filteredQuery(parsed.query, candidate.filters), {
          timeLimit,
          ...(signal === undefined ? {} : { signal }),
        })
        if (total > 0) offered.push({ kind: candidate.kind, query: candidate.query, total })
      } catch (error) {
        if (isSpindleError(error, 'QUERY_TOO_COMPLEX')) continue
        if (!isSpindleError(error, 'QUERY_TIMEOUT')) throw error
        break
      }
    }
    return offered
  }
}

/** The documents of a page of hits. */
async function pageOf(found: Hits, { page, size }: SearchRequest): Promise<number[]> {
  const from = (page - 1) * size
  const to = await found.load(from + size)
  const ids: number[] = []
  for (let rank = from; rank < to; rank++) ids.push(found.docId(rank))
  return ids
}
