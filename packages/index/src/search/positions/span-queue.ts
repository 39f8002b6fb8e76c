/** Goes through several lists of stretches at once: a binary heap of lists by the stretch that each stands on. */
import type { Spans } from './spans.js'

/** The list whose stretch begins first is on top, of two that begin alike the one whose stretch ends first. */
export class SpanQueue {
  size = 0
  readonly #lists: readonly Spans[]
  /** Index of the current stretch of each list. */
  readonly #at: Int32Array
  readonly #heap: Int32Array

  constructor(lists: readonly Spans[]) {
    this.#lists = lists
    this.#at = new Int32Array(lists.length)
    this.#heap = new Int32Array(lists.length)
  }

  /** Lists that are looked at when the one on top moves on, about. */
  get depth(): number {
    return 32 - Math.clz32(this.size)
  }

  clear(): void {
    this.size = 0
  }

  /** Puts a list in, at its first stretch. */
  push(list: number): void {
    this.#at[list] = 0
    const heap = this.#heap
    let at = this.size++
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#before(list, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = list
  }

  /** The list on top. */
  get #top(): number {
    return this.#heap[0]!
  }

  /** Of the stretch on top. */
  get start(): number {
    return this.#lists[this.#top]!.starts[this.#at[this.#top]!]!
  }

  get end(): number {
    return this.#lists[this.#top]!.ends[this.#at[this.#top]!]!
  }

  get distance(): number {
    return this.#lists[this.#top]!.distances[this.#at[this.#top]!]!
  }

  /** Moves the list on top to its next stretch, or takes it out where there is none. @returns the list */
  next(): number {
    const list = this.#top
    if (++this.#at[list]! < this.#lists[list]!.length) this.#sink(list)
    else if (--this.size > 0) this.#sink(this.#heap[this.size]!)
    return list
  }

  /** Index of the current stretch of a list. */
  at(list: number): number {
    return this.#at[list]!
  }

  #before(a: number, b: number): boolean {
    const first = this.#lists[a]!
    const second = this.#lists[b]!
    const i = this.#at[a]!
    const j = this.#at[b]!
    const difference = first.starts[i]! - second.starts[j]!
    return difference < 0 || (difference === 0 && first.ends[i]! < second.ends[j]!)
  }

  #sink(list: number): void {
    const heap = this.#heap
    const { size } = this
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && this.#before(heap[child + 1]!, heap[child]!)) child++
      if (!this.#before(heap[child]!, list)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = list
  }
}
