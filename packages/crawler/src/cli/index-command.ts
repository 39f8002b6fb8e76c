/** `spindle index`: local files, folders and records into the data folder, once or as long as they change. */

import { loadConfig } from '@spindle/core'
import { Crawl } from '../crawl.js'
import { FileWatcher } from '../import/file-watcher.js'
import type { ImportEvent, Importer, ImportReport } from '../import/importer.js'
import { type LocalRoot, rootOf } from '../import/local-files.js'
import { parseMapping } from '../import/record-mapping.js'
import { sum } from '../report/crawl-report.js'
import { crawlOptions } from './crawl-config.js'
import { loadIndexSettings } from './data-folder.js'
import { JsonTeller, Teller } from './import-teller.js'
import { type Interrupt, watchInterrupt } from './interrupt.js'

/** What the command line says. */
export interface IndexFlags {
  readonly config?: string
  readonly data?: string
  /** `part=column` each */
  readonly map?: readonly string[]
  readonly watch?: boolean
  readonly json?: boolean
}

/** @returns the exit code */
export async function indexCommand(paths: readonly string[], flags: IndexFlags): Promise<number> {
  const { config: file, data: folder, map = [], watch = false, json = false } = flags
  const mapping = parseMapping(map)
  const { data } = await loadConfig(crawlOptions, {
    ...(file === undefined ? {} : { file }),
    env: process.env,
    flags: { data: folder },
    section: 'crawl',
  })
  const roots: LocalRoot[] = []
  for (const path of paths) roots.push(await rootOf(path))
  const teller = json ? new JsonTeller() : new Teller(data)
  const interrupt = watchInterrupt(() => teller.say('Stopping; press Ctrl-C again to stop at once.'))
  let crawl: Crawl | undefined
  let watcher: FileWatcher | undefined
  try {
    crawl = await Crawl.open({ data, ...(await loadIndexSettings(flags, data)) })
    // Watched from before they are read: what changes meanwhile is read again.
    if (watch) watcher = await FileWatcher.open(roots)
    const options = { roots, mapping, signal: interrupt.signal, onEvent: (event: ImportEvent) => teller.tell(event) }
    let report: ImportReport | undefined
    await crawl.import(options, async (importer) => {
      const started = performance.now()
      await importer.run()
      report = importer.report
      teller.done(report, crawl!.findable, (performance.now() - started) / 1000)
      if (watcher !== undefined) await follow(watcher, importer, { crawl: crawl!, interrupt, teller, paths })
    })
    if (interrupt.signal.aborted) return 130
    const { indexed, unchanged, failed } = report!
    return indexed + unchanged === 0 && sum(failed) > 0 ? 1 : 0
  } finally {
    await watcher?.close()
    await crawl?.close()
    interrupt.dispose()
    teller.end()
  }
}

interface Watching {
  readonly crawl: Crawl
  readonly interrupt: Interrupt
  readonly teller: Teller | JsonTeller
  readonly paths: readonly string[]
}

async function follow(watcher: FileWatcher, importer: Importer, { crawl, interrupt, teller, paths }: Watching) {
  teller.say(`Watching ${paths.join(', ')} – stop with Ctrl-C.`)
  for (;;) {
    const changes = await watcher.next(interrupt.signal)
    if (changes === undefined) return
    const before = importer.report
    const started = performance.now()
    await importer.update(changes.files, changes.folders)
    const { indexed, unchanged, removed, failed } = importer.report
    const isNews = indexed > before.indexed || removed > before.removed || sum(failed) > sum(before.failed)
    if (!isNews) continue
    const change = {
      indexed: indexed - before.indexed,
      unchanged: unchanged - before.unchanged,
      removed: removed - before.removed,
      failed: difference(failed, before.failed),
    }
    teller.done(change, crawl.findable, (performance.now() - started) / 1000)
  }
}

function difference(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>) {
  const changed = Object.entries(now).map(([reason, count]) => [reason, count - (before[reason] ?? 0)] as const)
  return Object.fromEntries(changed.filter(([, count]) => count > 0))
}
