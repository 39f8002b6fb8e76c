/** Bytes of a stream by lines and by number, with no more of it in memory than was asked for. */

/** The stream ended before what was asked for. */
export class EndOfBytes extends Error {
  constructor() {
    super('the bytes end')
  }
}

/** See the head of this file. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #check: (received: number) => void
  #chunk: Buffer = Buffer.alloc(0)
  #at = 0
  #received = 0
  #failure: { error: unknown } | undefined

  /** @param check told how many bytes have come so far; throws where there are too many */
  constructor(stream: AsyncIterable<Buffer>, check: (received: number) => void = () => {}) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#check = check
  }

  /** True where no byte is left. */
  async isAtEnd(): Promise<boolean> {
    return !(await this.#more())
  }

  /**
   * A line without its end (LF or CRLF), bytes as Latin-1.
   * @throws EndOfBytes where there is no line end; RangeError where the line is longer than `max` bytes
   */
  async line(max: number): Promise<string> {
    const parts: Buffer[] = []
    let size = 0
    for (;;) {
      if (!(await this.#more())) throw new EndOfBytes()
      const end = this.#chunk.indexOf(0x0a, this.#at)
      const part = this.#chunk.subarray(this.#at, end < 0 ? undefined : end)
      size += part.length
      if (size > max) throw new RangeError(`a line of more than ${max} bytes`)
      parts.push(part)
      this.#at += part.length + (end < 0 ? 0 : 1)
      if (end >= 0) return Buffer.concat(parts).toString('latin1').replace(/\r$/, '')
    }
  }

  /** The next bytes. @throws EndOfBytes where there are fewer */
  async bytes(count: number): Promise<Buffer> {
    const parts: Buffer[] = []
    await this.#pass(count, (part) => parts.push(part))
    return Buffer.concat(parts)
  }

  /** Leaves bytes out. @throws EndOfBytes where there are fewer */
  skip(count: number): Promise<void> {
    return this.#pass(count, () => {})
  }

  async #pass(count: number, use: (part: Buffer) => void): Promise<void> {
    for (let left = count; left > 0; ) {
      if (!(await this.#more())) throw new EndOfBytes()
      const part = this.#chunk.subarray(this.#at, this.#at + left)
      use(part)
      this.#at += part.length
      left -= part.length
    }
  }

  /** Has at least one byte at hand, or says that there is none. An error of the stream comes after the bytes before it. */
  async #more(): Promise<boolean> {
    while (this.#at >= this.#chunk.length) {
      if (this.#failure !== undefined) throw this.#failure.error
      let next: IteratorResult<Buffer>
      try {
        next = await this.#chunks.next()
      } catch (error) {
        this.#failure = { error }
        throw error
      }
      if (next.done === true) return false
      this.#chunk = next.value
      this.#at = 0
      this.#received += next.value.length
      this.#check(this.#received)
    }
    return true
  }

  /** Ends the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
