/** The closing table of a crawl: how many addresses ended how, and how fast. */
import { counted } from '@spindle/core'
import type { FrontierView, QueueCounts, Tally, Vanished } from '../frontier/workload.js'
import { doubtText } from '../parse/charset-doubt.js'
import type { CharsetDoubt } from '../parse/parsed-page.js'
import type { Trap } from '../scope/url-budgets.js'
import { dispositionOf } from './dispositions.js'

/** Why a crawl ended. */
export type StopReason =
  /** nothing is waiting any more */
  | 'finished'
  /** the greatest number of pages is reached; the rest is waiting */
  | 'page-limit'
  /** only hosts that do not answer have addresses waiting */
  | 'unavailable'
  /** told to stop */
  | 'stopped'

/** Traps named in the table; the object has all. */
const MAX_TRAPS = 10

/** Failed addresses named in the table and the object. */
const MAX_FAILED = 10

/** An address that failed. */
export interface FailedAddress {
  readonly url: string
  readonly reason: string
  /** The page it was first found at; left out for a start address. */
  readonly referrer?: string
}

/** A page that may have been read in the wrong encoding. */
export interface DoubtfulPage extends CharsetDoubt {
  readonly url: string
  /** The encoding that was taken. */
  readonly charset: string
}

/** Pages of a host that are gone and kept, and all pages that it has. */
export type HeldPages = Omit<Vanished, 'host'>

/** Counts by reason, most first. */
export type ReasonCounts = Readonly<Record<string, number>>

/** The table; counts are of the present crawl generation in this data folder, times of this run. */
export interface CrawlReport {
  readonly reason: StopReason
  readonly waiting: number
  readonly complete: ReasonCounts
  readonly error: ReasonCounts
  readonly skipped: ReasonCounts
  /** Some of the addresses in `error`, at most ten. */
  readonly failed: readonly FailedAddress[]
  /** Addresses fetched in this run (answers of any kind). */
  readonly fetched: number
  /** Pages that were stored, or found to be as stored, in this run. */
  readonly pages: number
  /** Pages of earlier crawls that are gone and were taken out in this run. */
  readonly removed: number
  /** Hosts of which so many pages are gone at once that they are kept until `acceptRemovals`. */
  readonly held: Readonly<Record<string, HeldPages>>
  /** Body bytes received in this run. */
  readonly bytes: number
  /** Pages stored in this run that may have been read in the wrong encoding. */
  readonly charsetDoubts: number
  /** The first of them, at most ten. */
  readonly doubtful: readonly DoubtfulPage[]
  readonly seconds: number
  readonly pagesPerSecond: number
  /** Hosts that did not answer, with what happened. */
  readonly unavailable: Readonly<Record<string, string>>
  /** Places that have more addresses than the limits of the crawl allow, with what was refused of them in this run. */
  readonly traps: readonly Trap[]
}

/** Puts counts under their headings. */
export function buildReport(
  run: Omit<CrawlReport, 'waiting' | 'complete' | 'error' | 'skipped' | 'pagesPerSecond'>,
  counts: QueueCounts,
  tally: Tally,
): CrawlReport {
  const classes = { complete: new Map(), error: new Map(), skipped: new Map<string, number>() }
  for (const reasons of [tally.complete, tally.error, tally.skipped]) {
    for (const [reason, count] of reasons) {
      const into = classes[reasons === tally.skipped ? 'skipped' : dispositionOf(reason).class]
      into.set(reason, (into.get(reason) ?? 0) + count)
    }
  }
  return {
    ...run,
    waiting: counts.waiting + counts.running,
    complete: byCount(classes.complete),
    error: byCount(classes.error),
    skipped: byCount(classes.skipped),
    pagesPerSecond: run.seconds > 0 ? Math.round((run.pages / run.seconds) * 10) / 10 : 0,
  }
}

/** Some of the addresses that failed in the present generation: of each reason, as many as there is room for. */
export async function failedAddresses(view: FrontierView): Promise<FailedAddress[]> {
  const failed: FailedAddress[] = []
  for (const reason of view.tally().error.keys()) {
    if (failed.length === MAX_FAILED) break
    if (dispositionOf(reason).class !== 'error') continue
    for (const { url, referrer } of await view.list('error', MAX_FAILED - failed.length, undefined, { reason })) {
      failed.push({ url, reason, ...(referrer === undefined ? {} : { referrer }) })
    }
  }
  return failed
}

/** Sum of the counts. */
export function sum(counts: ReasonCounts): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

/** The table as lines of text for people. */
export function formatReport(report: CrawlReport): string {
  const rows: [string, string, string][] = []
  for (const heading of ['complete', 'error', 'skipped'] as const) {
    const counts = report[heading]
    rows.push([heading, String(sum(counts)), ''])
    for (const [reason, count] of Object.entries(counts)) {
      rows.push([`  ${reason}`, String(count), heading === 'error' ? '' : dispositionOf(reason).meaning])
    }
  }
  rows.push(['waiting', String(report.waiting), ''])
  if (report.removed > 0)
    rows.push(['removed', String(report.removed), 'gone since the last crawl: taken out of the index'])
  for (const [host, { vanished, pages }] of Object.entries(report.held)) {
    const note = `of ${counted(pages, 'page')} are gone at once: kept in the index until --accept-removals`
    rows.push([`held: ${host}`, String(vanished), note])
  }
  if (report.charsetDoubts > 0)
    rows.push(['charset-doubt', String(report.charsetDoubts), 'may have been read in the wrong encoding'])
  for (const { place, reason, refused } of report.traps.slice(0, MAX_TRAPS)) {
    rows.push([`trap: ${place}`, String(refused), `links refused: ${reason}`])
  }
  const width = Math.max(...rows.map(([name]) => name.length))
  const digits = Math.max(...rows.map(([, count]) => count.length))
  const lines = rows.map(([name, count, note]) => `${name.padEnd(width)}  ${count.padStart(digits)}  ${note}`.trimEnd())
  for (const { url, reason, referrer } of report.failed) {
    lines.push(`failed: ${url} (${reason}${referrer === undefined ? '' : `, linked from ${referrer}`})`)
  }
  for (const { url, charset, ...doubt } of report.doubtful) {
    lines.push(`charset in doubt: ${url} (${doubtText(charset, doubt)})`)
  }
  const more = sum(report.error) - report.failed.length
  if (more > 0) lines.push(`failed: … and ${more} more; "spindle queue error" names all of them`)
  const rate = report.pagesPerSecond >= 10 ? Math.round(report.pagesPerSecond) : report.pagesPerSecond
  lines.push(
    `${counted(report.pages, 'page')} (${formatBytes(report.bytes)}) in ${formatSeconds(report.seconds)}, ${rate} pages a second`,
  )
  return lines.join('\n')
}

function byCount(counts: ReadonlyMap<string, number>): ReasonCounts {
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return Object.assign(Object.create(null), Object.fromEntries(sorted)) as ReasonCounts
}

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const mib = bytes / 1024 / 1024
  return mib < 1 ? `${Math.round(bytes / 1024)} KiB` : `${mib.toFixed(1)} MiB`
}

function formatSeconds(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  const minutes = Math.floor(whole / 60)
  const rest = `${minutes % 60} min ${whole % 60} s`
  return minutes < 60 ? rest : `${Math.floor(minutes / 60)} h ${rest}`
}
