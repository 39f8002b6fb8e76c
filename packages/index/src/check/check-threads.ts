/**
 * The threads of a check: a task goes to the first one that is free. They share the open files of the process by their
 * descriptors, so that a writer that deletes files meanwhile does not disturb them. A thread costs about 40 ms and 10 MB.
 */
import { Worker } from 'node:worker_threads'
import type { SegmentCommit } from '../codec/commit-point.js'
import type { CheckedParts, CheckTask } from './check-parts.js'
import { runCheckTask } from './check-parts.js'
import type { HeldDirectory, HeldFile } from './held-directory.js'

/** To a thread. */
export interface CheckRequest {
  /** Of the index, for messages. */
  readonly path: string
  readonly files: readonly HeldFile[]
  readonly commit: SegmentCommit
  readonly task: CheckTask
}

/** Does the tasks of one check. */
export class CheckThreads {
  readonly #directory: HeldDirectory
  readonly #files: readonly HeldFile[] | null
  readonly #limit: number
  readonly #idle: Worker[] = []
  readonly #all: Worker[] = []
  readonly #waiting: ((worker: Worker) => void)[] = []

  /** @param limit most threads besides the calling one; 0, or a directory without descriptors: all is done by that */
  constructor(directory: HeldDirectory, limit: number) {
    this.#directory = directory
    this.#files = limit > 0 ? directory.descriptors() : null
    this.#limit = limit
  }

  /** Does a task. @throws Error where the thread died */
  async run(commit: SegmentCommit, task: CheckTask): Promise<CheckedParts> {
    if (this.#files === null) return runCheckTask(this.#directory, commit, task)
    const worker = await this.#take()
    try {
      const request: CheckRequest = { path: this.#directory.path, files: this.#files, commit, task }
      return await new Promise<CheckedParts>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
        worker.once('exit', (code) => reject(new Error(`the thread of a check ended with code ${code}`)))
        worker.postMessage(request)
      })
    } finally {
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
      // What is left of a dying thread must not end the process.
      worker.on('error', () => {})
      this.#give(worker)
    }
  }

  /** Ends the threads. */
  async stop(): Promise<void> {
    await Promise.all(this.#all.map((worker) => worker.terminate()))
  }

  async #take(): Promise<Worker> {
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#all.length < this.#limit) {
      const worker = new Worker(new URL('./check-worker.js', import.meta.url), { stdin: false })
      this.#all.push(worker)
      return worker
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #give(worker: Worker): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(worker)
    else next(worker)
  }
}
