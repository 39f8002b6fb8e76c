/** What the fault tests of the crawler crawl, run and look at: a site of some hundred pages, the command under strace, the data folder. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SqliteWorkload } from '@spindle/crawler'
import { IndexReader } from '@spindle/index'
import { projectRoot } from '../support/spindle-process.js'
import { type TracedRun, traced } from './strace.js'

/** Fetches at a time of the crawls. */
export const CONCURRENCY = 4
/** Most pages that a crash may have fetched and not yet written (`MAX_UNWRITTEN` of the crawler). */
export const BATCH = 64
const LINKS = 6

/** A page request as the site saw it. */
export interface SeenRequest {
  readonly path: string
  readonly begun: number
  ended: number
}

/** A site whose pages link to some others and all lead back. */
export class FaultSite {
  /** Requests for pages in order of their beginning. */
  readonly requests: SeenRequest[] = []
  /** All, robots.txt and probes for pages that are not there included. */
  readonly all: SeenRequest[] = []
  readonly url: string
  readonly pages: number
  readonly #close: () => Promise<void>

  private constructor(url: string, pages: number, close: () => Promise<void>) {
    this.url = url
    this.pages = pages
    this.#close = close
  }

  static async serve(pages: number): Promise<FaultSite> {
    let site: FaultSite
    const server = createServer((request, response) => {
      const number = request.url === '/' ? 0 : Number(/^\/page-([1-9]\d*)$/.exec(request.url ?? '')?.[1] ?? Number.NaN)
      const seen = site.#note(request, number < pages)
      // Before the answer leaves: whoever gets it may run before this process does again.
      seen.ended = performance.now()
      if (!(number < pages)) return void response.writeHead(404).end()
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html(number, pages))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    site = new FaultSite(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, pages, () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    })
    return site
  }

  /** Forgets the requests so far. */
  forget(): void {
    this.requests.length = 0
    this.all.length = 0
  }

  close(): Promise<void> {
    return this.#close()
  }

  #note({ url = '' }: IncomingMessage, isPage: boolean): SeenRequest {
    const seen = { path: url, begun: performance.now(), ended: Number.POSITIVE_INFINITY }
    this.all.push(seen)
    if (isPage) this.requests.push(seen)
    return seen
  }
}

function html(number: number, pages: number): string {
  const links = []
  // A tree, so that all are found, and some links across.
  for (let i = 1; i <= LINKS; i++) links.push(number * LINKS + i, (number * 31 + i * 17) % pages)
  const anchors = links.filter((to) => to > 0 && to < pages).map((to) => `<li><a href="/page-${to}">page ${to}</a>`)
  return `<!doctype html><title>page ${number}</title><p>the words of page ${number} 第${number}页</p><ul>${anchors.join('')}</ul><a href="/">home</a>`
}

/** Arguments of the crawl of a site into a folder. */
export function crawlArgs(site: FaultSite, data: string, ...more: string[]): string[] {
  const command = join(projectRoot, 'bin/spindle.mjs')
  return [
    command,
    'crawl',
    site.url,
    '--data',
    data,
    '--delay',
    '0',
    '--concurrency',
    String(CONCURRENCY),
    '--json',
    ...more,
  ]
}

/** System calls that change a file or leave the machine. */
const CALLS = [
  'openat',
  'write',
  'writev',
  'pwrite64',
  'fsync',
  'fdatasync',
  'ftruncate',
  'rename',
  'link',
  'unlink',
  'connect',
]

/** A call of a run: the `when`-th of its kind in its thread. */
export interface CrawlPoint {
  readonly call: string
  readonly when: number
  /** What it was for, as strace shows it: a file, or a socket. */
  readonly target: string
  /** Its number among the calls of its kind for the target. */
  readonly whenOfTarget: number
}

/** Calls of an undisturbed run in order: those for its data folder and its connections; what else starts a program is left out. */
export async function tracePoints(log: string, data: string, args: readonly string[]): Promise<CrawlPoint[]> {
  const run = await traced(log, ['-y', '-e', `trace=${CALLS.join(',')}`], args)
  if (run.code !== 0) throw new Error(`the crawl fails by itself: ${run.stderr}`)
  const counts = new Map<string, number>()
  const points: CrawlPoint[] = []
  for (const line of readFileSync(log, 'latin1').split('\n')) {
    const match = /^(\d+) +(\w+)\((?:\w+<([^>]*)>|[^"]*"([^"]*)")?/.exec(line)
    if (match === null) continue
    const [, thread, call, file, path] = match
    const count = (key: string): number => {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return counts.get(key)!
    }
    const target = file ?? path ?? ''
    const when = count(`${call} ${thread}`)
    const whenOfTarget = count(`${call} ${thread} ${target}`)
    if (target.startsWith(data) || target.startsWith('socket:'))
      points.push({ call: call!, when, target, whenOfTarget })
  }
  return points
}

/** Kills a run at a point; another thread that comes to the same number first takes it instead. */
export function killAt(log: string, { call, when }: CrawlPoint, args: readonly string[]): Promise<TracedRun> {
  return traced(log, ['-e', `trace=${call}`, '-e', `inject=${call}:signal=SIGKILL:when=${when}`], args)
}

/** Lets a call for a file fail. @param target the file; its folder may be another one than that of the point */
export function failAt(
  log: string,
  { call, whenOfTarget }: CrawlPoint,
  target: string,
  error: string,
  args: readonly string[],
): Promise<TracedRun> {
  const inject = `inject=${call}:error=${error}:when=${whenOfTarget}`
  return traced(log, ['-e', `trace=${call}`, '-e', inject, '-P', target], args)
}

/** What is in a data folder: of each address its state and its document. */
export interface Outcome {
  readonly counts: Readonly<Record<string, number>>
  /** Address → title, text and what links say of its document; an address that is there twice is marked. */
  readonly documents: ReadonlyMap<string, string>
}

export async function readOutcome(data: string): Promise<Outcome> {
  const workload = await SqliteWorkload.open(join(data, 'frontier', 'frontier.db'))
  const counts = { ...workload.counts() }
  await workload.close()
  const reader = await IndexReader.open(join(data, 'index'))
  const documents = new Map<string, string>()
  for (const segment of reader.segments) {
    const byLinks = await Promise.all(['pageRank', 'hub', 'authority'].map((field) => segment.docValues(field)))
    for (let id = 0; id < segment.maxDoc; id++) {
      if (segment.liveDocs?.get(id) === false) continue
      const document = await segment.document(id)
      const path = new URL(document.get('url') ?? '').pathname
      const text = createHash('sha256')
        .update(`${document.get('title')}\n${document.get('body')}\n${document.get('anchor')}`)
        .update(byLinks.map((column) => column?.numbers(id)).join(' '))
        .digest('hex')
      documents.set(documents.has(path) ? `${path} twice` : path, text)
    }
  }
  await reader.close()
  return { counts, documents: new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1))) }
}
