/** How much of a sweep a run does; see `npm run test:fault` and `npm run test:nightly` in CONTRIBUTING.md. */
import { relative } from 'node:path'
import { projectRoot } from './spindle-process.js'

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

let state = seed >>> 0

/** Numbers, 0 ≤ x < 1, that the seed decides. */
export function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 0x100000000
}

/** Nightly runs are bounded: minutes for one test file. */
const minutes = Number(process.env.SPINDLE_MINUTES ?? 'Infinity')

/** Milliseconds that a part of the file's time has, at most so many. */
export function timeFor(share: number, most: number): number {
  return Math.min(most, minutes * 60_000 * share)
}

/** Whether a random sweep may go on; `share` of the file's time is used up after it. */
export function hasTime(share = 1): boolean {
  return performance.now() < minutes * 60_000 * share
}
