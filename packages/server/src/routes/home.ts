/** `GET /`: one box. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pageFrame } from '../http/page-frame.js'
import { queryFieldsSchema } from '../http/query-fields.js'
import type { RouteContext } from '../http/route-context.js'
import { isWaiting, sendWaitingPage } from './waiting.js'

/** Sends the home page, also where someone searches for nothing. */
export function sendHomePage(request: FastifyRequest, reply: FastifyReply, context: RouteContext): FastifyReply {
  const frame = pageFrame(request, context.assets, 'home', (t) => t.text('home.title'))
  const crawl = context.crawlProgress()
  return reply
    .header('cache-control', 'no-cache')
    .header('vary', 'accept-language')
    .view('home', {
      ...frame,
      lead: frame.t.plural('home.lead', context.backend.status().numDocs),
      crawlText: crawl === undefined ? '' : frame.t.plural('crawl.running', crawl.pages),
    })
}

/** Adds the home page. */
export function homeRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/', { schema: { querystring: queryFieldsSchema } }, (request, reply) =>
    isWaiting(context) ? sendWaitingPage(request, reply, context) : sendHomePage(request, reply, context),
  )
}
