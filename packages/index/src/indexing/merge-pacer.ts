/**
 * What a merge asks between two pieces of work: whether it is to end, whether it writes faster than allowed, and whether
 * the event loop has waited long enough. The flag to end lies in shared memory, so that it reaches a merge in a worker
 * without a message.
 */
import { setTimeout } from 'node:timers/promises'
import type { Directory, FileOutput } from '../store/directory.js'
import { NO_LIMIT } from './merge-rate.js'
import { type Pace, Yielder } from './yielder.js'

/** Sleeps are cut into pieces of so many milliseconds, so that the end of the writer and another rate are noticed. */
const MAX_SLEEP_MS = 50
/** Shorter ones are saved up. */
const MIN_SLEEP_MS = 5

/** Thrown inside of a merge whose writer is ending. */
export class MergeAborted extends Error {
  constructor() {
    super('the merge was given up')
    this.name = 'MergeAborted'
  }
}

/** Sets the pace of one merge. */
export class MergePacer implements Pace {
  readonly #yielder = new Yielder()
  readonly #aborted: Int32Array
  readonly #rate: Int32Array
  /** Bytes written that the rate did not allow yet, at the moment `#at`. */
  #ahead = 0
  #at = performance.now()

  /**
   * @param aborted one word of shared memory; other than 0: end
   * @param rate one word, which may change: KiB a second, or {@link NO_LIMIT}
   */
  constructor(aborted: Int32Array, rate: Int32Array) {
    this.#aborted = aborted
    this.#rate = rate
  }

  /** @throws MergeAborted */
  async maybeYield(): Promise<void> {
    this.#check()
    await this.#yielder.maybeYield()
    for (;;) {
      const bytesPerMs = (Atomics.load(this.#rate, 0) * 1024) / 1000
      const now = performance.now()
      this.#ahead = Math.max(0, this.#ahead - (now - this.#at) * bytesPerMs)
      this.#at = now
      if (Atomics.load(this.#rate, 0) === NO_LIMIT) this.#ahead = 0
      const early = this.#ahead / bytesPerMs
      if (early < MIN_SLEEP_MS) return
      await setTimeout(Math.min(early, MAX_SLEEP_MS))
      this.#check()
    }
  }

  /** The directory, with what is written into it counted. */
  counting(directory: Directory): Directory {
    const createOutput = async (name: string): Promise<FileOutput> => {
      const output = await directory.createOutput(name)
      return {
        name,
        write: (bytes) => {
          this.#ahead += bytes.length
          output.write(bytes)
        },
        close: () => output.close(),
      }
    }
    return new Proxy(directory, {
      get(target, key) {
        if (key === 'createOutput') return createOutput
        const value: unknown = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #check(): void {
    if (Atomics.load(this.#aborted, 0) !== 0) throw new MergeAborted()
  }
}
