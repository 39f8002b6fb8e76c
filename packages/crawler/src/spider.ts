/**
 * The run loop: takes addresses from the workload as politeness allows, lets workers fetch and parse them, writes what came
 * of them in batches, and ends when nothing is waiting or running.
 *
 * One process, one thread, `concurrency` fetches at a time. Memory does not grow with the crawl: waiting addresses are in
 * the workload, pages in the page store, and the index follows the page store at its own pace.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isHttpUrl, type Logger, normalizeUrl, nullLogger, parseUrl, SpindleError } from '@spindle/core'
import { CrawlScope } from './crawl-scope.js'
import { ByteBudget } from './fetch/byte-budget.js'
import { Fetcher } from './fetch/fetcher.js'
import { Batch } from './frontier/batch.js'
import { DirectoryTwins } from './frontier/directory-twins.js'
import { MemoryWorkload } from './frontier/memory-workload.js'
import { PoliteFetcher } from './frontier/polite-fetcher.js'
import { Politeness } from './frontier/politeness.js'
import { type Job, Retries } from './frontier/retries.js'
import type { ClaimedUrl, Workload } from './frontier/workload.js'
import { LinkSorter } from './link-sorter.js'
import { buildReport, type CrawlReport, type StopReason } from './report/crawl-report.js'
import { dispositionOf } from './report/dispositions.js'
import { RobotsCache } from './robots/robots-cache.js'
import type { SpiderEvent } from './spider-events.js'
import type { SpiderOptions, SpiderStats } from './spider-options.js'
import { type WorkerContext, type WorkResult, work } from './worker.js'

/** Times that an address is asked for. */
export const MAX_TRIES = 3
/** Addresses of a host failing in a row through its fault after which it is set aside. */
export const MAX_HOST_FAILURES = 5
/** Bytes of large bodies in memory at a time. */
const MAX_LARGE_BODIES = 16 * 1024 * 1024
const HOST_FAILURE_PARK_MS = 30 * 60_000
const ROBOTS_PARK_MS = 5 * 60_000

/** See the head of this file. */
export class Spider {
  readonly #options: SpiderOptions
  readonly #workload: Workload
  readonly #politeness: Politeness
  readonly #batch: Batch
  readonly #concurrency: number
  readonly #logger: Logger
  readonly #now: () => number
  readonly #abort = new AbortController()
  readonly #retries = new Retries()
  readonly #twins: DirectoryTwins
  readonly #unavailable = new Map<string, string>()
  readonly #scope: CrawlScope
  readonly #sorter: LinkSorter
  #context: WorkerContext | undefined
  /** Claimed in ordered mode, waiting for its host's turn. */
  #held: Job | undefined
  #inFlight = 0
  #offers = 0
  #pages = 0
  #storedBefore = 0
  #fetched = 0
  #bytes = 0
  #started = 0
  #state: 'new' | 'running' | 'stopping' | 'ended' = 'new'
  #paused = false
  #failure: { error: unknown } | undefined
  #wake: () => void = () => {}

  constructor(options: SpiderOptions) {
    this.#options = options
    this.#workload = options.workload ?? new MemoryWorkload()
    this.#twins = new DirectoryTwins(this.#workload)
    this.#concurrency = options.ordered === true ? 1 : (options.concurrency ?? 16)
    this.#now = options.now ?? Date.now
    // Every fetch in flight listens to it.
    setMaxListeners(0, this.#abort.signal)
    this.#logger = options.logger ?? nullLogger
    this.#politeness = new Politeness({
      delayMs: options.delay ?? 1000,
      connections: this.#concurrency,
      now: this.#now,
    })
    this.#scope = new CrawlScope(this.#workload, options)
    this.#sorter = new LinkSorter(this.#scope, options)
    this.#batch = new Batch(
      this.#workload,
      options.pages,
      ({ hosts }, state, pages) => {
        for (const host of hosts) this.#offer(host)
        if (state !== undefined) options.feed?.available(state, pages)
        this.#wake()
      },
      (error) => this.#fail(error),
    )
  }

  /** Figures of the crawl so far; O(1). */
  get stats(): SpiderStats {
    const counts = this.#workload.counts()
    const { waiting, running, complete, error } = counts
    const pages = this.#storedBefore + this.#pages
    return {
      waiting,
      running,
      complete,
      error,
      pages,
      fetched: this.#fetched,
      bytes: this.#bytes,
      inFlight: this.#inFlight,
    }
  }

  /**
   * Crawls until nothing is left, a limit is reached or it is stopped.
   * @throws SpindleError where a seed cannot be crawled, or the data folder cannot be written
   */
  async start(): Promise<CrawlReport> {
    if (this.#state !== 'new') throw new Error('a spider starts once')
    this.#state = 'running'
    this.#started = performance.now()
    const { fetcher, feed, signal } = this.#options
    const own = fetcher ?? this.#ownFetcher()
    const onAbort = () => void this.stop()
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) this.stop()
    feed?.onError((error) => this.#fail(error))
    try {
      this.#storedBefore = storedPages(this.#workload)
      await this.#addSeeds()
      this.#context = this.#workerContext(own)
      const reason = await this.#run()
      await this.#settle()
      await (reason === 'stopped' ? feed?.settle() : feed?.drain())
      this.#throwFailure()
      const report = this.#report(reason)
      this.#emit({ type: 'done', ...report })
      if (reason === 'finished') this.#options.spiderComplete?.()
      return report
    } finally {
      this.#state = 'ended'
      this.#abort.abort()
      signal?.removeEventListener('abort', onAbort)
      if (fetcher === undefined) await own.close()
    }
  }

  /** Begins no more fetches; those in flight may go on for `stopTimeout`. {@link start} resolves when all is written. */
  stop(): void {
    if (this.#state !== 'running') return
    this.#state = 'stopping'
    setTimeout(() => this.#abort.abort(), this.#options.stopTimeout ?? 10_000).unref()
    this.#wake()
  }

  /** Begins no more fetches until {@link resume}. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#wake()
  }

  async #run(): Promise<StopReason> {
    for (;;) {
      if (this.#inFlight === 0) this.#throwFailure()
      while (this.#mayStart()) {
        const job = await (this.#options.ordered === true ? this.#nextInOrder() : this.#next())
        if (job === undefined) break
        this.#inFlight++
        void this.#work(job)
      }
      // Nothing more can begin before the links found so far are known.
      if (this.#inFlight < this.#concurrency) this.#batch.flush()
      if (this.#inFlight > 0 || this.#batch.isBusy) {
        await this.#sleep(this.#mayStart() ? this.#nextIn() : undefined)
        continue
      }
      if (this.#state === 'stopping') return 'stopped'
      if (this.#workload.counts().waiting + this.#retries.size === 0 && this.#held === undefined) return 'finished'
      if (this.#isPageLimit()) return 'page-limit'
      const wait = this.#nextIn()
      if (wait === undefined && !this.#paused) return 'unavailable'
      await this.#sleep(this.#paused ? undefined : wait)
    }
  }

  #mayStart(): boolean {
    if (this.#state !== 'running' || this.#paused || this.#failure !== undefined) return false
    if (this.#inFlight >= this.#concurrency || this.#batch.isFull || this.#isPageLimit()) return false
    return this.#options.ordered !== true || !this.#batch.isBusy
  }

  #isPageLimit(): boolean {
    const { maxPages } = this.#options
    return maxPages !== undefined && this.#storedBefore + this.#pages + this.#inFlight >= maxPages
  }

  #nextIn(): number | undefined {
    if (this.#options.ordered !== true) return this.#politeness.nextIn()
    return this.#held === undefined ? undefined : this.#politeness.waitFor(this.#held.url.host)
  }

  /** The next address of the next host whose turn it is. */
  async #next(): Promise<Job | undefined> {
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

  /** The first address of all, whatever its host, when its host's turn has come. */
  async #nextInOrder(): Promise<Job | undefined> {
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

  /** One address from claim to batch. Never rejects. */
  async #work(job: Job): Promise<void> {
    const { host } = job.url
    try {
      const result = await work(job.url, job.tries + 1 >= MAX_TRIES, this.#context!)
      await this.#settleJob(job, result)
      if (result.kind === 'postponed' || result.kind === 'unavailable') this.#politeness.postpone(host)
      else this.#politeness.finished(host)
    } catch (error) {
      this.#politeness.finished(host)
      this.#fail(error)
    } finally {
      this.#inFlight--
      this.#wake()
    }
  }

  async #settleJob(job: Job, result: WorkResult): Promise<void> {
    const { url } = job
    switch (result.kind) {
      case 'finished':
        return this.#finish(url, result)
      case 'retry': {
        job.tries++
        const waitMs = Math.max(result.waitMs ?? 0, (this.#options.retryDelay ?? 1000) * 2 ** (job.tries - 1))
        this.#politeness.pause(url.host, waitMs)
        this.#keepForRetry(job)
        this.#emit({ type: 'retry', url: url.url, status: result.status, reason: result.reason, waitMs })
        return
      }
      case 'postponed':
        if (job.tries > 0) this.#keepForRetry(job)
        else await this.#workload.release(url.url)
        return
      case 'unavailable': {
        await this.#workload.release(url.url)
        await this.#setAside(url.host, `its robots.txt could not be fetched (${result.fault})`, ROBOTS_PARK_MS)
        return
      }
      case 'aborted':
        await this.#workload.release(url.url)
    }
  }

  async #finish(url: ClaimedUrl, result: Extract<WorkResult, { kind: 'finished' }>): Promise<void> {
    const { finished, page, bytes, elapsedMs, location, truncated } = result
    const { queue, disposition, status } = finished
    const { depth } = url
    if (status > 0) this.#fetched++
    this.#bytes += bytes
    if (disposition === 'fetched' || disposition === 'noindex') this.#pages++
    // A seed that moved takes the crawl along, within its site (example.org → www.example.org).
    const moved = disposition === 'redirect' && depth === 0 ? location : undefined
    const links = moved === undefined ? finished : await this.#followSeed(url, result, moved)
    this.#batch.add(links, page)
    this.#options.completePage?.(finished, queue === 'error')
    const kind = dispositionOf(disposition).class
    if (kind === 'complete') {
      const more = { ...(location === undefined ? {} : { location }), ...(truncated === true ? { truncated } : {}) }
      this.#emit({ type: 'fetched', url: url.url, status, disposition, depth, bytes, elapsedMs, ...more })
    } else this.#emit({ type: kind, url: url.url, status, reason: disposition, depth })
    if (result.hostFault) {
      if (this.#politeness.failed(url.host) < MAX_HOST_FAILURES || this.#politeness.isParked(url.host)) return
      await this.#setAside(
        url.host,
        `${MAX_HOST_FAILURES} addresses in a row failed (${disposition})`,
        HOST_FAILURE_PARK_MS,
      )
    } else if (status > 0) {
      this.#politeness.succeeded(url.host)
      this.#unavailable.delete(url.host)
    }
  }

  async #followSeed(url: ClaimedUrl, { finished }: Extract<WorkResult, { kind: 'finished' }>, target: string) {
    const refused = finished.skipped.find(({ url, reason }) => url === target && reason === 'off-host')
    if (refused === undefined || !(await this.#scope.follow(url.url, target))) return finished
    return { ...finished, ...this.#sorter.sortRedirect(url, target) }
  }

  async #setAside(host: string, reason: string, waitMs: number): Promise<void> {
    this.#politeness.park(host, waitMs)
    for (let job = this.#retries.take(host); job !== undefined; job = this.#retries.take(host)) {
      await this.#workload.release(job.url.url)
    }
    if (this.#held?.url.host === host) {
      await this.#workload.release(this.#held.url.url)
      this.#held = undefined
    }
    if (this.#unavailable.has(host)) return
    this.#unavailable.set(host, reason)
    this.#emit({ type: 'unavailable', host, reason, waitMs })
  }

  #keepForRetry(job: Job): void {
    this.#retries.add(job)
    this.#offer(job.url.host)
  }

  #offer(host: string): void {
    this.#offers++
    this.#politeness.offer(host)
  }

  /** Puts back what was claimed and not fetched, and writes the rest. */
  async #settle(): Promise<void> {
    for (const host of this.#retries.hosts()) {
      for (let job = this.#retries.take(host); job !== undefined; job = this.#retries.take(host)) {
        await this.#workload.release(job.url.url)
      }
    }
    if (this.#held !== undefined) await this.#workload.release(this.#held.url.url)
    this.#held = undefined
  }

  async #addSeeds(): Promise<void> {
    const seeds = this.#options.seeds.map(checkSeed)
    await this.#scope.addSeeds(seeds)
    for (const url of seeds) {
      const { added } = await this.#workload.add([{ url, depth: 0, redirects: 0 }])
      this.#emit({ type: 'seed', url, known: added === 0 })
    }
    for (const host of await this.#workload.waitingHosts()) this.#offer(host)
  }

  #workerContext(fetcher: Fetcher): WorkerContext {
    const { userAgent } = fetcher
    const robotsFetcher = new PoliteFetcher(fetcher, this.#politeness)
    return {
      fetcher,
      budget: new ByteBudget(MAX_LARGE_BODIES),
      robots: this.#options.robots ?? new RobotsCache({ fetcher: robotsFetcher, userAgent, now: this.#now }),
      sorter: this.#sorter,
      callbacks: this.#options,
      robotsToken: userAgent.split(/[/\s]/, 1)[0]!,
      store: this.#options.pages !== undefined,
      signal: this.#abort.signal,
      now: this.#now,
      mayFetch: (url, rules) => {
        this.#politeness.setCrawlDelay(url.host, rules.crawlDelayMs ?? 0)
        return this.#politeness.waitFor(url.host) === 0
      },
      findTwin: (page) => this.#twins.find(page),
      lookUp: (url) => this.#workload.get(url),
    }
  }

  #ownFetcher(): Fetcher {
    const { userAgent } = this.#options
    return new Fetcher({
      concurrency: this.#concurrency,
      // A host that the user named may be on this machine or in the own network; one that a page names may not.
      mayBePrivate: (host) => this.#scope.isNamed(host),
      ...(userAgent === undefined ? {} : { userAgent }),
    })
  }

  #report(reason: StopReason): CrawlReport {
    const seconds = Math.round(performance.now() - this.#started) / 1000
    const unavailable = Object.fromEntries(this.#unavailable)
    const run = { reason, fetched: this.#fetched, pages: this.#pages, bytes: this.#bytes, seconds, unavailable }
    return buildReport(run, this.#workload.counts(), this.#workload.tally())
  }

  #emit(event: SpiderEvent): void {
    this.#options.onEvent?.(event)
    const { type, ...fields } = event
    this.#logger.log(type === 'error' || type === 'unavailable' ? 'warn' : 'info', type, fields)
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#abort.abort()
    this.#wake()
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Until woken, or for some milliseconds. */
  async #sleep(ms: number | undefined): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    if (ms === undefined) return woken
    const timer = new AbortController()
    const timeout = sleep(Math.max(1, Math.min(ms, 2 ** 31 - 1)), undefined, { signal: timer.signal }).catch(() => {})
    await Promise.race([woken, timeout])
    timer.abort()
  }
}

/** The canonical form of a start address. @throws SpindleError `SEED_INVALID` */
export function checkSeed(text: string): string {
  const url = normalizeUrl(text)
  const parsed = url === undefined ? undefined : parseUrl(url)
  if (url !== undefined && parsed !== undefined && isHttpUrl(parsed)) return url
  throw new SpindleError(
    'SEED_INVALID',
    `"${text.slice(0, 200)}" is no start address: give one that begins with http:// or https://.`,
  )
}

function storedPages(workload: Workload): number {
  const { complete } = workload.tally()
  return (complete.get('fetched') ?? 0) + (complete.get('noindex') ?? 0)
}
