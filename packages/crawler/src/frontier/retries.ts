/** Addresses in hand that will be tried again, by host. They are running as far as the workload is concerned. */
import type { ClaimedUrl } from './workload.js'

/** An address in hand. */
export interface Job {
  readonly url: ClaimedUrl
  /** How often it was asked for. */
  tries: number
  /** True where the server answered a conditional request with something odd: asked again without conditions. */
  unconditional?: boolean
}

/** See the head of this file. */
export class Retries {
  readonly #jobs = new Map<string, Job[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Hosts that have any. */
  hosts(): string[] {
    return [...this.#jobs.keys()]
  }

  add(job: Job): void {
    const jobs = this.#jobs.get(job.url.host)
    if (jobs === undefined) this.#jobs.set(job.url.host, [job])
    else jobs.push(job)
    this.#size++
  }

  /** The one of a host that came first, or undefined. */
  take(host: string): Job | undefined {
    const jobs = this.#jobs.get(host)
    const job = jobs?.shift()
    if (job !== undefined) this.#size--
    if (jobs?.length === 0) this.#jobs.delete(host)
    return job
  }
}
