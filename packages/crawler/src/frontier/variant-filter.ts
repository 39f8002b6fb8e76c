/**
 * Which variant keys (`variantOf`) are certainly not in the frontier: a Bloom filter of fixed size, so that the pages of a site
 * that has no variants, nearly all of them, cost no query. Bits are only ever set; a page that is gone leaves its bits.
 */

/** Bits; with two a key, one in six hundred is in doubt at 100,000 keys. */
const BITS = 2 ** 22

/** See the head of this file. Keys are 0 … 2^53 − 1, evenly spread. */
export class VariantFilter {
  readonly #words = new Uint32Array(BITS / 32)

  add(key: number): void {
    const low = key % BITS
    const high = Math.floor(key / BITS) % BITS
    this.#words[low >>> 5]! |= 1 << (low & 31)
    this.#words[high >>> 5]! |= 1 << (high & 31)
  }

  /** False where the key was never added. */
  mayHave(key: number): boolean {
    const low = key % BITS
    const high = Math.floor(key / BITS) % BITS
    return (this.#words[low >>> 5]! & (1 << (low & 31))) !== 0 && (this.#words[high >>> 5]! & (1 << (high & 31))) !== 0
  }
}
