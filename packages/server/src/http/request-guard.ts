/**
 * What a request must satisfy before any route sees it: a host name that is ours (against DNS rebinding), a bounded
 * number of headers, and a method that only reads. It runs before the body is looked at, so no body is ever parsed.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { SpindleError } from '@spindle/core'
import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from '../config.js'

const MAX_HEADERS = 100

/** True for the names and addresses of this machine itself. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '::ffff:127.0.0.1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** The name in a Host header, lower case, without port and brackets. */
export function hostName(header: string): string {
  const host = header.toLowerCase().replace(/:\d*$/, '')
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host.replace(/\.$/, '')
}

/** Whether a Host header names this server. */
export function isAllowedHost(
  header: string | undefined,
  config: Pick<ServerConfig, 'host' | 'allowedHosts'>,
): boolean {
  if (header === undefined) return true
  const host = hostName(header)
  if (config.allowedHosts.includes(host)) return true
  if (config.allowedHosts.length === 0 && !isLoopback(config.host)) return true
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')
}

/**
 * The address of a request as a path. One in absolute form (`GET http://host/path`) names the host by itself, whatever
 * its Host header says (RFC 9112 §3.2.2).
 */
export function originForm(request: {
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
}): string {
  const url = request.url ?? '/'
  if (url.startsWith('/')) return url
  const absolute = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(url)
  // `*` and the like: there is nothing at them
  if (absolute === null) return `/${encodeURIComponent(url)}`
  request.headers.host = absolute[1]!
  return absolute[2]!.startsWith('/') ? absolute[2]! : `/${absolute[2]}`
}

/** Whether a request has exactly one Host header, as HTTP/1.1 demands; older clients may have none. */
function hasProperHost(request: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]!.length === 4 && request.rawHeaders[i]!.toLowerCase() === 'host') hosts++
  }
  return hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')
}

/** Adds the guard to an app. Its errors go the way of all others, to the error handler. */
export function addRequestGuard(app: FastifyInstance, config: ServerConfig): void {
  const methods = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    const known = methods.get(route.url) ?? new Set()
    methods.set(route.url, known)
    for (const method of [route.method].flat()) known.add(method)
  })
  app.addHook('onRequest', async (request, reply) => {
    if (request.raw.rawHeaders.length > 2 * MAX_HEADERS) {
      throw new SpindleError('HEADERS_TOO_LARGE', `The request has more than ${MAX_HEADERS} headers: send fewer.`)
    }
    const { raw } = request
    if ((raw.httpVersion !== '1.1' && raw.httpVersion !== '1.0') || !hasProperHost(raw)) {
      reply.header('connection', 'close')
      throw new SpindleError('BAD_REQUEST', 'The request is no HTTP/1.1 request with one Host header: send it as such.')
    }
    if (!isAllowedHost(request.headers.host, config)) {
      throw new SpindleError(
        'HOST_NOT_ALLOWED',
        'This server does not answer for the host name of the request: add it to the setting "allowedHosts".',
      )
    }
    if (request.method === 'GET' || request.method === 'HEAD') return
    reply.header('connection', 'close')
    const known = methods.get(request.url.split('?', 1)[0]!)
    if (known === undefined) throw notFound()
    reply.header('allow', [...known].sort().join(', '))
    throw new SpindleError(
      'METHOD_NOT_ALLOWED',
      `This address does not take ${request.method}: use ${[...known].sort().join(' or ')}.`,
    )
  })
}

/** The error for an address at which there is nothing. */
export function notFound(): SpindleError {
  return new SpindleError('NOT_FOUND', 'There is nothing at this address: see / for the search page.')
}
