#!/usr/bin/env node
/**
 * The long stages of testing: `fault` (every sweep once, as far as six minutes on two quiet cores go), `nightly` (every
 * point, random parts until the time is over), `soak` (random work, faults and kills against the model) and `oracle`
 * (searches against Lucene). Nightly and soak take minutes as an argument, 30 where not given, and stop by themselves. Two
 * files run side by side; each is told its share of the minutes. SEED and SPINDLE_SHARD=2/3 (a part of the kill points)
 * are passed on.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [stage = 'fault', given = '30'] = process.argv.slice(2)
const minutes = Number(given)
if (!['fault', 'nightly', 'soak', 'oracle'].includes(stage) || !(minutes > 0)) {
  process.stderr.write('Usage: node tests/fault.mjs fault | nightly [minutes] | soak [minutes] | oracle\n')
  process.exit(2)
}

const index = (name) => `packages/index/dist/indexing/${name}.test.js`
const processes = (name) => `tests/dist/fault/${name}.test.js`

/** Files, longest first, with the weight of their part of the time; without one: as in the first stage, which is short. */
const SWEEPS = [
  [processes('kill'), 0.9],
  [processes('crawl-kill'), 0.45],
  [index('malformed'), 0.25],
  [index('crash'), 0.3],
  [index('damage'), 0.45],
  [index('faults'), 0.6],
  [index('merge-faults'), 0.2],
  [index('damage-by-range'), 0.2],
  [index('torture'), 0.1],
  [index('merges')],
  [processes('lock'), 0.4],
  [processes('recrawl-kill'), 0.2],
  [processes('crawl-disk')],
  [processes('small-disk')],
  [index('big-values')],
  [index('retries')],
  [index('backups')],
  [index('clock')],
  ['packages/index/dist/query-parser/query-parser-fuzz.test.js'],
  ['packages/crawler/dist/documents/hostile-documents.test.js'],
]
const SOAK = [
  [processes('soak'), 1],
  [index('torture'), 1],
]
const ORACLE = [['tests/dist/lucene/lucene-search.test.js'], ['tests/dist/lucene/lucene-query-parser.test.js']]

const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff)
const files = { soak: SOAK, oracle: ORACLE }[stage] ?? SWEEPS
/** Files that run at the same time. */
const LANES = Math.min(2, availableParallelism())
/** Minutes of the whole stage, and the part of them that is left to the files with a weight. */
const [total, shared] = stage === 'fault' ? [6, 0.7] : [minutes, 0.9]
/** Minutes for a weight of 1; no file has more than nearly all of them. */
const minutesForOne = (shared * total * LANES) / files.reduce((sum, [, weight = 0]) => sum + weight, 0)

/** Runs one file, and shows what it has to say: all of it where it failed. @returns whether it passed */
function run([file, weight]) {
  const began = Date.now()
  const own = weight === undefined ? undefined : Math.min(0.95 * total, minutesForOne * weight)
  const time = own === undefined ? {} : { SPINDLE_MINUTES: String(own) }
  // A file that does not end within its time by far is broken.
  const timeout = Math.round((own ?? 30) * 60 + 1200)
  return new Promise((resolve) => {
    // By itself, not by the test runner, whose hooks double the time of the many processes.
    const child = spawn(process.execPath, ['--enable-source-maps', file], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        TAP_TIMEOUT: String(timeout),
        SPINDLE_EFFORT: stage === 'fault' || own === undefined ? 'full' : 'nightly',
        SEED: String(seed),
        ...time,
      },
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.once('close', (status) => {
      const passed = status === 0
      const comments = output.split('\n').filter((line) => /^ {4,}# (?!Subtest|time=|\{ total)/.test(line))
      process.stdout.write(`${passed ? '' : output}${comments.map((line) => `  ${line.trim()}\n`).join('')}`)
      const seconds = Math.round((Date.now() - began) / 1000)
      process.stdout.write(`${passed ? 'passed' : 'FAILED'} ${file} in ${seconds} s, SEED=${seed}\n`)
      resolve(passed)
    })
  })
}

const waiting = [...files]
let failures = 0
async function lane() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) if (!(await run(next))) failures++
}
const began = Date.now()
await Promise.all(Array.from({ length: LANES }, lane))
const seconds = Math.round((Date.now() - began) / 1000)
process.stdout.write(`${stage}: ${failures === 0 ? 'passed' : `${failures} FAILED`} in ${seconds} s, SEED=${seed}\n`)
process.exitCode = failures === 0 ? 0 : 1
