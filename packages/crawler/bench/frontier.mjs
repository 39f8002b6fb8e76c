#!/usr/bin/env node
/**
 * What the frontier costs as it grows: `node packages/crawler/bench/frontier.mjs [addresses] [hosts]` (1,000,000 and 100).
 *
 * Fills a SQLite frontier as a crawl does – batches of 32 finished pages with 30 links each, most of them known – and prints at
 * each tenth of the way the CPU microseconds of a claim, of a finished page with its links, and the memory of the process. Then other
 * processes open it: after a good end, after SIGKILL, for the same crawl depth first (everything is numbered anew), for a recrawl
 * (everything waits again), and to look on. Times are CPU seconds of the process; "opened" is the time until the first claim.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { breadthFirst, depthFirst } from '../dist/frontier/crawl-order.js'
import { SqliteView } from '../dist/frontier/sqlite-view.js'
import { SqliteWorkload } from '../dist/frontier/sqlite-workload.js'

const BATCH = 32
const LINKS = 30
/** Links of a page that are new while the frontier grows; a crawl of documentation finds about as many. */
const NEW_LINKS = 4

const [first = '1000000', second = '100', ...rest] = process.argv.slice(2)
if (first === 'child') await child(second, rest[0], Number(rest[1]))
else await main(Number(first), Number(second))

async function main(addresses, hosts) {
  const dir = mkdtempSync(join(tmpdir(), 'frontier-'))
  const path = join(dir, 'frontier.db')
  try {
    const run = (name, ...args) => {
      const { stdout, stderr, signal } = spawnSync(
        process.execPath,
        [fileURLToPath(import.meta.url), 'child', name, path, ...args.map(String)],
        {
          encoding: 'utf8',
        },
      )
      if (stderr !== '') process.stderr.write(stderr)
      process.stdout.write(stdout)
      if (signal !== null && name !== 'kill') throw new Error(`${name}: ${signal}`)
    }
    process.stdout.write(`${addresses} addresses on ${hosts} hosts\n`)
    await fill(path, addresses, hosts)
    process.stdout.write(
      `file ${mib(statSync(path).size)} MiB, ${Math.round(statSync(path).size / addresses)} bytes an address\n`,
    )
    for (const name of ['open', 'kill', 'reopen', 'depth', 'breadth', 'recrawl', 'look']) run(name, addresses)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function fill(path, addresses, hosts) {
  const workload = await SqliteWorkload.open(path)
  const urlOf = (i) => `https://host-${i % hosts}.example.org/section-${i % 997}/page-${i}.html`
  await workload.add(Array.from({ length: hosts }, (_, i) => ({ url: urlOf(i), depth: 0, redirects: 0 })))
  let known = hosts
  let claims = 0
  let pages = 0
  let spentOnClaims = 0
  let spentOnPages = 0
  let step = addresses / 10
  process.stdout.write('known      us/claim  us/page  RSS MiB\n')
  while (known < addresses) {
    const batch = []
    let begun = cpu()
    for (let i = 0; i < BATCH; i++) {
      const claimed = await workload.claim(`host-${(pages + i) % hosts}.example.org`)
      if (claimed !== undefined) batch.push(claimed)
    }
    spentOnClaims += cpu() - begun
    claims += BATCH
    const finished = batch.map(({ url, depth }) => {
      const links = []
      for (let i = 0; i < LINKS; i++) {
        const to =
          i < NEW_LINKS && known < addresses
            ? known++
            : Math.floor(((((pages + i) * 2654435761) % 2 ** 32) / 2 ** 32) * known)
        links.push({ url: urlOf(to), depth: depth + 1, redirects: 0 })
      }
      return {
        url,
        queue: 'complete',
        disposition: 'fetched',
        status: 200,
        page: 8,
        content: known,
        finishedAt: 1,
        links,
        skipped: [],
      }
    })
    begun = cpu()
    await workload.finish(finished)
    spentOnPages += cpu() - begun
    pages += batch.length
    if (known < step) continue
    step += addresses / 10
    process.stdout.write(
      `${String(known).padStart(9)}  ${us(spentOnClaims, claims)}  ${us(spentOnPages, pages)}  ${rss()}\n`,
    )
    claims = 0
    spentOnClaims = 0
    spentOnPages = 0
    pages = 0
  }
  await workload.close()
}

/** One process, one job. */
async function child(name, path, addresses) {
  const before = process.memoryUsage.rss()
  const begun = performance.now()
  const say = (text) => process.stdout.write(`${name.padEnd(8)} ${text}\n`)
  if (name === 'look') {
    const view = await SqliteView.open(path)
    view.counts()
    const listed = async (queue) => {
      const from = performance.now()
      await view.list(queue, 50)
      return Math.round(performance.now() - from)
    }
    say(
      `counts ${Math.round(performance.now() - begun)} ms, 50 waiting ${await listed('waiting')} ms, 50 complete ${await listed('complete')} ms`,
    )
    return view.close()
  }
  const workload = await SqliteWorkload.open(path)
  // The budgets of hosts count what is known, as in a crawl.
  await workload.useAdmission({ addHost() {}, admit() {} })
  if (name === 'depth') await workload.useOrder(depthFirst)
  if (name === 'breadth') await workload.useOrder(breadthFirst)
  const due = name === 'recrawl' ? await workload.beginGeneration(Number.MAX_SAFE_INTEGER) : 0
  const claimed = await workload.claim()
  const opened = Math.round(performance.now() - begun)
  say(
    `opened ${opened} ms (${Math.round(cpu() * 1000)} ms CPU of the process)${due > 0 ? `, ${due} wait again` : ''}, RSS + ${mib(process.memoryUsage.rss() - before)} MiB`,
  )
  if (opened > 5000 && ['open', 'kill', 'reopen'].includes(name)) throw new Error('opening takes more than 5 s')
  await workload.release(claimed.url)
  const [claims, pages] = await work(workload, Math.min(50_000, Math.floor(addresses / 20)))
  say(`us/claim ${claims}, us/page without new links ${pages}, RSS ${rss()} MiB`)
  if (name === 'kill') process.kill(process.pid, 'SIGKILL')
  await workload.close()
}

async function work(workload, count) {
  let spentOnClaims = 0
  let spentOnPages = 0
  for (let done = 0; done < count; done += BATCH) {
    const batch = []
    let begun = cpu()
    for (let i = 0; i < BATCH; i++) batch.push(await workload.claim())
    spentOnClaims += cpu() - begun
    begun = cpu()
    await workload.finish(
      batch.map(({ url }) => ({
        url,
        queue: 'complete',
        disposition: 'fetched',
        status: 200,
        page: 8,
        finishedAt: 1,
        links: [],
        skipped: [],
      })),
    )
    spentOnPages += cpu() - begun
  }
  return [us(spentOnClaims, count), us(spentOnPages, count)]
}

/** Seconds. */
function cpu() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function us(seconds, count) {
  return ((seconds / count) * 1e6).toFixed(1).padStart(8)
}

function rss() {
  return mib(process.memoryUsage.rss()).padStart(7)
}

function mib(bytes) {
  return (bytes / 2 ** 20).toFixed(0)
}
