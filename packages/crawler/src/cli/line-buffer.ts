/**
 * Lines gathered for a moment and written together: a write to a pipe is a system call, and a crawl has hundreds of events a
 * second (a twentieth of its CPU when each was written by itself).
 */

const INTERVAL_MS = 50
const MAX_CHARACTERS = 64 * 1024

/** See the head of this file. */
export class LineBuffer {
  readonly #stream: NodeJS.WritableStream
  #lines = ''
  #timer: NodeJS.Timeout | undefined

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream
  }

  /** Writes a line within 50 milliseconds. */
  write(line: string): void {
    this.#lines += `${line}\n`
    if (this.#lines.length >= MAX_CHARACTERS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS)
  }

  /** Writes what there is at once. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lines === '') return
    this.#stream.write(this.#lines)
    this.#lines = ''
  }
}
