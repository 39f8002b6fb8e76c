/**
 * A million documents: written within a memory budget, searched by a second process meanwhile, opened again and again.
 *
 *   node packages/index/bench/million.mjs FILE… [--docs 1000000] [--index FOLDER] [--budget 64] [--commits 50]
 *                                               [--small 16] [--starts 5] [--near-real-time] [--memory]
 *
 * FILE: a folder or `.json` file of arrays of objects (`{ title, author, paragraphs }`, such as the npm package
 * chinese-poetry), `.ndjson` or `.jsonl` with an object a line (`title`, `body` or `text`), anything else: a text a line.
 * Where they have too few documents, paragraphs and sentences become further ones; no text comes twice.
 *
 * Each step is a process of its own, so that its memory is its own; the peak is the system's (VmHWM), all threads in it.
 * --budget: MiB of the writer. --small: MiB of the readers that read by ranges. --near-real-time: the writer's process
 * searches too, what is not committed included. --memory: what it was at each commit. Everything that is found is checked, and a wrong answer ends the run.
 */
import { fork } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    docs: { type: 'string', default: '1000000' },
    index: { type: 'string' },
    budget: { type: 'string', default: '64' },
    commits: { type: 'string', default: '50' },
    small: { type: 'string', default: '16' },
    starts: { type: 'string', default: '5' },
    'near-real-time': { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
  },
})
const number = (name) => {
  const value = Number(flags[name])
  if (Number.isFinite(value) && value > 0) return value
  console.error(`--${name} must be a number above 0: ${flags[name]}`)
  process.exit(2)
}
if (files.length === 0) {
  console.error('node packages/index/bench/million.mjs FILE… [--docs 1000000] [--index FOLDER] …: see its first lines')
  process.exit(2)
}
const MiB = 2 ** 20
const docs = number('docs')
const budget = number('budget')
const folder = await mkdtemp(join(tmpdir(), 'spindle-million-'))
const corpus = join(folder, 'documents.ndjson')
const queries = join(folder, 'queries.json')
const index = flags.index ?? join(folder, 'index')
if (existsSync(index) && readdirSync(index).some((name) => name.startsWith('segments_'))) {
  console.error(`${index} holds an index already: name a folder without one`)
  process.exit(2)
}

/** Runs one step; `onMessage` is told what it sends, and what it sends last is its result. */
function start(step, options, onMessage = () => {}) {
  const child = fork(new URL(`./million/${step}.mjs`, import.meta.url), [JSON.stringify(options)])
  let last
  child.on('message', (message) => {
    last = message
    onMessage(message)
  })
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve(last) : reject(new Error(`${step} ended with code ${code}`))))
  })
  return { child, ended }
}
const run = (step, options) => start(step, options).ended

try {
  console.log(`${availableParallelism()} processors, load ${loadavg()[0].toFixed(1)}, Node.js ${process.version}`)
  const made = await run('make-corpus', { files, docs, corpus, queries })
  console.log(
    `${made.docs} documents, ${(made.bytes / 1e6).toFixed(0)} MB of text: ` +
      Object.entries(made.kinds)
        .map(([kind, count]) => `${count} ${kind}`)
        .join(', '),
  )

  let searcher = null
  let writing
  try {
    writing = start(
      'write',
      {
        corpus,
        queries,
        index,
        budget: budget * MiB,
        every: Math.ceil(made.docs / number('commits')),
        nearRealTime: flags['near-real-time'],
        small: number('small') * MiB,
      },
      (message) => {
        if (message.commit === undefined) return
        if (searcher === null) {
          searcher = start('search', { index, queries, small: number('small') * MiB })
          searcher.ended.catch(() => writing.child.kill())
        }
        searcher.child.send(message.commit)
        process.stderr.write(`\r${message.commit.docs} documents, ${message.commit.peak.toFixed(0)} MiB at most `)
      },
    )
    const written = await writing.ended
    process.stderr.write('\n')
    searcher.child.send({ end: true })
    console.table({ writing: written.row })
    if (flags.memory) console.table(written.memory)
    if (written.latencies !== undefined) console.table({ 'searches of the writer': written.latencies })
    console.table({ 'searches of another process': await searcher.ended })
  } finally {
    writing?.child.kill()
    searcher?.child.kill()
  }

  const rows = []
  const counts = new Set()
  const measureOpening = async (segments) => {
    // Of equal scores the earlier document is first, which another cut into segments may change; counts stay.
    const digests = new Set()
    for (const [way, memoryBudget] of [
      ['in memory', undefined],
      [`${flags.small} MiB`, number('small') * MiB],
    ]) {
      const starts = []
      for (let i = 0; i < number('starts'); i++) starts.push(await run('open', { index, queries, memoryBudget }))
      for (const one of starts) {
        digests.add(one.digest)
        counts.add(one.counts)
      }
      const of = (name) => starts.map((one) => one[name]).sort((a, b) => a - b)
      rows.push({
        index: `${starts[0].segments} ${segments}`,
        way,
        'open ms, least': of('open')[0].toFixed(0),
        median: of('open')[starts.length >> 1].toFixed(0),
        most: of('open').at(-1).toFixed(0),
        'first search ms': of('first')[starts.length >> 1].toFixed(1),
        'median search ms': of('median')[starts.length >> 1].toFixed(2),
        '99 % ms': of('p99')[starts.length >> 1].toFixed(1),
        'RSS MiB': of('rss').at(-1).toFixed(0),
      })
    }
    if (digests.size > 1) throw new Error('the same queries had different answers')
  }
  await measureOpening('segments')
  const optimized = await run('optimize', { index, budget: budget * MiB })
  console.table({ optimize: optimized })
  await measureOpening('segment')
  console.table(rows)
  if (counts.size > 1) throw new Error('the same queries found different numbers of documents')
  const size = readdirSync(index).reduce((sum, name) => sum + statSync(join(index, name)).size, 0)
  console.log(
    `the same answers in all ways; index ${(size / 1e6).toFixed(0)} MB, ${(size / made.bytes).toFixed(3)} of the text`,
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}
