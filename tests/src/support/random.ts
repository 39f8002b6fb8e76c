/** Random numbers that can be had again from their seed. */

/** mulberry32: small, good enough for tests. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 0 ≤ x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 0x100000000
  }

  /** A whole number, 0 ≤ x < limit */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** true as often as the share says. */
  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!
  }
}
