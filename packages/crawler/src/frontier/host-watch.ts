/** Sets hosts aside that do not answer, and remembers why: they are asked again later, but do not keep the crawl running. */
import type { SpiderEvent } from '../spider-events.js'
import type { JobPicker } from './job-picker.js'
import type { Politeness } from './politeness.js'

/** Addresses of a host failing in a row through its fault after which it is set aside. */
export const MAX_HOST_FAILURES = 5
const HOST_FAILURE_PARK_MS = 30 * 60_000
const ROBOTS_PARK_MS = 5 * 60_000

/** See the head of this file. */
export class HostWatch {
  readonly #politeness: Politeness
  readonly #picker: JobPicker
  readonly #emit: (event: SpiderEvent) => void
  readonly #unavailable = new Map<string, string>()

  constructor(politeness: Politeness, picker: JobPicker, emit: (event: SpiderEvent) => void) {
    this.#politeness = politeness
    this.#picker = picker
    this.#emit = emit
  }

  /** Hosts that do not answer, with what happened. */
  get unavailable(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#unavailable)
  }

  /** An answer came that is no fault of the server. */
  answered(host: string): void {
    this.#politeness.succeeded(host)
    this.#unavailable.delete(host)
  }

  /** An address ended through the fault of its host. */
  async failed(host: string, disposition: string): Promise<void> {
    if (this.#politeness.failed(host) < MAX_HOST_FAILURES || this.#politeness.isParked(host)) return
    await this.#setAside(host, `${MAX_HOST_FAILURES} addresses in a row failed (${disposition})`, HOST_FAILURE_PARK_MS)
  }

  /** Without robots.txt nothing may be fetched. */
  robotsFailed(host: string, fault: string, retryAfterMs = 0): Promise<void> {
    const waitMs = Math.max(ROBOTS_PARK_MS, retryAfterMs)
    return this.#setAside(host, `its robots.txt could not be fetched (${fault})`, waitMs)
  }

  /** The host wants to be left alone for so long that the crawl does not wait for it. */
  asksToWait(host: string, reason: string, waitMs: number): Promise<void> {
    return this.#setAside(
      host,
      `it asks to be left alone for ${Math.round(waitMs / 60_000)} minutes (${reason})`,
      waitMs,
    )
  }

  async #setAside(host: string, reason: string, waitMs: number): Promise<void> {
    this.#politeness.park(host, waitMs)
    await this.#picker.putBack(host)
    if (this.#unavailable.has(host)) return
    this.#unavailable.set(host, reason)
    this.#emit({ type: 'unavailable', host, reason, waitMs })
  }
}
