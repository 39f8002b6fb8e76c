/** A static web server over a directory, with the ways in which such servers are wrong; for tests over real HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemCode } from '@spindle/core'
import type { Directory, FileInput } from '../store/directory.js'

/** What the server does next. `range`: bytes asked for, where a range is. */
export type Misbehaviour = (
  request: { readonly name: string; readonly count: number; readonly range: string | undefined },
  response: ServerResponse,
) => 'handled' | 'ignore-range' | 'truncate' | 'other-etag' | 'no-version' | 'gzip' | 'wrong-range' | undefined

/** Serves the files of a directory on loopback. */
export class RangeServer {
  readonly address: string
  /** Requests so far: method, file and range. */
  readonly requests: string[] = []
  /** Requests under way at the same time, at most. */
  mostAtOnce = 0
  misbehave: Misbehaviour = () => undefined
  readonly #close: () => Promise<void>

  private constructor(address: string, close: () => Promise<void>) {
    this.address = address
    this.#close = close
  }

  static async start(directory: Directory): Promise<RangeServer> {
    let server: RangeServer
    let running = 0
    const http = createServer((request, response) => {
      running++
      server.mostAtOnce = Math.max(server.mostAtOnce, running)
      response.on('close', () => running--)
      server.#serve(directory, request, response).catch((error) => response.destroy(error))
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port } = http.address() as AddressInfo
    const close = () =>
      new Promise<void>((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      })
    server = new RangeServer(`http://127.0.0.1:${port}/an index/`, close)
    return server
  }

  async #serve(directory: Directory, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname.split('/').at(-1) ?? '')
    const { range } = request.headers
    this.requests.push(`${name} ${range}`)
    const wrong = this.misbehave({ name, count: this.requests.length, range }, response)
    if (wrong === 'handled') return
    let file: FileInput
    try {
      file = await directory.open(name)
    } catch (error) {
      response.writeHead(systemCode(error) === 'ENOENT' ? 404 : 500).end()
      return
    }
    try {
      await answer(file, range, wrong, response)
    } finally {
      await file.close()
    }
  }

  close(): Promise<void> {
    return this.#close()
  }
}

async function answer(
  file: FileInput,
  range: string | undefined,
  wrong: ReturnType<Misbehaviour>,
  response: ServerResponse,
): Promise<void> {
  if (wrong !== 'no-version') response.setHeader('etag', wrong === 'other-etag' ? '"other"' : '"one"')
  if (wrong === 'gzip') response.setHeader('content-encoding', 'gzip')
  const match = /^bytes=(\d+)-(\d+)$/.exec(range ?? '')
  const isWhole = match === null || wrong === 'ignore-range'
  const from = isWhole ? 0 : Number(match[1]) + (wrong === 'wrong-range' ? 1 : 0)
  const to = isWhole ? file.length : Math.min(file.length, Number(match[2]) + 1)
  if (!isWhole && from >= to) {
    response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end()
    return
  }
  const body = new Uint8Array(to - from)
  await file.read(body, from)
  if (!isWhole) response.setHeader('content-range', `bytes ${from}-${to - 1}/${file.length}`)
  response.writeHead(isWhole ? 200 : 206, { 'content-length': body.length })
  if (wrong === 'truncate') response.write(body.subarray(0, body.length >> 1), () => response.destroy())
  else response.end(body)
}
