/**
 * What the pages ask of a search engine, so that they know nothing of where the index lies: a folder on this machine
 * today, a distributed engine another day.
 */
import type { ErrorCode } from '@spindle/core'

/** The fields by whose values hits are limited and counted, in the order in which they are shown. */
export const FACET_FIELDS = ['site', 'type', 'lang'] as const

/** One of {@link FACET_FIELDS}. */
export type FacetField = (typeof FACET_FIELDS)[number]

/** What hits are limited to; several values of one field mean any of them. */
export interface SearchFilters extends Readonly<Record<FacetField, readonly string[]>> {
  /** First day, month or year of publication, ISO 8601 (`2024`, `2024-05`, `2024-05-06`), in UTC. */
  readonly from?: string
  /** The last one, all of it. */
  readonly to?: string
}

/** What hits are ordered by: how well they match, or the newest first and those without a date last. */
export type SearchSort = 'relevance' | 'date'

/** Matching pages with each value of a field, most first. Of the values that a filter asks for all are told. */
export type Facets = Readonly<Record<FacetField, readonly { readonly value: string; readonly count: number }[]>>

/**
 * What happens to mistakes in a query: `all` are told as notices and the rest is searched (for people), only those of
 * `syntax` are while what is beyond the limits is an error (for programs), or `none` is let pass.
 */
export type Leniency = 'all' | 'syntax' | 'none'

/** One search. */
export interface SearchRequest {
  /** What was typed: cleaned, at most {@link MAX_QUERY_LENGTH} UTF-16 units. */
  readonly query: string
  /** First page is 1. */
  readonly page: number
  /** Hits a page, 1–100. */
  readonly size: number
  readonly filters: SearchFilters
  /** `relevance` where not given. */
  readonly sort?: SearchSort
  /** Counts the values of the fields as well. */
  readonly facets?: boolean
  readonly leniency: Leniency
  /** Adds the parts of the score to each hit; costs a second run for each. */
  readonly explain?: boolean
  /** Aborted where the client has gone away. */
  readonly signal?: AbortSignal
}

/** A part of a page that answers the query. `…Html` as in {@link SearchHit}. */
export interface HitSection {
  /** Leads to the part. */
  readonly url: string
  readonly heading: string
  readonly headingHtml: string
  /** Empty where the snippet of the page shows the same. */
  readonly snippetHtml: string
}

/** One hit, ready to show. `…Html` is escaped text whose only tags are `<em>` and `</em>`. */
export interface SearchHit {
  /** Names the page in further requests. */
  readonly id: string
  /** Where it is read; of a PDF, at the page of the snippet. */
  readonly url: string
  /** As the page gives it; empty where it gives none. */
  readonly title: string
  readonly titleHtml: string
  readonly snippetHtml: string
  readonly score: number
  readonly site: string
  readonly type: string
  /** BCP 47 tag, or null where unknown. */
  readonly lang: string | null
  /** ISO 8601, or null where the page tells none. */
  readonly date: string | null
  /** Parts of a long page that answer best, the best first; at most three. */
  readonly sections: readonly HitSection[]
  /** Other addresses of the same page, the preferred ones first. */
  readonly alsoAt: readonly string[]
  /** Words of the query that the page does not have, as typed. */
  readonly missing: readonly string[]
  /** It stands where it does because an editor wants it there for this query. */
  readonly pinned: boolean
  /** Readable lines, only where asked for. */
  readonly explanation?: string
}

/** Something about the query that the searcher should know of. */
export interface QueryNotice {
  /**
   * `ignored`: this part of the query was not understood and left out; `too-complex`: a part beyond the limits was left
   * out; `too-long`: the query was cut; `bad-page`: the page or size asked for was out of range; `bad-date`: this is no date
   * and limits nothing; `unknown-field`: this is no field and was searched for as a word; `only-exclusions`: nothing is asked
   * for, so that nothing can be found.
   */
  readonly kind: 'ignored' | 'too-complex' | 'too-long' | 'bad-page' | 'bad-date' | 'unknown-field' | 'only-exclusions'
  /** The part concerned, as typed; may be empty. */
  readonly text: string
}

/** A query that is known to have hits. */
export interface CountedQuery {
  readonly query: string
  readonly total: number
}

/** A looser query that is known to have hits. */
export interface AlternativeQuery extends CountedQuery {
  readonly kind: 'without-quotes' | 'without-exclusions' | 'any-word' | 'without-filters'
}

/** The answer to a {@link SearchRequest}. */
export interface SearchResponse {
  /** The query holds no word that could be searched for. */
  readonly empty: boolean
  /** Matching pages, in the whole index. */
  readonly total: number
  /** `gte`: there are at least so many. */
  readonly totalRelation: 'eq' | 'gte'
  /** Milliseconds from the request's arrival at the backend to the last snippet. */
  readonly tookMs: number
  /** The time limit ended the search: hits may be missing. */
  readonly timedOut: boolean
  /** Some limit or fault left a part of the index out. */
  readonly partial: boolean
  readonly hits: readonly SearchHit[]
  /** Matching pages that have all words of the query; told where a hit lacks one and there was time to count. */
  readonly withAllWords?: number
  /**
   * Of the whole result, not of the page. The values of a field are counted without its own filter, so that each count tells
   * what choosing that value would find. Left out where not asked for, null where the time ran out.
   */
  readonly facets?: Facets | null
  readonly notices: readonly QueryNotice[]
  /** The order that the query itself asked for; it goes before the request's. */
  readonly sort?: SearchSort
  /** A query that may have been meant and finds clearly more; told only with the first page. */
  readonly didYouMean?: string
  /** Chinese words that the letters of a query with few hits may be the pinyin of; told only with the first page. */
  readonly pinyin: readonly CountedQuery[]
  /** Only where `total` is 0. */
  readonly alternatives: readonly AlternativeQuery[]
}

/**
 * - `waiting`: there is no index yet, or it holds no page;
 * - `ready`: searches are answered from the newest commit;
 * - `degraded`: searches are answered from an older commit, since the newest one cannot be read;
 * - `failed`: there is an index, but it cannot be read.
 */
export type BackendState = 'waiting' | 'ready' | 'degraded' | 'failed'

/** What a backend is able to do at this moment. */
export interface BackendStatus {
  readonly state: BackendState
  /** Why it is not `ready`. */
  readonly reason: ErrorCode | null
  /** One sentence for the operator; may name paths, so it is never shown to visitors. */
  readonly detail: string
  /** Pages that can be found. */
  readonly numDocs: number
  /** Number of the commit that is searched, 0 where there is none. */
  readonly generation: number
  /** When this commit came into use, milliseconds since 1970; 0 where there is none. */
  readonly since: number
}

/** A search engine as the pages see it. */
export interface SearchBackend {
  status(): BackendStatus
  /** @throws SpindleError `INDEX_NOT_READY`, `SEARCH_FAILED`, `QUERY_SYNTAX`, `QUERY_TOO_COMPLEX` */
  search(request: SearchRequest): Promise<SearchResponse>
  /**
   * Titles and headings that complete what is being typed, the best first, at most ten; none where the time runs out.
   * @param text cleaned, at most {@link MAX_QUERY_LENGTH} UTF-16 units
   * @throws SpindleError `INDEX_NOT_READY`, `SEARCH_FAILED`, `SERVER_BUSY`; the signal's reason
   */
  suggest(text: string, signal?: AbortSignal): Promise<readonly string[]>
  close(): Promise<void>
}
