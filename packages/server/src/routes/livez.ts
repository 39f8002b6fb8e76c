/** `GET /livez`: the process answers. */
import type { FastifyInstance } from 'fastify'

/** Adds the liveness probe. */
export function livezRoute(app: FastifyInstance): void {
  app.get('/livez', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
}
