/**
 * The referee: the same tokens, queries and questions for Spindle, Lucene, SQLite's FTS5 and MiniSearch.
 *
 *   npm run bench -- [--corpus FILE] [--queries FILE] [--cache FOLDER] [--lucene FOLDER] [--core N]
 *                    [--starts 3] [--rounds 5] [--engines spindle,lucene,sqlite,minisearch] [--layouts 1,8]
 *                    [--classes REGEXP] [--reuse] [--write] [--small] [--documents 20000]
 *
 * The corpus is made of Debian's documentation packages (some 200,000 documents, 123 MB) the first time and kept in the
 * cache folder; --corpus names another one, a document a line, lower case, words between single spaces. Queries are
 * drawn from the corpus; --queries names a file of lines `class TAB query`. --reuse takes the indexes that are there;
 * --layouts says of how many segments they are. Lucene comes from Maven into the folder --lucene and needs a JDK; an
 * engine that cannot be started is left out.
 * --small: a made-up corpus, one start, to see that everything works.
 *
 * Every engine is a process pinned to the same core. They take turns class by class, so that whatever else the machine
 * does is shared; a query's time is the best of all rounds and starts, a class's the mean over its queries. No results
 * are cached. Before anything is timed, what is found is compared. Prints Markdown; --write puts it into
 * docs/benchmarks.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findCorpus } from './referee/corpus.mjs'
import { startableEngines } from './referee/engines.mjs'
import { measureLayout } from './referee/measure.mjs'
import { benchmarkPage } from './referee/report.mjs'

const ROOT = join(import.meta.dirname, '../../..')
const { values: flags } = parseArgs({
  options: {
    corpus: { type: 'string' },
    queries: { type: 'string' },
    cache: { type: 'string', default: join(ROOT, '.cache/referee') },
    lucene: { type: 'string', default: join(ROOT, '.cache/referee/lucene') },
    core: { type: 'string', default: String(availableParallelism() - 1) },
    starts: { type: 'string' },
    rounds: { type: 'string' },
    engines: { type: 'string', default: 'spindle,lucene,sqlite,minisearch' },
    classes: { type: 'string', default: '' },
    layouts: { type: 'string', default: '1,8' },
    reuse: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    documents: { type: 'string', default: '20000' },
  },
})
const settings = {
  cache: flags.cache,
  core: process.platform === 'linux' ? Number(flags.core) : null,
  starts: Number(flags.starts ?? (flags.small ? 1 : 3)),
  rounds: Number(flags.rounds ?? (flags.small ? 1 : 5)),
  warm: !flags.small,
  classes: new RegExp(flags.classes),
  reuse: flags.reuse,
}
mkdirSync(settings.cache, { recursive: true })
const corpus = await findCorpus({
  ...settings,
  corpus: flags.corpus,
  queries: flags.queries,
  documents: flags.small ? Number(flags.documents) : 0,
})
const engines = await startableEngines(flags.engines.split(','), flags.lucene)
const layouts = []
for (const segments of flags.layouts.split(',').map(Number)) {
  layouts.push(await measureLayout(engines, corpus, segments, settings))
}
writeFileSync(join(settings.cache, 'result.json'), JSON.stringify({ corpus, layouts }, null, 1))
const page = benchmarkPage(corpus, layouts, settings)
console.log(page)
if (flags.write) writeFileSync(join(ROOT, 'docs/benchmarks.md'), page)
const differing = layouts.flatMap(({ comparison }) => comparison.differences)
if (differing.length > 0) {
  console.error(`${differing.length} queries are answered differently:\n${differing.slice(0, 20).join('\n')}`)
  process.exitCode = 1
}
