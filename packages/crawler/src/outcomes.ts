/** What becomes of an address when its worker is done: tried again, put back, or counted, told and given to the batch. */
import type { CrawlScope } from './crawl-scope.js'
import type { Batch } from './frontier/batch.js'
import type { HostMemory } from './frontier/host-memory.js'
import type { HostWatch } from './frontier/host-watch.js'
import type { JobPicker } from './frontier/job-picker.js'
import type { Politeness } from './frontier/politeness.js'
import type { Job } from './frontier/retries.js'
import type { ClaimedUrl, Workload } from './frontier/workload.js'
import type { LinkSorter } from './link-sorter.js'
import type { PageRemoval } from './pages/stored-page.js'
import type { CrawlReport, DoubtfulPage } from './report/crawl-report.js'
import { dispositionOf } from './report/dispositions.js'
import type { SpiderCallbacks } from './spider-callbacks.js'
import type { SpiderEvent } from './spider-events.js'
import type { WorkResult } from './worker.js'

/** Pages in a doubtful encoding that the report names. */
const MAX_DOUBTFUL = 10
/** A host that asks for a longer wait does not keep the crawl running. */
const MAX_WAIT_MS = 10 * 60_000
/** Reasons that a seed's redirect may overcome. */
const FOLLOWED = new Set(['off-host', 'off-prefix'])

type Finished = Extract<WorkResult, { kind: 'finished' }>

/** What outcomes need. */
export interface OutcomesParts {
  readonly workload: Workload
  readonly politeness: Politeness
  readonly picker: JobPicker
  readonly hosts: HostWatch
  readonly memory: HostMemory
  readonly batch: Batch
  readonly scope: CrawlScope
  readonly sorter: LinkSorter
  readonly callbacks: SpiderCallbacks
  /** First wait before an address is tried again, milliseconds; doubles each time. */
  readonly retryDelay: number
  readonly emit: (event: SpiderEvent) => void
}

/** See the head of this file. The figures are those of this run. */
export class Outcomes {
  readonly #parts: OutcomesParts
  #pages = 0
  #fetched = 0
  #removed = 0
  #bytes = 0
  #charsetDoubts = 0
  readonly #doubtful: DoubtfulPage[] = []

  constructor(parts: OutcomesParts) {
    this.#parts = parts
  }

  /** Pages that came or were found to be as stored. */
  get pages(): number {
    return this.#pages
  }

  /** Answers of any kind. */
  get fetched(): number {
    return this.#fetched
  }

  /** Pages of earlier generations that are gone. */
  get removed(): number {
    return this.#removed
  }

  /** Body bytes received. */
  get bytes(): number {
    return this.#bytes
  }

  /** Pages that may have been read in the wrong encoding, and the first of them. */
  get doubts(): Pick<CrawlReport, 'charsetDoubts' | 'doubtful'> {
    return { charsetDoubts: this.#charsetDoubts, doubtful: this.#doubtful }
  }

  /** Takes one result. */
  async settle(job: Job, result: WorkResult): Promise<void> {
    const { workload, politeness, picker, hosts } = this.#parts
    const { url } = job
    switch (result.kind) {
      case 'finished':
        return this.#finish(url, result)
      case 'retry': {
        job.tries++
        const waitMs = Math.max(result.waitMs ?? 0, this.#parts.retryDelay * 2 ** (job.tries - 1))
        if (result.unconditional === true) job.unconditional = true
        politeness.pause(url.host, waitMs)
        if (result.waitMs !== undefined) await this.#parts.memory.pause(url.host, waitMs)
        if (waitMs > MAX_WAIT_MS) {
          await workload.release(url.url)
          await hosts.asksToWait(url.host, result.reason, waitMs)
        } else picker.tryAgain(job)
        this.#parts.emit({ type: 'retry', url: url.url, status: result.status, reason: result.reason, waitMs })
        return
      }
      case 'postponed':
        if (job.tries > 0) picker.tryAgain(job)
        else await workload.release(url.url)
        return
      case 'unavailable':
        await workload.release(url.url)
        await hosts.robotsFailed(url.host, result.fault, result.waitMs)
        return
      case 'aborted':
        await workload.release(url.url)
    }
  }

  async #finish(url: ClaimedUrl, result: Finished): Promise<void> {
    const { batch, hosts, callbacks } = this.#parts
    const { finished, page, bytes, location, doubt } = result
    const { queue, disposition, status } = finished
    if (status > 0) this.#fetched++
    this.#bytes += bytes
    if (dispositionOf(disposition).hasPage === true) this.#pages++
    if (doubt !== undefined) {
      this.#charsetDoubts++
      if (this.#doubtful.length < MAX_DOUBTFUL) this.#doubtful.push({ url: url.url, ...doubt })
    }
    // A seed that moved takes the crawl along, within its site (example.org → www.example.org).
    const moved = disposition === 'redirect' && url.depth === 0 && result.isList !== true ? location : undefined
    const links = moved === undefined ? finished : await this.#followSeed(url, result, moved)
    batch.add(links, { page, removal: this.#removal(url, result) })
    // What it says of pages that wait is to be known before they are asked for.
    if (disposition === 'sitemap') await batch.flushed()
    callbacks.completePage?.(finished, queue === 'error')
    this.#tell(url, result)
    if (result.hostFault) await hosts.failed(url.host, disposition)
    else if (status > 0) hosts.answered(url.host)
  }

  /** Where a page was stored in an earlier generation and is not kept, its end is stored. */
  #removal({ url, previous }: ClaimedUrl, { finished, page }: Finished): PageRemoval | undefined {
    if (previous?.page === undefined || page !== undefined || finished.keepsPage === true) return undefined
    this.#removed++
    return { url, removedAt: finished.finishedAt, reason: finished.disposition }
  }

  #tell({ url, depth }: ClaimedUrl, { finished, bytes, elapsedMs, location, truncated, doubt }: Finished): void {
    const { disposition, status } = finished
    const kind = dispositionOf(disposition).class
    if (kind === 'complete') {
      const more = {
        ...(location === undefined ? {} : { location }),
        ...(truncated === true ? { truncated } : {}),
        ...(doubt === undefined ? {} : { charsetDoubt: doubt.reason }),
      }
      this.#parts.emit({ type: 'fetched', url, status, disposition, depth, bytes, elapsedMs, ...more })
    } else this.#parts.emit({ type: kind, url, status, reason: disposition, depth })
  }

  async #followSeed(url: ClaimedUrl, { finished }: Finished, target: string) {
    const { scope, sorter } = this.#parts
    const refused = finished.skipped.find(({ reason }) => FOLLOWED.has(reason))
    if (refused === undefined || !(await scope.follow(url.url, target))) return finished
    return { ...finished, ...sorter.sortRedirect(url, target) }
  }
}
