/** `spindle crawl`: from settings to a crawl in the data folder and what is said about it. */
import { counted, DataDir, loadConfig, SpindleError } from '@spindle/core'
import { Crawl, type CrawlPlace, type CrawlSettings } from '../crawl.js'
import { orderOf } from '../frontier/crawl-order.js'
import { newsCrawl } from '../news/news-crawl.js'
import { PageStore } from '../pages/page-store.js'
import { type CrawlReport, formatReport, sum } from '../report/crawl-report.js'
import { forgetSampleSite, type SampleSite, serveSampleSite, storedSampleSite } from '../sources/sample-site.js'
import { readSeedsFile } from '../sources/seeds-file.js'
import { checkSeed } from '../spider.js'
import type { SpiderEvent } from '../spider-events.js'
import type { SpiderFetchOptions } from '../spider-options.js'
import { SpiderVoice } from '../spider-voice.js'
import { type CrawlConfig, crawlOptions } from './crawl-config.js'
import { loadIndexSettings } from './data-folder.js'
import { insecureOrigins, toFetchOptions } from './fetch-config.js'
import { type Interrupt, watchInterrupt } from './interrupt.js'
import { LineBuffer } from './line-buffer.js'
import { type LogFile, openLogFile } from './log-file.js'
import { type PresetName, withPreset } from './presets.js'
import { showProgress } from './progress.js'
import { toScopeSettings } from './scope-config.js'

/** What the command line says. */
export interface CrawlFlags {
  readonly config?: string
  /** Path of a file of start addresses. */
  readonly seeds?: string
  readonly fresh?: boolean
  readonly json?: boolean
  readonly [option: string]: unknown
}

/** Hosts that do not answer, named in full at the end. */
const MAX_HOSTS_NAMED = 10
const STOP_TIMEOUT_MS = 5000
const DEFAULT_DELAY_MS = 1000

/** What the command line, the environment and the configuration file amount to. */
export interface CommandSettings {
  readonly config: CrawlConfig
  readonly indexing: Pick<CrawlPlace, 'stemming' | 'dictionary'>
  /** Start addresses. */
  readonly given: readonly string[]
  readonly fetch: SpiderFetchOptions
  readonly fresh: boolean
  readonly json: boolean
}

/** @throws SpindleError `CONFIG_INVALID`, `SEED_INVALID` */
export async function readCrawlSettings(urls: readonly string[], flags: CrawlFlags): Promise<CommandSettings> {
  const { config: file, seeds: seedsFile, fresh = false, json = false, ...rest } = flags
  const source = {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    // `--no-index` alone says something about the index.
    flags: { ...rest, index: rest.index === false ? false : undefined },
    section: 'crawl',
  }
  const { preset, recrawl } = await loadConfig<CrawlConfig>(crawlOptions, source)
  const config = { ...(await loadConfig<CrawlConfig>(withPreset(crawlOptions, preset), source)) }
  // What a preset says of recrawls is for the next time.
  if (fresh && !recrawl) Object.assign(config, { recrawl: false, olderThan: undefined })
  if (config.olderThan !== undefined && !config.recrawl) {
    throw new SpindleError('CONFIG_INVALID', '--older-than narrows a recrawl: give it together with --recrawl.')
  }
  // What is wrong with them is said before anything is opened.
  toScopeSettings(config)
  if (config.recrawl && fresh) {
    throw new SpindleError('CONFIG_INVALID', '--fresh leaves nothing to fetch again: give it or --recrawl, not both.')
  }
  const given = urls.map(checkSeed)
  if (seedsFile !== undefined) given.push(...(await readSeedsFile(seedsFile)))
  if (given.length === 0) given.push(...config.seeds.map(checkSeed))
  const indexing = await loadIndexSettings(flags, config.data)
  return { config, indexing, given, fetch: toFetchOptions(config), fresh, json }
}

/** @returns the exit code */
export async function crawlCommand({ config, indexing, given, fetch, fresh, json }: CommandSettings): Promise<number> {
  // On a terminal all but the events goes to standard error, so that it never mixes with them.
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  const interrupt = watchInterrupt(() =>
    say('Stopping: fetches in flight may take a few seconds more; press Ctrl-C again to stop at once.'),
  )
  let log: LogFile | undefined
  let crawl: Crawl | undefined
  let sample: SampleSite | undefined
  const hasStart = given.length > 0 || config.scan !== undefined
  try {
    if (config.log !== undefined) log = await openLogFile(config.log)
    const place = { data: config.data, index: config.index, ...indexing }
    if (fresh && !hasStart) await checkFresh(new DataDir(config.data))
    crawl = await Crawl.open({ ...place, fresh })
    if (fresh) say(`Starting over in ${config.data}: the queues and stored pages of the old crawl are removed.`)
    else if (await isTryOut(crawl, given)) {
      await crawl.close()
      crawl = await Crawl.open({ ...place, fresh: true })
      await forgetSampleSite(crawl.dataDir)
      say(`The pages of the sample site in ${config.data} make room for your own.`)
    }
    if (fresh && !hasStart) await forgetSampleSite(crawl.dataDir)
    const isSample = !hasStart && (crawl.state.known === 0 || (await isSampleOf(crawl)))
    if (isSample || (await isSampleOf(crawl))) sample = await serveSampleSite({ data: crawl.dataDir.root })
    const seeds = isSample && sample !== undefined ? [sample.startUrl] : given
    if (isSample && !json) say(`Crawling the sample site, served at ${sample?.url} meanwhile.`)
    const before = crawl.state
    if (before.waiting > 0 && !json)
      say(`Going on with the crawl in ${config.data}: ${addresses(before.waiting)} waiting.`)
    const report = await run(
      crawl,
      { ...settings(config, seeds, isSample, interrupt, log), fetch },
      json,
      config.preset,
    )
    for (const origin of insecureOrigins(config.sites))
      say(`The certificate of ${origin} was not checked, as crawl.sites says.`)
    return conclude(report, { before, crawl, data: config.data, recrawl: config.recrawl, json, say })
  } catch (error) {
    // What went wrong first is the cause; that closing fails then, too, says nothing new.
    await crawl?.close().catch(() => {})
    crawl = undefined
    throw error
  } finally {
    await crawl?.close()
    await sample?.close()
    interrupt.dispose()
    await log?.close()
  }
}

async function run(
  crawl: Crawl,
  settings: CrawlSettings,
  json: boolean,
  preset: PresetName | undefined,
): Promise<CrawlReport> {
  if (json) {
    const events = new LineBuffer(process.stdout)
    const onEvent = (event: SpiderEvent): void => events.write(JSON.stringify(event))
    try {
      return await crawl.run({ ...settings, ...ofPreset(preset, { ...settings, onEvent }), onEvent })
    } finally {
      events.flush()
    }
  }
  const end = showProgress(() => crawl.stats, process.stderr)
  try {
    const onEvent = (event: SpiderEvent): void => {
      if (event.type === 'dictionary-failed') process.stderr.write(`${event.detail}\n`)
    }
    return await crawl.run({ ...settings, ...ofPreset(preset, settings), onEvent })
  } finally {
    end()
  }
}

/** What a preset does beside setting defaults. */
function ofPreset(preset: PresetName | undefined, settings: Pick<CrawlSettings, 'onEvent' | 'logger'>) {
  if (preset !== 'news') return {}
  const voice = new SpiderVoice(settings)
  return newsCrawl((item) => voice.emit({ type: 'item', ...item }))
}

function settings(
  config: CrawlConfig,
  seeds: readonly string[],
  isSample: boolean,
  interrupt: Interrupt,
  log: LogFile | undefined,
): Omit<CrawlSettings, 'fetch'> {
  const { depth, maxPages, userAgent, concurrency, ordered, strategy, recrawl, olderThan, acceptRemovals } = config
  return {
    seeds,
    concurrency,
    ordered,
    acceptRemovals,
    // The sample site is this very process: nobody to be polite to.
    delay: config.delay ?? (isSample ? 0 : DEFAULT_DELAY_MS),
    signal: interrupt.signal,
    stopTimeout: STOP_TIMEOUT_MS,
    ...(depth === undefined ? {} : { maxDepth: depth }),
    ...(maxPages === undefined ? {} : { maxPages }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(log === undefined ? {} : { logger: log.logger }),
    ...(strategy === undefined ? {} : { order: orderOf(strategy) }),
    ...(recrawl ? { recrawl: olderThan === undefined ? {} : { olderThan } } : {}),
    ...toScopeSettings(config),
  }
}

/** True where the only site of a crawl is the sample site. */
async function isSampleOf(crawl: Crawl): Promise<boolean> {
  const stored = await storedSampleSite(crawl.dataDir)
  if (stored === undefined) return false
  const origins = crawl.origins
  return origins.length > 0 && origins.every((origin) => origin === stored)
}

/** True where a folder holds the sample site alone and a site of the user's own is to follow. */
async function isTryOut(crawl: Crawl, given: readonly string[]): Promise<boolean> {
  if (given.length === 0 || crawl.hasImports || !(await isSampleOf(crawl))) return false
  const [sample] = crawl.origins
  return !given.some((seed) => seed.startsWith(sample!))
}

/**
 * Starting over without an address means the sample site; a crawl of another site must not be lost to that.
 * @throws SpindleError `SEED_INVALID`
 */
async function checkFresh(data: DataDir): Promise<void> {
  if (!(await PageStore.hasPages(data.pages)) || (await storedSampleSite(data)) !== undefined) return
  throw new SpindleError(
    'SEED_INVALID',
    `The crawl in ${data.root} is not of the sample site: give the start addresses that --fresh shall begin with.`,
  )
}

interface Ending {
  readonly before: { readonly known: number; readonly waiting: number }
  readonly crawl: Crawl
  readonly data: string
  readonly recrawl: boolean
  readonly json: boolean
  readonly say: (line: string) => void
}

/** Says how it went and what can be done next. @returns the exit code */
function conclude(report: CrawlReport, { before, crawl, data, recrawl, json, say }: Ending): number {
  const goOn = `npm run crawl -- --data ${/[\s"'$\\]/.test(data) ? JSON.stringify(data) : data}`
  const isIdle = report.reason === 'finished' && report.fetched === 0 && report.removed === 0
  const nothingToDo = isIdle && before.known > 0 && before.waiting === 0
  if (nothingToDo && crawl.state.known === before.known) {
    const pages = `${counted(crawl.state.pages, 'page')} in ${data}`
    say(
      recrawl
        ? `Nothing to fetch yet: of the ${pages} none was last asked for long enough ago. To ask for all of them now add --older-than 0s.`
        : `Nothing to fetch: this crawl is finished, with ${pages}. To fetch what has changed since add --recrawl, to start over --fresh; to crawl more, give further addresses.`,
    )
    return 0
  }
  if (!json) process.stdout.write(`${formatReport(report)}\n`)
  const unavailable = Object.entries(report.unavailable)
  for (const [host, reason] of unavailable.slice(0, MAX_HOSTS_NAMED)) say(`${host} does not answer: ${reason}.`)
  const more = unavailable.length - MAX_HOSTS_NAMED
  if (more > 0)
    say(`${more} more ${more === 1 ? 'host does' : 'hosts do'} not answer: --json and --log name all of them.`)
  if (report.reason === 'stopped') {
    say(`Stopped; nothing is lost. Go on with: ${goOn}`)
    return 130
  }
  if (report.reason === 'page-limit') say(`The page limit is reached. Go on with a higher one: ${goOn} --max-pages N`)
  if (report.reason === 'unavailable')
    say(`${addresses(report.waiting)} waiting for hosts that do not answer. Try again with: ${goOn}`)
  const failed = crawl.state.pages === 0 && (sum(report.error) > 0 || report.reason === 'unavailable')
  if (failed) say('No page could be fetched: the lines above say why.')
  return failed ? 1 : 0
}

function addresses(count: number): string {
  return count === 1 ? '1 address is' : `${count} addresses are`
}
