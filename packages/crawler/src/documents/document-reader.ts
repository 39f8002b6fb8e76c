/**
 * Reads documents in a thread of their own, one after the other, each within limits of time and memory. A document may be made to
 * loop, to fill the memory or to crash its reader: the thread is ended then and the next document gets a new one. It is started with
 * the first document and ended when none has come for a while.
 *
 * V8 keeps the heap of a thread within bounds, but not the buffers outside of it: so the size of the process is looked at ten times a
 * second while a document is read, and a document under which it grows by more than {@link MAX_GROWTH} is given up.
 */

import { Worker } from 'node:worker_threads'
import type { DocumentAnswer, DocumentRequest } from './document-worker.js'
import { DocumentError, type DocumentFault, type DocumentFormat, type ExtractedDocument } from './extracted-document.js'

/** Limits of a {@link DocumentReader}. */
export interface DocumentLimits {
  /** milliseconds for one document; default 30,000 */
  readonly timeout?: number
  /** MiB of heap of the thread; default 256 */
  readonly heap?: number
}

/** A document to read. */
export interface DocumentBody {
  readonly format: DocumentFormat
  readonly bytes: Buffer
  readonly url: string
  readonly charsetLabel?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** Bytes by which the process may grow under one document, the heap of the thread included. */
export const MAX_GROWTH = 512 * 1024 * 1024
const LOOK_EVERY_MS = 100
/** From this part of the time on an extractor is content with what it has. */
const ENOUGH = 0.7
const IDLE_MS = 10_000
/** Documents after which a thread is replaced: what a library keeps of each adds up. */
const MAX_DOCUMENTS = 500

interface Pending {
  readonly body: DocumentBody
  readonly resolve: (document: ExtractedDocument | null) => void
  readonly reject: (error: unknown) => void
}

/** See the head of this file. */
export class DocumentReader {
  readonly #timeout: number
  readonly #heap: number
  readonly #line: Pending[] = []
  #worker: Worker | undefined
  #documents = 0
  #busy = false
  #closed = false
  #idle: NodeJS.Timeout | undefined
  /** gives up the document in hand */
  #giveUp: ((error: unknown) => void) | undefined

  constructor({ timeout = 30_000, heap = 256 }: DocumentLimits = {}) {
    this.#timeout = timeout
    this.#heap = heap
  }

  /** True while there is a thread. */
  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /**
   * Reads a document; null where it turns out to be none that is read.
   * @throws DocumentError why it cannot be read; the reason of the signal where that comes first
   */
  read(body: DocumentBody): Promise<ExtractedDocument | null> {
    if (this.#closed) return Promise.reject(new Error('the reader of documents is closed'))
    return new Promise((resolve, reject) => {
      this.#line.push({ body, resolve, reject })
      this.#next()
    })
  }

  /** Ends the thread; what is not read yet is rejected. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    const error = new Error('the reader of documents is closed')
    for (const { reject } of this.#line.splice(0)) reject(error)
    this.#giveUp?.(error)
    await this.#end()
  }

  #next(): void {
    if (this.#busy) return
    clearTimeout(this.#idle)
    const next = this.#line.shift()
    if (next === undefined) {
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref()
      return
    }
    this.#busy = true
    this.#run(next.body)
      .then(next.resolve, next.reject)
      .finally(() => {
        this.#busy = false
        if (!this.#closed) this.#next()
      })
  }

  async #run(body: DocumentBody): Promise<ExtractedDocument | null> {
    body.signal?.throwIfAborted()
    if (this.#documents >= MAX_DOCUMENTS) await this.#end()
    const worker = this.#start()
    this.#documents++
    let clear = (): void => {}
    try {
      return await new Promise((resolve, reject) => {
        clear = this.#watch(worker, body.signal, resolve, reject)
        // Given away, not copied: the caller keeps the original.
        const bytes = new Uint8Array(body.bytes)
        const { format, url, charsetLabel } = body
        const request: DocumentRequest = { format, bytes, url, charsetLabel, enoughAfter: this.#timeout * ENOUGH }
        worker.postMessage(request, [bytes.buffer])
      })
    } catch (error) {
      // A document that was told to be unreadable leaves the thread as it was; all else is over with it.
      if (!(error instanceof ToldFault)) await this.#end()
      throw error instanceof ToldFault ? new DocumentError(error.fault, error.message) : error
    } finally {
      clear()
    }
  }

  /** @returns what takes all listeners away again */
  #watch(
    worker: Worker,
    signal: AbortSignal | undefined,
    resolve: (document: ExtractedDocument | null) => void,
    reject: (error: unknown) => void,
  ): () => void {
    const before = process.memoryUsage.rss()
    const onMessage = (answer: DocumentAnswer): void => {
      if ('fault' in answer) reject(new ToldFault(answer.fault, answer.message))
      else resolve(answer.document)
    }
    const onError = (error: unknown): void => reject(toFault(error))
    const onExit = (): void => reject(new DocumentError('document-failed', 'its reader ended'))
    const onAbort = (): void => reject(signal?.reason)
    const timer = setTimeout(() => {
      reject(new DocumentError('document-timeout', `it was not read in ${this.#timeout / 1000} seconds`))
    }, this.#timeout)
    const look = setInterval(() => {
      if (process.memoryUsage.rss() - before <= MAX_GROWTH) return
      reject(new DocumentError('document-too-large', `reading it takes more than ${MAX_GROWTH} bytes`))
    }, LOOK_EVERY_MS)
    this.#giveUp = reject
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal?.addEventListener('abort', onAbort)
    return () => {
      clearTimeout(timer)
      clearInterval(look)
      this.#giveUp = undefined
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./document-worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#heap, maxYoungGenerationSizeMb: 32 },
      // What the program itself is started with would take a part of the memory.
      execArgv: [],
      // What libraries say of a document is none of the user's.
      stdout: true,
      stderr: true,
    })
    worker.stdout.resume()
    worker.stderr.resume()
    // One that fails between two documents is replaced.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
    })
    worker.unref()
    this.#documents = 0
    this.#worker = worker
    return worker
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}

/** What the thread itself found wrong with a document. */
class ToldFault extends Error {
  readonly fault: DocumentFault

  constructor(fault: DocumentFault, message: string) {
    super(message)
    this.fault = fault
  }
}

function toFault(error: unknown): DocumentError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new DocumentError('document-too-large', 'reading it takes more memory than a document may have', {
      cause: error,
    })
  }
  return new DocumentError('document-failed', `its reader failed (${message})`, { cause: error })
}
