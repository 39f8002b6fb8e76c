/**
 * A cap on the bytes that all connections together receive in a second. Each piece that has come is paid for by a wait before
 * the next one is read, so the rate is smooth and the cap holds on average over any second; TCP makes the servers wait in turn.
 * (A leaky bucket kept as one number, the time when the line is free again: the generic cell rate algorithm, ITU-T I.371.)
 */

/** Time that may be caught up after an idle while, milliseconds. */
const BURST_MS = 100

/** See the head of this file. */
export class Bandwidth {
  readonly #bytesPerMs: number
  readonly #now: () => number
  #freeAt = Number.NEGATIVE_INFINITY

  /**
   * @param bytesPerSecond the cap
   * @param now clock, milliseconds; default the monotonic one
   */
  constructor(bytesPerSecond: number, now: () => number = () => performance.now()) {
    this.#bytesPerMs = bytesPerSecond / 1000
    this.#now = now
  }

  /** Books bytes that have come. @returns milliseconds to wait before more are read */
  take(bytes: number): number {
    const now = this.#now()
    this.#freeAt = Math.max(this.#freeAt, now - BURST_MS) + bytes / this.#bytesPerMs
    return Math.max(0, this.#freeAt - now)
  }
}

/** A rate as people write it: `500000`, `500k`, `2M` (k, M and G are 1024 to the powers); undefined where it is none. */
export function parseRate(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)([kmg]?)$/i.exec(text.trim())
  if (match === null) return undefined
  const rate = Math.floor(Number(match[1]) * 1024 ** ['', 'k', 'm', 'g'].indexOf(match[2]!.toLowerCase()))
  return rate >= 1 ? rate : undefined
}
