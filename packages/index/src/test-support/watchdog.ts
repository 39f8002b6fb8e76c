/** Ends a test in which one step never ends, and says which: a loop without end lets nothing else of the process run. */
import { isMainThread, Worker, workerData } from 'node:worker_threads'

interface Watched {
  readonly cells: SharedArrayBuffer
  readonly message: string
  readonly seconds: number
}

/** Watches from a thread of its own. */
export class Watchdog {
  readonly #step: Int32Array
  readonly #worker: Worker

  /** @param message how to do the step again; its number comes behind. @param seconds that a step may take */
  constructor(message: string, seconds = 60) {
    const cells = new SharedArrayBuffer(4)
    this.#step = new Int32Array(cells)
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { cells, message, seconds } satisfies Watched })
    this.#worker.unref()
  }

  /** The next step begins. */
  begin(step: number): void {
    Atomics.store(this.#step, 0, step)
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

if (!isMainThread) {
  const { cells, message, seconds } = workerData as Watched
  const step = new Int32Array(cells)
  let last = -1
  setInterval(() => {
    const now = Atomics.load(step, 0)
    if (now === last) {
      process.stderr.write(`${message}${now} has not ended after ${seconds} s\n`)
      process.kill(process.pid, 'SIGKILL')
    }
    last = now
  }, seconds * 1000)
}
