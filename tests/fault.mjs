#!/usr/bin/env node
/**
 * The long stages of testing: `fault` (every sweep once, about six minutes on two cores), `nightly` (every point, random
 * parts until the time is over) and `soak` (random work, faults and kills against the model). The last two take minutes
 * as an argument, 30 where not given, and stop by themselves.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [stage = 'fault', given = '30'] = process.argv.slice(2)
const minutes = Number(given)
if (!['fault', 'nightly', 'soak'].includes(stage) || !(minutes > 0)) {
  process.stderr.write('Usage: node tests/fault.mjs fault | nightly [minutes] | soak [minutes]\n')
  process.exit(2)
}

const index = ['faults', 'damage', 'crash'].map((name) => `packages/index/dist/indexing/${name}.test.js`)
const processes = ['kill', 'lock', 'small-disk'].map((name) => `tests/dist/fault/${name}.test.js`)
const soak = ['tests/dist/fault/soak.test.js']

/** @returns whether all of them passed */
function run(files, effort, seed, seconds) {
  const began = Date.now()
  // Files run two at a time.
  const time =
    effort === 'full' && stage !== 'soak'
      ? {}
      : { SPINDLE_MINUTES: String((minutes * Math.min(2, files.length)) / files.length) }
  const { status } = spawnSync('npx', ['tap', 'run', `--timeout=${seconds}`, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SPINDLE_EFFORT: effort, SEED: String(seed), ...time },
  })
  process.stdout.write(
    `${effort}, SEED=${seed}: ${status === 0 ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - began) / 1000)} s\n`,
  )
  return status === 0
}

const first = Number(process.env.SEED ?? Date.now() % 0x7fffffff)
let passed = true
if (stage === 'fault') passed = run([...index, ...processes], 'full', first, 1800)
else if (stage === 'soak') passed = run(soak, 'full', first, minutes * 60 + 300)
else passed = run([...index, ...processes], 'nightly', first, minutes * 60 + 1800)
process.exitCode = passed ? 0 : 1
