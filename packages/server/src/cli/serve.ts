/** `spindle serve`: the search pages of a data folder, until it is told to stop. */
import { counted, DataDir, JsonLineLogger, type Logger } from '@spindle/core'
import { startServer } from '../main.js'
import { type ServeFlags, serverConfig } from './server-flags.js'
import { watchStopSignals } from './stop-signals.js'

/** Warnings and errors to standard error, one JSON object a line. */
export function warningLogger(): Logger {
  const lines = new JsonLineLogger((line) => process.stderr.write(line))
  return {
    log(level, message, fields) {
      if (level === 'warn' || level === 'error') lines.log(level, message, fields)
    },
  }
}

/** @returns 0 once the server has stopped in good order */
export async function serve(flags: ServeFlags): Promise<number> {
  const config = await serverConfig(flags)
  await new DataDir(config.data).check()
  const stop = watchStopSignals(() => process.exit(130))
  try {
    const server = await startServer({ config, logger: warningLogger() })
    const { state, numDocs } = server.backend.status()
    process.stdout.write(`Spindle serves ${server.url}\n`)
    if (state === 'waiting') {
      process.stdout.write(
        `There is nothing to find in ${config.data} yet; pages appear as soon as a crawl brings them.\n`,
      )
    } else if (state === 'ready') process.stdout.write(`${counted(numDocs, 'page')} can be found.\n`)
    await stop.stopped
    await server.close()
    return 0
  } finally {
    stop.dispose()
  }
}
