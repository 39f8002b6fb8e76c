/** Opens the index and listens: everything that a running search server is, with one `close` for all of it. */
import { DataDir, dictionaryPath, type Logger, SpindleError, systemCode } from '@spindle/core'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.js'
import type { ServerConfig } from './config.js'
import { DictionaryJobs } from './dictionary-jobs.js'
import type { CrawlProgress } from './http/route-context.js'
import { LocalIndexBackend } from './search/local-index-backend.js'

/** How long requests in flight may take after the server was told to stop, milliseconds. */
const DRAIN_TIMEOUT = 8_000

/** Connections that wait to be accepted: with the usual 511, those of a sudden crowd try again after seconds. */
const BACKLOG = 4_096

/** A server that listens. */
export interface RunningServer {
  readonly app: FastifyInstance
  readonly backend: LocalIndexBackend
  /** Where a browser on this machine finds it, with a slash at the end. */
  readonly url: string
  /**
   * Takes no more connections, lets requests in flight finish, closes the index.
   * @param drainTimeout milliseconds that they may take
   */
  close(drainTimeout?: number): Promise<void>
}

/** What {@link startServer} needs. */
export interface ServerOptions {
  readonly config: ServerConfig
  readonly logger: Logger
  readonly crawlProgress?: () => CrawlProgress | undefined
}

/**
 * Starts the server. It answers at once, also while there is no index.
 * @throws SpindleError `SERVER_ADDRESS` where it cannot listen; `SYNONYMS_INVALID`
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { config, logger } = options
  const folder = new DataDir(config.data)
  const dictionary = dictionaryPath(config.index, folder)
  const backend = await LocalIndexBackend.open(folder.index, {
    logger,
    searchTimeout: config.searchTimeout,
    cache: config.cache,
    ...config.search,
    dictionary,
  })
  let app: FastifyInstance | undefined
  try {
    app = await buildApp({ ...options, backend })
    await app.listen({ host: config.host, port: config.port, backlog: BACKLOG })
  } catch (error) {
    await app?.close()
    await backend.close()
    throw listenError(error, config)
  }
  const running = app
  const jobs = new DictionaryJobs({
    data: folder.root,
    dictionary,
    logger,
    state: () => backend.dictionaryState,
    refresh: () => backend.lookNow(),
  })
  return {
    app,
    backend,
    url: urlOf(running, config.host),
    async close(drainTimeout = DRAIN_TIMEOUT) {
      const force = setTimeout(() => running.server.closeAllConnections(), drainTimeout)
      try {
        await Promise.all([running.close(), jobs.close()])
      } finally {
        clearTimeout(force)
        await backend.close()
      }
    },
  }
}

function urlOf(app: FastifyInstance, host: string): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const local = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::'].includes(host)
  const name = local ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}/`
}

function listenError(error: unknown, { host, port }: ServerConfig): unknown {
  const code = systemCode(error)
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another program: stop that one, or choose another port with --port.`,
    EACCES: `This user may not listen on port ${port} of ${host}: choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `${host} is no address of this machine: choose another with --host.`,
    ENOTFOUND: `The host name ${host} is not known: choose an address of this machine with --host.`,
  }
  const message = code === undefined ? undefined : reasons[code]
  return message === undefined ? error : new SpindleError('SERVER_ADDRESS', message, { cause: error })
}
