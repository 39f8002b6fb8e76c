/**
 * Builds the search server without listening, so that tests can put requests in directly.
 * Every time limit is set here: Fastify's own defaults leave slow clients connected for minutes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import fastifyView from '@fastify/view'
import { type Logger, nullLogger } from '@spindle/core'
import { Eta } from 'eta'
import { type FastifyInstance, fastify } from 'fastify'
import type { ServerConfig } from './config.js'
import { ConnectionGuard } from './http/connection-guard.js'
import { addErrorResponses, answerClientError, answerUnsupported, sendError } from './http/error-response.js'
import { parseQueryFields } from './http/query-fields.js'
import { answerRawAddress } from './http/raw-address.js'
import { addRequestGuard, originForm } from './http/request-guard.js'
import type { CrawlProgress, RouteContext } from './http/route-context.js'
import { HELMET_OPTIONS } from './http/security-headers.js'
import { advancedRoute } from './routes/advanced.js'
import { apiSearchRoute } from './routes/api-search.js'
import { apiSuggestRoute } from './routes/api-suggest.js'
import { healthzRoute } from './routes/healthz.js'
import { homeRoute } from './routes/home.js'
import { livezRoute } from './routes/livez.js'
import { readyzRoute } from './routes/readyz.js'
import { robotsRoute } from './routes/robots.js'
import { searchRoute } from './routes/search.js'
import type { SearchBackend } from './search/search-backend.js'

const VIEWS = fileURLToPath(new URL('../views/', import.meta.url))
const PUBLIC = fileURLToPath(new URL('../public/', import.meta.url))

/** Limits on connections, milliseconds where nothing else is said. */
export interface ConnectionLimits {
  /** For the whole request to arrive. */
  readonly request: number
  /** For its headers to arrive. */
  readonly headers: number
  /** How often the two above are looked at. */
  readonly check: number
  /** An idle connection between two requests. */
  readonly keepAlive: number
  /** A connection on which nothing moves: a reader that does not read. */
  readonly idle: number
  /** Requests on one connection: a number, not a time. */
  readonly requests: number
}

const LIMITS: ConnectionLimits = {
  request: 10_000,
  headers: 5_000,
  check: 1_000,
  keepAlive: 5_000,
  idle: 30_000,
  requests: 10_000,
}
const HANDLER_TIMEOUT = 10_000

/** What {@link buildApp} needs. */
export interface AppOptions {
  readonly backend: SearchBackend
  readonly config: ServerConfig
  readonly logger?: Logger
  /** Tells of a crawl that feeds the index, while one runs. */
  readonly crawlProgress?: () => CrawlProgress | undefined
  readonly limits?: Partial<ConnectionLimits>
}

/** The app, ready for `inject` and `listen`. It does not own the backend: who opened it closes it. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { backend, config, logger = nullLogger } = options
  const limits = { ...LIMITS, ...options.limits }
  const assets = createHash('sha256')
    .update(await readFile(`${PUBLIC}spindle.css`))
    .update(await readFile(`${PUBLIC}icon.svg`))
    .update(await readFile(`${PUBLIC}suggest.js`))
    .digest('base64url')
    .slice(0, 10)
  const idPrefix = randomBytes(6).toString('hex')
  let requests = 0

  const app: FastifyInstance = fastify({
    logger: false,
    requestTimeout: limits.request,
    connectionTimeout: limits.idle,
    keepAliveTimeout: limits.keepAlive,
    maxRequestsPerSocket: limits.requests,
    handlerTimeout: HANDLER_TIMEOUT,
    forceCloseConnections: 'idle',
    bodyLimit: 1024,
    // a request without a host is refused by the guard, in the same words as all others
    http: { headersTimeout: limits.headers, connectionsCheckingInterval: limits.check, requireHostHeader: false },
    rewriteUrl: originForm,
    routerOptions: { querystringParser: (text) => parseQueryFields(text) as Record<string, unknown> },
    requestIdHeader: false,
    genReqId(request) {
      const given = request.headers['x-request-id']
      return typeof given === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(given)
        ? given
        : `${idPrefix}-${(++requests).toString(36)}`
    },
    clientErrorHandler: (error, socket) => {
      if (!answerRawAddress(app, error, socket)) answerClientError(error, socket)
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply, assets, logger),
  })
  const context: RouteContext = {
    backend,
    logger,
    crawlProgress: options.crawlProgress ?? (() => undefined),
    assets,
  }

  answerUnsupported(app.server)
  const connections = new ConnectionGuard()
  connections.watch(app.server)
  // first of all, so that its headers are on the errors of the guards as well
  await app.register(helmet, HELMET_OPTIONS)
  connections.add(app)
  addRequestGuard(app, config)
  addErrorResponses(app, assets, logger)
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    // a connection that stayed open for a further request would hold up the stop
    if (closing) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async (request, reply) => {
    logger.log('debug', 'request', {
      requestId: request.id,
      method: request.method,
      url: request.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    })
  })
  await app.register(fastifyView, {
    engine: { eta: new Eta({ views: VIEWS, cache: true }) },
    templates: VIEWS,
    // or every template would be compiled again for every page
    production: true,
  })
  await app.register(fastifyStatic, {
    root: PUBLIC,
    prefix: '/assets/',
    // one route a file, made now: no path from a request ever reaches the file system
    wildcard: false,
    index: false,
    dotfiles: 'ignore',
    maxAge: '365d',
    immutable: true,
  })
  homeRoute(app, context)
  searchRoute(app, context)
  advancedRoute(app, context)
  apiSearchRoute(app, context)
  apiSuggestRoute(app, context)
  livezRoute(app)
  readyzRoute(app, context)
  healthzRoute(app, context)
  robotsRoute(app)
  return app
}
