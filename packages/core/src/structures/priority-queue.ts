/** A binary heap: the least element first, by the comparison given. */
export class PriorityQueue<T> {
  readonly #before: (a: T, b: T) => boolean
  readonly #heap: T[] = []

  /** @param before true where `a` leaves the queue before `b` */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#heap.length
  }

  /** The element that leaves next, or undefined. */
  peek(): T | undefined {
    return this.#heap[0]
  }

  push(element: T): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(element)
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (!this.#before(element, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = element
  }

  pop(): T | undefined {
    const top = this.#heap[0]
    const last = this.#heap.pop()
    if (last !== undefined && this.#heap.length > 0) this.#sink(last)
    return top
  }

  /** `pop` and `push` in one step. @returns what left the queue */
  replaceTop(element: T): T | undefined {
    const top = this.#heap[0]
    if (top === undefined) this.#heap.push(element)
    else this.#sink(element)
    return top
  }

  #sink(element: T): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && this.#before(heap[child + 1]!, heap[child]!)) child++
      if (!this.#before(heap[child]!, element)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = element
  }
}
