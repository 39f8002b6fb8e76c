/** `GET /readyz`: 200 while searches are answered, 503 with the reason otherwise. */
import type { FastifyInstance } from 'fastify'
import { RETRY_AFTER } from '../http/error-response.js'
import type { RouteContext } from '../http/route-context.js'

/** Adds the readiness probe. A server that answers from an older commit is ready, and says `degraded`. */
export function readyzRoute(app: FastifyInstance, context: RouteContext): void {
  app.get('/readyz', (_request, reply) => {
    const { state, reason } = context.backend.status()
    reply.header('cache-control', 'no-store')
    if (state === 'waiting' || state === 'failed') reply.code(503).header('retry-after', RETRY_AFTER)
    return reply.send({ status: state, reason })
  })
}
