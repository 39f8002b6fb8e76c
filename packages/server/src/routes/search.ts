/** `GET /search`: the result page. */
import { isSpindleError } from '@spindle/core'
import type { FastifyInstance } from 'fastify'
import { pageFrame } from '../http/page-frame.js'
import { type QueryFields, queryFieldsSchema } from '../http/query-fields.js'
import type { RouteContext } from '../http/route-context.js'
import { resultView } from '../search/result-view.js'
import type { SearchResponse } from '../search/search-backend.js'
import { searchRequest } from '../search/search-request.js'
import { sendHomePage } from './home.js'
import { isWaiting, sendWaitingPage } from './waiting.js'

/** Adds the result page. */
export function searchRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/search', { schema: { querystring: queryFieldsSchema } }, async (request, reply) => {
    const fields = request.query as QueryFields
    const { request: search, notices } = searchRequest(fields, true)
    if (isWaiting(context)) return sendWaitingPage(request, reply, context, search)
    if (search.query === '') return sendHomePage(request, reply, context)
    const frame = pageFrame(
      request,
      context.assets,
      'results',
      (t) => t.text('results.title', { query: search.query }),
      search,
    )
    const { t, hl } = frame
    let response: SearchResponse
    try {
      response = await context.backend.search({ ...search, signal: request.signal })
    } catch (error) {
      if (isSpindleError(error, 'INDEX_NOT_READY')) return sendWaitingPage(request, reply, context, search)
      throw error
    }
    const crawl = context.crawlProgress()
    return reply
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-language')
      .view('results', {
        ...frame,
        view: resultView(search, response, notices, t, hl),
        nothing: t.around(response.empty ? 'none.nothing' : 'none.lead', 'query'),
        crawlText: crawl === undefined ? '' : t.plural('crawl.running', crawl.pages),
      })
  })
}
