/**
 * Picks what is fetched next: an address that is to be tried again before a new one, of the host whose turn politeness says
 * it is; in ordered mode the first address of all, when its host's turn has come. O(log n) an address.
 */
import type { Politeness } from './politeness.js'
import { type Job, Retries } from './retries.js'
import type { Workload } from './workload.js'

/** See the head of this file. */
export class JobPicker {
  readonly #workload: Workload
  readonly #politeness: Politeness
  readonly #ordered: boolean
  readonly #retries = new Retries()
  /** Claimed in ordered mode, waiting for its host's turn. */
  #held: Job | undefined
  #offers = 0

  /** @param ordered one fetch at a time, in an order that is the same each time */
  constructor(workload: Workload, politeness: Politeness, ordered: boolean) {
    this.#workload = workload
    this.#politeness = politeness
    this.#ordered = ordered
  }

  /** True where nothing is waiting and nothing is in hand to be tried again. */
  get isEmpty(): boolean {
    return this.#workload.counts().waiting + this.#retries.size === 0 && this.#held === undefined
  }

  /** Tells that a host has waiting addresses. */
  offer(host: string): void {
    this.#offers++
    this.#politeness.offer(host)
  }

  /** Keeps an address in hand until its host's turn comes again. */
  tryAgain(job: Job): void {
    this.#retries.add(job)
    this.offer(job.url.host)
  }

  /** The next address, its request counted as begun; undefined where none may be fetched now. */
  next(): Promise<Job | undefined> {
    return this.#ordered ? this.#firstOfAll() : this.#nextOfHosts()
  }

  /** Milliseconds until {@link next} may have one; undefined where no host that answers has any. */
  nextIn(): number | undefined {
    if (!this.#ordered) return this.#politeness.nextIn()
    return this.#held === undefined ? undefined : this.#politeness.waitFor(this.#held.url.host)
  }

  /** Puts back what is in hand, of one host where one is given: it is waiting again. */
  async putBack(host?: string): Promise<void> {
    for (const name of host === undefined ? this.#retries.hosts() : [host]) {
      for (let job = this.#retries.take(name); job !== undefined; job = this.#retries.take(name)) {
        await this.#workload.release(job.url.url)
      }
    }
    const held = this.#held
    if (held === undefined || (host !== undefined && held.url.host !== host)) return
    this.#held = undefined
    await this.#workload.release(held.url.url)
  }

  /** The next address of the next host whose turn it is. */
  async #nextOfHosts(): Promise<Job | undefined> {
    for (;;) {
      const host = this.#politeness.take()
      if (host === undefined) return undefined
      const retry = this.#retries.take(host)
      if (retry !== undefined) return retry
      const offers = this.#offers
      const url = await this.#workload.claim(host)
      if (url !== undefined) return { url, tries: 0 }
      // An offer that came while we asked must not be lost.
      if (offers === this.#offers) this.#politeness.withdraw(host)
      else this.#politeness.postpone(host)
    }
  }

  async #firstOfAll(): Promise<Job | undefined> {
    let job = this.#held
    this.#held = undefined
    if (job === undefined) {
      const parked = new Set(this.#politeness.parked())
      for (const host of this.#retries.hosts()) job ??= parked.has(host) ? undefined : this.#retries.take(host)
      const url = job === undefined ? await this.#workload.claim(undefined, parked) : undefined
      if (url !== undefined) job = { url, tries: 0 }
    }
    if (job === undefined) return undefined
    if (this.#politeness.waitFor(job.url.host) > 0) {
      this.#held = job
      return undefined
    }
    this.#politeness.begin(job.url.host)
    return job
  }
}
