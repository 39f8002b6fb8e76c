/**
 * A worker for merges, so that a large one takes no time from the event loop. It is started by the first merge that needs
 * it (about 40 ms and 10 MB) and ends after ten seconds without one.
 */
import { Worker } from 'node:worker_threads'
import { type ErrorCode, SpindleError } from '@spindle/core'
import type { SegmentInfo } from '../codec/segment-info.js'
import type { MergeJob } from './merge-job.js'
import { MergeAborted } from './merge-pacer.js'

/** To the worker. */
export interface MergeRequest {
  /** Folder of the index. */
  readonly path: string
  readonly job: MergeJob
  /** One word; other than 0: end. */
  readonly aborted: SharedArrayBuffer
  /** One word: how fast to write (merge-rate.ts). */
  readonly rate: SharedArrayBuffer
}

/** From the worker. */
export type MergeAnswer =
  | { readonly info: SegmentInfo }
  | { readonly aborted: true }
  | { readonly failure: { readonly code: ErrorCode | null; readonly message: string; readonly stack: string } }

const IDLE_MS = 10_000
/** What a merge leaves behind in a moment is dead the next: a small nursery costs no time, and saves some 30 MB. */
const LIMITS = { maxYoungGenerationSizeMb: 4 }

/** Runs one merge at a time. */
export class MergeThread {
  #worker: Worker | null = null
  #idle: NodeJS.Timeout | null = null

  /** Whether the worker exists. */
  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Does a merge. @throws what {@link runMergeJob} throws; an error of the worker where it died */
  async run(request: MergeRequest): Promise<SegmentInfo> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    const worker =
      this.#worker ??
      new Worker(new URL('./merge-worker.js', import.meta.url), { stdin: false, resourceLimits: LIMITS })
    this.#worker = worker
    worker.ref()
    try {
      const answer = await new Promise<MergeAnswer>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
        worker.once('exit', (code) => reject(new Error(`the worker of a merge ended with code ${code}`)))
        worker.postMessage(request)
      })
      if ('info' in answer) return answer.info
      if ('aborted' in answer) throw new MergeAborted()
      const { code, message, stack } = answer.failure
      throw Object.assign(code === null ? new Error(message) : new SpindleError(code, message), { stack })
    } catch (error) {
      // A worker that died is not used again.
      if (!(error instanceof SpindleError || error instanceof MergeAborted)) await this.stop()
      throw error
    } finally {
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      // What is left of a dying worker must not end the process.
      worker.on('error', () => {})
      worker.unref()
      if (this.#worker !== null) this.#idle = setTimeout(() => void this.stop(), IDLE_MS).unref()
    }
  }

  /** Ends the worker. */
  async stop(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }
}
