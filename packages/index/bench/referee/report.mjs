/** The page docs/benchmarks.md. */
import { readFileSync } from 'node:fs'
import { LUCENE_VERSION } from './lucene.mjs'
import { COMMANDS } from './measure.mjs'

const LABELS = { lucene: `Lucene ${LUCENE_VERSION}`, sqlite: 'SQLite FTS5', minisearch: 'MiniSearch' }

const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) =>
  [row(head), row(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n')
const significant = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2))
const ratio = (value) => (value < 0.01 ? value.toFixed(4) : value < 0.1 ? value.toFixed(3) : value.toFixed(2))

function machine() {
  try {
    const info = readFileSync('/proc/cpuinfo', 'utf8')
    const memory = Number(/MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))[1])
    const model = /model name\s*:\s*(.*)/.exec(info)[1]
    return `${model}, ${info.match(/^processor/gm).length} cores, ${Math.round(memory / 2 ** 20)} GiB`
  } catch {
    return `${process.platform} ${process.arch}`
  }
}

/** One command: our microseconds, and our time divided by each peer's, in each layout. */
function commandTable(command, layouts, classes) {
  const columns = []
  for (const { segments, micros } of layouts) {
    const of = layouts.length > 1 ? ` (${segments})` : ''
    columns.push([`µs${of}`, (group) => significant(micros.spindle[command][group])])
    for (const name of Object.keys(LABELS)) {
      const theirs = micros[name]?.[command]
      if (theirs === undefined) continue
      const cell = (group) => (theirs[group] === null ? '–' : ratio(micros.spindle[command][group] / theirs[group]))
      columns.push([`÷ ${LABELS[name]}${of}`, cell])
    }
  }
  const rows = classes.map((group) => [`\`${group}\``, ...columns.map(([, cell]) => cell(group))])
  return table(['class', ...columns.map(([head]) => head)], rows)
}

function indexingTable(corpus, layouts) {
  const rows = []
  for (const { segments, indexing } of layouts) {
    for (const [name, { seconds, bytes }] of Object.entries(indexing)) {
      const size = bytes === null || Number.isNaN(bytes) ? '–' : (bytes / corpus.bytes).toFixed(3)
      rows.push([
        LABELS[name] ?? 'Spindle',
        segments,
        seconds.toFixed(1),
        (corpus.bytes / 1e6 / seconds).toFixed(1),
        size,
      ])
    }
  }
  return table(['engine', 'segments', 'CPU s', 'MB of text a CPU second', 'size ÷ text'], rows)
}

/** @returns the page, ratios below 1 where Spindle is faster */
export function benchmarkPage(corpus, layouts, settings) {
  const [first] = layouts
  const classes = Object.keys(first.comparison.matches)
  const different = layouts.reduce((sum, { comparison }) => sum + comparison.differences.length, 0)
  const versions = Object.entries(first.versions).map(([name, version]) =>
    name === 'spindle'
      ? `Spindle ${version} on Node.js ${process.versions.node}`
      : `${LABELS[name].split(' ')[0]} ${version}`,
  )
  const numbers = layouts.map(({ segments }) => segments).join(' and ')
  const hits = 'lucene' in first.micros ? "; documents and scores of the best ten with Lucene's" : ''
  const compared = `numbers of matches with all engines${hits}`
  const notes = []
  if ('sqlite' in first.micros) notes.push('SQLite has one index, optimized, all of it in its page cache.')
  if ('minisearch' in first.micros) notes.push('MiniSearch has one index, without positions: no phrases.')
  const sections = COMMANDS.map((command) => `## ${command}\n\n${commandTable(command, layouts, classes)}`)
  return `# Benchmarks

Written by \`npm run bench -- --write\`: the same tokens, queries and questions for all engines, each a process pinned to
one core, in turns class by class; the best time of ${settings.starts} starts of ${settings.rounds} rounds a query (slower engines fewer), the mean over
a class. Caches of results are off. **Our time divided by the other engine's: below 1 Spindle is faster.**

- ${new Date().toISOString().slice(0, 10)}, ${machine()}, load ${layouts.map(({ load }) => load.toFixed(1)).join(' and ')} from other work
- ${versions.join('; ')}
- Corpus: ${corpus.documents.toLocaleString('en')} documents, ${(corpus.bytes / 1e6).toFixed(1)} MB: ${corpus.source}
- ${first.comparison.queries} queries; compared: ${compared}: ${different === 0 ? 'no difference' : `**${different} differences**`}
- In brackets: segments of the index (${numbers}). ${notes.join(' ')}

Classes: \`h\` words are in more than 3 % of the documents, \`m\` in 0.2 to 2 %, \`l\` in 5 documents up to 0.05 %; \`or\` any of
the words, \`and\` all, \`phrase\` side by side. \`TOP_10\` counts no further than the best ten need, \`TOP_10_COUNT\` counts
all matches too, \`COUNT\` only counts.

${sections.join('\n\n')}

## Indexing

Words with positions, no stored text. One segment: a buffer of 64 MB and one merge; several: no merge.

${indexingTable(corpus, layouts)}
`
}
