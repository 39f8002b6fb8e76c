/**
 * The run loop: takes addresses from the workload as politeness allows, lets workers fetch and parse them, writes what came
 * of them in batches, and ends when nothing is waiting or running.
 *
 * One process, one thread, `concurrency` fetches at a time. Memory does not grow with the crawl: waiting addresses are in
 * the workload, pages in the page store, and the index follows the page store at its own pace.
 */
import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isHttpUrl, normalizeUrl, parseUrl, SpindleError } from '@spindle/core'
import { CrawlScope } from './crawl-scope.js'
import { Prober } from './dedup/prober.js'
import { Soft404 } from './dedup/soft-404.js'
import { DocumentReader } from './documents/document-reader.js'
import { ByteBudget } from './fetch/byte-budget.js'
import { Fetcher } from './fetch/fetcher.js'
import { localAddress } from './fetch/local-address.js'
import { Batch } from './frontier/batch.js'
import { breadthFirst, orderOf } from './frontier/crawl-order.js'
import { endGeneration, isGenerationOver, openGeneration } from './frontier/generations.js'
import { HostMemory } from './frontier/host-memory.js'
import { HostWatch } from './frontier/host-watch.js'
import { JobPicker } from './frontier/job-picker.js'
import { MemoryWorkload } from './frontier/memory-workload.js'
import { PageVariants } from './frontier/page-variants.js'
import { PoliteFetcher } from './frontier/polite-fetcher.js'
import { Politeness } from './frontier/politeness.js'
import type { Job } from './frontier/retries.js'
import type { Workload } from './frontier/workload.js'
import { Gatekeeper } from './gatekeeper.js'
import { LinkSorter } from './link-sorter.js'
import { Outcomes } from './outcomes.js'
import { buildReport, type CrawlReport, failedAddresses, type StopReason } from './report/crawl-report.js'
import { dispositionOf } from './report/dispositions.js'
import { RobotsCache } from './robots/robots-cache.js'
import { WorkloadRobotsMemory } from './robots/workload-robots-memory.js'
import { HostAliases } from './scope/host-aliases.js'
import { HostBudgets } from './scope/host-budgets.js'
import { isScannedUrl, scannedUrls, scanSize } from './scope/range-scan.js'
import { UrlBudgets } from './scope/url-budgets.js'
import { UrlNormalizer } from './scope/url-normalizer.js'
import { LastmodTrust } from './sources/lastmod-trust.js'
import { SiteLists } from './sources/site-lists.js'
import type { CrawlCounters, SpiderEvent } from './spider-events.js'
import type { SpiderOptions, SpiderStats } from './spider-options.js'
import { SpiderVoice } from './spider-voice.js'
import { type Dropped, dropVanished } from './vanished-pages.js'
import { type WorkerContext, type WorkResult, work } from './worker.js'

/** Times that an address is asked for. */
export const MAX_TRIES = 3
/** Bytes of large bodies in memory at a time. */
const MAX_LARGE_BODIES = 16 * 1024 * 1024

/** See the head of this file. */
export class Spider {
  readonly #options: SpiderOptions
  readonly #workload: Workload
  readonly #politeness: Politeness
  readonly #batch: Batch
  readonly #concurrency: number
  readonly #voice: SpiderVoice
  readonly #now: () => number
  readonly #abort = new AbortController()
  readonly #variants: PageVariants
  readonly #urlBudgets: UrlBudgets
  readonly #hostBudgets: HostBudgets
  readonly #aliases = new HostAliases()
  readonly #picker: JobPicker
  readonly #hosts: HostWatch
  readonly #memory: HostMemory
  readonly #outcomes: Outcomes
  readonly #scope: CrawlScope
  readonly #sorter: LinkSorter
  readonly #documents: DocumentReader | undefined
  #context: WorkerContext | undefined
  #inFlight = 0
  #storedBefore = 0
  #dropped: Dropped = { removed: 0, held: [] }
  #started = 0
  #state: 'new' | 'running' | 'stopping' | 'ended' = 'new'
  #paused = false
  #failure: { error: unknown } | undefined
  #wake: () => void = () => {}

  constructor(options: SpiderOptions) {
    this.#options = options
    this.#workload = options.workload ?? new MemoryWorkload()
    this.#variants = new PageVariants(this.#workload)
    this.#urlBudgets = new UrlBudgets(options.limits)
    this.#hostBudgets = new HostBudgets(this.#workload, options.limits)
    this.#concurrency = options.ordered === true ? 1 : (options.concurrency ?? 16)
    this.#now = options.now ?? Date.now
    // Every fetch in flight listens to it.
    setMaxListeners(0, this.#abort.signal)
    this.#voice = new SpiderVoice(options)
    this.#politeness = new Politeness({
      delayMs: options.delay ?? 1000,
      connections: this.#concurrency,
      now: this.#now,
    })
    this.#picker = new JobPicker(this.#workload, this.#politeness, options.ordered === true)
    const emit = (event: SpiderEvent) => this.#voice.emit(event)
    this.#memory = new HostMemory(this.#workload, this.#politeness, this.#now)
    this.#hosts = new HostWatch(this.#politeness, this.#picker, emit)
    this.#scope = new CrawlScope(this.#workload, { ...options, lookUp: options.fetch?.resolve })
    this.#documents = options.documents === false ? undefined : new DocumentReader()
    this.#sorter = new LinkSorter(this.#scope, options, new UrlNormalizer(options.normalize), this.#aliases)
    this.#batch = new Batch(
      this.#workload,
      options.pages,
      ({ hosts, urls }, state, pages) => {
        this.#voice.queued(urls)
        for (const host of hosts) this.#picker.offer(host)
        if (state !== undefined) options.feed?.available(state, pages)
        this.#wake()
      },
      (error) => this.#fail(error),
    )
    this.#outcomes = new Outcomes({
      workload: this.#workload,
      politeness: this.#politeness,
      picker: this.#picker,
      hosts: this.#hosts,
      memory: this.#memory,
      batch: this.#batch,
      scope: this.#scope,
      sorter: this.#sorter,
      callbacks: options,
      retryDelay: options.retryDelay ?? 1000,
      emit,
    })
  }

  /** Figures of the crawl so far; O(1). */
  get stats(): SpiderStats {
    const counts = this.#workload.counts()
    const { waiting, running, complete, error } = counts
    const pages = this.#storedBefore + this.#outcomes.pages
    return {
      waiting,
      running,
      complete,
      error,
      pages,
      fetched: this.#outcomes.fetched,
      bytes: this.#outcomes.bytes,
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
    let endCounters = (): void => {}
    feed?.onError((error) => this.#fail(error))
    try {
      await this.#workload.useOrder(this.#options.order ?? orderOf(this.#workload.meta('order') ?? breadthFirst.name))
      await this.#workload.useAdmission(this.#urlBudgets)
      await this.#addSeeds()
      await this.#addScanned()
      await this.#beginGeneration()
      await this.#memory.restore()
      this.#storedBefore = storedPages(this.#workload)
      for (const host of await this.#workload.waitingHosts()) this.#picker.offer(host)
      this.#context = this.#workerContext(own)
      endCounters = this.#voice.tellCounters(() => this.#counters())
      const reason = await this.#run()
      await this.#picker.putBack()
      await this.#memory.save()
      if (reason !== 'stopped') await this.#dropVanished()
      if (reason !== 'stopped') await endGeneration(this.#workload)
      await (reason === 'stopped' ? feed?.settle() : feed?.drain())
      this.#throwFailure()
      const report = await this.#report(reason)
      endCounters()
      this.#voice.emit({ type: 'done', ...report })
      if (reason === 'finished') this.#options.spiderComplete?.()
      return report
    } finally {
      this.#state = 'ended'
      endCounters()
      this.#abort.abort()
      signal?.removeEventListener('abort', onAbort)
      await this.#documents?.close()
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
        const job = await this.#picker.next()
        if (job === undefined) break
        this.#inFlight++
        void this.#work(job)
      }
      // Nothing more can begin before the links found so far are known.
      if (this.#inFlight < this.#concurrency) this.#batch.flush()
      if (this.#inFlight > 0 || this.#batch.isBusy) {
        await this.#sleep(this.#mayStart() ? this.#picker.nextIn() : undefined)
        continue
      }
      if (this.#state === 'stopping') return 'stopped'
      if (this.#picker.isEmpty) return 'finished'
      if (this.#isPageLimit()) return 'page-limit'
      const wait = this.#picker.nextIn()
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
    return maxPages !== undefined && this.#storedBefore + this.#outcomes.pages + this.#inFlight >= maxPages
  }

  /** One address from claim to batch. Never rejects. */
  async #work(job: Job): Promise<void> {
    const { host } = job.url
    try {
      const result = await work(job, job.tries + 1 >= MAX_TRIES, this.#context!)
      if (result.kind === 'finished') await this.#spend(host, result)
      await this.#outcomes.settle(job, result)
      // Where the host was not asked its delay does not begin.
      const isAsked = result.kind === 'finished' ? result.isAsked : result.kind === 'retry' || result.kind === 'aborted'
      if (isAsked) this.#politeness.finished(host)
      else this.#politeness.postpone(host)
    } catch (error) {
      this.#politeness.finished(host)
      this.#fail(error)
    } finally {
      this.#inFlight--
      this.#wake()
    }
  }

  async #spend(host: string, { finished, bytes }: Extract<WorkResult, { kind: 'finished' }>): Promise<void> {
    const pages = dispositionOf(finished.disposition).hasPage === true ? 1 : 0
    await this.#hostBudgets.add(host, { pages, bytes })
  }

  async #addSeeds(): Promise<void> {
    const seeds = this.#options.seeds.map(checkSeed)
    await this.#scope.addSeeds(seeds)
    for (const url of seeds) {
      const { added, urls } = await this.#workload.add([{ url, depth: 0, redirects: 0 }])
      this.#voice.emit({ type: 'seed', url, known: added === 0 })
      this.#voice.queued(urls)
    }
  }

  /** Addresses of ranges are no named hosts: what they may be is the scope's business. */
  async #addScanned(): Promise<void> {
    const { scan } = this.#options
    if (scan === undefined) return
    const { added } = await this.#workload.add(scannedUrls(scan).map((url) => ({ url, depth: 0, redirects: 0 })))
    this.#voice.emit({ type: 'scan', addresses: scanSize(scan), added })
  }

  /** A recrawl that was stopped goes on; where there is none to go on with, a new one begins. */
  async #beginGeneration(): Promise<void> {
    const { recrawl } = this.#options
    const isNew = recrawl !== undefined && isGenerationOver(this.#workload)
    const due = isNew ? await this.#workload.beginGeneration(this.#now() - (recrawl.olderThan ?? 0)) : 0
    await openGeneration(this.#workload)
    if (isNew) this.#voice.emit({ type: 'recrawl', generation: this.#workload.generation(), due })
  }

  async #dropVanished(): Promise<void> {
    const { acceptRemovals: accept = false } = this.#options
    const parts = { workload: this.#workload, batch: this.#batch, now: this.#now() }
    this.#dropped = await dropVanished({ ...parts, accept })
    for (const host of this.#dropped.held) this.#voice.emit({ type: 'held', ...host })
  }

  #workerContext(fetcher: Fetcher): WorkerContext {
    const { userAgent } = fetcher
    const robotsFetcher = new PoliteFetcher(fetcher, this.#politeness)
    const robotsToken = userAgent.split(/[/\s]/, 1)[0]!
    const soft404 = new Soft404()
    const memory = new WorkloadRobotsMemory(this.#workload)
    const prober = new Prober(robotsFetcher, this.#politeness, robotsToken, this.#abort.signal)
    const lists = new SiteLists(this.#workload, this.#options.sitemaps ?? 'robots')
    return {
      fetcher,
      budget: new ByteBudget(MAX_LARGE_BODIES),
      robots: this.#options.robots ?? new RobotsCache({ fetcher: robotsFetcher, userAgent, now: this.#now, memory }),
      sorter: this.#sorter,
      callbacks: this.#options,
      documents: this.#documents,
      robotsToken,
      selectorsOf: (origin) => this.#options.fetch?.sites?.get(origin)?.selectors,
      pages: this.#options.pages,
      hasIndex: this.#options.feed !== undefined,
      signal: this.#abort.signal,
      now: this.#now,
      mayFetch: (url, rules) => {
        this.#memory.delay(url.host, rules.crawlDelayMs ?? 0).catch((error: unknown) => this.#fail(error))
        return this.#politeness.waitFor(url.host) === 0
      },
      gatekeeper: new Gatekeeper(this.#scope, this.#sorter, this.#variants, this.#hostBudgets, this.#aliases),
      aliases: this.#aliases,
      isScanned: (url) => url.depth === 0 && isScannedUrl(url.url, this.#options.scan),
      findTwin: (page) => this.#variants.find(page),
      isNotFound: (url, page, content, rules) =>
        soft404.isNotFound(url.url, page, content, (missing) => prober.ask(missing, rules)),
      lists,
      lastmod: new LastmodTrust(() => this.#workload.generation()),
      onRules: async (origin, rules) => {
        const sitemaps = await lists.found(origin, rules)
        if (sitemaps.length === 0) return
        const { hosts } = await this.#workload.add(sitemaps)
        for (const host of hosts) this.#picker.offer(host)
      },
      isSettled: this.#options.isSettled,
      onAction: this.#voice.onAction,
      lookUp: (url) => this.#workload.get(url),
    }
  }

  #ownFetcher(): Fetcher {
    const { userAgent } = this.#options
    return new Fetcher({
      ...this.#options.fetch,
      ...(this.#options.logger === undefined ? {} : { logger: this.#options.logger }),
      fileRoots: () => this.#scope.fileRoots,
      concurrency: this.#concurrency,
      // A host that the user named may be on this machine or in the own network; one that a page names may not.
      mayBePrivate: (host) => this.#scope.isNamed(host),
      refusesAddress: (address) => this.#scope.refusesAddress(address),
      ...(userAgent === undefined ? {} : { userAgent }),
    })
  }

  #counters(): CrawlCounters {
    const { complete, error, waiting, running, pages } = this.stats
    const tally = this.#workload.tally()
    return {
      crawled: complete + error,
      toCrawl: waiting + running,
      maxPages: this.#options.maxPages ?? null,
      pages,
      errors: error,
      offHost: tally.skipped.get('off-host') ?? 0,
      oversize: tally.complete.get('oversize') ?? 0,
    }
  }

  async #report(reason: StopReason): Promise<CrawlReport> {
    const seconds = Math.round(performance.now() - this.#started) / 1000
    const { fetched, pages, removed, bytes } = this.#outcomes
    const run = {
      reason,
      failed: await failedAddresses(this.#workload),
      fetched,
      pages,
      removed: removed + this.#dropped.removed,
      held: Object.fromEntries(this.#dropped.held.map(({ host, ...pages }) => [host, pages])),
      bytes,
      ...this.#outcomes.doubts,
      seconds,
      unavailable: this.#hosts.unavailable,
      traps: this.#urlBudgets.traps,
    }
    return buildReport(run, this.#workload.counts(), this.#workload.tally())
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
  const local = localAddress(text)
  const url = normalizeUrl(local ?? text)
  const parsed = url === undefined ? undefined : parseUrl(url)
  if (url !== undefined && parsed !== undefined && (isHttpUrl(parsed) || local !== undefined)) return url
  const name = text.slice(0, 200).replace(/[^/\s@]*:[^/\s@]*@/g, '…@')
  const scheme = parsed?.protocol
  throw new SpindleError(
    'SEED_INVALID',
    scheme === 'ftp:' || scheme === 'ftps:'
      ? `"${name}" cannot be crawled, for ${scheme} is not supported: give an address that begins with http:// or https://, or the path of a folder that it is mounted at.`
      : `"${name}" is no start address: give one that begins with http:// or https://, or the path of a file or folder that is there.`,
  )
}

/** Pages of this generation. */
function storedPages(workload: Workload): number {
  let pages = 0
  for (const [disposition, count] of workload.tally().complete) {
    if (dispositionOf(disposition).hasPage === true) pages += count
  }
  return pages
}
