/**
 * An index behind any static HTTP server that answers ranges; for reading. Opening a file costs one request, which
 * brings its first 2 KiB (a small file whole); its last 8 KiB come with the second. Reads of one file that are asked for
 * at the same moment and lie near each other become one request.
 */
import { SpindleError, systemCode } from '@spindle/core'
import type { Directory, FileInput, FileOutput, WriteLock } from './directory.js'
import { type HttpDirectoryOptions, type HttpRange, HttpRangeClient, type HttpTraffic } from './http-range-client.js'
import { indexCorrupt } from './index-corrupt.js'
import { readNewestCommit } from './newest-commit.js'

const HEAD_LENGTH = 2 * 1024
const TAIL_LENGTH = 8 * 1024
/** Ranges so near to each other are one request: a round trip costs more. */
const GAP = 16 * 1024
/** Longest request that several reads are put into. */
const MAX_MERGED = 4 * 1024 * 1024

/** A folder on a web server. */
export class HttpDirectory implements Directory {
  /** The address, with a slash at its end. */
  readonly path: string
  readonly isRemote = true
  readonly #client: HttpRangeClient
  readonly #generation: number | undefined

  /**
   * @param address of the folder: http or https
   * @throws RangeError for any other address, or wrong numbers
   */
  constructor(address: string | URL, options: HttpDirectoryOptions = {}) {
    const url = URL.canParse(String(address)) ? new URL(address) : null
    if (url === null || !/^https?:$/.test(url.protocol)) throw new RangeError(`no http address: ${address}`)
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    url.hash = ''
    this.path = url.href
    this.#client = new HttpRangeClient(options)
    this.#generation = options.generation
  }

  /** What was transferred since the directory was made. */
  get traffic(): HttpTraffic {
    return this.#client.traffic
  }

  /** Only the newest commit point, as the pointer `segments.gen` tells it (or the option `generation`). */
  async list(): Promise<string[]> {
    if (this.#generation !== undefined) return [`segments_${this.#generation}`]
    try {
      return [`segments_${await readNewestCommit(this)}`]
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error
      throw new SpindleError(
        'INDEX_NOT_FOUND',
        `There is no index at ${this.path}, or it has no file segments.gen: check the address, and publish the index.`,
        { cause: error },
      )
    }
  }

  async open(name: string): Promise<FileInput> {
    const url = new URL(this.path)
    url.pathname += encodeURIComponent(name)
    return HttpInput.open(this.#client, name, url.href)
  }

  create(): Promise<void> {
    return this.#refuse()
  }

  createOutput(): Promise<FileOutput> {
    return this.#refuse()
  }

  rename(): Promise<void> {
    return this.#refuse()
  }

  sync(): Promise<void> {
    return this.#refuse()
  }

  syncDirectory(): Promise<void> {
    return this.#refuse()
  }

  delete(): Promise<void> {
    return this.#refuse()
  }

  obtainLock(): Promise<WriteLock> {
    return this.#refuse()
  }

  async #refuse(): Promise<never> {
    throw new SpindleError('READ_ONLY', `The index at ${this.path} is read over HTTP and cannot be written there.`)
  }
}

interface Wanted {
  readonly target: Uint8Array
  readonly from: number
  readonly to: number
  resolve(): void
  reject(error: unknown): void
}

class HttpInput implements FileInput {
  readonly name: string
  readonly length: number
  readonly #client: HttpRangeClient
  readonly #url: string
  readonly #head: HttpRange
  #tail: Promise<HttpRange> | null = null
  #wanted: Wanted[] = []
  #open = true

  private constructor(client: HttpRangeClient, name: string, url: string, head: HttpRange) {
    this.name = name
    this.length = head.fileLength
    this.#client = client
    this.#url = url
    this.#head = head
  }

  static async open(client: HttpRangeClient, name: string, url: string): Promise<HttpInput> {
    return new HttpInput(client, name, url, await client.range(url, 0, HEAD_LENGTH, null))
  }

  async read(target: Uint8Array, offset: number): Promise<void> {
    if (!this.#open) throw new SpindleError('INDEX_CLOSED', `The index file ${this.#url} was read after it was closed.`)
    const to = offset + target.length
    if (to > this.length) throw indexCorrupt(this.#url, this.length, `${to - this.length} more bytes`, 'the end')
    const { bytes } = this.#head
    if (to <= bytes.length) {
      target.set(bytes.subarray(offset, to))
      return
    }
    const tailAt = Math.max(0, this.length - TAIL_LENGTH)
    if (offset >= tailAt) {
      // The frame and most tables are there: asked for once, and kept.
      this.#tail ??= this.#client.range(this.#url, tailAt, this.length, this.#head).catch((error) => {
        this.#tail = null
        throw error
      })
      target.set((await this.#tail).bytes.subarray(offset - tailAt, to - tailAt))
      return
    }
    await new Promise<void>((resolve, reject) => {
      this.#wanted.push({ target, from: offset, to, resolve, reject })
      if (this.#wanted.length === 1) queueMicrotask(() => this.#send())
    })
  }

  async close(): Promise<void> {
    this.#open = false
  }

  /** Asks for what has come together: neighbours in one request. */
  #send(): void {
    const wanted = this.#wanted.sort((a, b) => a.from - b.from)
    this.#wanted = []
    for (let i = 0; i < wanted.length; ) {
      const { from } = wanted[i]
      let { to } = wanted[i]
      let end = i + 1
      while (end < wanted.length && wanted[end].from <= to + GAP && wanted[end].to - from <= MAX_MERGED) {
        to = Math.max(to, wanted[end].to)
        end++
      }
      const group = wanted.slice(i, end)
      this.#client.range(this.#url, from, to, this.#head).then(
        ({ bytes }) => {
          for (const one of group) {
            one.target.set(bytes.subarray(one.from - from, one.to - from))
            one.resolve()
          }
        },
        (error) => {
          for (const one of group) one.reject(error)
        },
      )
      i = end
    }
  }
}
