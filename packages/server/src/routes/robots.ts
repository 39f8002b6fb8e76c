/** `GET /robots.txt`: other people's spiders may see the home page and must not walk through the result pages. */
import type { FastifyInstance } from 'fastify'

/** Adds robots.txt. */
export function robotsRoute(app: FastifyInstance): void {
  app.get('/robots.txt', (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send('User-agent: *\nDisallow: /search\nDisallow: /api/\n'),
  )
}
