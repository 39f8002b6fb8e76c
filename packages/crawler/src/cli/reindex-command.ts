/** `spindle reindex` and `spindle compact`: the index made anew, and the page store made smaller, without the network. */
import { hash } from 'node:crypto'
import { counted } from '@spindle/core'
import { Crawl } from '../crawl.js'
import { defaultUserAgent } from '../fetch/fetcher.js'
import { checkPages } from '../pages/live-pages.js'
import { type DataFlags, loadDataConfig, loadIndexSettings } from './data-folder.js'
import { watchInterrupt } from './interrupt.js'
import { showCount } from './progress.js'

/** What the command line says. */
export interface ReindexFlags extends DataFlags {
  /** False to take what was read of the pages when they were fetched. */
  readonly parse?: boolean
}

/** @returns the exit code */
export async function reindexCommand(flags: ReindexFlags): Promise<number> {
  const config = await loadDataConfig(flags)
  await checkPages(config.data)
  const interrupt = watchInterrupt(() => process.stderr.write('Stopping; press Ctrl-C again to stop at once.\n'))
  const { data } = config
  const crawl = await Crawl.open({ data, index: false, ...(await loadIndexSettings(flags, data)) })
  let stage: 'read' | 'indexed' = 'read'
  let count = { done: 0, total: crawl.state.pages }
  const names = { read: 'pages read again', indexed: 'records indexed' }
  const end = showCount(
    process.stderr,
    () => names[stage],
    () => count,
  )
  try {
    const robotsToken = (config.userAgent ?? defaultUserAgent()).split(/[/\s]/, 1)[0]!
    const { sites } = config
    const selectors = [...(sites ?? [])].map(([origin, settings]) => [origin, settings.selectors])
    const purpose = `read again by ${defaultUserAgent()} ${hash('md5', JSON.stringify([robotsToken, selectors]))}`
    const selectorsOf = (origin: string) => sites?.get(origin)?.selectors
    const isDone = await crawl.reindex({
      parse: flags.parse === false ? undefined : { purpose, robotsToken, selectorsOf },
      signal: interrupt.signal,
      onProgress: (now, done, total) => {
        stage = now
        count = { done, total }
      },
    })
    end()
    if (!isDone) return 130
    process.stdout.write(`${counted(crawl.findable, 'document')} can be found in ${config.data}\n`)
    return 0
  } finally {
    end()
    await crawl.close()
    interrupt.dispose()
  }
}

/** @returns the exit code */
export async function compactCommand(flags: DataFlags): Promise<number> {
  const { data } = await loadDataConfig(flags)
  await checkPages(data)
  const interrupt = watchInterrupt(() => {})
  const crawl = await Crawl.open({ data })
  try {
    const sizes = await crawl.compact({ force: true, signal: interrupt.signal })
    if (sizes === undefined) return 130
    process.stdout.write(`the page store has ${counted(sizes.after, 'byte')}; it had ${sizes.before}\n`)
    return 0
  } finally {
    await crawl.close()
    interrupt.dispose()
  }
}
