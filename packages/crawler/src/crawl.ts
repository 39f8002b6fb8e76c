/**
 * A crawl in a data folder: opens the queues, the page store and the index, runs a spider on them and closes all in order.
 * One process a folder. What was fetched before goes on where it stopped; a process killed at any moment loses no page.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { DataDir, DirectoryLock, isSpindleError, SpindleError } from '@spindle/core'
import { CrawlScope } from './crawl-scope.js'
import { explainError } from './explain-error.js'
import { pageStoreState } from './frontier/batch.js'
import { SqliteWorkload } from './frontier/sqlite-workload.js'
import type { Workload } from './frontier/workload.js'
import type { ImportLedger } from './import/import-ledger.js'
import type { Importer, ImportOptions } from './import/importer.js'
import type { DeduplicatedSink, DeduplicatedSinkOptions } from './indexing/deduplicated-sink.js'
import type { DictionaryKeeper } from './indexing/dictionary-keeper.js'
import type { Stemming } from './indexing/open-page-index.js'
import { PageFeed } from './indexing/page-feed.js'
import type { LinkReport } from './link-graph/link-phase.js'
import { PageStore } from './pages/page-store.js'
import type { ReparseSettings } from './pages/reparse.js'
import type { CrawlReport } from './report/crawl-report.js'
import type { NormalizerOptions } from './scope/url-normalizer.js'
import { Spider } from './spider.js'
import type { SpiderEvent } from './spider-events.js'
import type { SpiderFeed, SpiderOptions, SpiderStats } from './spider-options.js'
import { SpiderVoice } from './spider-voice.js'
import type { WarcImporter, WarcImporterParts, WarcImportOptions } from './warc/warc-importer.js'

/** Where a crawl lives. */
export interface CrawlPlace {
  /** Data folder; created where it is missing. */
  readonly data: string
  /** True to remove the queues and the stored pages first; the index answers until the first new pages replace it. */
  readonly fresh?: boolean
  /** False to leave the index alone; a later crawl with it catches up from the stored pages. */
  readonly index?: boolean
  /** How words are stemmed; where it says something else than the index was made with, the index is filled anew. */
  readonly stemming?: Stemming
  /**
   * Path of the dictionary of the user, which is followed while pages come in; there need be none. Where not given, the
   * words that the index was made with stay.
   */
  readonly dictionary?: string | undefined
}

/** Settings of one run. */
export type CrawlSettings = Omit<SpiderOptions, 'workload' | 'pages' | 'feed'>

/** Settings of {@link Crawl.reindex}. */
export interface ReindexOptions {
  /** How pages are read again from their bodies; undefined to take what was read of them when they were fetched. */
  readonly parse: (ReparseSettings & { readonly purpose: string }) | undefined
  readonly signal?: AbortSignal | undefined
  /** Told how many pages are read again, then how many are indexed, of all. */
  readonly onProgress?: (stage: 'read' | 'indexed', done: number, total: number) => void
}

/** Settings of {@link Crawl.compact}. */
export interface CompactOptions {
  readonly force?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Bytes of a page store that is compacted by itself. */
const MIN_COMPACTED = 64 * 1024 * 1024

/** Milliseconds for a process that changes the dictionary of the index to let go of it. */
const DICTIONARY_TIMEOUT = 60_000

/** What is in the data folder. */
export interface CrawlState {
  /** Addresses in the four queues. */
  readonly known: number
  readonly waiting: number
  /** Pages stored. */
  readonly pages: number
}

/** See the head of this file. */
export class Crawl {
  readonly dataDir: DataDir
  readonly #lock: DirectoryLock
  readonly #workload: Workload
  readonly #crawlId: string
  readonly #pages: PageStore
  readonly #stemming: Stemming | undefined
  readonly #dictionary: string | undefined
  #sink: DeduplicatedSink | undefined
  #spider: Spider | undefined
  #findable: number

  private constructor(
    dataDir: DataDir,
    lock: DirectoryLock,
    workload: Workload,
    pages: PageStore,
    crawlId: string,
    sink: DeduplicatedSink | undefined,
    { stemming, dictionary }: Pick<CrawlPlace, 'stemming' | 'dictionary'>,
  ) {
    this.#stemming = stemming
    this.#dictionary = dictionary
    this.dataDir = dataDir
    this.#lock = lock
    this.#workload = workload
    this.#pages = pages
    this.#crawlId = crawlId
    this.#sink = sink
    this.#findable = sink?.documents ?? 0
  }

  /**
   * Opens the crawl of a data folder.
   * @throws SpindleError `LOCK_HELD` where another process crawls into it; `FRONTIER_CORRUPT`, `PAGE_STORE_CORRUPT`,
   *   `INDEX_CORRUPT`, `ANALYZER_MISMATCH`, `DATA_DIR_UNUSABLE`
   */
  static async open({ data, fresh = false, index = true, ...indexing }: CrawlPlace): Promise<Crawl> {
    const dataDir = await new DataDir(data).create()
    const opened: { close(): Promise<void> }[] = []
    try {
      const lock = await DirectoryLock.acquire(dataDir.root, DataDir.crawlLock)
      opened.push({ close: () => lock.release() })
      if (fresh) await removeCrawl(dataDir)
      const workload = await SqliteWorkload.open(join(dataDir.frontier, 'frontier.db'))
      opened.push(workload)
      const known = workload.meta('crawl.id')
      if (known === undefined && (await PageStore.hasPages(dataDir.pages))) throw lostFrontier(dataDir)
      const crawlId = known ?? randomUUID()
      if (known === undefined) {
        await workload.setMeta('crawl.id', crawlId)
        // Whatever a loss of power takes of the rest: the folder holds a crawl, and what it has lost is fetched again.
        await workload.sync()
      }
      const pages = await PageStore.open(dataDir.pages, pageStoreState(workload))
      opened.push(pages)
      const sink = index ? await openSink(dataDir, pages, crawlId, fresh, indexing.stemming) : undefined
      return new Crawl(dataDir, lock, workload, pages, crawlId, sink, indexing)
    } catch (error) {
      for (const part of opened.reverse()) await part.close()
      throw explainError(error, dataDir)
    }
  }

  get state(): CrawlState {
    const { waiting, running, complete, error } = this.#workload.counts()
    return { known: waiting + running + complete + error, waiting, pages: this.#workload.pageCount() }
  }

  /** Live figures; `findable` is the number of documents that the index has committed. */
  get stats(): (SpiderStats & { readonly findable: number }) | undefined {
    const stats = this.#spider?.stats
    return stats === undefined ? undefined : { ...stats, findable: this.#findable }
  }

  /** Origins of all start addresses that this crawl ever had. */
  get origins(): string[] {
    return CrawlScope.origins(this.#workload)
  }

  /**
   * Crawls the seeds and whatever is waiting from before.
   * @throws SpindleError `SEED_INVALID`; errors of the disk
   */
  async run(settings: CrawlSettings): Promise<CrawlReport> {
    const feed = this.#follow((event) => settings.onEvent?.(event))
    const keeper = await this.#keepDictionary(feed, new SpiderVoice(settings))
    this.#spider = new Spider({
      ...settings,
      workload: this.#workload,
      pages: this.#pages,
      ...(feed === undefined ? {} : { feed: this.#linked(feed, keeper, settings) }),
    })
    feed?.available(this.#pages.state)
    let report: CrawlReport
    try {
      report = await this.#spider.start()
    } catch (error) {
      throw explainError(error, this.dataDir)
    } finally {
      await keeper?.stop()
      await feed?.close()
    }
    // Recrawls leave old versions of pages behind.
    if (feed !== undefined && settings.recrawl !== undefined && report.reason === 'finished') {
      await this.compact().catch((error: unknown) => {
        if (!isSpindleError(error, 'DISK_FULL')) throw error
      })
    }
    return report
  }

  /**
   * Takes local files and records in beside what is crawled.
   * @param use does the work; nothing is taken in when it has ended
   * @throws errors of the disk, as one sentence
   */
  import(options: ImportOptions, use: (importer: Importer) => Promise<void>): Promise<void> {
    return this.#takeIn(async (parts) => {
      const { Importer } = await import('./import/importer.js')
      await use(new Importer(parts, options))
    }, options.signal)
  }

  /**
   * Takes the pages of a WARC file in beside what is crawled.
   * @param use as for {@link import}
   * @throws SpindleError `WARC_UNREADABLE` where the file cannot be read to its end; what could be read is taken in
   */
  importWarc(options: WarcImportOptions, use: (importer: WarcImporter) => Promise<void>): Promise<void> {
    return this.#takeIn(async (parts) => {
      const { WarcImporter } = await import('./warc/warc-importer.js')
      await use(new WarcImporter(parts, options))
    }, options.signal)
  }

  async #takeIn(use: (parts: WarcImporterParts) => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    const [{ ImportLedger }, { DocumentReader }] = await Promise.all([
      import('./import/import-ledger.js'),
      import('./documents/document-reader.js'),
    ])
    const feed = this.#follow(() => {})
    const keeper = await this.#keepDictionary(feed, new SpiderVoice({}))
    const documents = new DocumentReader()
    let ledger: ImportLedger | undefined
    try {
      ledger = ImportLedger.open(ledgerPath(this.dataDir))
      feed?.available(this.#pages.state)
      await use({ workload: this.#workload, pages: this.#pages, feed, ledger, documents })
      await keeper?.stop()
      if (signal?.aborted !== true) {
        await keeper?.finish()
        await feed?.drain()
        await this.applyLinks()
      }
    } catch (error) {
      throw explainError(error, this.dataDir)
    } finally {
      await keeper?.stop()
      await documents.close()
      await feed?.close()
      ledger?.close()
    }
  }

  /**
   * Makes the index anew from the stored pages, without the network.
   * @returns false where it was stopped; a crawl, or this again, then goes on with it
   */
  async reindex({ parse, signal, onProgress }: ReindexOptions): Promise<boolean> {
    try {
      if (parse !== undefined && !(await this.#readAgain(parse, signal, onProgress))) return false
      this.#sink ??= await openSink(this.dataDir, this.#pages, this.#crawlId, false, this.#stemming)
      await this.#sink.startOver()
      // All documents are made with the words that there are now.
      await this.#keepDictionary(undefined, new SpiderVoice({}))
      const total = this.#pages.state.sequence
      const feed = this.#follow((event) => {
        if (event.type === 'commit') onProgress?.('indexed', event.pages, total)
      })!
      const onStop = () => void feed.settle().catch(() => {})
      signal?.addEventListener('abort', onStop)
      try {
        feed.available(this.#pages.state)
        await feed.drain()
      } finally {
        signal?.removeEventListener('abort', onStop)
        await feed.close()
      }
      if (this.#sink.position.sequence < total) return false
      await this.applyLinks()
      return true
    } catch (error) {
      if (signal?.aborted === true) return false
      throw explainError(error, this.dataDir)
    }
  }

  async #readAgain(
    { purpose, ...parse }: NonNullable<ReindexOptions['parse']>,
    signal: AbortSignal | undefined,
    onProgress: ReindexOptions['onProgress'],
  ): Promise<boolean> {
    const [{ reparse }, { DocumentReader }] = await Promise.all([
      import('./pages/reparse.js'),
      import('./documents/document-reader.js'),
    ])
    const documents = new DocumentReader()
    try {
      return await this.#pages.rewrite({
        purpose,
        transform: (payload, offset) => reparse(payload, offset, { ...parse, documents, signal }),
        onProgress: (done, total) => onProgress?.('read', done, total),
        signal,
      })
    } finally {
      await documents.close()
    }
  }

  /**
   * Takes out of the page store what newer pages have replaced, where that is more than half of it.
   * @param force true to do so however little there is
   * @returns bytes before and after; undefined where there was nothing to do, or it was stopped
   */
  async compact({
    force = false,
    ...options
  }: CompactOptions = {}): Promise<{ readonly before: number; readonly after: number } | undefined> {
    const { size: before } = this.#pages
    if (!force && (before < MIN_COMPACTED || this.#pages.records < 2 * (await this.#livePages()))) return undefined
    try {
      if (!(await this.#pages.rewrite({ purpose: 'compact', ...options }))) return undefined
      return { before, after: this.#pages.size }
    } catch (error) {
      throw explainError(error, this.dataDir)
    }
  }

  async #livePages(): Promise<number> {
    const crawled = this.#workload.pageCount()
    if (!this.hasImports) return crawled
    const { ImportLedger } = await import('./import/import-ledger.js')
    const ledger = ImportLedger.open(ledgerPath(this.dataDir))
    const imported = ledger.pageCount()
    ledger.close()
    return crawled + imported
  }

  /** True where local files or records were taken in. */
  get hasImports(): boolean {
    return existsSync(ledgerPath(this.dataDir))
  }

  /** Documents that the index has committed. */
  get findable(): number {
    return this.#findable
  }

  /** What fills the index while pages come in; undefined where the index is left alone. */
  #follow(emit: (event: SpiderEvent) => void): PageFeed | undefined {
    if (this.#sink === undefined) return undefined
    return new PageFeed({
      pages: this.#pages,
      sink: this.#sink,
      beforeCommit: () => this.#workload.sync(),
      onCommit: (pages, documents) => {
        this.#findable = documents
        emit({ type: 'commit', pages, documents })
      },
    })
  }

  /**
   * Brings ranks and link texts in the index up to date with the stored pages, as the end of a crawl does.
   * @param again also where they are
   * @returns undefined where nothing was done, or the index is left alone
   */
  async applyLinks(normalize?: NormalizerOptions, again = false): Promise<LinkReport | undefined> {
    const sink = this.#sink
    if (sink === undefined) return undefined
    if (sink.position.sequence < this.#pages.state.sequence) await this.#catchUp()
    const { applyLinks } = await import('./link-graph/link-phase.js')
    const parts = { workload: this.#workload, pages: this.#pages, sink, folder: this.dataDir.links }
    return applyLinks({ ...parts, crawlId: this.#crawlId, normalize }, again)
  }

  /** Brings into the index what a killed crawl has left. */
  async #catchUp(): Promise<void> {
    const feed = this.#follow(() => {})
    try {
      feed?.available(this.#pages.state)
      await feed?.drain()
    } finally {
      await feed?.close()
    }
  }

  /** What keeps the index at the dictionary of the user while pages come in; undefined where none is followed. */
  async #keepDictionary(feed: PageFeed | undefined, voice: SpiderVoice): Promise<DictionaryKeeper | undefined> {
    if (this.#sink === undefined || this.#dictionary === undefined) return undefined
    const { DictionaryKeeper } = await import('./indexing/dictionary-keeper.js')
    const keeper = await DictionaryKeeper.open(this.#sink, this.#dictionary, {
      touched: () => feed?.touched(),
      settled: (words, documents) => voice.emit({ type: 'dictionary', words, documents }),
      failed: (detail) => voice.emit({ type: 'dictionary-failed', detail }),
    })
    if (feed !== undefined) keeper.start((error) => feed.fail(error))
    return keeper
  }

  /** The feed of a crawl, at whose end the links between the pages are looked at. */
  #linked(feed: PageFeed, keeper: DictionaryKeeper | undefined, settings: CrawlSettings): SpiderFeed {
    return {
      available: (state, recent) => feed.available(state, recent),
      onError: (handler) => feed.onError(handler),
      settle: async () => {
        await keeper?.stop()
        await feed.settle()
      },
      drain: async () => {
        await keeper?.stop()
        await keeper?.finish()
        await feed.drain()
        const report = await this.applyLinks(settings.normalize)
        if (report !== undefined) new SpiderVoice(settings).emit({ type: 'linked', ...report })
      },
    }
  }

  /** Begins no more fetches; `run` resolves when all is written. */
  stop(): void {
    this.#spider?.stop()
  }

  /** Closes everything; the data folder is free for the next process. */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const close of [
      () => this.#sink?.close(),
      () => this.#pages.close(),
      () => this.#workload.close(),
      () => this.#lock.release(),
    ]) {
      await Promise.resolve(close()).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw explainError(failures[0], this.dataDir)
  }
}

function ledgerPath({ frontier }: DataDir): string {
  return join(frontier, 'imports.db')
}

/** An empty frontier would have the stored pages dropped. */
function lostFrontier({ frontier, pages }: DataDir): SpindleError {
  return new SpindleError(
    'FRONTIER_CORRUPT',
    `The crawl frontier in ${frontier} is missing or empty, but there are pages in ${pages}: restore it, or start over with --fresh.`,
  )
}

/** Waits for who changes the dictionary of the index: it looks for a crawl several times a second and lets go. */
async function whenDictionaryIsApplied(folder: DataDir): Promise<void> {
  const until = performance.now() + DICTIONARY_TIMEOUT
  while (performance.now() < until && (await DirectoryLock.holder(folder.root, DataDir.dictionaryLock)) !== null) {
    await setTimeout(50)
  }
}

async function removeCrawl(dataDir: DataDir): Promise<void> {
  for (const folder of [dataDir.frontier, dataDir.pages, dataDir.links])
    await rm(folder, { recursive: true, force: true })
  await dataDir.create()
}

async function openSink(
  dataDir: DataDir,
  store: PageStore,
  crawlId: string,
  fresh: boolean,
  stemming: Stemming | undefined,
): Promise<DeduplicatedSink> {
  // Loaded only where it is wanted: the analyzers bring their dictionaries.
  const [{ DeduplicatedSink }, { IndexReader }] = await Promise.all([
    import('./indexing/deduplicated-sink.js'),
    import('@spindle/index'),
  ])
  await whenDictionaryIsApplied(dataDir)
  const options: DeduplicatedSinkOptions = {
    index: dataDir.index,
    folder: dataDir.pages,
    dictionaries: dataDir.dictionaries,
    store,
    crawlId,
    pages: store.state.sequence,
    rewrittenUpTo: store.rewrittenUpTo,
    epoch: store.epoch,
    stemming,
  }
  try {
    // Its old pages are removed with the first commit: what cannot be read must be known before.
    if (fresh) await (await IndexReader.open(dataDir.index)).close()
    return await DeduplicatedSink.open(options)
  } catch (error) {
    if (!fresh || isSpindleError(error, 'LOCK_HELD')) throw error
    await rm(dataDir.index, { recursive: true, force: true })
    await dataDir.create()
    return DeduplicatedSink.open(options)
  }
}
