/** `spindle import`: WARC files, and files of records that `spindle export` has written, into the data folder. */
import { stat } from 'node:fs/promises'
import { counted, isSpindleError, SpindleError } from '@spindle/core'
import { Crawl } from '../crawl.js'
import type { ImportEvent, Importer, ImportReport } from '../import/importer.js'
import { rootOf } from '../import/local-files.js'
import { parseMapping } from '../import/record-mapping.js'
import { sum } from '../report/crawl-report.js'
import type { WarcImporter } from '../warc/warc-importer.js'
import { type DataFlags, loadDataConfig, loadIndexSettings } from './data-folder.js'
import { JsonTeller, Teller } from './import-teller.js'
import { watchInterrupt } from './interrupt.js'

/** What the command line says. */
export interface ImportFlags extends DataFlags {
  readonly json?: boolean
}

/** Between two lines on how far it is. */
const TELL_EVERY_MS = 10_000
const WARC = /\.warc(?:\.gz)?$/i

/** @returns the exit code */
export async function importCommand(paths: readonly string[], flags: ImportFlags): Promise<number> {
  const { data } = await loadDataConfig(flags)
  for (const path of paths) await mustBeFile(path)
  const teller = flags.json === true ? new JsonTeller() : new Teller(data)
  const interrupt = watchInterrupt(() => teller.say('Stopping; press Ctrl-C again to stop at once.'))
  const crawl = await Crawl.open({ data, ...(await loadIndexSettings(flags, data)) })
  let taken = 0
  let isWhole = true
  const use = async (importer: Importer | WarcImporter) => {
    const started = performance.now()
    const tell = () => {
      const { report } = importer
      taken += report.indexed + report.unchanged
      teller.done(report as ImportReport, crawl.findable, (performance.now() - started) / 1000)
      return report
    }
    const timer = setInterval(() => {
      teller.say(`${counted(importer.report.indexed, 'document')} so far`)
    }, TELL_EVERY_MS)
    try {
      await importer.run()
    } catch (error) {
      if (!isSpindleError(error, 'WARC_UNREADABLE')) throw error
      isWhole = false
      tell()
      process.stderr.write(`spindle import: ${error.message}\n`)
      return
    } finally {
      clearInterval(timer)
    }
    if (sum(tell().failed) > 0) isWhole &&= taken > 0
  }
  try {
    for (const path of paths) {
      if (interrupt.signal.aborted) break
      const options = { signal: interrupt.signal, onEvent: (event: ImportEvent) => teller.tell(event) }
      if (WARC.test(path)) await crawl.importWarc({ ...options, path }, use)
      else await crawl.import({ ...options, roots: [await rootOf(path)], mapping: parseMapping([]) }, use)
    }
  } finally {
    await crawl.close()
    interrupt.dispose()
    teller.end()
  }
  if (interrupt.signal.aborted) return 130
  return isWhole ? 0 : 1
}

async function mustBeFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true) return
  throw new SpindleError('CONFIG_INVALID', `There is no file ${path}: name a WARC file or a file of records.`)
}
