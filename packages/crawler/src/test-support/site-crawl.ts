/** Whole crawls of test sites, and what they leave. */
import type { Test } from 'tap'
import { MemoryWorkload } from '../frontier/memory-workload.js'
import type { CrawlReport } from '../report/crawl-report.js'
import { Spider } from '../spider.js'
import type { SpiderEvent } from '../spider-events.js'
import type { SpiderOptions } from '../spider-options.js'
import { type Route, serveSite } from './test-site.js'

/** What came of a crawl. */
export interface SiteCrawl {
  readonly report: CrawlReport
  readonly events: readonly SpiderEvent[]
  readonly workload: MemoryWorkload
  /** Addresses that ended with a page. */
  readonly stored: readonly string[]
  of(url: string): Promise<string | undefined>
}

/** Crawls without a delay, four fetches at a time, into memory. */
export async function crawl(seeds: string | string[], options: Partial<SpiderOptions> = {}): Promise<SiteCrawl> {
  const workload = new MemoryWorkload()
  const events: SpiderEvent[] = []
  const stored: string[] = []
  const report = await new Spider({
    seeds: [seeds].flat(),
    workload,
    delay: 0,
    retryDelay: 5,
    concurrency: 4,
    onEvent: (event) => events.push(event),
    completePage: ({ url, disposition }) => {
      if (disposition === 'fetched' || disposition === 'noindex') stored.push(url)
    },
    ...options,
  }).start()
  const of = async (url: string) => (await workload.get(url))?.disposition ?? (await workload.getSkipped(url))?.reason
  return { report, events, workload, stored, of }
}

/** A site whose every path is answered by a function of path and count. */
export async function serveAll(t: Test, answer: (path: string, count: number) => string | undefined) {
  return await serveSite(t, {}, (request, response, count) => {
    const path = request.url ?? '/'
    const body = path === '/robots.txt' ? undefined : answer(path, count)
    if (body === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
  })
}

/** An answer without a body. */
export function status(code: number, headers = {}): Route {
  return (_request, response) => void response.writeHead(code, headers).end()
}
