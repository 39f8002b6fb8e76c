/** How much of a sweep a run does; see `npm run test:fault` and `npm run test:nightly` in CONTRIBUTING.md. */
import { relative } from 'node:path'
import { projectRoot } from '../support/spindle-process.js'

const effort = process.env.SPINDLE_EFFORT ?? 'sample'

/** The number for this run. */
export function byEffort(sample: number, full: number, nightly: number): number {
  if (effort === 'nightly') return nightly
  return effort === 'full' ? full : sample
}

/** Seed of this run, to be given again as SEED. */
export const seed = Number(process.env.SEED ?? Date.now() % 0x7fffffff)

/** The command that does this run again. */
export const replay = `TAP_TIMEOUT=7200 SEED=${seed} SPINDLE_EFFORT=${effort} node ${relative(projectRoot, process.argv[1] ?? '')}`

/** Nightly runs are bounded: minutes for one test file. */
const minutes = Number(process.env.SPINDLE_MINUTES ?? 'Infinity')

/** Whether a random sweep may go on; `share` of the file's time is used up after it. */
export function hasTime(share = 1): boolean {
  return performance.now() < minutes * 60_000 * share
}
