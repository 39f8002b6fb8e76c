/**
 * Pages as records of a WARC file (ISO 28500:2017, WARC 1.1), each compressed as a gzip member of its own where the file is to be
 * compressed, so that any record can be read alone.
 *
 * What is stored is the body with its content encoding undone, and the headers that matter: the answer written here says so, by
 * leaving out encodings and giving the body's own length. Requests are not stored.
 */
import { createHash, hash, randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { PageHead } from '../pages/stored-page.js'
import { base32 } from './warc-record.js'

/** Payloads that are remembered, so that the same one is not written twice. */
const MAX_KNOWN = 65_536
const PROFILE = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'
/** Headers that speak of the bytes on the wire. */
const OF_THE_WIRE = new Set(['content-encoding', 'transfer-encoding', 'content-length', 'connection', 'trailer'])

interface Known {
  readonly id: string
  readonly url: string
  readonly date: string
}

/** See the head of this file. */
export class WarcWriter {
  readonly #compress: boolean
  readonly #known = new Map<string, Known>()

  /** @param compress a gzip member a record */
  constructor(compress: boolean) {
    this.#compress = compress
  }

  /** The record that a file begins with. @param software name and version of the program */
  info(filename: string, software: string, description: string, date: number): Buffer {
    const fields = { software, format: 'WARC File Format 1.1', description }
    return this.#record(
      'warcinfo',
      { 'WARC-Date': isoDate(date), 'WARC-Filename': filename, 'Content-Type': 'application/warc-fields' },
      warcFields(fields),
    )
  }

  /** The records of a page: its answer, or that it is as another one, and what is known of it besides. */
  page(head: PageHead, body: Buffer): Buffer {
    const { url, status, fetchedAt, truncated, depth } = head
    const date = isoDate(fetchedAt)
    const digest = `sha1:${base32(createHash('sha1').update(body).digest())}`
    const id = recordId()
    const common = {
      'WARC-Record-ID': id,
      'WARC-Target-URI': url,
      'WARC-Date': date,
      'WARC-Payload-Digest': digest,
      ...(truncated ? { 'WARC-Truncated': 'length' } : {}),
    }
    // A local file was never asked for over HTTP.
    if (!url.startsWith('http')) {
      return this.#record('resource', { ...common, 'Content-Type': typeOf(head) }, body)
    }
    const known = body.length === 0 || truncated ? undefined : this.#known.get(digest)
    const http = httpHead(head, status, body.length)
    const response =
      known === undefined
        ? this.#record(
            'response',
            { ...common, 'Content-Type': 'application/http;msgtype=response' },
            Buffer.concat([http, body]),
          )
        : this.#record(
            'revisit',
            {
              ...common,
              'Content-Type': 'application/http;msgtype=response',
              'WARC-Profile': PROFILE,
              'WARC-Refers-To': known.id,
              'WARC-Refers-To-Target-URI': known.url,
              'WARC-Refers-To-Date': known.date,
            },
            http,
          )
    if (known === undefined && !truncated) this.#remember(digest, { id, url, date })
    const facts = warcFields({ hopsFromSeed: 'L'.repeat(Math.min(depth, 1000)) })
    const metadata = this.#record(
      'metadata',
      {
        'WARC-Target-URI': url,
        'WARC-Date': date,
        'WARC-Concurrent-To': id,
        'Content-Type': 'application/warc-fields',
      },
      facts,
    )
    return Buffer.concat([response, metadata])
  }

  #remember(digest: string, known: Known): void {
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(digest, known)
  }

  #record(type: string, fields: Readonly<Record<string, string>>, block: Buffer): Buffer {
    const named = {
      'WARC-Type': type,
      'WARC-Record-ID': recordId(),
      ...fields,
      'WARC-Block-Digest': `sha1:${base32(Buffer.from(hash('sha1', block), 'hex'))}`,
      'Content-Length': String(block.length),
    }
    const lines = Object.entries(named).map(([name, value]) => `${name}: ${value}`)
    const bytes = Buffer.concat([
      Buffer.from(`WARC/1.1\r\n${lines.join('\r\n')}\r\n\r\n`),
      block,
      Buffer.from('\r\n\r\n'),
    ])
    return this.#compress ? gzipSync(bytes) : bytes
  }
}

function recordId(): string {
  return `<urn:uuid:${randomUUID()}>`
}

function isoDate(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function warcFields(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join(''),
  )
}

function httpHead(head: PageHead, status: number, length: number): Buffer {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()]
  if (head.headers['content-type'] === undefined) lines.push(`Content-Type: ${typeOf(head)}`)
  for (const [name, value] of Object.entries(head.headers)) {
    if (OF_THE_WIRE.has(name)) continue
    for (const line of value.split(/\r?\n/))
      lines.push(`${name.replace(/(^|-)\w/g, (part) => part.toUpperCase())}: ${line}`)
  }
  lines.push(`Content-Length: ${length}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

function typeOf({ contentType }: PageHead): string {
  return contentType === '' ? 'application/octet-stream' : contentType
}
