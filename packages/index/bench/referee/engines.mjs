/** The engines, and how much of the time each of them gets. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { LUCENE_VERSION, luceneCommand } from './lucene.mjs'

const node = (name) => [
  process.execPath,
  '--max-old-space-size=12288',
  join(import.meta.dirname, 'serve-peer.mjs'),
  name,
]
const require = createRequire(import.meta.url)

/**
 * `starts` and `rounds` at most: slow engines are asked less often. `ranks`: scores as Spindle does, so that the best
 * ten are compared and not only the numbers of matches. `segments`: has indexes of one and of several segments.
 * `inMemory`: its index lives as long as its process.
 */
const ENGINES = {
  spindle: { label: 'Spindle', command: () => node('spindle'), starts: 99, rounds: 99, ranks: true, segments: true },
  lucene: {
    label: `Lucene ${LUCENE_VERSION}`,
    command: (folder) => luceneCommand(folder),
    starts: 99,
    rounds: 99,
    ranks: true,
    segments: true,
  },
  sqlite: {
    label: 'SQLite FTS5',
    command: () => node(require.resolve('libsql') && 'sqlite'),
    starts: 99,
    rounds: 1,
  },
  minisearch: {
    label: 'MiniSearch',
    command: () => node(require.resolve('minisearch') && 'minisearch'),
    starts: 1,
    rounds: 1,
    inMemory: true,
  },
}

/** Those of the names that can be started here; why others cannot is told. @param luceneFolder where Lucene is kept */
export async function startableEngines(names, luceneFolder) {
  const engines = []
  for (const name of names) {
    if (!Object.hasOwn(ENGINES, name))
      throw new Error(`an engine of ${Object.keys(ENGINES).join(', ')} is needed, not ${name}`)
    try {
      engines.push({ ...ENGINES[name], name, command: ENGINES[name].command(luceneFolder) })
    } catch (error) {
      console.error(`without ${ENGINES[name].label}: ${error.message.split('\n')[0]}`)
    }
  }
  if (engines[0]?.name !== 'spindle') throw new Error('the first engine must be spindle')
  return engines
}
