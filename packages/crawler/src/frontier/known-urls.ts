/**
 * A bounded memory of addresses that are in the frontier for certain, so that the links every page of a site repeats
 * cost no query. Direct-mapped: a newer address takes the slot of an older one. At most 65,536 strings.
 */
import { urlKey } from './url-key.js'

const SLOTS = 65_536

/** See the head of this file. */
export class KnownUrls {
  #urls: (string | undefined)[] = new Array(SLOTS)
  readonly #depths = new Int32Array(SLOTS)
  readonly #priorities = new Float64Array(SLOTS)

  /** True where the address is known with this depth and number or lesser ones; false where that is not certain. */
  has(url: string, depth: number, priority: number): boolean {
    const slot = slotOf(url)
    return this.#urls[slot] === url && this.#depths[slot]! <= depth && this.#priorities[slot]! <= priority
  }

  set(url: string, depth: number, priority: number): void {
    const slot = slotOf(url)
    // A copy: a string cut from a page would keep the whole page in memory.
    this.#urls[slot] = Buffer.from(url, 'utf8').toString('utf8')
    this.#depths[slot] = depth
    this.#priorities[slot] = priority
  }

  /** Makes the address uncertain. */
  forget(url: string): void {
    const slot = slotOf(url)
    if (this.#urls[slot] === url) this.#urls[slot] = undefined
  }

  clear(): void {
    this.#urls = new Array(SLOTS)
  }
}

function slotOf(url: string): number {
  return urlKey(url, 0) % SLOTS
}
