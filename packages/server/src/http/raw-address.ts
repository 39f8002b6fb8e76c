/**
 * Requests whose address holds characters as they are, as in `curl 'http://localhost:8080/search?q=天安门'`. Node.js takes
 * them for no HTTP; browsers escape them (WHATWG URL), command lines do not. They are escaped here, and the request is
 * answered as any other one: the same guards, routes and limits. The connection ends with the answer.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const HEADERS_END = Buffer.from('\r\n\r\n')
/** Method, target and version; more spaces than two are none of ours. */
const REQUEST_LINE = /^(GET|HEAD) (\/[^\s]*) HTTP\/1\.1$/
/** RFC 9110 §5.1, §5.5: a name, a value without control characters. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*$/

interface RawRequest {
  readonly method: 'GET' | 'HEAD'
  /** escaped */
  readonly url: string
  /** names in lower case; one that came twice is a list */
  readonly headers: Record<string, string | string[]>
}

/**
 * Answers a request whose address has to be escaped. Returns false, and does nothing, where the error is another one or the
 * request did not come whole in one piece.
 */
export function answerRawAddress(
  app: FastifyInstance,
  error: Error & { readonly code?: string },
  socket: Socket,
): boolean {
  if (error.code !== 'HPE_INVALID_URL' || !('rawPacket' in error) || !Buffer.isBuffer(error.rawPacket)) return false
  const request = readRequest(error.rawPacket)
  if (request === undefined) return false
  // whatever else comes on this connection is not looked at
  socket.removeAllListeners('data')
  socket.resume()
  const { method, url, headers } = request
  app.inject({ method, url, headers, ...(socket.remoteAddress && { remoteAddress: socket.remoteAddress }) }).then(
    (answer) => {
      if (socket.destroyed) return
      const lines = [`HTTP/1.1 ${answer.statusCode} ${STATUS_CODES[answer.statusCode] ?? ''}`]
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value === undefined || SENT_HERE.has(name)) continue
        for (const one of [value].flat()) lines.push(`${name}: ${one}`)
      }
      const length = answer.headers['content-length'] ?? answer.rawPayload.length
      lines.push(`content-length: ${length}`, 'connection: close', '', '')
      socket.write(lines.join('\r\n'), 'latin1')
      socket.end(method === 'HEAD' ? Buffer.alloc(0) : answer.rawPayload)
    },
    () => socket.destroy(),
  )
  return true
}

const SENT_HERE: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

function readRequest(packet: Buffer): RawRequest | undefined {
  const end = packet.indexOf(HEADERS_END)
  if (end < 0) return undefined
  const [first, ...lines] = packet.toString('latin1', 0, end).split('\r\n')
  const line = REQUEST_LINE.exec(first!)
  if (line === null) return undefined
  const headers: Record<string, string | string[]> = Object.create(null)
  for (const text of lines) {
    const header = HEADER_LINE.exec(text)
    if (header === null) return undefined
    const name = header[1]!.toLowerCase()
    const before = headers[name]
    headers[name] = before === undefined ? header[2]! : [before, header[2]!].flat()
  }
  // A body, and what says how long it is, belongs to no request of ours; two hosts to none at all.
  if ('content-length' in headers || 'transfer-encoding' in headers || typeof headers.host !== 'string')
    return undefined
  const url = line[2]!.replace(
    /[^!-~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
  return { method: line[1] as 'GET' | 'HEAD', url, headers }
}
