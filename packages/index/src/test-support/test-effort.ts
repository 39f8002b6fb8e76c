/**
 * How much of a sweep a run does: a sample with every `npm test`, all of it with `npm run test:fault`, more of what is
 * random with `npm run test:nightly`.
 */

const effort = process.env.SPINDLE_EFFORT ?? 'sample'

/** The number for this run. */
export function byEffort(sample: number, full: number, nightly: number): number {
  if (effort === 'nightly') return nightly
  return effort === 'full' ? full : sample
}
