/** Copies of robots.txt kept with the queues, so that a server in trouble is crawled by its last rules in a later process, too. */
import type { Workload } from '../frontier/workload.js'
import type { RobotsMemory } from './robots-cache.js'

/** Bytes of a file that is kept; larger ones are rare, and end with the process. */
const MAX_BYTES = 16 * 1024
/** Origins of a run whose files are kept: what is kept is in memory while the queues are open. */
const MAX_ORIGINS = 1000
const META = 'robots.'

/** See the head of this file. */
export class WorkloadRobotsMemory implements RobotsMemory {
  readonly #workload: Pick<Workload, 'meta' | 'setMeta'>
  #written = 0

  constructor(workload: Pick<Workload, 'meta' | 'setMeta'>) {
    this.#workload = workload
  }

  read(origin: string): { body: Buffer; at: number } | undefined {
    const [at, body] = this.#workload.meta(META + origin)?.split(' ', 2) ?? []
    return body === undefined ? undefined : { at: Number(at), body: Buffer.from(body, 'base64') }
  }

  async write(origin: string, body: Buffer, at: number): Promise<void> {
    if (body.length > MAX_BYTES || this.#written >= MAX_ORIGINS) return
    this.#written++
    await this.#workload.setMeta(META + origin, `${at} ${body.toString('base64')}`)
  }
}
