/** Answers searches from an index folder on this machine. */
import { isSpindleError, type Logger, SpindleError } from '@spindle/core'
import { BooleanQuery, type Hits, type Query, Term, TermQuery } from '@spindle/index'
import { alternativeCandidates } from './alternative-queries.js'
import { buildHit } from './build-hit.js'
import { IndexFollower } from './index-follower.js'
import type { IndexSnapshot } from './index-snapshot.js'
import { type ParsedQuery, parseQuery } from './parse-query.js'
import type {
  AlternativeQuery,
  BackendStatus,
  SearchBackend,
  SearchFilters,
  SearchRequest,
  SearchResponse,
} from './search-backend.js'

/** What {@link LocalIndexBackend.open} takes. */
export interface LocalIndexOptions {
  readonly logger: Logger
  /** Milliseconds that one search may take. */
  readonly searchTimeout: number
  /** Milliseconds between two looks for a newer commit. */
  readonly interval?: number
  /** Told after every change of the status. */
  readonly onChange?: (status: BackendStatus) => void
}

/** Errors that are about the query, not about the index. */
const QUERY_ERRORS = new Set(['QUERY_SYNTAX', 'QUERY_TOO_COMPLEX', 'QUERY_TOO_LONG'])

/** A {@link SearchBackend} over the newest commit of a folder. */
export class LocalIndexBackend implements SearchBackend {
  readonly #follower: IndexFollower
  readonly #timeout: number

  private constructor(follower: IndexFollower, timeout: number) {
    this.#follower = follower
    this.#timeout = timeout
  }

  /** Never fails because of the folder: what is wrong with it is in the status. */
  static async open(path: string, options: LocalIndexOptions): Promise<LocalIndexBackend> {
    return new LocalIndexBackend(await IndexFollower.open(path, options), options.searchTimeout)
  }

  status(): BackendStatus {
    return this.#follower.status()
  }

  /** Looks for a newer commit without waiting for the next turn. */
  lookNow(): Promise<void> {
    return this.#follower.lookNow()
  }

  close(): Promise<void> {
    return this.#follower.close()
  }

  /** @throws SpindleError `INDEX_NOT_READY`, `SEARCH_FAILED`, `QUERY_TOO_COMPLEX`; the reason of the signal */
  async search(request: SearchRequest): Promise<SearchResponse> {
    const start = performance.now()
    const snapshot = this.#follower.acquire()
    try {
      return await this.#search(request, snapshot, start)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (isSpindleError(error) && QUERY_ERRORS.has(error.code)) throw error
      this.#follower.suspect(snapshot, error)
      throw new SpindleError('SEARCH_FAILED', 'The index could not be read for this search: try again in a moment.', {
        cause: error,
      })
    } finally {
      await snapshot.release()
    }
  }

  async #search(request: SearchRequest, snapshot: IndexSnapshot, start: number): Promise<SearchResponse> {
    const { page, size, signal } = request
    const { analyzers } = snapshot.reader
    const parsed = parseQuery(request.query, analyzers, request.leniency)
    const answer = {
      empty: parsed.empty,
      total: 0,
      totalRelation: 'eq' as 'eq' | 'gte',
      tookMs: 0,
      timedOut: false,
      partial: false,
      hits: [] as SearchResponse['hits'],
      notices: parsed.notices,
      alternatives: [] as SearchResponse['alternatives'],
    }
    if (!parsed.empty) {
      const timeLimit = Math.max(1, this.#timeout - (performance.now() - start))
      const found = await this.#find(snapshot, filtered(parsed.query, request.filters), page * size, timeLimit, signal)
      if (found === undefined) {
        answer.totalRelation = 'gte'
        answer.timedOut = true
        answer.partial = true
      } else {
        answer.total = found.length
        answer.totalRelation = found.relation
        answer.hits = await this.#hits(found, request, parsed, snapshot)
        if (found.length === 0) answer.alternatives = await this.#alternatives(request, snapshot, start)
      }
    }
    answer.tookMs = Math.round((performance.now() - start) * 1000) / 1000
    return answer
  }

  /** The best `limit` hits, or undefined where the time ran out. */
  async #find(
    snapshot: IndexSnapshot,
    query: Query,
    limit: number,
    timeLimit: number,
    signal: AbortSignal | undefined,
  ): Promise<Hits | undefined> {
    try {
      return await snapshot.searcher.search(query, { limit, timeLimit, ...(signal === undefined ? {} : { signal }) })
    } catch (error) {
      if (isSpindleError(error, 'QUERY_TIMEOUT')) return undefined
      throw error
    }
  }

  async #hits(found: Hits, request: SearchRequest, parsed: ParsedQuery, snapshot: IndexSnapshot) {
    const from = (request.page - 1) * request.size
    const hits = await found.slice(from, from + request.size)
    return Promise.all(
      hits.map(async (hit) => {
        const explanation =
          request.explain === true ? await snapshot.searcher.explain(parsed.query, hit.docId) : undefined
        return buildHit(hit.document, hit.score, parsed.query, snapshot.reader.analyzers, explanation)
      }),
    )
  }

  /** Looser queries that do have hits; counted within what is left of the time limit. */
  async #alternatives(request: SearchRequest, snapshot: IndexSnapshot, start: number): Promise<AlternativeQuery[]> {
    const candidates: (Omit<AlternativeQuery, 'total'> & { filters: SearchFilters })[] = []
    const { query, filters, signal } = request
    if (filters.site.length + filters.type.length + filters.lang.length > 0) {
      candidates.push({ kind: 'without-filters', query, filters: { site: [], type: [], lang: [] } })
    }
    for (const candidate of alternativeCandidates(query)) candidates.push({ ...candidate, filters })
    const offered: AlternativeQuery[] = []
    for (const candidate of candidates) {
      const timeLimit = this.#timeout - (performance.now() - start)
      if (timeLimit <= 0) break
      const parsed = parseQuery(candidate.query, snapshot.reader.analyzers, 'all')
      if (parsed.empty) continue
      try {
        const total = await snapshot.searcher.count(filtered(parsed.query, candidate.filters), {
          timeLimit,
          ...(signal === undefined ? {} : { signal }),
        })
        if (total > 0) offered.push({ kind: candidate.kind, query: candidate.query, total })
      } catch (error) {
        if (!isSpindleError(error, 'QUERY_TIMEOUT')) throw error
        break
      }
    }
    return offered
  }
}

/** The query limited to the values of the filters; scores stay those of the query. */
function filtered(query: Query, filters: SearchFilters): Query {
  const limits: Query[] = []
  for (const field of ['site', 'type', 'lang'] as const) {
    const values = filters[field]
    if (values.length === 0) continue
    const any = new BooleanQuery(
      values.map((value) => ({ query: new TermQuery(new Term(field, value.toLowerCase())), occur: 'should' as const })),
    )
    limits.push(any)
  }
  if (limits.length === 0) return query
  return new BooleanQuery([
    { query, occur: 'must' },
    ...limits.map((limit) => ({ query: limit, occur: 'filter' as const })),
  ])
}
