/**
 * The bundled sample site on a loopback port, so that everything can be tried without a network.
 *
 * Its pages are stored and found under their address, port included. So the port is a fixed one where it is free, is
 * remembered in the data folder, and is used again for that folder: links in the results work whenever a command serves it.
 */
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DataDir, SpindleError, systemCode, writeFileAtomic } from '@spindle/core'

/** Folder of the sample site in the repository. */
export const SAMPLE_SITE_FOLDER = fileURLToPath(new URL('../../../../data/sample-site', import.meta.url))
/** Port of the sample site where it is free. */
export const SAMPLE_SITE_PORT = 8771

const HOST = '127.0.0.1'
const MARK = 'x-spindle-sample-site'
const FILE = 'sample-site.json'

/** A served sample site. */
export interface SampleSite {
  /** Address of its root. */
  readonly url: string
  /** Address of its start page, the seed of a crawl. */
  readonly startUrl: string
  /** True where another process serves it. */
  readonly isShared: boolean
  close(): Promise<void>
}

/** Where to serve the sample site. */
export interface SampleSiteOptions {
  /** Data folder: the site is served at the address that its stored pages have, or at a new one that is remembered there. */
  readonly data?: string
  /** Port where no data folder is given; default 0, any free one. */
  readonly port?: number
  readonly folder?: string
}

/**
 * Serves the sample site.
 * @throws SpindleError `SERVER_ADDRESS` where another program has the port
 */
export function serveSampleSite(options: SampleSiteOptions = {}): Promise<SampleSite> {
  const folder = options.folder ?? SAMPLE_SITE_FOLDER
  return options.data === undefined ? serve(options.port ?? 0, folder) : serveFor(new DataDir(options.data), folder)
}

async function serve(port: number, folder: string): Promise<SampleSite> {
  // Loaded where it is needed.
  const { default: sirv } = await import('sirv')
  const handler = sirv(folder, {
    etag: true,
    setHeaders(res, pathname) {
      res.setHeader(MARK, '1')
      // Without a charset, so that what the pages say of themselves counts: one of them is in GBK.
      if (!/\.[a-z0-9]+$/i.test(pathname) || /\.html?$/i.test(pathname)) res.setHeader('Content-Type', 'text/html')
    },
  })
  const server = createServer((request, response) => {
    handler(request, response, () => {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8', [MARK]: '1' })
      response.end('Not found\n')
    })
  })
  await listen(server, port)
  const address = server.address()
  const url = `http://${HOST}:${typeof address === 'object' ? address?.port : port}/`
  return {
    url,
    startUrl: startOf(url),
    isShared: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Address of the sample site in the stored pages of a data folder, or undefined where that has none. */
export async function storedSampleSite(data: DataDir): Promise<string | undefined> {
  try {
    const { port } = JSON.parse(await readFile(join(data.root, FILE), 'utf8')) as { port: unknown }
    return typeof port === 'number' ? `http://${HOST}:${port}/` : undefined
  } catch {
    return undefined
  }
}

/** Lets the next sample crawl of a data folder take any port: to be called where its stored pages are given up. */
export async function forgetSampleSite(data: DataDir): Promise<void> {
  await rm(join(data.root, FILE), { force: true })
}

async function serveFor(data: DataDir, folder: string): Promise<SampleSite> {
  const stored = await storedSampleSite(data)
  if (stored !== undefined) {
    try {
      return await serve(Number(new URL(stored).port), folder)
    } catch (error) {
      if (await isSampleSite(stored))
        return { url: stored, startUrl: startOf(stored), isShared: true, close: async () => {} }
      throw new SpindleError(
        'SERVER_ADDRESS',
        `The sample site cannot be served at ${stored}, its address in the stored pages (${(error as Error).message}): stop the program that uses this port, or start over with --fresh.`,
        { cause: error },
      )
    }
  }
  let site: SampleSite
  try {
    site = await serve(SAMPLE_SITE_PORT, folder)
  } catch {
    site = await serve(0, folder)
  }
  await data.create()
  await writeFileAtomic(join(data.root, FILE), `${JSON.stringify({ port: Number(new URL(site.url).port) })}\n`)
  return site
}

/** The links of the site name files, so the root itself is not among its pages. */
function startOf(url: string): string {
  return `${url}index.html`
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const why = systemCode(cause) === 'EADDRINUSE' ? 'the port is in use' : cause.message
      reject(new SpindleError('SERVER_ADDRESS', `Cannot listen on ${HOST}:${port}: ${why}.`, { cause }))
    })
    server.listen(port, HOST, resolve)
  })
}

async function isSampleSite(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await response.body?.cancel()
    return response.headers.get(MARK) === '1'
  } catch {
    return false
  }
}
