/** The page shown instead of any other while nothing can be found: it says why, and looks again by itself. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RETRY_AFTER } from '../http/error-response.js'
import { pageFrame } from '../http/page-frame.js'
import type { RouteContext } from '../http/route-context.js'
import type { SearchRequest } from '../search/search-backend.js'

/** True while no page can be found. */
export function isWaiting(context: RouteContext): boolean {
  const { state } = context.backend.status()
  return state === 'waiting' || state === 'failed'
}

/** Sends the waiting page, 503 with Retry-After. */
export function sendWaitingPage(
  request: FastifyRequest,
  reply: FastifyReply,
  context: RouteContext,
  search?: SearchRequest,
): FastifyReply {
  const frame = pageFrame(request, context.assets, 'plain', (t) => t.text('waiting.title'), search)
  const { t } = frame
  const crawl = context.crawlProgress()
  const failed = context.backend.status().state === 'failed'
  return reply
    .code(503)
    .header('retry-after', RETRY_AFTER)
    .header('cache-control', 'no-store')
    .header('vary', 'accept-language')
    .view('waiting', {
      ...frame,
      refreshSeconds: RETRY_AFTER,
      heading: frame.title,
      text: t.text(failed ? 'waiting.failed' : crawl === undefined ? 'waiting.idle' : 'waiting.crawling'),
      progress: failed || crawl === undefined || crawl.pages === 0 ? '' : t.plural('waiting.crawled', crawl.pages),
    })
}
