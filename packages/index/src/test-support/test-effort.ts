/**
 * How much of a sweep a run does: a sample with every `npm test`, all of it with `npm run test:fault`, more of what is
 * random with `npm run test:nightly`.
 */
import { relative } from 'node:path'

const effort = process.env.SPINDLE_EFFORT ?? 'sample'

/** The number for this run. */
export function byEffort(sample: number, full: number, nightly: number): number {
  if (effort === 'nightly') return nightly
  return effort === 'full' ? full : sample
}

/** The command that does this run again. */
export function replay(seed: number): string {
  return `TAP_TIMEOUT=7200 SEED=${seed} SPINDLE_EFFORT=${effort} node ${relative(process.cwd(), process.argv[1] ?? '')}`
}

/** Nightly runs are bounded: minutes for one test file. */
const minutes = Number(process.env.SPINDLE_MINUTES ?? 'Infinity')

/** Whether a random sweep may go on; `share` of the file's time is used up after it. */
export function hasTime(share = 1): boolean {
  return performance.now() < minutes * 60_000 * share
}
