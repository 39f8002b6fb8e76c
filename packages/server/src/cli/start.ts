/**
 * `spindle start`: search pages at once, and a crawl that fills them, in one command. The crawl is a child process; this
 * one serves, shows how the crawl gets on, says when the first pages can be found and goes on serving after its end.
 */
import { existsSync } from 'node:fs'
import { EOL } from 'node:os'
import { counted, DataDir } from '@spindle/core'
import { type CrawlReport, formatReport, type SampleSite, serveSampleSite, storedSampleSite } from '@spindle/crawler'
import { main as crawlerMain } from '@spindle/crawler/cli'
import type { CrawlProgress } from '../http/route-context.js'
import { type RunningServer, startServer } from '../main.js'
import { CrawlerProcess } from './crawler-process.js'
import { warningLogger } from './serve.js'
import { type ServeFlags, serverConfig } from './server-flags.js'
import { type StopSignals, watchStopSignals } from './stop-signals.js'

/** Milliseconds between two lines about the crawl. */
const PROGRESS_INTERVAL = 3_000
/** How often the index is asked whether pages can be found. */
const READY_INTERVAL = 50
/** Milliseconds for requests in flight at the end: with the crawl's own six seconds, the stop stays below ten. */
const DRAIN_TIMEOUT = 3_000

/** How the crawl begins a line about a failure. */
const CRAWL_PREFIX = /^spindle crawl: /

/** What the crawl's events add up to. */
class CrawlTally {
  pages = 0
  failed = 0
  skipped = 0
  report: CrawlReport | undefined

  add(event: Readonly<Record<string, unknown>>): void {
    switch (event.type) {
      case 'fetched':
        if (event.location === undefined) this.pages++
        break
      case 'error':
        this.failed++
        break
      case 'skipped':
        this.skipped++
        break
      case 'done':
        this.report = event as unknown as CrawlReport
    }
  }

  line(found: number): string {
    const parts = [`${counted(this.pages, 'page')} read`]
    if (this.failed > 0) parts.push(`${this.failed} failed`)
    if (this.skipped > 0) parts.push(`${this.skipped} left out`)
    return `Crawl: ${parts.join(', ')}; ${found} can be found`
  }
}

/** True where the arguments say what to crawl. */
export function namesSeeds(args: readonly string[]): boolean {
  return args.some(
    (arg, i) =>
      arg.includes('://') || arg === '--seeds' || arg.startsWith('--seeds=') || (i === 0 && !arg.startsWith('-')),
  )
}

/**
 * Serves the sample site where its pages are to be crawled or are in the data folder already, so that links in the
 * results go on working after the crawl, which finds it served.
 */
async function sampleSite(data: string, args: readonly string[]): Promise<SampleSite | undefined> {
  const folder = new DataDir(data)
  const wanted = (await storedSampleSite(folder)) !== undefined || (!namesSeeds(args) && !existsSync(folder.frontier))
  return wanted ? serveSampleSite({ data }) : undefined
}

function print(line: string): void {
  process.stdout.write(line + EOL)
}

/**
 * @param rest a start address and options for `spindle crawl`
 * @returns 0 where the crawl had ended before the stop, 130 where it was interrupted, 1 where it failed with nothing to show
 */
export async function start(rest: readonly string[], flags: ServeFlags): Promise<number> {
  const config = await serverConfig(flags)
  const args = [...rest, '--data', config.data, '--json']
  if (flags.config !== undefined) args.push('--config', flags.config)
  // Says itself what is wrong, before any page is opened.
  const usage = await crawlerMain(['crawl', ...args], { checkOnly: true })
  if (usage !== 0) return usage
  await new DataDir(config.data).check()
  let crawl: CrawlerProcess | undefined
  const stop = watchStopSignals(() => {
    crawl?.kill()
    process.exit(130)
  })
  // whatever ends this process, the crawl is told by its channel; this is the shorter way
  const killAtExit = (): void => crawl?.kill()
  process.once('exit', killAtExit)
  const tally = new CrawlTally()
  let progress: CrawlProgress | undefined = tally
  let server: RunningServer | undefined
  let sample: SampleSite | undefined
  try {
    server = await startServer({ config, logger: warningLogger(), crawlProgress: () => progress })
    sample = await sampleSite(config.data, rest)
    crawl = new CrawlerProcess(['crawl', ...args], {
      event: (event) => tally.add(event),
      line: (text) => process.stderr.write(`crawl: ${text.replace(CRAWL_PREFIX, '')}${EOL}`),
    })
    const code = await follow(crawl, server, tally, stop)
    progress = undefined
    if (code !== undefined) {
      // the crawl has said what only it could see
      if (code === 2) return 2
      if (tally.report !== undefined) print(formatReport(tally.report))
      if (code !== 0 && server.backend.status().numDocs === 0) {
        process.stderr.write(`The crawl failed and there is nothing to search: the lines above tell why.${EOL}`)
        return 1
      }
      if (code !== 0)
        process.stderr.write(`The crawl ended early (exit code ${code}): what it found so far is served.${EOL}`)
      print(`Serving ${counted(server.backend.status().numDocs, 'page')} at ${server.url} – stop with Ctrl-C.`)
      await stop.stopped
      return 0
    }
    return 130
  } finally {
    await crawl?.stop()
    await server?.close(DRAIN_TIMEOUT)
    await sample?.close()
    stop.dispose()
    process.off('exit', killAtExit)
  }
}

/** Tells how the crawl gets on. @returns its exit code, or undefined where the user stopped first */
async function follow(
  crawl: CrawlerProcess,
  server: RunningServer,
  tally: CrawlTally,
  stop: StopSignals,
): Promise<number | undefined> {
  const found = (): number => server.backend.status().numDocs
  let ready = false
  let shown = ''
  const tellReady = (): void => {
    if (ready || found() === 0) return
    ready = true
    print(`Spindle is ready: ${server.url}`)
  }
  const tellProgress = (): void => {
    const line = tally.line(found())
    if (line === shown || tally.report !== undefined) return
    shown = line
    print(line)
  }
  tellReady()
  if (!ready) print(`Search pages open at ${server.url} – the first pages can be found in a moment.`)
  const readyTimer = setInterval(tellReady, READY_INTERVAL)
  const progressTimer = setInterval(tellProgress, PROGRESS_INTERVAL)
  try {
    const code = await Promise.race([crawl.done, stop.stopped.then(() => undefined)])
    // the last commit may be a moment away from being seen
    if (code === 0) await server.backend.lookNow()
    tellReady()
    return code
  } finally {
    clearInterval(readyTimer)
    clearInterval(progressTimer)
  }
}
