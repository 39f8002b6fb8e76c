/**
 * What a server runs as its child process: a command of the crawler, tied to the parent by a message channel. The
 * message `stop` is a Ctrl-C on every platform; a channel that ends means that the parent is gone, so the command stops
 * too and can never run on unseen.
 */
import { main } from '@spindle/crawler/cli'

/** How long a command whose parent is gone may take to stop, milliseconds. */
const ORPHAN_TIMEOUT = 6_000

function interrupt(): void {
  if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT')
  else process.exit(130)
}

process.on('message', (message) => {
  if (message === 'stop') interrupt()
})
process.on('disconnect', () => {
  // whoever read our output is gone as well
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  setTimeout(() => process.exit(130), ORPHAN_TIMEOUT).unref()
  interrupt()
})
process.channel?.unref()

process.exitCode = await main(process.argv.slice(2))
process.removeAllListeners('disconnect')
if (process.connected) process.disconnect()
