/** Servers on this machine that do as a test tells them, names for them, and what a failed fetch says. */
import type { LookupAddress } from 'node:dns'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Socket } from 'node:net'
import { isSpindleError } from '@spindle/core'
import type { Test } from 'tap'
import type { Resolve } from '../dns-cache.js'
import type { FetchError } from '../fetch-error.js'
import { Fetcher, type FetcherOptions } from '../fetcher.js'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The servers of these tests are on this machine. */
export const LOCAL = { mayBePrivate: () => true }

/** A fetcher that may ask this machine and is closed with the test. */
export function localFetcher(t: Test, options: FetcherOptions = {}): Fetcher {
  const fetcher = new Fetcher({ ...LOCAL, ...options })
  t.teardown(() => fetcher.close())
  return fetcher
}

/** An HTTP server with one handler a path, or one for all. @returns its origin */
export async function httpServer(t: Test, routes: Readonly<Record<string, Handler>> | Handler): Promise<string> {
  const server = createServer((request, response) => {
    const handler = typeof routes === 'function' ? routes : routes[request.url ?? '']
    if (handler === undefined) response.writeHead(404).end('no')
    else handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server that writes bytes of the test's choice when the first ones of a connection have come. @returns its address */
export async function rawServer(
  t: Test,
  respond: (socket: Socket, connection: number, request: string) => void,
): Promise<string> {
  const server = await tcpServer(t, (socket, connection) => {
    socket.once('data', (chunk) => respond(socket, connection, chunk.toString('latin1')))
  })
  return `http://127.0.0.1:${server.port}/`
}

/** A server that only takes connections. */
export async function tcpServer(
  t: Test,
  onConnection: (socket: Socket, connection: number) => void = () => {},
  address = '127.0.0.1',
): Promise<{ readonly port: number; readonly connections: () => number }> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createNetServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onConnection(socket, ++connections)
  })
  await new Promise<void>((resolve) => server.listen(0, address, resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** How a fetch fails. */
export async function failure(promise: Promise<unknown>): Promise<{ reason: string; retryable: boolean }> {
  const { reason, retryable } = await fetchError(promise)
  return { reason, retryable }
}

/** The error of a fetch that fails. */
export async function fetchError(promise: Promise<unknown>): Promise<FetchError> {
  try {
    await promise
  } catch (error) {
    if (isSpindleError(error, 'FETCH_FAILED')) return error as FetchError
    throw error
  }
  throw new Error('the fetch should have failed')
}

/** A resolver that knows some names, and counts how often it was asked for each. */
export function names(table: Readonly<Record<string, readonly string[]>>): {
  readonly resolve: Resolve
  readonly asked: Map<string, number>
} {
  const asked = new Map<string, number>()
  const resolve: Resolve = async (name) => {
    asked.set(name, (asked.get(name) ?? 0) + 1)
    const addresses = table[name]
    if (addresses === undefined) throw dnsError('ENOTFOUND', name)
    return addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { resolve, asked }
}

/** What a resolver answers in place of addresses. */
export function dnsError(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code })
}

/** Bytes that do not compress, the same each time. */
export function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 1
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}
