/** `spindle queue`: a page of one of the queues, or of the skipped addresses, for people and programs. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { counted, DataDir, loadConfig, type OptionTable, SpindleError, textOption, wholeOption } from '@spindle/core'
import { SqliteView } from '../frontier/sqlite-view.js'
import {
  type FrontierView,
  type ListFilter,
  QUEUES,
  type QueueName,
  type SkippedState,
  type UrlState,
} from '../frontier/workload.js'
import { sum } from '../report/crawl-report.js'
import { crawlOptions } from './crawl-config.js'

/** What the command line says. */
export interface QueueFlags {
  readonly config?: string
  readonly data?: string
  readonly host?: string
  readonly reason?: string
  readonly limit?: string
  readonly after?: string
  readonly json?: boolean
}

interface Page extends ListFilter {
  readonly limit: number
  readonly after: string | undefined
}

const LISTS: readonly string[] = [...QUEUES, 'skipped']
const pageOptions: OptionTable<Page> = {
  limit: wholeOption(50, 1, 1_000_000),
  after: textOption<string | undefined>(undefined, 'an address'),
  host: textOption<string | undefined>(undefined, 'a host'),
  reason: textOption<string | undefined>(undefined, 'a word'),
}

/** @returns the exit code */
export async function queueCommand(name: string | undefined, flags: QueueFlags): Promise<number> {
  const { config: file, data: folder, json = false, ...rest } = flags
  if (name !== undefined && !LISTS.includes(name)) {
    throw new SpindleError('CONFIG_INVALID', `There is no queue "${name}": choose one of ${LISTS.join(', ')}.`)
  }
  const options = { ...(file === undefined ? {} : { file }), section: 'crawl' }
  const { data } = await loadConfig(crawlOptions, { ...options, env: process.env, flags: { data: folder } })
  const page = await loadConfig<Page>(pageOptions, { env: {}, flags: rest })
  const view = await openView(data)
  try {
    const lines = name === undefined ? summary(view, json) : await list(view, name, page, json)
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
    return 0
  } finally {
    await view.close()
  }
}

async function openView(data: string): Promise<FrontierView> {
  const path = join(new DataDir(data).frontier, 'frontier.db')
  if ((await stat(path).catch(() => undefined)) === undefined) {
    throw new SpindleError(
      'DATA_DIR_UNUSABLE',
      `There is no crawl in ${data}: name the data folder of one with --data.`,
    )
  }
  return SqliteView.open(path)
}

function summary(view: FrontierView, json: boolean): string[] {
  const counts = view.counts()
  const tally = view.tally()
  const reasons = (of: ReadonlyMap<string, number>) => Object.fromEntries([...of].sort((a, b) => b[1] - a[1]))
  const { complete, error, skipped } = {
    complete: reasons(tally.complete),
    error: reasons(tally.error),
    skipped: reasons(tally.skipped),
  }
  if (json) {
    return [
      JSON.stringify({
        generation: view.generation(),
        pages: view.pageCount(),
        ...counts,
        reasons: { complete, error, skipped },
      }),
    ]
  }
  const lines = [`crawl ${view.generation()}, ${counted(view.pageCount(), 'page')}`]
  const add = (name: string, count: number) => lines.push(`${name.padEnd(24)} ${String(count).padStart(9)}`)
  for (const queue of ['waiting', 'running'] as const) add(queue, counts[queue])
  for (const [heading, of] of Object.entries({ complete, error, skipped })) {
    add(heading, sum(of))
    for (const [reason, count] of Object.entries(of)) add(`  ${reason}`, count)
  }
  return lines
}

async function list(view: FrontierView, name: string, page: Page, json: boolean): Promise<string[]> {
  const { limit, after, host, reason } = page
  const filter = { host, reason }
  // One more than is shown tells whether there is more.
  const found =
    name === 'skipped'
      ? await view.listSkipped(limit + 1, after, filter)
      : await view.list(name as QueueName, limit + 1, after, filter)
  const shown = found.slice(0, limit)
  const last = shown[shown.length - 1]
  if (found.length > limit && last !== undefined && !json) {
    process.stderr.write(`There are more: go on with --after '${last.url.replaceAll("'", "'\\''")}'.\n`)
  }
  return shown.map((state) => (json ? JSON.stringify(state) : line(state)))
}

function line(state: UrlState | SkippedState): string {
  const from = state.referrer === undefined ? '' : `  (found at ${state.referrer})`
  if (!('queue' in state)) return `${state.reason.padEnd(14)} ${state.url}${from}`
  const { queue, url, depth, disposition, status, finishedAt } = state
  if (queue === 'waiting' || queue === 'running') return `depth ${depth}  ${url}${from}`
  const when = finishedAt === undefined ? '' : new Date(finishedAt).toISOString()
  return `${when}  ${(status === 0 ? '-' : String(status)).padStart(3)} ${String(disposition).padEnd(14)} ${url}${from}`
}
