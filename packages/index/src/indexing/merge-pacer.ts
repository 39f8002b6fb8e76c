/**
 * What a merge asks between two pieces of work: whether it is to end, whether it writes faster than allowed, and whether
 * the event loop has waited long enough. The flag to end lies in shared memory, so that it reaches a merge in a worker
 * without a message.
 */
import { setTimeout } from 'node:timers/promises'
import type { Directory, FileOutput } from '../store/directory.js'
import { type Pace, Yielder } from './yielder.js'

/** Sleeps are cut into pieces of so many milliseconds, so that the end of the writer is noticed. */
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
  readonly #bytesPerSecond: number
  readonly #since = performance.now()
  #written = 0

  /**
   * @param aborted one word of shared memory; other than 0: end
   * @param bytesPerSecond limit of what is written, Infinity for none
   */
  constructor(aborted: Int32Array, bytesPerSecond: number) {
    this.#aborted = aborted
    this.#bytesPerSecond = bytesPerSecond
  }

  /** @throws MergeAborted */
  async maybeYield(): Promise<void> {
    this.#check()
    await this.#yielder.maybeYield()
    if (this.#bytesPerSecond === Number.POSITIVE_INFINITY) return
    for (;;) {
      const ahead = (this.#written / this.#bytesPerSecond) * 1000 - (performance.now() - this.#since)
      if (ahead < MIN_SLEEP_MS) return
      await setTimeout(Math.min(ahead, MAX_SLEEP_MS))
      this.#check()
    }
  }

  /** The directory, with what is written into it counted. */
  counting(directory: Directory): Directory {
    if (this.#bytesPerSecond === Number.POSITIVE_INFINITY) return directory
    const createOutput = async (name: string): Promise<FileOutput> => {
      const output = await directory.createOutput(name)
      return {
        name,
        write: (bytes) => {
          this.#written += bytes.length
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
