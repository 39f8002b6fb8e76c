/** A map that holds a number of bytes at most and throws away what was not used for the longest time. */

interface Entry<V> {
  readonly value: V
  readonly bytes: number
}

/** Bytes of an entry beside its text: objects, headers of strings, the slot in the map. */
const OVERHEAD = 1_000

/** A least-recently-used cache; look-ups and insertions take constant time. */
export class LruCache<K, V> {
  readonly #maxBytes: number
  /** A Map keeps the order of insertion: what is used is inserted again. */
  readonly #entries = new Map<K, Entry<V>>()
  #bytes = 0

  /** @param maxBytes as held in memory, about */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Bytes held, about. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /**
   * Keeps a value; one that would take a quarter of the room or more is not kept.
   * @param textLength UTF-16 units of all text in the key and the value
   */
  set(key: K, value: V, textLength: number): void {
    const bytes = 2 * textLength + OVERHEAD
    if (bytes * 4 > this.#maxBytes) return
    this.#bytes += bytes - (this.#entries.get(key)?.bytes ?? 0)
    this.#entries.delete(key)
    this.#entries.set(key, { value, bytes })
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#entries.delete(oldest)
      this.#bytes -= entry.bytes
    }
  }
}
