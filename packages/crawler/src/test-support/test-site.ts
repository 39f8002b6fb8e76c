/** A web site on a loopback port, made of routes, that remembers what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'

/** What a path answers: a page's HTML, or anything by hand. */
export type Route = string | ((request: IncomingMessage, response: ServerResponse, count: number) => void)

/** A request as the site saw it. */
export interface SeenRequest {
  readonly path: string
  /** Milliseconds, monotonic. */
  readonly at: number
  /** End of the answer. */
  end: number
  /** Requests in progress, this one included. */
  readonly open: number
}

/** A running site. */
export interface TestSite {
  /** Address of a path. */
  at(path: string): string
  readonly origin: string
  readonly host: string
  readonly requests: readonly SeenRequest[]
  /** Paths asked for in order, robots.txt left out. */
  paths(): string[]
  close(): Promise<void>
}

/**
 * Serves routes (`/path?query` without fragment).
 * @param rest answers everything else; default 404
 */
export async function serveSite(
  t: Test,
  routes: Readonly<Record<string, Route>>,
  rest: Exclude<Route, string> = notFound,
): Promise<TestSite> {
  const table = new Map(Object.entries(routes))
  const counts = new Map<string, number>()
  const requests: SeenRequest[] = []
  let open = 0
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const seen = { path, at: performance.now(), end: 0, open: ++open }
    requests.push(seen)
    response.once('close', () => {
      open--
      seen.end = performance.now()
    })
    const count = (counts.get(path) ?? 0) + 1
    counts.set(path, count)
    const route = table.get(path)
    if (route === undefined) rest(request, response, count)
    else if (typeof route === 'string') {
      const type = path.endsWith('.txt') ? 'text/plain' : 'text/html; charset=utf-8'
      response.writeHead(200, { 'content-type': type }).end(route)
    } else route(request, response, count)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const host = `127.0.0.1:${address.port}`
  let closed = false
  const close = async (): Promise<void> => {
    if (closed) return
    closed = true
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }
  t.teardown(close)
  return {
    at: (path) => `http://${host}${path}`,
    origin: `http://${host}`,
    host,
    requests,
    paths: () => requests.map(({ path }) => path).filter((path) => path !== '/robots.txt'),
    close,
  }
}

function notFound(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no such page')
}

/** A page with a title and links. */
export function page(title: string, links: readonly string[] = [], head = ''): string {
  const anchors = links.map((href) => `<li><a href="${href}">${href}</a>`).join('\n')
  return `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title>${head}</head><body><h1>${title}</h1><ul>${anchors}</ul></body></html>`
}

/** A redirect. */
export function redirect(location: string, status = 302): Route {
  return (_request, response) => {
    response.writeHead(status, { location }).end()
  }
}

/** A tree of pages below `/`: every page links to `width` children down to `depth`, and back to the root. */
export function treeSite(width: number, depth: number): Record<string, Route> {
  const routes: Record<string, Route> = Object.create(null)
  const level: { path: string; depth: number }[] = [{ path: '/', depth: 0 }]
  for (const { path, depth: at } of level) {
    const children: string[] = []
    for (let i = 0; at < depth && i < width; i++) children.push(`${path === '/' ? '/p' : path}-${i}`)
    for (const child of children) level.push({ path: child, depth: at + 1 })
    routes[path] = page(`Page ${path}`, ['/', ...children])
  }
  return routes
}
