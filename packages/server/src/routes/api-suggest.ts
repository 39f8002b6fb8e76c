/** `GET /api/v1/suggest`: completions of what is being typed. */
import type { FastifyInstance } from 'fastify'
import { type QueryFields, queryFieldsSchema } from '../http/query-fields.js'
import type { RouteContext } from '../http/route-context.js'
import { searchRequest } from '../search/search-request.js'

/** Adds the suggestion API. */
export function apiSuggestRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/api/v1/suggest', { schema: { querystring: queryFieldsSchema } }, async (request, reply) => {
    const { q } = request.query as QueryFields
    const { query } = searchRequest(q === undefined ? {} : { q }, false).request
    const suggestions = query === '' ? [] : await context.backend.suggest(query, request.signal)
    reply.header('cache-control', 'no-cache')
    return { suggestions }
  })
}
