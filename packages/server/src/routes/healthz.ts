/** `GET /healthz`: one word for everyone, the details for this machine only. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLoopback } from '../http/request-guard.js'
import type { RouteContext } from '../http/route-context.js'

/** True where the request was sent on this machine and not passed on by a proxy. */
function isLocal(request: FastifyRequest): boolean {
  const { headers } = request
  return (
    isLoopback(request.socket.remoteAddress ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined &&
    headers.via === undefined
  )
}

/** Adds the health report. It is 200 as long as the process works, also while there is no index. */
export function healthzRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/healthz', (request, reply) => {
    const status = context.backend.status()
    reply.header('cache-control', 'no-store')
    const health = status.state === 'ready' ? 'ok' : status.state
    if (!isLocal(request)) return reply.send({ status: health })
    return reply.send({
      status: health,
      index: {
        state: status.state,
        reason: status.reason,
        detail: status.detail,
        numDocs: status.numDocs,
        generation: status.generation,
        since: status.since === 0 ? null : new Date(status.since).toISOString(),
      },
      crawl: context.crawlProgress() ?? null,
      uptimeSeconds: Math.round(process.uptime()),
      memoryBytes: process.memoryUsage.rss(),
    })
  })
}
