/** `GET /api/v1/search`: the same search for programs. */
import type { FastifyInstance } from 'fastify'
import { type QueryFields, queryFieldsSchema } from '../http/query-fields.js'
import type { RouteContext } from '../http/route-context.js'
import type { Facets, SearchRequest, SearchResponse } from '../search/search-backend.js'
import { searchRequest } from '../search/search-request.js'

const NO_FACETS: Facets = { site: [], type: [], lang: [] }

/**
 * The answer's published shape. `next` is in it from the first version on and stays null until the server
 * can tell it. `withAllWords` is null where all hits have all words. Where the time did not suffice to count the facets, they are empty and the answer is partial.
 */
export function apiAnswer(request: SearchRequest, response: SearchResponse) {
  return {
    query: request.query,
    total: response.total,
    totalRelation: response.totalRelation,
    page: request.page,
    size: request.size,
    tookMs: response.tookMs,
    timedOut: response.timedOut,
    partial: response.partial || response.facets === null,
    next: null,
    hits: response.hits.map((hit) => ({
      id: hit.id,
      url: hit.url,
      title: hit.title,
      titleHtml: hit.titleHtml,
      snippetHtml: hit.snippetHtml,
      score: hit.score,
      site: hit.site,
      type: hit.type,
      lang: hit.lang,
      date: hit.date,
      alsoAt: hit.alsoAt,
      sections: hit.sections,
      missing: hit.missing,
      pinned: hit.pinned,
    })),
    withAllWords: response.withAllWords ?? null,
    facets: response.facets ?? NO_FACETS,
    didYouMean: response.didYouMean ?? null,
    pinyin: response.pinyin,
  }
}

/** Adds the search API. */
export function apiSearchRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/api/v1/search', { schema: { querystring: queryFieldsSchema } }, async (request, reply) => {
    const { request: search } = searchRequest(request.query as QueryFields, false)
    const response = await context.backend.search({ ...search, signal: request.signal })
    reply.header('cache-control', 'no-cache')
    return apiAnswer(search, response)
  })
}
