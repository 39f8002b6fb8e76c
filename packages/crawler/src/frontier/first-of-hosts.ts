/** Of the first waiting addresses of all hosts the one that comes first: O(log hosts), with nothing to do before it is asked. */
import { PriorityQueue } from '@spindle/core'
import { isBefore, type Place } from './workload.js'

interface Entry<H> extends Place {
  readonly host: H
}

/** See the head of this file. */
export class FirstOfHosts<H> {
  readonly #headOf: (host: H) => Place | undefined
  /** An entry is stale when its host has another first address; then the host was marked as changed. */
  #queue = new PriorityQueue<Entry<H>>(isBefore)
  readonly #changed = new Set<H>()

  constructor(headOf: (host: H) => Place | undefined) {
    this.#headOf = headOf
  }

  /** To be told whenever the first waiting address of a host may have become another one. */
  changed(host: H): void {
    this.#changed.add(host)
  }

  clear(): void {
    this.#queue = new PriorityQueue<Entry<H>>(isBefore)
    this.#changed.clear()
  }

  /** @param isLeftOut hosts not to be asked */
  first(isLeftOut: (host: H) => boolean): H | undefined {
    for (const host of this.#changed) this.#push(host)
    this.#changed.clear()
    const leftOut: Entry<H>[] = []
    let first: H | undefined
    for (;;) {
      const top = this.#queue.peek()
      if (top === undefined) break
      const head = this.#headOf(top.host)
      if (head?.priority === top.priority && head.sequence === top.sequence) {
        if (!isLeftOut(top.host)) {
          first = top.host
          break
        }
        leftOut.push(top)
      }
      this.#queue.pop()
    }
    for (const entry of leftOut) this.#queue.push(entry)
    return first
  }

  #push(host: H): void {
    const head = this.#headOf(host)
    if (head !== undefined) this.#queue.push({ host, priority: head.priority, sequence: head.sequence })
  }
}
