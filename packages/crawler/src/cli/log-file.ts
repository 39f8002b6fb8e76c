/** The file of `--log`: one JSON object a line, written a moment later and together. */
import { createWriteStream } from 'node:fs'
import { dirname } from 'node:path'
import { JsonLineLogger, type Logger, makeDirectory, SpindleError } from '@spindle/core'
import { LineBuffer } from './line-buffer.js'

/** An open log. */
export interface LogFile {
  readonly logger: Logger
  close(): Promise<void>
}

/** Opens or creates the file; lines are added at its end. @throws SpindleError `CONFIG_INVALID` */
export async function openLogFile(path: string): Promise<LogFile> {
  try {
    await makeDirectory(dirname(path))
    const stream = createWriteStream(path, { flags: 'a', mode: 0o600 })
    await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject))
    // A disk that fills up later must not end the crawl through its log.
    stream.on('error', () => {})
    const lines = new LineBuffer(stream)
    return {
      logger: new JsonLineLogger((line) => lines.write(line.trimEnd())),
      close() {
        lines.flush()
        return new Promise((resolve) => stream.end(resolve))
      },
    }
  } catch (cause) {
    throw new SpindleError(
      'CONFIG_INVALID',
      `The log file ${path} cannot be written (${(cause as Error).message}): choose another one with --log.`,
      { cause },
    )
  }
}
