/**
 * What hosts asked for, from process to process: the delay of robots.txt, the wait of a Retry-After, and after a process that
 * could close nothing one delay from the start on, for nobody knows when it sent its last request.
 */
import type { Politeness } from './politeness.js'
import type { Workload } from './workload.js'

/** Whether the last process has written down what {@link HostMemory.save} says. */
const IS_SAVED = 'politeness.saved'

/** See the head of this file. */
export class HostMemory {
  readonly #workload: Workload
  readonly #politeness: Politeness
  readonly #now: () => number
  readonly #delays = new Map<string, number>()

  constructor(workload: Workload, politeness: Politeness, now: () => number) {
    this.#workload = workload
    this.#politeness = politeness
    this.#now = now
  }

  /** Takes up what is kept; before the first request. */
  async restore(): Promise<void> {
    const now = this.#now()
    for (const [host, { delayMs, pausedUntil }] of await this.#workload.hostTimes()) {
      if (delayMs > 0) {
        this.#delays.set(host, delayMs)
        this.#politeness.setCrawlDelay(host, delayMs)
      }
      if (pausedUntil > now) this.#politeness.pause(host, pausedUntil - now)
    }
    if (this.#workload.meta(IS_SAVED) === 'no') {
      for (const host of await this.#workload.waitingHosts()) this.#politeness.touched(host)
    }
    await this.#workload.setMeta(IS_SAVED, 'no')
  }

  /** The delay that a host's robots.txt asks for; 0 for none. */
  async delay(host: string, delayMs: number): Promise<void> {
    this.#politeness.setCrawlDelay(host, delayMs)
    if ((this.#delays.get(host) ?? 0) === delayMs) return
    this.#delays.set(host, delayMs)
    await this.#workload.setHostTimes(host, { delayMs, pausedUntil: 0 })
  }

  /** A host told to wait. */
  async pause(host: string, waitMs: number): Promise<void> {
    await this.#keep(host, this.#now() + waitMs)
  }

  /** Writes down until when which host is not to be asked; when no request is under way any more. */
  async save(): Promise<void> {
    for (const [host, readyAt] of this.#politeness.notReady()) await this.#keep(host, readyAt)
    await this.#workload.setMeta(IS_SAVED, 'yes')
  }

  async #keep(host: string, pausedUntil: number): Promise<void> {
    await this.#workload.setHostTimes(host, { delayMs: this.#delays.get(host) ?? 0, pausedUntil })
  }
}
