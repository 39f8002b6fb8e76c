/** `spindle export`: the stored pages as a WARC file, or as one JSON object a line. */
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { counted, SpindleError } from '@spindle/core'
import { defaultUserAgent } from '../fetch/fetcher.js'
import { LivePages } from '../pages/live-pages.js'
import { exportRecords, exportWarc } from '../warc/export-pages.js'
import { type DataFlags, loadDataConfig } from './data-folder.js'
import { watchInterrupt } from './interrupt.js'
import { showCount } from './progress.js'

/** What the command line says. */
export interface ExportFlags extends DataFlags {
  /** Path of a WARC file. */
  readonly warc?: string
}

/**
 * @param file path of the file of records; undefined for standard output
 * @returns the exit code
 */
export async function exportCommand(file: string | undefined, flags: ExportFlags): Promise<number> {
  const { warc } = flags
  if (warc !== undefined && file !== undefined) {
    throw new SpindleError('CONFIG_INVALID', `Both ${warc} and ${file} are named: give one file.`)
  }
  const { data } = await loadDataConfig(flags)
  const pages = await LivePages.open(data)
  const interrupt = watchInterrupt(() => {})
  let done = 0
  const total = await pages.count()
  const end = showCount(
    process.stderr,
    () => 'pages',
    () => ({ done, total }),
  )
  try {
    const options = { onPage: () => void done++, signal: interrupt.signal }
    const path = warc ?? file
    const bytes =
      warc === undefined
        ? exportRecords(pages, options)
        : exportWarc(pages, {
            ...options,
            filename: basename(warc),
            compress: warc.endsWith('.gz'),
            software: defaultUserAgent(),
          })
    if (path === undefined) await pipeToStdout(bytes)
    else await pipeline(Readable.from(bytes), await createFile(path))
  } finally {
    end()
    await pages.close()
    interrupt.dispose()
  }
  if (interrupt.signal.aborted) return 130
  process.stderr.write(`${counted(done, 'page')} written${warc === undefined ? '' : ` to ${warc}`}\n`)
  return 0
}

/** @throws SpindleError where there can be no such file */
async function createFile(path: string): Promise<Writable> {
  try {
    return (await open(path, 'w')).createWriteStream()
  } catch (cause) {
    const message = `The file ${path} cannot be written (${(cause as Error).message}): name one in a folder that is there.`
    throw new SpindleError('CONFIG_INVALID', message, { cause })
  }
}

async function pipeToStdout(lines: AsyncIterable<string | Buffer>): Promise<void> {
  const stream = Readable.from(lines)
  stream.pipe(process.stdout, { end: false })
  // A reader that has gone is no fault.
  process.stdout.once('error', () => stream.destroy())
  await finished(stream).catch(() => {})
}
