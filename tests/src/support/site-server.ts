/**
 * Serves a folder as common web servers do: HTML without a charset, so that what the pages say of themselves counts, and
 * with doubled slashes in a path taken as one (a link of the LibreOffice help has them).
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sirv from 'sirv'

/** A served folder. */
export interface SiteServer {
  /** Address of its root. */
  readonly url: string
  close(): Promise<void>
}

export async function serveSite(folder: string): Promise<SiteServer> {
  const handler = sirv(folder, {
    setHeaders(response, path) {
      if (/\.html?$|\/$/i.test(path)) response.setHeader('Content-Type', 'text/html')
    },
  })
  const server = createServer((request, response) => {
    request.url = request.url?.replace(/\/{2,}/g, '/')
    handler(request, response, () => {
      response.writeHead(404).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
