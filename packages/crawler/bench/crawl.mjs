#!/usr/bin/env node
/**
 * What fetching side by side brings: `node packages/crawler/bench/crawl.mjs [latency] [concurrencies]` (50 and 1,2,4,8,16,32).
 *
 * A site in a process of its own answers each page after so many milliseconds, as a server far away does. For each concurrency
 * a new process crawls some {@link SECONDS} seconds of it (delay 0, everything on but the index) and the table says how many
 * pages a second came, how much that is of what the latency allows, how it compares with one fetch at a time, and how busy
 * the crawler's processor was: from about 80 % on it is the limit, not the waiting.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Crawl } from '../dist/crawl.js'

const SECONDS = 8
const LINKS = 20
/** Characters of text of a page. */
const TEXT = 8000

const [first = '50', second = '1,2,4,8,16,32', ...rest] = process.argv.slice(2)
if (first === 'serve') serve(Number(second))
else if (first === 'crawl') await crawl(second, Number(rest[0]), Number(rest[1]))
else await main(Number(first), second.split(',').map(Number))

async function main(latency, concurrencies) {
  const site = child('serve', latency)
  const [{ url }] = await once(site, 'message')
  process.stdout.write(`${latency} ms a page\nconcurrency  pages/s  of ideal  speed-up  busy  CPU ms/page\n`)
  let single
  try {
    for (const concurrency of concurrencies) {
      const ideal = (concurrency * 1000) / latency
      const run = child('crawl', url, concurrency, Math.ceil(Math.min(ideal * SECONDS, 4000)))
      const [{ pages, seconds, cpu }] = await once(run, 'message')
      const rate = pages / seconds
      single ??= rate
      const cells = [
        String(concurrency).padStart(11),
        rate.toFixed(1).padStart(8),
        percent(rate / ideal).padStart(9),
        (rate / single).toFixed(1).padStart(9),
        percent(cpu / seconds).padStart(5),
        ((cpu / pages) * 1000).toFixed(2).padStart(12),
      ]
      process.stdout.write(`${cells.join(' ')}\n`)
    }
  } finally {
    site.kill()
  }
}

function child(...args) {
  return fork(fileURLToPath(import.meta.url), args.map(String), { execArgv: ['--max-semi-space-size=4'] })
}

function percent(part) {
  return `${Math.round(part * 100)} %`
}

/** A tree without end; every page has the same text and links to those below it. */
function serve(latency) {
  const text = 'The words of a page, as many as a page of documentation has. '.repeat(TEXT / 60)
  const server = createServer((request, response) => {
    const number = Number(/^\/p(\d+)$/.exec(request.url)?.[1] ?? (request.url === '/' ? 0 : Number.NaN))
    if (Number.isNaN(number)) return void response.writeHead(404).end()
    const links = Array.from({ length: LINKS }, (_, i) => number * LINKS + i + 1)
    const html = `<!doctype html><meta charset=utf-8><title>Page ${number}</title><h1>Page ${number}</h1><p>${text}<ul>${links
      .map((to) => `<li><a href="/p${to}">page ${to}</a>`)
      .join('')}</ul>`
    setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(html), latency)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}/` }))
}

/** One crawl in a process of its own; seconds are those from the first answer on. */
async function crawl(url, concurrency, maxPages) {
  const data = mkdtempSync(join(tmpdir(), 'crawl-'))
  const crawl = await Crawl.open({ data, index: false })
  let begun
  let before
  let pages = 0
  const { user, system } = await new Promise((resolve, reject) => {
    const completePage = () => {
      // The start page and robots.txt come alone.
      if (begun === undefined) {
        begun = performance.now()
        before = process.cpuUsage()
      } else pages++
    }
    crawl
      .run({ seeds: [url], delay: 0, concurrency, maxPages, completePage })
      .then(() => resolve(process.cpuUsage(before)), reject)
  })
  const seconds = (performance.now() - begun) / 1000
  await crawl.close()
  rmSync(data, { recursive: true })
  process.send({ pages, seconds, cpu: (user + system) / 1e6 }, () => process.disconnect())
}
