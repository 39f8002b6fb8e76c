/**
 * The answer of a web server as it is kept in a WARC file: status line, headers and body as they came over the wire – or as some
 * tool left them: with lone line feeds, folded headers, chunks or encodings that were undone already while the headers still name
 * them. What does not fit its header is taken as it is.
 */
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { parseContentEncoding } from '../fetch/content-decoder.js'

/** A kept answer. */
export interface HttpMessage {
  readonly status: number
  /** names in lower case; repeated ones joined by `, `, X-Robots-Tag by line ends */
  readonly headers: ReadonlyMap<string, string>
  /** chunks and content encodings undone */
  readonly body: Buffer
  /** true where the body, or what could be decoded of it, is its beginning */
  readonly truncated: boolean
}

const MAX_HEADERS = 256 * 1024
/** Most decoded bytes. */
const MAX_BODY = 32 * 1024 * 1024

/** @returns undefined where the block is no answer of a web server */
export function parseHttpMessage(block: Buffer): HttpMessage | undefined {
  const end = headEnd(block)
  if (end === undefined) return undefined
  const [first = '', ...lines] = block.toString('latin1', 0, end.head).split(/\r?\n/)
  const status = /^HTTP\/\d(?:\.\d)?\s+(\d{3})(?:\s|$)/i.exec(first)?.[1]
  if (status === undefined) return undefined
  const headers = new Map<string, string>()
  let last = ''
  for (const line of lines) {
    if (/^[ \t]/.test(line) && headers.has(last)) {
      headers.set(last, `${headers.get(last)} ${line.trim()}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    last = line.slice(0, colon).trim().toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers.set(
      last,
      headers.has(last) ? `${headers.get(last)}${last === 'x-robots-tag' ? '\n' : ', '}${value}` : value,
    )
  }
  const raw = block.subarray(end.body)
  const plain = /\bchunked\b/i.test(headers.get('transfer-encoding') ?? '') ? (joinChunks(raw) ?? raw) : raw
  return { status: Number(status), headers, ...decode(plain, headers.get('content-encoding')) }
}

/** Where the head ends and the body begins. */
function headEnd(block: Buffer): { readonly head: number; readonly body: number } | undefined {
  const limit = Math.min(block.length, MAX_HEADERS)
  for (let at = block.indexOf(0x0a); at >= 0 && at < limit; at = block.indexOf(0x0a, at + 1)) {
    if (block[at + 1] === 0x0a) return { head: at, body: at + 2 }
    if (block[at + 1] === 0x0d && block[at + 2] === 0x0a) return { head: at, body: at + 3 }
  }
  // Headers without a body.
  return block.length < MAX_HEADERS ? { head: block.length, body: block.length } : undefined
}

/** The bytes of a chunked body (RFC 9112, §7.1); undefined where it is none. A body that was cut gives what is there. */
function joinChunks(raw: Buffer): Buffer | undefined {
  // One buffer for all: there may be millions of chunks.
  const joined = Buffer.alloc(raw.length)
  let chunks = 0
  let size = 0
  for (let at = 0; at < raw.length; ) {
    const lineEnd = raw.indexOf(0x0a, at)
    const line = /^([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?$/i.exec(
      raw.toString('latin1', at, Math.max(at, Math.min(lineEnd, at + 4096))),
    )
    if (line === null) break
    const length = Number.parseInt(line[1]!, 16)
    if (length === 0) return joined.subarray(0, size)
    size += raw.copy(joined, size, lineEnd + 1, lineEnd + 1 + length)
    chunks++
    at = lineEnd + 1 + length
    while (raw[at] === 0x0d || raw[at] === 0x0a) {
      at++
      if (raw[at - 1] === 0x0a) break
    }
  }
  return chunks === 0 ? undefined : joined.subarray(0, size)
}

function decode(raw: Buffer, header: string | undefined): Pick<HttpMessage, 'body' | 'truncated'> {
  const options = { maxOutputLength: MAX_BODY }
  let body = raw
  for (const coding of [...(parseContentEncoding(header) ?? [])].reverse()) {
    try {
      if (coding === 'gzip') body = gunzipSync(body, options)
      else if (coding === 'br') body = brotliDecompressSync(body, options)
      else body = (body[0]! & 0x0f) === 8 ? inflateSync(body, options) : inflateRawSync(body, options)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        return { body: Buffer.alloc(0), truncated: true }
      // It was decoded already, or it is damaged: then it holds no text.
      return { body, truncated: false }
    }
  }
  return { body, truncated: false }
}
