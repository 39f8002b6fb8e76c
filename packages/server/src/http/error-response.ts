/**
 * Turns every error into an answer: JSON for programs, a page for people, the right status, and never a stack trace.
 * What is our own fault goes to the log with all details; the visitor gets the request number to refer to.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, isSpindleError, type Logger } from '@spindle/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { MessageKey } from '../i18n/messages-en.js'
import { messagesEn } from '../i18n/messages-en.js'
import { pageFrame } from './page-frame.js'
import { notFound } from './request-guard.js'
import { EARLY_HEADERS } from './security-headers.js'

/** HTTP status of the codes that reach a client; any other is a fault of ours, 500. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  BAD_PAGE: 400,
  BAD_PARAMETER: 400,
  BAD_REQUEST: 400,
  HEADERS_TOO_LARGE: 431,
  HOST_NOT_ALLOWED: 421,
  INDEX_NOT_READY: 503,
  METHOD_NOT_ALLOWED: 405,
  NOT_FOUND: 404,
  QUERY_SYNTAX: 400,
  QUERY_TOO_COMPLEX: 400,
  QUERY_TOO_LONG: 400,
  REGEX_TOO_COMPLEX: 400,
  REQUEST_TIMEOUT: 503,
  SEARCH_FAILED: 503,
  SERVER_BUSY: 503,
}

/** Seconds after which a client may ask again. */
export const RETRY_AFTER = 3

interface Answer {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
}

function answerTo(error: unknown): Answer {
  if (isSpindleError(error)) {
    const status = STATUS[error.code]
    if (status !== undefined) return { status, code: error.code, message: error.message }
  } else if (typeof error === 'object' && error !== null) {
    const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
    // an aborted search: its client has gone away, or has been given this very answer
    if (code === 'FST_ERR_HANDLER_TIMEOUT' || (error as { name?: unknown }).name === 'AbortError') {
      return { status: 503, code: 'REQUEST_TIMEOUT', message: 'The answer took too long: ask for less.' }
    }
    if (statusCode === 404) return { status: 404, code: 'NOT_FOUND', message: notFound().message }
    if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
      return {
        status: statusCode,
        code: 'BAD_REQUEST',
        message: 'The request cannot be understood: check its address.',
      }
    }
  }
  return { status: 500, code: 'SERVER_ERROR', message: 'The server met a fault of its own: try again later.' }
}

/** The body of every JSON error. */
export function errorBody(code: ErrorCode, message: string, requestId: string) {
  return { error: { code, message, requestId } }
}

/** True for the addresses whose readers are programs. */
function wantsJson(request: FastifyRequest): boolean {
  return /^\/(api|livez|readyz|healthz)([/?]|$)/.test(request.url)
}

/** Sends the answer to an error. */
export async function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  assets: string,
  logger: Logger,
): Promise<FastifyReply> {
  const { status, code, message } = answerTo(error)
  if (status === 500 || code === 'SEARCH_FAILED') {
    logger.log('error', 'request failed', {
      requestId: request.id,
      method: request.method,
      url: request.url,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
  // an address that cannot be decoded comes here before any hook has run
  if (!reply.hasHeader('content-security-policy')) reply.headers(EARLY_HEADERS)
  reply.code(status).header('cache-control', 'no-store').header('x-request-id', request.id)
  if (status === 503) reply.header('retry-after', RETRY_AFTER)
  if (wantsJson(request)) return reply.send(errorBody(code, message, request.id))
  const page = Object.hasOwn(messagesEn, `error.${code}.title`) ? code : 'BAD_REQUEST'
  const title = `error.${page}.title` as MessageKey
  const frame = pageFrame(request, assets, 'plain', (t) => t.text(title))
  const html = await request.server.view('error', {
    ...frame,
    heading: frame.title,
    text: frame.t.text(`error.${page}.text` as MessageKey),
    requestId: request.id,
  })
  return reply.header('vary', 'accept-language').type('text/html; charset=utf-8').send(html)
}

/** Wires the handlers for errors and for addresses without a route. */
export function addErrorResponses(app: FastifyInstance, assets: string, logger: Logger): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, assets, logger))
  app.setNotFoundHandler((request, reply) => sendError(notFound(), request, reply, assets, logger))
}

const SOCKET_ERRORS: Record<string, [status: string, code: ErrorCode, message: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    '408 Request Timeout',
    'REQUEST_TIMEOUT',
    'The request did not arrive in time: send it faster.',
  ],
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'HEADERS_TOO_LARGE',
    'The address and headers are larger than 16 KiB: send less.',
  ],
}

/** Answers what is no HTTP request at all, or one that did not arrive whole; the connection ends. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, message] = SOCKET_ERRORS[error.code ?? ''] ?? [
    '400 Bad Request',
    'BAD_REQUEST' as ErrorCode,
    'This is no valid HTTP request.',
  ]
  endSocket(socket, status, code, message)
}

/** Answers requests for which Node.js has events of their own, and ends their connections. */
export function answerUnsupported(server: Server): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {})
    endSocket(
      socket,
      '405 Method Not Allowed\r\nAllow: GET, HEAD',
      'METHOD_NOT_ALLOWED',
      'This server is no proxy: use GET or HEAD.',
    )
  })
  // no body is ever wanted: the answer comes without an invitation to send it
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  )
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  )
}

function endSocket(socket: Socket, status: string, code: ErrorCode, message: string): void {
  const body = JSON.stringify(errorBody(code, message, ''))
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  )
}
