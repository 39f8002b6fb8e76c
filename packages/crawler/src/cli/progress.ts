/** Shows how a crawl gets on: a bar on a terminal, now and then a line elsewhere. Writes to standard error only. */
import { createRequire } from 'node:module'
import { counted } from '@spindle/core'
import type * as CliProgress from 'cli-progress'
import type { SpiderStats } from '../spider-options.js'

type Figures = SpiderStats & { readonly findable: number }

const BAR_INTERVAL_MS = 200
const LINE_INTERVAL_MS = 10_000

/**
 * Begins to show progress.
 * @param figures asked for the live figures; undefined before the crawl has begun
 * @returns ends it
 */
export function showProgress(figures: () => Figures | undefined, stream: NodeJS.WriteStream): () => void {
  return stream.isTTY ? showBar(figures, stream) : showLines(figures, stream)
}

function showBar(figures: () => Figures | undefined, stream: NodeJS.WriteStream): () => void {
  // Loaded where it is needed: it is as much code as the spider.
  const { Presets, SingleBar } = createRequire(import.meta.url)('cli-progress') as typeof CliProgress
  const bar = new SingleBar(
    {
      stream,
      format: ' {bar} {value}/{total} addresses, {pages}, {errors}, {findable} findable, {rate} pages/s',
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      noTTYOutput: false,
    },
    Presets.shades_grey,
  )
  const begun = performance.now()
  let first: number | undefined
  const payload = (now: Figures | undefined) => {
    first ??= now?.pages
    const seconds = (performance.now() - begun) / 1000
    const rate = now === undefined || seconds < 1 ? 0 : (now.pages - (first ?? 0)) / seconds
    const { pages = 0, error = 0, findable = 0 } = now ?? {}
    return {
      pages: counted(pages, 'page'),
      errors: counted(error, 'error'),
      findable,
      rate: rate >= 10 ? Math.round(rate) : rate.toFixed(1),
    }
  }
  bar.start(1, 0, payload(undefined))
  const timer = setInterval(() => {
    const now = figures()
    if (now === undefined) return
    const done = now.complete + now.error
    bar.setTotal(Math.max(1, done + now.waiting + now.running))
    bar.update(done, payload(now))
  }, BAR_INTERVAL_MS)
  return () => {
    clearInterval(timer)
    bar.stop()
  }
}

function showLines(figures: () => Figures | undefined, stream: NodeJS.WriteStream): () => void {
  let shown = ''
  const timer = setInterval(() => {
    const now = figures()
    if (now === undefined) return
    const waiting = counted(now.waiting + now.running, 'address', 'addresses')
    const line = `${counted(now.pages, 'page')}, ${waiting} waiting, ${counted(now.error, 'error')}, ${counted(now.findable, 'page')} findable`
    if (line !== shown) stream.write(`${line}\n`)
    shown = line
  }, LINE_INTERVAL_MS)
  return () => clearInterval(timer)
}

/**
 * Shows how far something countable is.
 * @param what is counted, many of it
 * @returns ends it; may be called again
 */
export function showCount(
  stream: NodeJS.WriteStream,
  what: () => string,
  count: () => { readonly done: number; readonly total: number },
): () => void {
  let shown = ''
  const show = () => {
    const { done, total } = count()
    const line = `${done} of ${total} ${what()}`
    if (line !== shown) stream.write(stream.isTTY ? `\r${line}\u001b[K` : `${line}\n`)
    shown = line
  }
  const timer = setInterval(show, stream.isTTY ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)
  return () => {
    clearInterval(timer)
    if (stream.isTTY && shown !== '') stream.write('\r\u001b[K')
    shown = ''
  }
}
