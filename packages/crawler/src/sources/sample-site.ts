/**
 * The bundled sample site on a loopback port, so that everything can be tried without a network.
 *
 * Its pages are stored and found under their address, port included. So the port is a fixed one where it is free, is
 * remembered in the data folder, and is used again for that folder: links in the results work whenever a command serves it.
 */
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DataDir, SpindleError, systemCode, writeFileAtomic } from '@spindle/core'
import sirv from 'sirv'

/** Folder of the sample site in the repository. */
export const SAMPLE_SITE_FOLDER = fileURLToPath(new URL('../../../../data/sample-site', import.meta.url))
/** Port of the sample site where it is free. */
export const SAMPLE_SITE_PORT = 8771

const HOST = '127.0.0.1'
const MARK = 'x-spindle-sample-site'
const FILE = 'sample-site.json'

/** A served sample site. */
export interface SampleSite {
  /** Address of its start page. */
  readonly url: string
  /** True where another process serves it. */
  readonly isShared: boolean
  close(): Promise<void>
}

/**
 * Serves the sample site.
 * @param port 0 for any free one
 * @throws SpindleError `SERVER_ADDRESS`
 */
export async function serveSampleSite(port = 0, folder = SAMPLE_SITE_FOLDER): Promise<SampleSite> {
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

/**
 * Serves the sample site at the address that the stored pages of a data folder have, or at a new one that is remembered.
 * @throws SpindleError `SERVER_ADDRESS` where another program has that port
 */
export async function serveSampleSiteFor(data: DataDir, folder = SAMPLE_SITE_FOLDER): Promise<SampleSite> {
  const stored = await storedSampleSite(data)
  if (stored !== undefined) {
    try {
      return await serveSampleSite(Number(new URL(stored).port), folder)
    } catch (error) {
      if (await isSampleSite(stored)) return { url: stored, isShared: true, close: async () => {} }
      throw new SpindleError(
        'SERVER_ADDRESS',
        `The sample site cannot be served at ${stored}, its address in the stored pages (${(error as Error).message}): stop the program that uses this port, or start over with --fresh.`,
        { cause: error },
      )
    }
  }
  let site: SampleSite
  try {
    site = await serveSampleSite(SAMPLE_SITE_PORT, folder)
  } catch {
    site = await serveSampleSite(0, folder)
  }
  await writeFileAtomic(join(data.root, FILE), `${JSON.stringify({ port: Number(new URL(site.url).port) })}\n`)
  return site
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
